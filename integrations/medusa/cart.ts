import { toDecimal, toMinor } from '../core/money.ts';
import type { Cart, Line } from '../core/order.ts';

/** What the adapter reads of carts and orders of Medusa. Amounts are numbers in units of the currency. */
type Adjusted = { readonly adjustments?: readonly { readonly amount: number }[] | null };
export type Item = Adjusted & {
  readonly id: string;
  readonly title?: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly is_tax_inclusive?: boolean;
  readonly variant?: { readonly metadata?: Record<string, unknown> | null } | null;
  readonly product?: { readonly metadata?: Record<string, unknown> | null } | null;
};
export type ShippingMethod = Adjusted & {
  readonly id: string;
  readonly amount: number;
  readonly is_tax_inclusive?: boolean;
};
export type Document = {
  readonly id: string;
  readonly currency_code: string;
  readonly customer_id?: string | null;
  readonly items?: readonly Item[] | null;
  readonly shipping_methods?: readonly ShippingMethod[] | null;
  readonly shipping_address?: {
    readonly address_1?: string | null;
    readonly city?: string | null;
    readonly province?: string | null;
    readonly postal_code?: string | null;
    readonly country_code?: string | null;
  } | null;
};

/** The fields that `cartOf` reads, for `query.graph`. */
export const documentFields = [
  ...['id', 'currency_code', 'customer_id', 'shipping_address.*', 'shipping_methods.id', 'shipping_methods.amount'],
  ...[
    'shipping_methods.is_tax_inclusive',
    'shipping_methods.adjustments.amount',
    'items.id',
    'items.title',
    'items.quantity',
    'items.unit_price',
  ],
  ...['items.is_tax_inclusive', 'items.adjustments.amount', 'items.variant.metadata', 'items.product.metadata'],
];

const exponentOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount of Medusa as Levy takes it: Medusa calculates in fractions of a cent, and shops charge cents. */
export const amountOf = (value: number, currency: string): string => {
  const text = Number(value).toFixed(exponentOf(currency));
  // Discounts of the whole charge can leave less than nothing by a rounding error.
  return /[1-9]/.test(text) ? text : text.replace('-', '');
};

export const discountOf = ({ adjustments }: Adjusted): number =>
  (adjustments ?? []).reduce((sum, { amount }) => sum + Number(amount), 0);

/** A number in millionths of a minor unit. */
const exactOf = (value: number, exponent: number): bigint => toMinor(Number(value).toFixed(exponent + 6), exponent + 6);
const million = 1_000_000n;

/** The rounded sum of amounts in millionths: half a unit rounds down, in favor of the shop. */
const roundedSum = (exact: readonly bigint[]): bigint =>
  (exact.reduce((sum, amount) => sum + amount, 0n) + million / 2n - 1n) / million;

/** Discounts of lines in minor units that add up to `total`: the largest fractions get the units that are left. */
const distributeDiscount = (exact: readonly bigint[], total: bigint): bigint[] => {
  const parts = exact.map((amount) => amount / million);
  const left = Number(total - parts.reduce((sum, part) => sum + part, 0n));
  const fraction = (at: number) => (exact[at] as bigint) % million;
  const byFraction = [...exact.keys()].sort((a, b) => Number(fraction(b) - fraction(a)) || a - b);
  for (const at of byFraction.slice(0, Math.max(left, 0))) parts[at] = (parts[at] as bigint) + 1n;
  return parts;
};

/**
 * The discounts of lines in minor units. Medusa distributes fractions of a cent. Their sum is what `charged`, the net amount
 * that the shop charges for the lines, leaves of the prices. Half a cent can go either way there.
 */
const discountsOf = (lines: readonly Item[], exponent: number, charged: bigint | null): bigint[] => {
  const exact = lines.map((item) => exactOf(discountOf(item), exponent));
  const rounded = roundedSum(exact);
  const prices =
    lines.reduce((sum, item) => sum + exactOf(item.unit_price * Number(item.quantity), exponent), 0n) / million;
  const total = charged === null ? rounded : prices - charged;
  return distributeDiscount(exact, total === rounded + 1n ? total : rounded);
};

const codeOf = ({ variant, product }: Item): string | null => {
  const code = variant?.metadata?.['levy_tax_code'] ?? product?.metadata?.['levy_tax_code'];
  return typeof code === 'string' && code !== '' ? code : null;
};

/** The total with tax, and the tax in it, as decimal strings. */
type Charged = { readonly total: string; readonly tax: string };

/** A cart or an order as Levy calculates it. `charged` is what the shop charges for an order. */
export const cartOf = (document: Document, charged: Charged | null = null): Cart => {
  const { currency_code, customer_id, items, shipping_methods, shipping_address: address } = document;
  const currency = currency_code.toUpperCase();
  const write = (value: number) => amountOf(value, currency);
  const exponent = exponentOf(currency);
  // A query returns items in any order, and equal fractions of a discount are distributed by the order of the lines.
  const lines = (items ?? []).filter(({ quantity }) => Number(quantity) > 0).sort((a, b) => (a.id < b.id ? -1 : 1));
  const isInclusive = [...lines, ...(shipping_methods ?? [])].some(({ is_tax_inclusive }) => is_tax_inclusive);
  // Abroad, the shop calculates the tax.
  if (isInclusive && address?.country_code?.toUpperCase() === 'US')
    throw new Error('Levy adds US sales tax to net prices: turn off tax-inclusive pricing of the region.');
  const shipping = (shipping_methods ?? []).reduce(
    (sum, method) => sum + Number(method.amount) - discountOf(method),
    0,
  );
  const minor = (amount: string) => toMinor(amount, exponent);
  const goods = charged && minor(charged.total) - minor(charged.tax) - minor(write(shipping));
  const discounts = discountsOf(lines, exponent, goods);
  return {
    currency,
    address: address
      ? {
          line1: address.address_1,
          city: address.city,
          province: address.province,
          postalCode: address.postal_code,
          country: address.country_code,
        }
      : null,
    customerId: customer_id ?? null,
    lines: lines.map(
      (item, at): Line => ({
        id: item.id,
        quantity: Number(item.quantity),
        unitPrice: write(item.unit_price),
        discount: toDecimal(discounts[at] as bigint, exponent),
        taxCode: codeOf(item),
        description: item.title ?? null,
      }),
    ),
    shipping: (shipping_methods ?? []).length > 0 ? { amount: write(shipping) } : null,
  };
};
