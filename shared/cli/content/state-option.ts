import { builtInRelease } from '../../content/built-in.ts';
import type { Release } from '../../content/release.ts';
import { jurisdictionCode, stateCode } from '../../jurisdiction.ts';
import { CommandError } from '../terminal/errors.ts';

/** Read `--state`: two letters or a name. Refused is what is no state that the service has content of. */
export const stateOf = (
  text: string,
): { readonly letters: string; readonly code: string; readonly builtIn: Release } => {
  const letters = stateCode(text);
  const builtIn = letters === null ? undefined : builtInRelease(letters);
  if (letters === null || !builtIn)
    throw new CommandError(`There is no content of a state "${text}". Send a two-letter state code, such as MN.`);
  return { letters, code: jurisdictionCode(letters), builtIn };
};
