import type { Schemas } from '../../client/client.ts';

/** Sums of decimal strings, without floating point. */

const split = (text: string): readonly [bigint, number] => {
  const [whole = '0', fraction = ''] = text.split('.');
  return [BigInt(whole + fraction), fraction.length];
};

/** The exact sum of decimal strings, with as many decimals as the longest: `['0.1', '0.25']` is `'0.35'`. */
export const sumOf = (texts: readonly string[]): string => {
  const parts = texts.map(split);
  const decimals = parts.reduce((most, [, length]) => Math.max(most, length), 0);
  const sum = parts.reduce((all, [digits, length]) => all + digits * 10n ** BigInt(decimals - length), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return `${sum < 0n ? '-' : ''}${digits.slice(0, at)}${decimals ? `.${digits.slice(at)}` : ''}`;
};

/** The amount with the other sign. Zero has none. */
export const negative = (text: string): string => {
  if (!/[1-9]/.test(text)) return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
};

/** An amount for people, with separators: `1234.5` is `1,234.5`. The digits stay as they are. */
export const grouped = (text: string): string => {
  const [whole = '', fraction] = text.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
};

/** A rate for people: `"0.08875"` is `8.875%`. */
export const percent = (rate: string): string => {
  const [digits, decimals] = split(rate);
  const text = String(digits).padStart(decimals + 1, '0');
  const padded = decimals < 2 ? text.padEnd(text.length + 2 - decimals, '0') : text;
  const places = Math.max(decimals - 2, 0);
  const at = padded.length - places;
  const fraction = padded.slice(at).replace(/0+$/, '');
  return `${BigInt(padded.slice(0, at) || '0')}${fraction && `.${fraction}`}%`;
};

type Sale = Pick<
  Schemas['RetrievedTransaction'],
  'tax_included' | 'total_amount' | 'applied_third_party_discount_amount' | 'credited_amount' | 'credited_tax_amount'
>;

/** The credited amount of a sale and the remainder, with tax and before discounts of third parties. */
export const creditedOf = (sale: Sale): { readonly credited: string; readonly left: string } => {
  // With prices that include the tax, `credited_amount` includes it as well.
  const credited = sumOf([sale.credited_amount, ...(sale.tax_included ? [] : [sale.credited_tax_amount])]);
  // The buyer paid less by the discount, which does not reduce what credits are counted in.
  const whole = sumOf([sale.total_amount, sale.applied_third_party_discount_amount]);
  return { credited, left: sumOf([whole, negative(credited)]) };
};
