import { stateFips } from '../../vocabulary/jurisdiction.ts';
import type { Entry } from '../entry.ts';
import { readRows } from '../files/columns.ts';
import { openTable, type Table } from '../files/rows.ts';
import type { Importer, Read } from '../importer.ts';
import { OwnCodes } from '../own-codes.ts';
import { zipsOfState } from '../zips.ts';
import { type BoundaryReader, boundaryEntries, readBoundary, untaxedNote } from './boundary.ts';
import type { LayerKey } from './layers.ts';
import { LostStreets } from './lost-streets.ts';
import {
  addRate,
  bookEntries,
  completeFrom,
  overlapEntries,
  quarterOfName,
  type RateBook,
  rateEnds,
  settleRates,
} from './rate-book.ts';
import { rateRowKey, readRateRow, stateKey } from './rate-row.ts';
import { exceptionsOf } from './state-exceptions.ts';

// Even a bad row of a rate file is much shorter than a boundary row.
const rateColumnsMax = 40;

/** The size of a file in bytes, and whether its first row is of a boundary file. */
const peek = async (path: string) => {
  let size = 0;
  const { rows } = await openTable(path, (_, total) => {
    size = total;
  });
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
  throw new Error('An SST import takes two files: a rate file of 9 columns and a boundary file of 89 or 90.');
};

/** Read the rate file into the book. Yields its entries after the last row. */
async function* rateEntries(book: RateBook, fips: string, table: Table): AsyncGenerator<Entry> {
  yield* readRows(
    table,
    ({ cells }) => readRateRow(cells, fips, book.exceptions),
    (row, line) => addRate(book, row, line),
    {
      ofBad: ({ cells }) => {
        const key = rateRowKey(cells);
        if (key !== null) book.unsound.add(key);
        return [];
      },
      atEnd: () => overlapEntries(book, settleRates(book), table.name),
    },
  );
  book.completeFrom = completeFrom(rateEnds(book), quarterOfName(table.name));
  yield* bookEntries(book);
}

/**
 * Read a state's SST rate file and boundary file (content notes 1.2 to 1.6), in either order.
 *
 * A county or place without any rate row has no tax of its own; the summary lists it. A district without one is a bad
 * row, and its ZIPs are not covered if the import continues. A jurisdiction with rate rows has no tax before the first
 * one; in gaps and after the last one its ZIPs are not covered. Throws unless there is one file of each kind.
 */
const readSst: Read = async function* (files, { state, names, onProgress }) {
  const fips = stateFips(state);
  const { rates, boundary } = await tellApart(files);
  const open = ({ path }: { readonly path: string }, bytesBefore: number) =>
    openTable(path, (read) => onProgress?.(bytesBefore + read, rates.size + boundary.size));
  const book: RateBook = {
    state,
    stateKey: stateKey(fips),
    exceptions: exceptionsOf(state),
    codes: new OwnCodes(state, names),
    rows: new Map(),
    rates: new Map(),
    unsound: new Set(),
    completeFrom: null,
  };
  yield* rateEntries(book, fips, await open(rates, 0));
  // The base's state rate cannot be combined with this file's local rates: in Nevada the tax would double.
  if (!book.rates.has(book.stateKey) || book.unsound.has(book.stateKey)) {
    const reason = "the rate file has no sound row of type 45 for the state's own tax: take a complete file";
    yield { kind: 'bad', line: 1, reason, isOfFile: true };
    return;
  }
  const zips = zipsOfState(state);
  const sets = { known: new Map(), declared: new Set<LayerKey>(), untaxed: new Set<string>() };
  const lostStreets = new LostStreets(state, zips);
  const reader: BoundaryReader = { book, fips, zips, ...sets, lostStreets, firstEnd: null };
  const table = await open(boundary, rates.size);
  yield* readRows(
    table,
    ({ cells }) => readBoundary(reader, cells),
    ({ span, layers }, line) => boundaryEntries(reader, line, span, layers),
    {
      ofBad: (row) => {
        lostStreets.addBad(row);
        return [];
      },
      onBroken: () => lostStreets.addUnknown(),
      *atEnd() {
        yield* untaxedNote(reader);
        yield* lostStreets.entries();
      },
    },
  );
  const day = completeFrom([reader.firstEnd], quarterOfName(table.name));
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
