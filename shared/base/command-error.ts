import { describeJsonError } from './json.ts';
import type { Result } from './result.ts';

/** An error that the operator can fix. A command prints its message without a stack and exits with 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Returns the value of a result. Throws a `CommandError` for a refusal. */
export const accepted = <Value>(result: Result<Value>): Value => {
  if (result.ok) return result.value;
  throw new CommandError(result.problems.map(({ title, detail }) => `${title}. ${detail}`).join(' '));
};

/**
 * Parses JSON, with or without a byte order mark. Throws an error with the position of a syntax error; `subject` begins
 * its message: `The file is`.
 */
export const jsonOrRefuse = (sent: string, subject: string): unknown => {
  const text = sent.replace(/^\uFEFF/, '');
  const error = describeJsonError(text);
  if (error === null) return JSON.parse(text);
  const { line, column, expected } = error;
  throw new CommandError(`${subject} not JSON: expected ${expected} at line ${line}, column ${column}.`);
};
