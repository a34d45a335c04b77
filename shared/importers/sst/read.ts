import { openTable } from '../files/rows.ts';
import type { Importer, Read } from '../importer.ts';
import { Boundaries } from './boundary.ts';
import { completeFrom, RateBook } from './rates.ts';

/**
 * Reads a state's SST rate file and boundary file. Layout: Rates and Boundary Databases Instructional
 * Paper, Streamlined Sales Tax Governing Board.
 *
 * A county or place without any rate row has no local tax; the summary lists it. A district without a rate row is an
 * error, and its ZIPs are not covered if the import continues. A jurisdiction with rate rows has no tax before the
 * first one; in gaps and after the last one its ZIPs are not covered.
 */
const readSst: Read = async function* ([rates = '', boundary = ''], { state, names, onProgress }) {
  const book = new RateBook(state, names);
  yield* book.entries(await openTable(rates));
  // The base's state rate cannot be combined with this file's local rates: in Nevada the tax would double.
  if (!book.hasStateRate()) {
    const reason = "the rate file has no valid row of type 45 for the state's tax: use a complete file";
    yield { kind: 'bad', line: 1, reason, isOfFile: true };
    return;
  }
  const boundaries = new Boundaries(book);
  // The boundary file is hundreds of times larger than the rate file.
  const table = await openTable(boundary, onProgress);
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
