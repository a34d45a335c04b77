import { decimal, rescale } from '../../money/decimal.ts';
import { listRates, rateOn } from '../rates.ts';
import type { Release } from '../release.ts';
import { type Jurisdiction, type RateKind, rateDecimals, rateOfKind } from '../release-values.ts';
import type { LocalSet } from './location-index.ts';

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
