import { dayAfter, dayBefore } from '../../../calendar.ts';
import type { Jurisdiction } from '../../release.ts';
import type { Entry } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import { type LayerNames, layerName } from './layer-names.ts';
import { type LayerKey, layerJurisdiction } from './layers.ts';
import type { Quirks } from './quirks.ts';
import { type Overlap, type RateLine, resolveOverlaps } from './rate-overlaps.ts';
import type { RateRow } from './rate-row.ts';

type Dates = RateRow['rate'];

/** The rates of a file by their keys: some thousands, held while the boundary file passes. */
export type RateBook = {
  readonly state: string;
  readonly stateKey: LayerKey;
  readonly quirks: Quirks;
  readonly names: LayerNames;
  /** The rows as the file has them, until `settleRates`. */
  readonly rows: Map<LayerKey, RateLine[]>;
  /** One rate a day for each key; empty until `settleRates`. */
  readonly rates: Map<LayerKey, readonly Dates[]>;
  /** Keys with a bad row: what they tax is not known on any day. */
  readonly unsound: Set<LayerKey>;
  /** The first day from which the file has every rate there was, or `null` where nothing tells. */
  completeFrom: string | null;
};

/** A name is known to the file: it has rates, or a row that is wrong. */
export const isNamed = ({ rates, unsound }: RateBook, key: LayerKey): boolean => rates.has(key) || unsound.has(key);

/** Add a row of the rate file. `false`: the jurisdiction has the same row already. */
export const addRate = ({ rows }: RateBook, { key, rate }: RateRow, line: number): boolean => {
  const others = rows.get(key) ?? [];
  const text = JSON.stringify(rate);
  if (others.some((other) => JSON.stringify(other.rate) === text)) return false;
  if (others.push({ line, rate }) === 1) rows.set(key, others);
  assertFits(others.length, limits.ratesOfJurisdiction, `rates of ${key}`);
  assertFits(rows.size, limits.jurisdictions, 'jurisdictions');
  return true;
};

/** Two rate rows of a jurisdiction that share days. */
export type KeyedOverlap = Overlap & { readonly key: LayerKey };

/** Give each key one rate a day, when the last row was read; the overlaps that were resolved come back. */
export const settleRates = ({ rows, rates }: RateBook): readonly KeyedOverlap[] =>
  [...rows].flatMap(([key, lines]) => {
    const resolved = resolveOverlaps(lines);
    rates.set(key, resolved.rates);
    return resolved.overlaps.map((overlap) => ({ key, ...overlap }));
  });

/**
 * From when on the file's history has no holes: the first day that some rate ended on, for whatever ended later would
 * be there too; at the latest the first day of the quarter that the file is for (content notes 1.2).
 */
export const completeFrom = (book: RateBook, effective: string | null): string | null => {
  const ends = [...book.rates.values()].flat().flatMap(({ to }) => (to === null ? [] : [dayAfter(to)]));
  return [...ends, ...(effective === null ? [] : [effective])].toSorted()[0] ?? null;
};

const zero = (from: string, to: string): Dates => ({ rate: '0', from, to });

/**
 * The rates of a key, and that it had none before its first day, as far back as the file is complete. Between rates and
 * after the last one nothing is known: a boundary row that still names it must have a rate of the day (content notes 1.6).
 */
const withBeginning = (rates: readonly Dates[], start: string | null): readonly Dates[] => {
  const sorted = rates.toSorted((one, other) => ((one.from ?? '') < (other.from ?? '') ? -1 : 1));
  const from = sorted[0]?.from ?? null;
  return start !== null && from !== null && start < from ? [zero(start, dayBefore(from)), ...sorted] : sorted;
};

/** The last day of a key's rates; `null` where they go on, or there are none. */
export const lastDayOf = ({ rates }: RateBook, key: LayerKey): string | null => {
  const days = (rates.get(key) ?? []).map(({ to }) => to);
  return days.includes(null) ? null : (days.toSorted().at(-1) ?? null);
};

/** The jurisdiction of a key, by its public name where a table has one. */
export const jurisdictionOf = ({ state, quirks, names }: RateBook, key: LayerKey): Jurisdiction =>
  layerJurisdiction(state, key, { isCounty: quirks.isCounty(key.slice(3)), name: layerName(names, key) });

/** What the rate file says, as entries. The state's own rates are as they are: between them it is not covered. */
export function* bookEntries(book: RateBook): Generator<Entry> {
  for (const key of new Set([...book.rates.keys(), ...book.unsound])) {
    const isState = key === book.stateKey;
    const jurisdiction = jurisdictionOf(book, key);
    if (!isState) yield { kind: 'jurisdiction', jurisdiction };
    if (book.unsound.has(key)) continue;
    const rates = book.rates.get(key) ?? [];
    for (const rate of isState ? rates : withBeginning(rates, book.completeFrom))
      yield { kind: 'rate', rate: { jurisdiction: isState ? `US-${book.state}` : jurisdiction.code, ...rate } };
  }
}
