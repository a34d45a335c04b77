import type { LocationFlags } from '../entry.ts';
import { bad, type RowResult, row, skipped } from '../files/read-rows.ts';
import { rowDates } from './rate-row.ts';

/** Most states send 89 columns; South Dakota and Washington send 90. */
const boundaryColumns: readonly number[] = [89, 90];

export type BoundarySpan = {
  readonly low: string;
  readonly high: string;
  readonly from: string;
  readonly to: string | null;
  /** A ZIP+4 range takes precedence over a ZIP range (content notes 1.6). */
  readonly rank: 0 | 1;
  /** `of_streets`: the row is of street addresses, and its span is the whole of their ZIP. */
  readonly flags?: LocationFlags;
};

const ofStreets: LocationFlags = { of_streets: true };
const zipPattern = /^\d{3,5}$/;
const extensionPattern = /^\d{1,4}$/;

/** One end of a span as a nine-digit number, because ZIP and extension are compared together. */
const nineDigits = (zip: string, extension: string): string | null =>
  zipPattern.test(zip) && extensionPattern.test(extension) ? zip.padStart(5, '0') + extension.padStart(4, '0') : null;

type Ends = { readonly low: string | null; readonly high: string | null };

/** A street-address row has a column for its ZIP; the columns of ZIP ranges are read where that is empty. */
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

/** Read which ZIPs a row of an SST boundary file is of, and when (content notes 1.5). */
export const readBoundaryRow = (cells: readonly string[], fips: string): RowResult<BoundarySpan> => {
  if (!boundaryColumns.includes(cells.length))
    return bad(`has ${cells.length} columns; a boundary row has ${boundaryColumns.join(' or ')}`);
  const type = (cells[0] ?? '').toUpperCase();
  const kind = kinds[type];
  if (!kind) return bad(`is of record type ${type || '(none)'}; it must be A, Z or 4`);
  const state = (cells[22] ?? '').padStart(2, '0');
  if (state !== fips) return bad(`is of state ${state}; import the file of state ${fips}`);
  if (type === 'A' && streetZips(cells)[0] === '') return skipped('is a street-address row without a ZIP code');
  const { low, high } = kind.ends(cells);
  if (low === null || high === null || high < low)
    return bad(`ZIPs ${cells.slice(15, 21).join(' ').trim()} are no range: correct ${kind.columns}`);
  const dates = rowDates(cells[1] ?? '', cells[2] ?? '');
  if (dates.kind !== 'row') return dates;
  const rank = type === '4' ? 0 : 1;
  return row({ low, high, ...dates.value, rank, ...(type === 'A' && { flags: ofStreets }) });
};
