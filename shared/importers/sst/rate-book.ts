import { dayAfter, dayBefore } from '../../base/calendar.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import type { Entry } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import type { OwnCodes } from '../own-codes.ts';
import { type LayerKey, layerJurisdiction, layerName } from './layers.ts';
import { type Overlap, type RateLine, resolveOverlaps } from './rate-overlaps.ts';
import type { RateRow } from './rate-row.ts';
import type { StateExceptions } from './state-exceptions.ts';

type Dates = RateRow['rate'];

/** The rates of a file by key, in memory while the boundary file is read: some thousands. */
export type RateBook = {
  readonly state: string;
  readonly stateKey: LayerKey;
  readonly exceptions: StateExceptions;
  readonly codes: OwnCodes;
  /** The rows as the file has them, until `settleRates`. */
  readonly rows: Map<LayerKey, RateLine[]>;
  /** One rate a day for each key; empty until `settleRates`. */
  readonly rates: Map<LayerKey, readonly Dates[]>;
  /** Keys with a bad row: their rates are unknown on every day. */
  readonly unsound: Set<LayerKey>;
  /** The first day from which the file has every rate, or `null` if that is unknown. */
  completeFrom: string | null;
};

/** Whether the file has rates or a bad row of a key. */
export const isNamed = ({ rates, unsound }: RateBook, key: LayerKey): boolean => rates.has(key) || unsound.has(key);

/** Add a row of the rate file; a row that the jurisdiction has already is skipped. */
export const addRate = ({ rows }: RateBook, { key, rate }: RateRow, line: number): readonly Entry[] => {
  const others = rows.get(key) ?? [];
  const text = JSON.stringify(rate);
  if (others.some((other) => JSON.stringify(other.rate) === text))
    return [{ kind: 'skipped', line, reason: 'repeats another rate row' }];
  if (others.push({ line, rate }) === 1) rows.set(key, others);
  assertFits(others.length, limits.ratesOfJurisdiction, `rates of ${key}`);
  assertFits(rows.size, limits.jurisdictions, 'jurisdictions');
  return [];
};

/** Two rate rows of a jurisdiction that share days. */
type KeyedOverlap = Overlap & { readonly key: LayerKey };

/** Leaves each key one rate per day after the last row. Returns the resolved overlaps. */
export const settleRates = ({ rows, rates }: RateBook): readonly KeyedOverlap[] =>
  [...rows].flatMap(([key, lines]) => {
    const resolved = resolveOverlaps(lines);
    rates.set(key, resolved.rates);
    return resolved.overlaps.map((overlap) => ({ key, ...overlap }));
  });

/**
 * The day from which a file's history is complete: the day after the earliest end of a row, because the file has later
 * ends, and at the latest the first day of the file's quarter (content notes 1.2). `null` if neither is known.
 */
export const completeFrom = (ends: Iterable<string | null>, effective: string | null): string | null => {
  let first = effective;
  for (const end of ends) if (end !== null && (first === null || end < first)) first = dayAfter(end);
  return first;
};

/** The last days of all rates. */
export const rateEnds = ({ rates }: RateBook): readonly (string | null)[] =>
  [...rates.values()].flat().map(({ to }) => to);

const zero = (from: string, to: string): Dates => ({ rate: '0', from, to });

/**
 * The rates of a key, with a zero rate before the first one as far back as the file is complete. Between rates and after
 * the last one the rate is unknown: a boundary row that still names the key needs one (content notes 1.6).
 */
const withBeginning = (rates: readonly Dates[], start: string | null): readonly Dates[] => {
  const sorted = rates.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
  const from = sorted[0]?.from ?? null;
  return start !== null && from !== null && start < from ? [zero(start, dayBefore(from)), ...sorted] : sorted;
};

/** The last day of a key's rates; `null` if they are open-ended or missing. */
export const lastDayOf = ({ rates }: RateBook, key: LayerKey): string | null => {
  const days = (rates.get(key) ?? []).map(({ to }) => to);
  return days.includes(null) ? null : (days.toSorted().at(-1) ?? null);
};

/** The jurisdiction of a key, by its public name where a table has one. */
export const jurisdictionOf = ({ state, exceptions, codes }: RateBook, key: LayerKey): Jurisdiction =>
  layerJurisdiction(state, key, { isCounty: exceptions.isCounty(key.slice(3)), name: layerName(codes, key) });

/** The entries of the rate file. Between the state's own rates the state is not covered. */
export function* bookEntries(book: RateBook): Generator<Entry> {
  for (const key of new Set([...book.rates.keys(), ...book.unsound])) {
    const isState = key === book.stateKey;
    const jurisdiction = jurisdictionOf(book, key);
    if (!isState) yield { kind: 'jurisdiction', jurisdiction };
    if (book.unsound.has(key)) continue;
    const rates = book.rates.get(key) ?? [];
    for (const rate of isState ? rates : withBeginning(rates, book.completeFrom))
      yield {
        kind: 'rate',
        rate: { jurisdiction: isState ? jurisdictionCode(book.state) : jurisdiction.code, ...rate },
      };
  }
}

const laterReason =
  'shares days with a row of the same jurisdiction that begins earlier: this row applies from its first day';
const contradictionReason =
  'has a different rate than an earlier row of the jurisdiction with the same first day: the later row applies';

const overlapsNamed = 20;

const overlapText = (book: RateBook, { key, line, replaced, from }: KeyedOverlap): string =>
  `${jurisdictionOf(book, key).name} (${key}), line ${line} instead of line ${replaced} from ${from}`;

/** Remarks and a note for the summary about rate rows that share days. */
export function* overlapEntries(book: RateBook, overlaps: readonly KeyedOverlap[], file: string): Generator<Entry> {
  if (overlaps.length === 0) return;
  for (const { line, isContradiction } of overlaps)
    yield { kind: 'remark', line, reason: isContradiction ? contradictionReason : laterReason };
  const more = overlaps.length - overlapsNamed;
  const named = overlaps
    .slice(0, overlapsNamed)
    .map((one) => overlapText(book, one))
    .join('; ');
  yield {
    kind: 'note',
    sentence: `Rate rows that share days in ${file}: ${named}${more > 0 ? `; and ${more} more` : ''}.`,
  };
}

/** The first day of the quarter in an SST file's name (`MNR2026Q2FEB18.zip`); `null` of another name. */
export const quarterOfName = (name: string): string | null => {
  const parts = /^[A-Z]{2}[RB](?<year>\d{4})Q(?<quarter>[1-4])[A-Z]{3}\d{1,2}\b/i.exec(name)?.groups;
  return parts ? `${parts['year']}-${String(Number(parts['quarter']) * 3 - 2).padStart(2, '0')}-01` : null;
};
