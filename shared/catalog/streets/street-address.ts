/** Parses a street address strictly. Returns `null` for an uncertain parse; the ZIP is then used. */
import { lazy } from '../../base/collections.ts';
import words from './suffixes.json' with { type: 'json' };

/**
 * Words of USPS Publication 28: street suffixes (appendix C1), directions (section 233) and unit designators (appendix
 * C2). Each line of the file has the standard abbreviation first, then the other spellings.
 */
const spellings = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line) => {
      const [standard = '', ...others] = line.split(' ');
      return [standard, ...others].map((word): [string, string] => [word, standard]);
    }),
  );

/** The words of street addresses. Read on first use, because only imported content has streets. */
export const streetWords = lazy(() => ({
  suffixes: spellings(words.suffixes),
  directions: spellings(words.directions),
  /** Designators that require an identifier. */
  units: spellings(words.units),
  /** Designators without an identifier. */
  unitsWithoutId: spellings(words.units_without_id),
}));

/** A house number. `N56W16839`, a grid address in Wisconsin, has the prefix `N56W`. */
export type HouseNumber = { readonly prefix: string; readonly number: number };

/** A street as normalized parts. Directions and suffixes are USPS abbreviations; empty if absent. */
export type Street = {
  readonly name: string;
  /** Pre-direction, suffix and post-direction: `N,ST,`. */
  readonly affixes: string;
};

/** `#4` has `designator: null`. A designator without an identifier (`REAR`) has `id: null`. */
export type Unit = { readonly designator: string | null; readonly id: string | null };

export type StreetAddress = {
  readonly house: HouseNumber;
  readonly street: Street;
  /** `unclear`: there is a unit that cannot be parsed, as in `150A` or with two designators. */
  readonly unit: Unit | 'unclear' | null;
};

const housePattern = /^(?<prefix>[A-Z0-9]*[A-Z])?(?<digits>\d{1,9})$/;

/** Parses a house number without a letter or fraction after it; `null` if it does not match. */
export const readHouse = (text: string): HouseNumber | null => {
  const found = housePattern.exec(text)?.groups;
  return found ? { prefix: found['prefix'] ?? '', number: Number(found['digits']) } : null;
};

/** Splits a text into upper-case words without accents, periods and apostrophes. */
export const splitWords = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}|[.'’]/gu, '')
    .toUpperCase()
    .replaceAll(/#/g, ' # ')
    .split(/[\s,]+/)
    .filter((word) => word !== '');

/**
 * Parses a street from its words. A direction or suffix is recognized only if a name remains: `N ST` is the street N.
 */
export const parseStreet = (words: readonly string[]): Street => {
  const { directions, suffixes } = streetWords();
  let [first, last] = [0, words.length];
  const post = last > 1 ? directions.get(words[last - 1] ?? '') : undefined;
  if (post !== undefined) last -= 1;
  const suffix = last > 1 ? suffixes.get(words[last - 1] ?? '') : undefined;
  if (suffix !== undefined) last -= 1;
  const pre = last > 1 ? directions.get(words[0] ?? '') : undefined;
  if (pre !== undefined) first = 1;
  return { name: words.slice(first, last).join(' '), affixes: [pre, suffix, post].map((word) => word ?? '').join() };
};

const plainWord = /^[A-Z0-9-]+$/;
const fraction = /^\d\/\d$/;
const gridPart = /^[NSEW]\d+$/;
// `150N MAIN ST` could be 150 N MAIN ST, so N, E, S and W are not parsed as part of the house number.
const houseWithPart = /^(?<house>\d+)(?:-?[A-DF-MO-RT-VX-Z]|-\d\/\d)$/;

type HouseRead = { readonly house: HouseNumber; readonly rest: readonly string[]; readonly hasPart: boolean };

const parseHouse = (words: readonly string[]): HouseRead | null => {
  const [first = '', second = '', ...others] = words;
  const isGrid = gridPart.test(first) && gridPart.test(second);
  const house = readHouse(isGrid ? first + second : first);
  if (house && fraction.test(second)) return { house, rest: others, hasPart: true };
  if (house) return { house, rest: isGrid ? others : words.slice(1), hasPart: false };
  const found = houseWithPart.exec(first)?.groups;
  const numbered = readHouse(found?.['house'] ?? '');
  return numbered ? { house: numbered, rest: words.slice(1), hasPart: true } : null;
};

// A longer word after a designator could belong to the street: 100 FRONT ST, 100 KEY HWY.
const unitId = /^(?:[A-Z]|[A-Z]?-?\d+-?[A-Z]?)$/;

type UnitRead = { readonly unit: Unit; readonly length: number };

/** Parses the unit at the end of the words, and counts its words. */
const unitAtEnd = (words: readonly string[]): UnitRead | null => {
  const { units, unitsWithoutId } = streetWords();
  const [designator = '', id = ''] = words.slice(-2);
  const isGeneric = designator === '#';
  const known = isGeneric ? null : units.get(designator);
  if (known !== undefined && unitId.test(id)) {
    const hasBoth = isGeneric && units.has(words.at(-3) ?? '');
    const own = hasBoth ? (units.get(words.at(-3) ?? '') ?? null) : known;
    return { unit: { designator: own, id: id.replaceAll('-', '') }, length: hasBoth ? 3 : 2 };
  }
  const alone = unitsWithoutId.get(id);
  // Without a suffix before it, the word could belong to the street name: LAKE SIDE.
  const isUnit = alone !== undefined && parseStreet(words.slice(0, -1)).affixes.split(',')[1] !== '';
  return isUnit ? { unit: { designator: alone, id: null }, length: 1 } : null;
};

/** Parses `line1` of an address. Returns `null` without a house number and street, as for a PO box or a rural route. */
export const readStreetAddress = (line1: string): StreetAddress | null => {
  const read = parseHouse(splitWords(line1));
  if (!read) return null;
  let { rest } = read;
  let unit: StreetAddress['unit'] = read.hasPart ? 'unclear' : null;
  for (let found = unitAtEnd(rest); found && rest.length > found.length; found = unitAtEnd(rest)) {
    rest = rest.slice(0, -found.length);
    unit = unit === null ? found.unit : 'unclear';
  }
  if (rest.length === 0 || !rest.every((word) => plainWord.test(word))) return null;
  const street = parseStreet(rest);
  return /[A-Z0-9]/.test(street.name) ? { house: read.house, street, unit } : null;
};
