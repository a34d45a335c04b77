import { anyStreet, type StreetRange } from '../../catalog/streets/street-ranges.ts';
import { type Entry, type LocationFlags, unknownPlace } from '../entry.ts';
import { bad, type RowResult, row, skipped } from '../files/columns.ts';
import { assertFits, limits } from '../limits.ts';
import { foreignZips, touchesAny } from '../zips.ts';
import { type Layers, readLayers } from './boundary-layers.ts';
import type { LayerKey } from './layers.ts';
import type { LostStreets } from './lost-streets.ts';
import { jurisdictionOf, type RateBook } from './rate-book.ts';
import { rowDates } from './rate-row.ts';
import { streetRange } from './street-row.ts';

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
  readonly street?: StreetRange;
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
const readBoundaryRow = (cells: readonly string[], fips: string): RowResult<BoundarySpan> => {
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
  return row({
    low,
    high,
    ...dates.value,
    rank,
    ...(type === 'A' && { flags: ofStreets, street: streetRange(cells) }),
  });
};

/** Resolves boundary rows against the rates. It caches layers, because most rows repeat them. */
export type BoundaryReader = {
  readonly book: RateBook;
  readonly fips: string;
  /** Sorted, five digits. */
  readonly zips: readonly string[];
  readonly known: Map<string, Layers>;
  /** Keys without rates that already have a jurisdiction entry. */
  readonly declared: Set<string>;
  /** `county 999`, `place 12345`: named by boundary rows and by no rate row. */
  readonly untaxed: Set<string>;
  readonly lostStreets: LostStreets;
  /** The earliest last day of a row so far. */
  firstEnd: string | null;
};

const untaxedReason = 'names a county or place without a rate: no tax of its own there';
const endedReason = 'outlives a rate of what it names: not covered from the day after it';
const streetsReason =
  'is a street-address row: an address of its ZIP that matches no such row may have its jurisdictions';
const unreadStreetReason =
  'is a street-address row whose house numbers or unit cannot be read: any address of its street may have its jurisdictions';
const namelessReason =
  'is a street-address row without a street that can be read: any address of its ZIP may have its jurisdictions';

const reasonOfStreet = ({ street, parity }: StreetRange): string => {
  if (street === anyStreet) return namelessReason;
  return parity === 'U' ? unreadStreetReason : streetsReason;
};
const codesNamed = 20;

/** A note that lists the first counties and places without rates, if there are any. */
export function* untaxedNote({ untaxed }: BoundaryReader): Generator<Entry> {
  const codes = [...untaxed].toSorted();
  const more = codes.length - codesNamed;
  const listed = `${codes.slice(0, codesNamed).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  if (codes.length > 0) yield { kind: 'note', sentence: `The rate file has no rate of ${listed}.` };
}

function* remarks({ untaxed }: BoundaryReader, line: number, layers: Layers, span: BoundarySpan): Generator<Entry> {
  const { to, street } = span;
  if (street) yield { kind: 'remark', line, reason: reasonOfStreet(street) };
  for (const code of layers.untaxed) untaxed.add(code);
  assertFits(untaxed.size, limits.jurisdictions, 'counties and places');
  if (layers.untaxed.length > 0) yield { kind: 'remark', line, reason: untaxedReason };
  if (layers.lastDay !== null && (to === null || layers.lastDay < to))
    yield { kind: 'remark', line, reason: endedReason };
}

// Enough for all states together; a file with more distinct layers is read more slowly in the same memory.
const knownMax = 50_000;
const knownCharactersMax = 1000;

/** The columns that decide who taxes: longitude and latitude differ from row to row. */
const layerText = (cells: readonly string[]): string => `${cells.slice(22, 27).join()},${cells.slice(29).join()}`;

const layersOf = ({ book, known }: BoundaryReader, cells: readonly string[]): Layers => {
  const text = layerText(cells);
  const found = known.get(text);
  if (found) return found;
  const layers = readLayers(book, cells);
  if (known.size >= knownMax) known.clear();
  if (text.length <= knownCharactersMax) known.set(text, layers);
  return layers;
};

/** Whether the rate file reaches back to the days of a span: then a district of it must be there. */
const isWithin = ({ completeFrom }: RateBook, { to }: BoundarySpan): boolean =>
  to === null || completeFrom === null || to >= completeFrom;

function* unknownJurisdictions({ book, declared }: BoundaryReader, missing: readonly LayerKey[]): Generator<Entry> {
  for (const key of missing.filter((one) => !declared.has(one))) {
    declared.add(key);
    yield { kind: 'jurisdiction', jurisdiction: jurisdictionOf(book, key) };
  }
}

/** The span and layers of a boundary row. */
export const readBoundary = (
  reader: BoundaryReader,
  cells: readonly string[],
): RowResult<{ readonly span: BoundarySpan; readonly layers: Layers }> => {
  const { book, fips, zips } = reader;
  const read = readBoundaryRow(cells, fips);
  if (read.kind !== 'row') return read;
  const span = read.value;
  if (span.to !== null && (reader.firstEnd === null || span.to < reader.firstEnd)) reader.firstEnd = span.to;
  if (!touchesAny(zips, span.low, span.high)) return skipped(foreignZips(book.state));
  return row({ span, layers: layersOf(reader, cells) });
};

/** A row with bad layers still makes its ZIPs not covered; otherwise a wider row would apply to them. */
export function* boundaryEntries(
  reader: BoundaryReader,
  line: number,
  span: BoundarySpan,
  layers: Layers,
): Generator<Entry> {
  const { book } = reader;
  const { locals, missing, problem } = layers;
  reader.lostStreets.add(span);
  if (problem !== null) {
    yield { kind: 'bad', line, reason: problem };
    yield* unknownPlace(book.state, { kind: 'span', ...span });
    return;
  }
  yield* unknownJurisdictions(reader, missing);
  if (missing.length > 0 && isWithin(book, span))
    yield {
      kind: 'bad',
      line,
      reason: `names ${missing.map((key) => key.replace('-', ' ')).join(', ')}, which the rate file does not have: take the rate and the boundary file of one quarter`,
    };
  yield* remarks(reader, line, layers, span);
  yield { kind: 'span', ...span, locals };
}
