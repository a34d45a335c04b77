/** Days, rates and ZIP codes in the output of commands. */

import type { Dated } from '../content/effective.ts';
import { rateDecimals } from '../content/release-values.ts';
import { decimal, rescale } from '../money/decimal.ts';
import type { ZipRange } from './zip-pieces.ts';

/** A rate in whole units of `10^-rateDecimals`, so that equal rates have equal texts. */
export const unitsOf = (rate: string): bigint => rescale(decimal(rate), rateDecimals);

const written = (units: bigint, decimals: number): string => {
  const digits = String(units).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
};

/** A fraction without trailing zeros: `0.005` for `"0.0050"`. */
export const fractionOf = (units: bigint): string => written(units, rateDecimals);

/** `9.025%` for the fraction `0.09025`. */
export const percentOf = (fraction: string): string => `${written(unitsOf(fraction), rateDecimals - 2)}%`;

export const percentOrNone = (fraction: string | null): string => (fraction === null ? 'none' : percentOf(fraction));

/** `2024-04-01 to 2026-12-31`, `from 2024-04-01`. */
export const daysText = ({ from, to }: Dated): string => {
  if (from === null) return to === null ? 'all known days' : `up to ${to}`;
  return to === null ? `from ${from}` : `${from} to ${to}`;
};

/** Five digits, or ZIP+4 with a hyphen. */
export const zipCode = (digits: string): string =>
  digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5)}` : digits;

const rangeText = ([low, high]: ZipRange): string => {
  if (low.endsWith('0000') && high.endsWith('9999') && low.slice(0, 5) === high.slice(0, 5)) return low.slice(0, 5);
  return low === high ? zipCode(low) : `${zipCode(low)} to ${zipCode(high)}`;
};

const rangesNamed = 3;

/** The first ranges of nine-digit ZIPs, and the number of further ones. */
export const zipsText = (zips: readonly ZipRange[]): string => {
  const more = zips.length - rangesNamed;
  const named = zips.slice(0, rangesNamed).map(rangeText).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
};
