/** Rates as people read them. Inside they are whole units of `10^-rateDecimals`, so that equal rates are equal texts. */
import { rateDecimals } from '../../content/release.ts';
import { decimal, rescale } from '../../money/decimal.ts';

export const unitsOf = (rate: string): bigint => rescale(decimal(rate), rateDecimals);

const written = (units: bigint, decimals: number): string => {
  const digits = String(units).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
};

/** A fraction without idle zeros: `0.005` for `"0.0050"`. */
export const fractionOf = (units: bigint): string => written(units, rateDecimals);

/** `9.025%` for the fraction `0.09025`. */
export const percentOf = (fraction: string): string => `${written(unitsOf(fraction), rateDecimals - 2)}%`;

/** A rate in a list of changes, where there may be none. */
export const percentOrNone = (fraction: string | null): string => (fraction === null ? 'none' : percentOf(fraction));
