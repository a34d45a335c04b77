/**
 * Words of USPS Publication 28: street suffixes (appendix C1), directions (section 233) and unit designators (appendix
 * C2). Each line of the file has the standard abbreviation first, then the other spellings.
 */
import words from './suffixes.json' with { type: 'json' };

const spellings = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line) => {
      const [standard = '', ...others] = line.split(' ');
      return [standard, ...others].map((word): [string, string] => [word, standard]);
    }),
  );

export const suffixes = spellings(words.suffixes);
export const directions = spellings(words.directions);
/** Designators that require an identifier. */
export const units = spellings(words.units);
/** Designators without an identifier. */
export const unitsWithoutId = spellings(words.units_without_id);
