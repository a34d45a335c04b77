import { decimal, decimalText, rescale } from '../money/decimal.ts';
import { rateDecimals } from './release-values.ts';

/** A rate in units of `10^-rateDecimals`, to add and compare exactly. */
export const parseUnits = (fraction: string): bigint => rescale(decimal(fraction), rateDecimals);

/** The shortest decimal string of a rate: `5000000n` is `"0.05"`. */
export const formatFraction = (units: bigint): string => decimalText({ units, scale: rateDecimals });

/** `9.025%` for the fraction `0.09025`. */
export const formatPercent = (fraction: string): string =>
  `${decimalText({ units: parseUnits(fraction), scale: rateDecimals - 2 })}%`;
