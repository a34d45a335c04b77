import { describeJsonError } from './json.ts';
import type { Result } from './result.ts';

/** An error that the operator can fix. A command prints its message without a stack and exits with 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The advice of the API that names its endpoints, and the commands. */
const commandTerms: readonly (readonly [advice: string, command: string])[] = [
  ['GET /filings lists the filings.', 'List them with `npm run filings -- list`.'],
  ['Check GET /filings/{id}/exceptions', 'Check `npm run filings -- exceptions`'],
  ['on the page Settings of the console, or with POST /account', 'with `npm run accounts -- settings`'],
];

/** Rewords advice of the API for a command (`Pass`) or a file (`Write`, `Use`), which do not send fields. */
export const rewordAdvice = (text: string, verb: 'Pass' | 'Write' | 'Use'): string =>
  (verb === 'Pass' ? commandTerms : [])
    .reduce((reworded, [advice, command]) => reworded.replace(advice, command), text)
    .replaceAll('You sent', verb === 'Pass' ? 'You passed' : 'The file has')
    .replaceAll('acknowledge_exceptions=', 'acknowledge_exceptions ')
    .replaceAll(
      /\b(?:acknowledge_exceptions|(?:previous_)?confirmation_number)\b/g,
      (field) => `--${field.replaceAll('_', '-')}`,
    )
    .replaceAll(/\b([Ss])end(?= )/g, (_, letter) => (letter === 'S' ? verb : verb.toLowerCase()));

/** Returns the value of a result. Throws a `CommandError` for a refusal. */
export const accepted = <Value>(result: Result<Value>): Value => {
  if (result.ok) return result.value;
  const text = result.problems.map(({ title, detail }) => `${title}. ${detail}`).join(' ');
  throw new CommandError(rewordAdvice(text, 'Pass'));
};

/**
 * Refuses text that was decoded as UTF-8 but has another encoding, such as UTF-16, whose zero bytes are valid UTF-8.
 * `subject` begins the message: `The file is`.
 */
export const requireUtf8 = (text: string, subject: string): void => {
  if (text.includes('\uFFFD') || text.includes('\0'))
    throw new CommandError(`${subject} not UTF-8. Save the file as UTF-8, such as "CSV UTF-8" of a spreadsheet.`);
};

/**
 * Parses JSON, with or without a byte order mark. Throws an error with the position of a syntax error; `subject` begins
 * its message: `The file is`.
 */
export const jsonOrRefuse = (sent: string, subject: string): unknown => {
  requireUtf8(sent, subject);
  const text = sent.replace(/^\uFEFF/, '');
  const error = describeJsonError(text);
  if (error === null) return JSON.parse(text);
  const { line, column, expected } = error;
  throw new CommandError(`${subject} not JSON: expected ${expected} at line ${line}, column ${column}.`);
};
