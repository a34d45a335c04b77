import { getOrAdd } from '../base/collections.ts';
import { decimal, rescale } from '../money/decimal.ts';
import { countsFrom, firstInForce } from './effective.ts';
import type { LocalSet } from './location/local-choice.ts';
import type { Release } from './release.ts';
import { type Jurisdiction, type Rate, type RateKind, rateDecimals, rateOfKind } from './release-values.ts';

// Which rate of a jurisdiction applies on a tax day. Days are `YYYY-MM-DD`.

// Releases are immutable, so their rates are looked through once.
const ratesByCode = new WeakMap<Release, ReadonlyMap<string, readonly Rate[]>>();

/** Every rate that a release has for a jurisdiction, whenever it holds. */
export const listRates = (release: Release, code: string): readonly Rate[] => {
  const group = () => Map.groupBy(release.rates, ({ jurisdiction }) => jurisdiction);
  return getOrAdd(ratesByCode, release, group).get(code) ?? [];
};

/**
 * The rate of a jurisdiction on a day; `undefined` where it is not known. A rate without a first day counts from the
 * release's `established_from`, and as an approximation from its `approximate_from` (`isApproximateOn`).
 */
export const rateOn = (release: Release, code: string, day: string): Rate | undefined =>
  firstInForce(listRates(release, code), day, countsFrom(release));

/** The state's own rate on a day; `undefined` where the release does not know it. */
export const stateRateOn = (release: Release, day: string): Rate | undefined => rateOn(release, release.state, day);

/**
 * The sum of the rates of jurisdictions, general ones by default, in units of `10^-rateDecimals`; `undefined` if one is
 * unknown that day.
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
    sum += rescale(decimal(rateOfKind(rate, kind)), rateDecimals);
  }
  return sum;
};

/** Whether a jurisdiction must have a general rate. An additional state-wide tax, as on single articles, may have none. */
const needsRate = (release: Release, { code, type }: Jurisdiction): boolean =>
  type !== 'state' || code === release.state || listRates(release, code).length > 0;

/** The sum of the rates of a place's jurisdictions, as `combinedRate`. */
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

/** Whether a release has the rates of a place on a tax day. If not, the tax core returns `not_supported` with the reason. */
export const areRatesKnown = (release: Release, jurisdictions: readonly Jurisdiction[], day: string): boolean =>
  (release.established_to === null || day <= release.established_to) &&
  jurisdictions.every((one) => rateOn(release, one.code, day) !== undefined || !needsRate(release, one));

/** Which of several combined rates applies to an ambiguous address. */
export type RatePreference = 'lowest' | 'highest';

/** The item with the lowest or highest rate; the first of equal ones. An item without a rate only if all lack one. */
export const byRate = <Value>(
  values: readonly [Value, ...Value[]],
  rateOf: (value: Value) => bigint | undefined,
  prefer: RatePreference,
): Value => {
  let [best] = values;
  let bestRate: bigint | undefined;
  if (values.length === 1) return best;
  for (const value of values) {
    const rate = rateOf(value);
    if (rate === undefined) continue;
    if (bestRate === undefined || (prefer === 'highest' ? rate > bestRate : rate < bestRate)) {
      best = value;
      bestRate = rate;
    }
  }
  return best;
};

/** The set with the lowest combined rate that day, or the highest. */
export const setByRate = (
  release: Release,
  sets: readonly [LocalSet, ...LocalSet[]],
  day: string,
  prefer: RatePreference,
): LocalSet => byRate(sets, ({ codes }) => combinedRate(release, codes, day), prefer);

/** The state's general rate in units of `10^-rateDecimals`; `null` where it is not known. */
export const generalRateOn = (release: Release, day: string): bigint | null => {
  const known = stateRateOn(release, day);
  return known ? rescale(decimal(known.rate), rateDecimals) : null;
};
