export { accepted, CommandError } from '../../base/command-error.ts';

import { Command } from 'commander';
import { CommandError } from '../../base/command-error.ts';
import { Contention } from '../../base/contention.ts';
import { isHttpUrl } from '../../base/loopback.ts';
import { ContentCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';
import { printable } from './output.ts';

const missingTable = (): string => {
  const { transactions, accounts, content } = environment.tables;
  return `At least one of the tables ${transactions}, ${accounts} and ${content} does not exist. Create them with \`npm run tables\` (an emulator) or \`npm run deploy\`, or set TABLE_TRANSACTIONS, TABLE_ACCOUNTS and TABLE_CONTENT to the deployed names.`;
};

/** No access, a full disk, a limit on file sizes, a read-only file system, and paths that no file can have. */
const fileProblems: readonly unknown[] = [
  ...['EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS'],
  ...['ENOTDIR', 'ENAMETOOLONG', 'ELOOP'],
];

type Details = Error & { readonly code?: unknown; readonly path?: unknown; readonly $metadata?: unknown };

const isUnreachable = ({ code, name }: Details): boolean =>
  code === 'ECONNREFUSED' || code === 'ENOTFOUND' || name === 'TimeoutError';

/** Whether an error affects the whole database, so a command cannot continue with the next state. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  (isUnreachable(error) || ['ResourceNotFoundException', 'CredentialsProviderError'].includes(error.name));

/** Returns the message of an expected error and how to fix it, or `null` for a bug, whose stack is printed. */
export const explainError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  if (error instanceof CommandError) return error.message;
  if (error instanceof ContentCorrupt) return corruptionText(error);
  const { name, message, code, path, $metadata } = error as Details;
  if (name === 'ResourceNotFoundException') return missingTable();
  if (name === 'CredentialsProviderError')
    return 'No AWS credentials found. Sign in, or set DYNAMODB_ENDPOINT to an emulator.';
  if (code === 'ENOENT' && typeof path === 'string') return `The file ${path} does not exist.`;
  if (code === 'EEXIST' && typeof path === 'string')
    return `The file ${path} already exists. Nothing was overwritten. Delete it, or pass a different name.`;
  if (code === 'EISDIR')
    return `${typeof path === 'string' ? path : 'The path of a file'} is a directory. Pass the path of a file.`;
  if (fileProblems.includes(code)) return `Cannot read or write the file: ${message}.`;
  if (isUnreachable(error))
    return `Cannot connect to DynamoDB at ${environment.dynamodbEndpoint ?? `the region ${environment.region}`}. Check the address, and that the database is running.`;
  if (error instanceof Contention) return `${message} Run this again.`;
  if ($metadata) return `DynamoDB refused the request: ${name}: ${message}`;
  return null;
};

/** An emulator accepts any credentials, so the operator's credentials are never sent to it. Throws if it is not a URL. */
const useEmulator = (endpoint: string): void => {
  if (!isHttpUrl(endpoint))
    throw new CommandError(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${endpoint}".`);
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
};

/** An option of a subcommand. `Value` is what `run` receives, which is `undefined` without the option. */
type Option<Value> = {
  readonly placeholder: string | null;
  readonly text: string;
  readonly isRequired?: boolean;
  readonly parse?: ((text: string) => Value) | undefined;
  readonly byDefault?: Value;
};

/** An option without a value, such as `--json`. */
export const flag = (text: string): Option<boolean | undefined> => ({ placeholder: null, text });

/** An option with a value, such as `--state <state>`. Without `parse`, the value is the text. */
export const optional = <Value = string>(
  placeholder: string,
  text: string,
  parse?: (text: string) => Value,
): Option<Value | undefined> => ({ placeholder, text, parse });

export const required = <Value = string>(
  placeholder: string,
  text: string,
  parse?: (text: string) => Value,
): Option<Value> => ({ placeholder, text, parse, isRequired: true });

/** An option with a value and a default. */
export const withDefault = <Value = string>(
  byDefault: Value,
  placeholder: string,
  text: string,
  parse?: (text: string) => Value,
): Option<Value> => ({ placeholder, text, parse, byDefault });

/** The options that several commands have. */
export const account = required('<id>', 'the account, such as acct_demo');
export const yes = flag('do not ask for confirmation');

type Declared<Options, Arguments extends readonly unknown[]> = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly (readonly [name: string, text: string])[];
  /** The options by name: `periodEnd` is `--period-end`. */
  readonly options: { readonly [Name in keyof Options]: Option<Options[Name]> };
  /** Shown after the help, before the examples. */
  readonly help?: string;
  /** Command lines without `npm run`. */
  readonly examples?: readonly string[];
  readonly run: (options: Options, ...given: Arguments) => void | Promise<void>;
};

/** Adds a subcommand to a program. */
type Subcommand = (program: Command) => void;

const examplesText = (lines: readonly string[]): string =>
  `\n${[lines.length === 1 ? 'Example:' : 'Examples:', ...lines.map((line) => `npm run ${line}`)].join('\n  ')}`;

/** Declares a subcommand. `run` receives the values of the options, and then the arguments. */
export const subcommand =
  <Options, Arguments extends readonly unknown[]>(declared: Declared<Options, Arguments>): Subcommand =>
  (program) => {
    const { name, summary, description, arguments: named = [], help, examples, run } = declared;
    const command = program.command(name).summary(summary);
    if (description) command.description(description);
    for (const argument of named) command.argument(...argument);
    for (const [key, option] of Object.entries<Option<unknown>>(declared.options)) {
      const { placeholder, text, isRequired, parse = (given: string) => given, byDefault } = option;
      const dashed = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const flags = placeholder === null ? `--${dashed}` : `--${dashed} ${placeholder}`;
      if (placeholder === null) command.option(flags, text);
      else if (isRequired) command.requiredOption(flags, text, parse);
      else command.option(flags, text, parse, byDefault);
    }
    if (help) command.addHelpText('after', `\n${help}`);
    if (examples) command.addHelpText('after', examplesText(examples));
    command.action((...given) => run(given[named.length], ...(given.slice(0, named.length) as unknown as Arguments)));
  };

/** The values that `run` receives for these options. */
export type Values<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never;
};

/** Creates a program of commands, with an example in its help. */
export const createProgram = (
  name: string,
  description: string,
  example: string,
  commands: readonly Subcommand[],
): Command => {
  const program = new Command(name)
    .description(description)
    .usage('[command] [options]')
    .addHelpText('after', examplesText([example]))
    .showHelpAfterError('See the options with --help.');
  for (const add of commands) add(program);
  return program;
};

/** Runs a program of commands. An expected error prints its message and a bug its stack, both with exit code 1. */
export const runCommand = async (program: Command): Promise<void> => {
  // The reader closed the pipe, such as `| head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    if (environment.dynamodbEndpoint) useEmulator(environment.dynamodbEndpoint);
    await program.parseAsync();
  } catch (error) {
    const explained = explainError(error);
    console.error(explained === null ? error : printable(explained));
    process.exitCode = 1;
  }
};
