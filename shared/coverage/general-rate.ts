import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { rateDecimals } from '../catalog/release-values.ts';
import { decimal, rescale } from '../money/decimal.ts';

/** The state's general rate in units of `10^-rateDecimals`; `null` where it is not known. */
export const generalRateOn = (release: Release, day: string): bigint | null => {
  const known = stateRateOn(release, day);
  return known ? rescale(decimal(known.rate), rateDecimals) : null;
};
