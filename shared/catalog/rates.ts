/** Which rate of a jurisdiction applies on a tax day. Days are `YYYY-MM-DD`. */
import { getOrAdd } from '../base/collections.ts';
import { countsFrom, firstInForce } from './effective.ts';
import type { Release } from './release.ts';
import type { Rate } from './release-values.ts';

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
