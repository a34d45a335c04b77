import { decimal, rescale } from '../../money/decimal.ts';
import { isInForce } from '../effective.ts';
import { type Jurisdiction, type Rate, type Release, rateDecimals } from '../release.ts';
import type { LocalSet } from './location-index.ts';

type RatesByCode = ReadonlyMap<string, readonly Rate[]>;

const indexes = new WeakMap<Release, RatesByCode>();

const ratesByCode = (release: Release): RatesByCode => {
  const known = indexes.get(release);
  if (known) return known;
  const made = Map.groupBy(release.rates, ({ jurisdiction }) => jurisdiction);
  indexes.set(release, made);
  return made;
};

const rateOn = (release: Release, code: string, day: string): Rate | undefined =>
  ratesByCode(release)
    .get(code)
    ?.find((rate) => isInForce(rate, day, release.established_from));

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
      (type === 'state' && code !== release.state && !ratesByCode(release).has(code)),
  );

/**
 * The set with the lowest combined rate, or the highest; the first of equal ones. A set whose rate is not known that day
 * is meant only where all are so.
 */
export const setByRate = (
  release: Release,
  sets: readonly [LocalSet, ...LocalSet[]],
  day: string,
  wanted: 'lowest' | 'highest',
): LocalSet => {
  let [best] = sets;
  let bestRate: bigint | undefined;
  if (sets.length === 1) return best;
  for (const set of sets) {
    const rate = combinedRate(release, set.codes, day);
    if (rate === undefined) continue;
    if (bestRate === undefined || (wanted === 'highest' ? rate > bestRate : rate < bestRate)) {
      best = set;
      bestRate = rate;
    }
  }
  return best;
};
