import { parseArgs } from 'node:util';

const word = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs;
const piece = /'([^']*)'|"((?:\\.|[^"\\])*)"|([^'"]+)/gs;

/** The words of one command as a shell reads them: quotes, backslashes, and variables outside of single quotes. */
export const shellWords = (command: string, variables: Readonly<Record<string, string>>): readonly string[] => {
  const expanded = (text: string): string =>
    text.replace(/\\(.)|\$(\w+)/gs, (_, escaped?: string, name = '') => {
      const value = escaped ?? variables[name];
      if (value === undefined) throw new Error(`The command uses $${name}, which has no value.`);
      return value;
    });
  const joined = command.replaceAll('\\\n', '');
  const rest = joined.replace(word, '').trim();
  if (rest !== '') throw new Error(`A quote of the command is not closed: ${rest}`);
  return (joined.match(word) ?? []).map((text) =>
    text.replace(piece, (_, single?: string, double?: string, plain = '') => single ?? expanded(double ?? plain)),
  );
};

const options = {
  silent: { type: 'boolean', short: 's' },
  errors: { type: 'boolean', short: 'S' },
  method: { type: 'string', short: 'X' },
  body: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
} as const;

/** The request of a curl command in the documentation. Refuses unknown options. */
export const curlRequest = (command: string, variables: Readonly<Record<string, string>>) => {
  const [curl, ...args] = shellWords(command, variables);
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [url = ''] = positionals;
  if (curl !== 'curl' || !values.silent || !values.errors || positionals.length !== 1)
    throw new Error(`Not a curl command of the documentation: ${command}`);
  const headers = Object.fromEntries((values.header ?? []).map((text) => text.split(/: (.*)/s).slice(0, 2)));
  const rawBody = values.body ?? null;
  return { method: values.method ?? (rawBody === null ? 'GET' : 'POST'), url, headers, rawBody };
};
