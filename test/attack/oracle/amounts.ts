import { must } from '../violation.ts';

/** The decimals of the currencies that the attack uses (ISO 4217). */
export const currencies = { USD: 2, CAD: 2, EUR: 2, JPY: 0, KWD: 3 } as const;
export type Currency = keyof typeof currencies;

const exponentOf = (currency: string): number => currencies[currency as Currency];

/** Converts an amount to minor units. Throws if its number of decimals differs from the currency's. */
export const minor = (currency: string, text: string): bigint => {
  const exponent = exponentOf(currency);
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  must(whole !== '' && fraction.length === exponent, `"${text}" is no amount in ${currency}.`);
  return BigInt(`${sign}${whole}${fraction}`);
};

/** Formats minor units. */
export const amountText = (currency: string, units: bigint): string => {
  const exponent = exponentOf(currency);
  const digits = (units < 0n ? -units : units).toString().padStart(exponent + 1, '0');
  const at = digits.length - exponent;
  return `${units < 0n ? '-' : ''}${digits.slice(0, at)}${exponent > 0 ? `.${digits.slice(at)}` : ''}`;
};

export const sumOf = (units: readonly bigint[]): bigint => units.reduce((sum, one) => sum + one, 0n);
