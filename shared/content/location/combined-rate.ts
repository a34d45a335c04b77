import { decimal, rescale } from '../../money/decimal.ts';
import { rateOn, ratesOf } from '../rates.ts';
import { type Jurisdiction, type Release, rateDecimals } from '../release.ts';
import type { LocalSet } from './location-index.ts';

/** The general rates of jurisdictions together, in units of `10^-rateDecimals`; `undefined` where one is not known that day. */
export const combinedRate = (release: Release, codes: readonly string[], day: string): bigint | undefined => {
  let sum = 0n;
  for (const code of codes) {
    const rate = rateOn(release, code, day);
    if (!rate) return undefined;
    sum += rescale(decimal(rate.rate), rateDecimals);
  }
  return sum;
};

/**
 * Whether a release knows the general rates of jurisdictions on a tax day. The tax core answers with `not_supported`
 * where it does not, and says why. A tax of the state that never has a general rate, beside the one that has, needs none.
 */
export const areRatesKnown = (release: Release, jurisdictions: readonly Jurisdiction[], day: string): boolean =>
  (release.established_to === null || day <= release.established_to) &&
  jurisdictions.every(
    ({ code, type }) =>
      rateOn(release, code, day) !== undefined ||
      (type === 'state' && code !== release.state && ratesOf(release, code).length === 0),
  );

/**
 * The general rates of a place's jurisdictions together, as `combinedRate`. A tax of the state that never has a general
 * rate, as on single articles, adds nothing.
 */
export const placeRate = (release: Release, jurisdictions: readonly Jurisdiction[], day: string): bigint | undefined =>
  combinedRate(
    release,
    jurisdictions
      .filter(({ code, type }) => type !== 'state' || code === release.state || ratesOf(release, code).length > 0)
      .map(({ code }) => code),
    day,
  );

/** Which of several combined rates is meant where an address may have each of them. */
export type RatePreference = 'lowest' | 'highest';

/** The one with the lowest rate, or the highest; the first of equal ones. One without a rate is meant only where none has any. */
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
