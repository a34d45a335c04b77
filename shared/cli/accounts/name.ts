import { CommandError } from '../terminal/errors.ts';

const lengthMax = 100;

/** Read a name that is stored and printed again later: on one line, and nothing that a terminal would obey. */
export const nameFrom = (text: string, option: string): string => {
  const name = text.trim();
  if (name === '' || name.length > lengthMax || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name))
    throw new CommandError(`${option} must be 1 to ${lengthMax} characters, without control characters.`);
  return name;
};
