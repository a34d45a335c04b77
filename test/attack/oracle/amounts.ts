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

export const sumOf = (units: readonly bigint[]): bigint => units.reduce((sum, one) => sum + one, 0n);
