import type { Result } from '../../result.ts';
import { CommandError } from './errors.ts';

/** The value of a result; a refusal ends the command with what to do about it. */
export const accepted = <Value>(result: Result<Value>): Value => {
  if (result.ok) return result.value;
  throw new CommandError(result.problems.map(({ title, detail }) => `${title}. ${detail}`).join(' '));
};
