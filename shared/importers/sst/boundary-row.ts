/** The content of an SST boundary row: its ZIPs, its days and its addresses (content notes 1.5). */
import {
  parseStreet,
  readHouse,
  type Street,
  splitWords,
  units,
  unitsWithoutId,
} from '../../catalog/streets/street-address.ts';
import { anyStreet, type StreetRange, type UnitRange } from '../../catalog/streets/street-ranges.ts';
import type { Span } from '../entry.ts';
import { bad, type RowResult, row, skipped, whenRead } from '../files/columns.ts';
import { rowDates } from './rates.ts';

/** Columns 4 to 14 of a street-address row, numbered from 1 as in the layout (content notes 1.5). */
const firstColumn = 4;
const columnCount = 11;

const plainName = /^[A-Z0-9-]+$/;
const plainId = /^[A-Z0-9]*$/;

/** A single number or identifier needs no parity. */
const parseParity = (text: string, isSingle: boolean): 'E' | 'O' | 'B' | null => {
  const letter = text.toUpperCase();
  if (letter === 'E' || letter === 'O' || letter === 'B') return letter;
  return letter === '' && isSingle ? 'B' : null;
};

const streetIn = (pre: string, name: string, suffix: string, post: string) => {
  const words = [pre, name, suffix, post].flatMap(splitWords);
  return splitWords(name).length > 0 && words.every((word) => plainName.test(word)) ? parseStreet(words) : anyStreet;
};

/** Returns the units of a row; `undefined` if they cannot be read, `null` for none. */
const unitIn = (abbreviation: string, low: string, high: string, parity: string): UnitRange | null | undefined => {
  if (abbreviation === '' && low === '' && high === '') return null;
  const word = abbreviation.toUpperCase().replaceAll(/[.#]/g, '');
  const designator = units.get(word) ?? unitsWithoutId.get(word) ?? word;
  const [first, last] = [low, high || low].map((id) => id.toUpperCase().replaceAll(/[-#]/g, '')) as [string, string];
  const own = parseParity(parity, first === last);
  const isRead = own !== null && [designator, first, last].every((text) => plainId.test(text));
  return isRead ? { designator, low: first, high: last, parity: own } : undefined;
};

const streetsMax = 50_000;
const known = new Map<string, Street>();

/** Caches the last street, because most rows repeat it. */
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

/**
 * Returns the addresses of a street-address row. Unreadable columns widen it to the whole street, or the whole ZIP,
 * with parity `U`.
 */
const streetRange = (cells: readonly string[]): StreetRange => {
  const read = cells.slice(firstColumn - 1, firstColumn - 1 + columnCount).map((cell) => cell.trim());
  const [low = '', high = '', parity = ''] = read;
  const [abbreviation = '', unitLow = '', unitHigh = '', unitParity = ''] = read.slice(7);
  const street = streetOfColumns(read.slice(3, 7));
  const [first, last] = [readHouse(low.toUpperCase()), readHouse((high || low).toUpperCase())];
  const own = parseParity(parity, low === (high || low));
  const unit = unitIn(abbreviation, unitLow, unitHigh, unitParity);
  const isRange = first && last && first.prefix === last.prefix && first.number <= last.number;
  if (street === anyStreet || !isRange || own === null || unit === undefined)
    return { street, prefix: '', low: 0, high: 0, parity: 'U', unit: null };
  return { street, prefix: first.prefix, low: first.number, high: last.number, parity: own, unit };
};

/** Most states send 89 columns; South Dakota and Washington send 90. */
const boundaryColumns: readonly number[] = [89, 90];

/** `rank`: a ZIP+4 range takes precedence over a ZIP range (content notes 1.6). A street row spans the whole ZIP. */
export type BoundarySpan = Omit<Span, 'kind' | 'locals' | 'from'> & { readonly from: string };

const ofStreets = { of_streets: true } as const;
const zipPattern = /^\d{3,5}$/;
const extensionPattern = /^\d{1,4}$/;

/** Returns one end of a span as a nine-digit number, because ZIP and extension are compared together. */
const nineDigits = (zip: string, extension: string): string | null =>
  zipPattern.test(zip) && extensionPattern.test(extension) ? zip.padStart(5, '0') + extension.padStart(4, '0') : null;

type Ends = { readonly low: string | null; readonly high: string | null };

/** A street-address row has a column for its ZIP; if it is empty, the columns of ZIP ranges are used. */
const streetZips = (cells: readonly string[]): readonly [low: string, high: string] => {
  const [zip = '', low = '', high = ''] = [cells[15], cells[17], cells[19]];
  return zip === '' ? [low, high || low] : [zip, zip];
};

type Kind = { readonly ends: (cells: readonly string[]) => Ends; readonly columns: string };

const kinds: Readonly<Record<string, Kind>> = {
  A: {
    ends: (cells) => {
      const [low, high] = streetZips(cells);
      return { low: nineDigits(low, '0000'), high: nineDigits(high, '9999') };
    },
    columns: 'column 16',
  },
  Z: {
    ends: (cells) => ({ low: nineDigits(cells[17] ?? '', '0000'), high: nineDigits(cells[19] ?? '', '9999') }),
    columns: 'columns 18 to 21',
  },
  // An extension of 0000 is not a wildcard.
  4: {
    ends: (cells) => ({
      low: nineDigits(cells[17] ?? '', cells[18] ?? ''),
      high: nineDigits(cells[19] ?? '', cells[20] ?? ''),
    }),
    columns: 'columns 18 to 21',
  },
};

/** Reads the ZIPs and days of a row in an SST boundary file (content notes 1.5). */
export const readBoundaryRow = (cells: readonly string[], fips: string): RowResult<BoundarySpan> => {
  if (!boundaryColumns.includes(cells.length))
    return bad(`has ${cells.length} columns; a boundary row has ${boundaryColumns.join(' or ')}`);
  const type = (cells[0] ?? '').toUpperCase();
  const kind = kinds[type];
  if (!kind) return bad(`has record type ${type || '(none)'}; expected A, Z or 4`);
  const state = (cells[22] ?? '').padStart(2, '0');
  if (state !== fips) return bad(`is for state ${state}; import the file of state ${fips}`);
  if (type === 'A' && streetZips(cells)[0] === '') return skipped('is a street-address row without a ZIP code');
  const { low, high } = kind.ends(cells);
  if (low === null || high === null || high < low)
    return bad(`ZIPs ${cells.slice(15, 21).join(' ').trim()} are not a range: correct ${kind.columns}`);
  return whenRead(rowDates(cells[1] ?? '', cells[2] ?? ''), (dates) => {
    const ofRow = { low, high, ...dates, rank: type === '4' ? 0 : 1 };
    return row(type === 'A' ? { ...ofRow, flags: ofStreets, street: streetRange(cells) } : ofRow);
  });
};
