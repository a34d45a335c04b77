import { stateFips } from '../../../jurisdiction.ts';
import type { Entry } from '../entry.ts';
import { type BrokenRow, multilineReason, openTable, type Row, type Table } from '../files/rows.ts';
import type { Importer, Read, ReadOptions } from '../importer.ts';
import { bad, type RowResult } from '../row-result.ts';
import { zipsOfState } from '../zips.ts';
import { type BoundaryReader, boundaryEntries, untaxedNote } from './boundary.ts';
import { readLayerNames } from './layer-names.ts';
import { quirksOf } from './quirks.ts';
import {
  addRate,
  bookEntries,
  completeFrom,
  overlapEntries,
  quarterOfName,
  type RateBook,
  settleRates,
} from './rate-book.ts';
import { rateRowKey, readRateRow, stateKey } from './rate-row.ts';

type Rows = AsyncIterator<Row | BrokenRow>;
type OpenTable = { readonly table: Table; readonly rows: Rows; readonly first: Row | BrokenRow | undefined };

// Even a bad row of a rate file is much shorter than a boundary row.
const isBoundary = ({ first }: OpenTable): boolean =>
  first !== undefined && 'cells' in first && first.cells.length > 40;

const open = async (path: string, onProgress: (read: number, total: number) => void): Promise<OpenTable> => {
  const table = await openTable(path, ',', onProgress);
  const rows = table.rows[Symbol.asyncIterator]();
  return { table, rows, first: (await rows.next()).value };
};

async function* rowsOf({ first, rows }: OpenTable): AsyncGenerator<Row | BrokenRow> {
  if (first) yield first;
  yield* { [Symbol.asyncIterator]: () => rows };
}

const closeAll = (tables: readonly OpenTable[]) => Promise.all(tables.map(({ rows }) => rows.return?.()));

const openBoth = async (
  files: readonly string[],
  { onProgress }: ReadOptions,
): Promise<readonly [OpenTable, OpenTable]> => {
  const progress = files.map(() => ({ read: 0, total: 0 }));
  const sum = (key: 'read' | 'total') => progress.reduce((total, part) => total + part[key], 0);
  const tables = await Promise.all(
    files.map((path, index) =>
      open(path, (read, total) => {
        progress[index] = { read, total };
        onProgress?.(sum('read'), sum('total'));
      }),
    ),
  );
  const rates = tables.filter((table) => !isBoundary(table));
  const boundary = tables.filter(isBoundary);
  if (rates[0] && boundary[0] && tables.length === 2) return [rates[0], boundary[0]];
  await closeAll(tables);
  throw new Error('An SST import takes two files: a rate file of 9 columns and a boundary file of 89 or 90.');
};

const badRow = (line: number, reason: string): Entry => ({ kind: 'bad', line, reason });

/** The cells of a row; a broken or multi-line row is bad. */
const cellsOf = (row: Row | BrokenRow): RowResult<readonly string[]> => {
  if ('broken' in row) return bad(row.broken);
  const reason = multilineReason(row);
  return reason === null ? { kind: 'row', value: row.cells } : bad(reason);
};

/** Read the rate file into the book. Yields its entries after the last row. */
async function* readRates(book: RateBook, fips: string, rates: OpenTable): AsyncGenerator<Entry> {
  let count = 0;
  for await (const row of rowsOf(rates)) {
    count += 1;
    const cells = cellsOf(row);
    const read = cells.kind === 'row' ? readRateRow(cells.value, fips, book.quirks) : cells;
    if (read.kind === 'skipped') yield { kind: 'skipped', line: row.line, reason: read.reason };
    if (read.kind === 'row' && !addRate(book, read.value, row.line))
      yield { kind: 'skipped', line: row.line, reason: 'repeats another rate row' };
    if (read.kind !== 'bad') continue;
    yield badRow(row.line, read.reason);
    const key = 'cells' in row ? rateRowKey(row.cells) : null;
    if (key !== null) book.unsound.add(key);
  }
  yield* overlapEntries(book, settleRates(book), rates.table.name);
  yield { kind: 'file', name: rates.table.name, rows: count };
  book.completeFrom = completeFrom(book, quarterOfName(rates.table.name));
  yield* bookEntries(book);
}

async function* readBoundary(reader: BoundaryReader, boundary: OpenTable): AsyncGenerator<Entry> {
  let count = 0;
  for await (const row of rowsOf(boundary)) {
    count += 1;
    const cells = cellsOf(row);
    if (cells.kind === 'row') yield* boundaryEntries(reader, row.line, cells.value);
    else yield { ...cells, line: row.line };
  }
  yield { kind: 'file', name: boundary.table.name, rows: count };
  yield* untaxedNote(reader);
}

/**
 * Read a state's SST rate file and boundary file (content notes 1.2 to 1.6), in either order.
 *
 * A county or place without any rate row has no tax of its own; the summary lists it. A district without one is a bad
 * row, and its ZIPs are not covered if the import continues. A jurisdiction with rate rows has no tax before the first
 * one; in gaps and after the last one its ZIPs are not covered. Throws unless there is one file of each kind.
 */
const readSst: Read = async function* (files, options) {
  const { state, names } = options;
  const fips = stateFips(state);
  const [rates, boundary] = await openBoth(files, options);
  try {
    const book: RateBook = {
      state,
      stateKey: stateKey(fips),
      quirks: quirksOf(state),
      names: names ? readLayerNames(state, fips, names) : new Map(),
      rows: new Map(),
      rates: new Map(),
      unsound: new Set(),
      completeFrom: null,
    };
    yield* readRates(book, fips, rates);
    // The base's state rate cannot be combined with this file's local rates: in Nevada the tax would double.
    if (!book.rates.has(book.stateKey) || book.unsound.has(book.stateKey)) {
      yield {
        ...badRow(1, "the rate file has no sound row of type 45 for the state's own tax: take a complete file"),
        isOfFile: true,
      };
      return;
    }
    yield* readBoundary(
      { book, fips, zips: zipsOfState(state), known: new Map(), declared: new Set(), untaxed: new Set() },
      boundary,
    );
  } finally {
    await closeAll([rates, boundary]);
  }
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
  match: 'zip',
  read: readSst,
};
