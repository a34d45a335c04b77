import { toMinor } from '../core/money.ts';

/** The discount fields. Amounts are numbers in currency units. */
export type Adjusted = { readonly adjustments?: readonly { readonly amount: number }[] | null };
type Priced = Adjusted & { readonly quantity: number; readonly unit_price: number };

export const exponentOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** Rounds a Medusa amount for Levy: Medusa calculates in fractions of a cent, but shops charge whole cents. */
export const amountOf = (value: number, currency: string): string => {
  const text = Number(value).toFixed(exponentOf(currency));
  // A full discount can leave a slightly negative amount because of rounding.
  return /[1-9]/.test(text) ? text : text.replace('-', '');
};

export const discountOf = ({ adjustments }: Adjusted): number =>
  (adjustments ?? []).reduce((sum, { amount }) => sum + Number(amount), 0);

/** Converts a number to millionths of a minor unit. */
const exactOf = (value: number, exponent: number): bigint => toMinor(Number(value).toFixed(exponent + 6), exponent + 6);
const million = 1_000_000n;

/** Rounds the sum of amounts in millionths: half a unit rounds down, in favor of the shop. */
const roundedSum = (exact: readonly bigint[]): bigint =>
  (exact.reduce((sum, amount) => sum + amount, 0n) + million / 2n - 1n) / million;

/**
 * Rounds the discounts of lines to minor units that add up to `total`: the largest fractions get the remaining units.
 */
const distributeDiscount = (exact: readonly bigint[], total: bigint): bigint[] => {
  const parts = exact.map((amount) => amount / million);
  const left = Number(total - parts.reduce((sum, part) => sum + part, 0n));
  const fraction = (at: number) => (exact[at] as bigint) % million;
  const byFraction = [...exact.keys()].sort((a, b) => Number(fraction(b) - fraction(a)) || a - b);
  for (const at of byFraction.slice(0, Math.max(left, 0))) parts[at] = (parts[at] as bigint) + 1n;
  return parts;
};

/**
 * Returns the discounts of lines in minor units. Medusa distributes fractions of a cent. The sum is the prices minus
 * `charged`, the net amount that the shop charges for the lines, which can round half a cent either way.
 */
export const discountsOf = (lines: readonly Priced[], exponent: number, charged: bigint | null): bigint[] => {
  const exact = lines.map((item) => exactOf(discountOf(item), exponent));
  const rounded = roundedSum(exact);
  const prices =
    lines.reduce((sum, item) => sum + exactOf(item.unit_price * Number(item.quantity), exponent), 0n) / million;
  const total = charged === null ? rounded : prices - charged;
  return distributeDiscount(exact, total === rounded + 1n ? total : rounded);
};
