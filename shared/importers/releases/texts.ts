/** Days, rates and ZIP codes in the output of commands. */

import type { Dated } from '../../catalog/effective.ts';
import { formatPercent } from '../../catalog/fractions.ts';
import type { RateKind } from '../../catalog/release-values.ts';
import type { ZipRange } from './zip-pieces.ts';

export const percentOrNone = (fraction: string | null): string =>
  fraction === null ? 'none' : formatPercent(fraction);

/** `2024-04-01 to 2026-12-31`, `from 2024-04-01`. */
export const daysText = ({ from, to }: Dated): string => {
  if (from === null) return to === null ? 'all known days' : `up to ${to}`;
  return to === null ? `from ${from}` : `${from} to ${to}`;
};

/** The kinds of rates; nothing for the general one. */
export const kindTexts: Readonly<Record<RateKind, string>> = {
  general: '',
  food: 'food',
  general_interstate: 'from other states',
  food_interstate: 'food, from other states',
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
