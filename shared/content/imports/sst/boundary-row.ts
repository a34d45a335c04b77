import { bad, type RowResult, row, skipped } from '../row-result.ts';
import { rowDates } from './rate-row.ts';

/** Most states send 89 columns; South Dakota and Washington send 90. */
export const boundaryColumns: readonly number[] = [89, 90];

export type BoundarySpan = {
  readonly low: string;
  readonly high: string;
  readonly from: string;
  readonly to: string | null;
  /** A ZIP+4 range is asked before a ZIP range (content notes 1.6). */
  readonly rank: 0 | 1;
};

const zipPattern = /^\d{3,5}$/;
const extensionPattern = /^\d{1,4}$/;

/** One end of a span as a single nine-digit number: ZIP and extension are never compared apart. */
const nineDigits = (zip: string, extension: string): string | null =>
  zipPattern.test(zip) && extensionPattern.test(extension) ? zip.padStart(5, '0') + extension.padStart(4, '0') : null;

const zipSpan = (cells: readonly string[]) => ({
  low: nineDigits(cells[17] ?? '', '0000'),
  high: nineDigits(cells[19] ?? '', '9999'),
});

// An extension of 0000 is itself, and no wildcard.
const zip4Span = (cells: readonly string[]) => ({
  low: nineDigits(cells[17] ?? '', cells[18] ?? ''),
  high: nineDigits(cells[19] ?? '', cells[20] ?? ''),
});

/** Read which ZIPs a row of an SST boundary file is of, and when (content notes 1.5). */
export const readBoundaryRow = (cells: readonly string[], fips: string): RowResult<BoundarySpan> => {
  if (!boundaryColumns.includes(cells.length))
    return bad(`has ${cells.length} columns; a boundary row has ${boundaryColumns.join(' or ')}`);
  const kind = (cells[0] ?? '').toUpperCase();
  if (kind === 'A') return skipped('street-address rows are not used');
  if (kind !== 'Z' && kind !== '4') return bad(`is of record type ${kind || '(none)'}; it must be A, Z or 4`);
  const state = (cells[22] ?? '').padStart(2, '0');
  if (state !== fips) return bad(`is of state ${state}; import the file of state ${fips}`);
  const { low, high } = kind === 'Z' ? zipSpan(cells) : zip4Span(cells);
  if (low === null || high === null || high < low)
    return bad(`ZIPs ${cells.slice(17, 21).join(' ')} are no range: correct columns 18 to 21`);
  const dates = rowDates(cells[1] ?? '', cells[2] ?? '');
  if (dates.kind !== 'row') return dates;
  return row({ low, high, ...dates.value, rank: kind === 'Z' ? 1 : 0 });
};
