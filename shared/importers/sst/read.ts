import { openTable } from '../files/rows.ts';
import type { Importer, Read } from '../importer.ts';
import { Boundaries } from './boundary.ts';
import { completeFrom, RateBook } from './rates.ts';

// Even a bad row of a rate file is much shorter than a boundary row.
const rateColumnsMax = 40;

/** Returns the size of a file in bytes, and whether its first row belongs to a boundary file. */
const peek = async (path: string) => {
  const { size, rows } = await openTable(path);
  const iterator = rows[Symbol.asyncIterator]();
  const { value } = await iterator.next();
  await iterator.return?.();
  return { path, size, isBoundary: value && 'cells' in value ? value.cells.length > rateColumnsMax : false };
};

const tellApart = async (files: readonly string[]) => {
  const peeked = await Promise.all(files.map(peek));
  const rates = peeked.find(({ isBoundary }) => !isBoundary);
  const boundary = peeked.find(({ isBoundary }) => isBoundary);
  if (rates && boundary && files.length === 2) return { rates, boundary };
  throw new Error('An SST import needs two files: a rate file of 9 columns and a boundary file of 89 or 90.');
};

/**
 * Reads a state's SST rate file and boundary file, in either order. Layout: Rates and Boundary Databases Instructional
 * Paper, Streamlined Sales Tax Governing Board.
 *
 * A county or place without any rate row has no local tax; the summary lists it. A district without a rate row is an
 * error, and its ZIPs are not covered if the import continues. A jurisdiction with rate rows has no tax before the
 * first one; in gaps and after the last one its ZIPs are not covered. Throws unless there is one file of each kind.
 */
const readSst: Read = async function* (files, { state, names, onProgress }) {
  const { rates, boundary } = await tellApart(files);
  const open = ({ path }: { readonly path: string }, bytesBefore: number) =>
    openTable(path, (read) => onProgress?.(bytesBefore + read, rates.size + boundary.size));
  const book = new RateBook(state, names);
  yield* book.entries(await open(rates, 0));
  // The base's state rate cannot be combined with this file's local rates: in Nevada the tax would double.
  if (!book.hasStateRate()) {
    const reason = "the rate file has no valid row of type 45 for the state's tax: use a complete file";
    yield { kind: 'bad', line: 1, reason, isOfFile: true };
    return;
  }
  const boundaries = new Boundaries(book);
  const table = await open(boundary, rates.size);
  yield* boundaries.entries(table);
  const day = completeFrom([boundaries.firstEnd], table.name);
  if (day !== null) yield { kind: 'complete_from', day: [day, book.completeFrom ?? day].toSorted()[1] as string };
};

export const sst: Importer = {
  format: 'sst',
  describe: 'Streamlined Sales Tax rate and boundary files (24 states)',
  files: [
    { option: 'rates', describe: 'rate file, 9 columns: MNR2026Q2FEB18.csv' },
    { option: 'boundaries', describe: 'boundary file, 89 or 90 columns: MNB2026Q2FEB18.csv' },
  ],
  onlyState: null,
  confidence: 'high',
  hasRemoteRates: true,
  read: readSst,
};
