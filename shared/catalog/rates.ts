import { getOrAdd } from '../base/collections.ts';
import { countsFrom, firstInForce } from './effective.ts';
import type { LocalSet } from './location/local-choice.ts';
import type { Release } from './release.ts';
import { type Jurisdiction, parseUnits, type Rate, type RateKind, rateOfKind } from './release-values.ts';

// Selects the rate of a jurisdiction on a tax day (`YYYY-MM-DD`).

// Grouped once per release, because releases are immutable.
const ratesByCode = new WeakMap<Release, ReadonlyMap<string, readonly Rate[]>>();

/** Returns all rates that a release has for a jurisdiction, for any day. */
export const listRates = (release: Release, code: string): readonly Rate[] => {
  const group = () => Map.groupBy(release.rates, ({ jurisdiction }) => jurisdiction);
  return getOrAdd(ratesByCode, release, group).get(code) ?? [];
};

/**
 * Returns the rate of a jurisdiction on a day; `undefined` if unknown. A rate without a first day applies from the
 * release's `established_from`, and as an approximation from its `approximate_from` (`isApproximateOn`).
 */
export const rateOn = (release: Release, code: string, day: string): Rate | undefined =>
  firstInForce(listRates(release, code), day, countsFrom(release));

/** Returns the state's rate on a day; `undefined` if the release does not have it. */
export const stateRateOn = (release: Release, day: string): Rate | undefined => rateOn(release, release.state, day);

/**
 * Returns the sum of the jurisdictions' rates of a kind, in units of `10^-rateDecimals`; `undefined` if one of them is
 * unknown on that day.
 */
export const combinedRate = (
  release: Release,
  codes: readonly string[],
  day: string,
  kind: RateKind = 'general',
): bigint | undefined => {
  let sum = 0n;
  for (const code of codes) {
    const rate = rateOn(release, code, day);
    if (!rate) return undefined;
    sum += parseUnits(rateOfKind(rate, kind));
  }
  return sum;
};

/**
 * Returns whether a jurisdiction must have a general rate. An additional statewide tax, such as a single article tax,
 * may have none.
 */
const needsRate = (release: Release, { code, type }: Jurisdiction): boolean =>
  type !== 'state' || code === release.state || listRates(release, code).length > 0;

/** Returns `combinedRate` of a place's jurisdictions, without additional statewide taxes that have no rate. */
export const placeRate = (
  release: Release,
  jurisdictions: readonly Jurisdiction[],
  day: string,
  kind: RateKind = 'general',
): bigint | undefined => {
  const rated = jurisdictions.filter((jurisdiction) => needsRate(release, jurisdiction));
  return combinedRate(
    release,
    rated.map(({ code }) => code),
    day,
    kind,
  );
};

/**
 * Returns whether a release has the rates of a place on a tax day. If not, the tax core returns `not_supported` with
 * the reason.
 */
export const areRatesKnown = (release: Release, jurisdictions: readonly Jurisdiction[], day: string): boolean =>
  (release.established_to === null || day <= release.established_to) &&
  jurisdictions.every((one) => rateOn(release, one.code, day) !== undefined || !needsRate(release, one));

/** Which of several combined rates applies to an ambiguous address. */
export type RatePreference = 'lowest' | 'highest';

/**
 * Returns the item with the lowest or highest rate; on a tie, the first. Skips items without a rate. If no item has a
 * rate, returns the first.
 */
export const byRate = <Value>(
  values: readonly [Value, ...Value[]],
  getRate: (value: Value) => bigint | undefined,
  prefer: RatePreference,
): Value => {
  let [best] = values;
  let bestRate: bigint | undefined;
  if (values.length === 1) return best;
  for (const value of values) {
    const rate = getRate(value);
    if (rate === undefined) continue;
    if (bestRate === undefined || (prefer === 'highest' ? rate > bestRate : rate < bestRate)) {
      best = value;
      bestRate = rate;
    }
  }
  return best;
};

/** Returns the set with the lowest or highest combined rate on a day. */
export const setByRate = (
  release: Release,
  sets: readonly [LocalSet, ...LocalSet[]],
  day: string,
  prefer: RatePreference,
): LocalSet => byRate(sets, ({ codes }) => combinedRate(release, codes, day), prefer);

/** Returns the state's general rate in units of `10^-rateDecimals`; `null` if unknown. */
export const generalRateOn = (release: Release, day: string): bigint | null =>
  combinedRate(release, [release.state], day) ?? null;
