import { parseStreet, readHouse, type Street, splitWords } from '../../catalog/streets/street-address.ts';
import { anyStreet, type StreetRange, type UnitRange } from '../../catalog/streets/street-ranges.ts';
import { units, unitsWithoutId } from '../../catalog/streets/suffixes.ts';

/** Columns 4 to 14 of a street-address row, as the layout counts them from 1 (content notes 1.5). */
const firstColumn = 4;
const columnCount = 11;

const plainName = /^[A-Z0-9-]+$/;
const plainId = /^[A-Z0-9]*$/;

/** A single number or identifier needs no parity. */
const parityOf = (text: string, isSingle: boolean): 'E' | 'O' | 'B' | null => {
  const letter = text.toUpperCase();
  if (letter === 'E' || letter === 'O' || letter === 'B') return letter;
  return letter === '' && isSingle ? 'B' : null;
};

const streetIn = (pre: string, name: string, suffix: string, post: string) => {
  const words = [pre, name, suffix, post].flatMap(splitWords);
  return splitWords(name).length > 0 && words.every((word) => plainName.test(word)) ? parseStreet(words) : anyStreet;
};

/** The units of a row; `undefined` if they cannot be read, `null` for none. */
const unitIn = (abbreviation: string, low: string, high: string, parity: string): UnitRange | null | undefined => {
  if (abbreviation === '' && low === '' && high === '') return null;
  const word = abbreviation.toUpperCase().replaceAll(/[.#]/g, '');
  const designator = units.get(word) ?? unitsWithoutId.get(word) ?? word;
  const [first, last] = [low, high || low].map((id) => id.toUpperCase().replaceAll(/[-#]/g, '')) as [string, string];
  const own = parityOf(parity, first === last);
  const isRead = own !== null && [designator, first, last].every((text) => plainId.test(text));
  return isRead ? { designator, low: first, high: last, parity: own } : undefined;
};

const streetsMax = 50_000;
const known = new Map<string, Street>();

/** Most rows repeat the street of another row. */
const streetOfColumns = (columns: readonly string[]): Street => {
  const text = columns.join('|');
  const found = known.get(text);
  if (found) return found;
  const [pre = '', name = '', suffix = '', post = ''] = columns;
  if (known.size >= streetsMax) known.clear();
  const street = streetIn(pre, name, suffix, post);
  known.set(text, street);
  return street;
};

/** The addresses of a street-address row. What cannot be read is the whole street, or the whole ZIP, with parity `U`. */
export const streetRange = (cells: readonly string[]): StreetRange => {
  const read = cells.slice(firstColumn - 1, firstColumn - 1 + columnCount).map((cell) => cell.trim());
  const [low = '', high = '', parity = ''] = read;
  const [abbreviation = '', unitLow = '', unitHigh = '', unitParity = ''] = read.slice(7);
  const street = streetOfColumns(read.slice(3, 7));
  const [first, last] = [readHouse(low.toUpperCase()), readHouse((high || low).toUpperCase())];
  const own = parityOf(parity, low === (high || low));
  const unit = unitIn(abbreviation, unitLow, unitHigh, unitParity);
  const isRange = first && last && first.prefix === last.prefix && first.number <= last.number;
  if (street === anyStreet || !isRange || own === null || unit === undefined)
    return { street, prefix: '', low: 0, high: 0, parity: 'U', unit: null };
  return { street, prefix: first.prefix, low: first.number, high: last.number, parity: own, unit };
};
