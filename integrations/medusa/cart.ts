import { getSum } from '../core/charges.ts';
import { isTaxedCountry, toDocument } from '../core/document.ts';
import { divide, toDecimal, toMinor } from '../core/money.ts';
import type { Cart, Line } from '../core/order.ts';
import {
  type FulfilledItem,
  type FulfillingMethod,
  fulfillmentFields,
  getDelivery,
  getMetadata,
  getMethod,
  type MedusaAddress,
  toAddress,
} from './fulfillment.ts';
import { getShopName } from './levy.ts';

/** The discount fields. Amounts are numbers in currency units. */
export type Adjusted = {
  readonly adjustments?: readonly { readonly amount: number; readonly is_tax_inclusive?: boolean | null }[] | null;
};
type Priced = Adjusted & { readonly quantity: number; readonly unit_price: number };

export const getExponent = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * Converts a number to millionths of a minor unit, without its floating-point error. All sums and products of
 * amounts are calculated in these units, because sums of numbers are not exact.
 */
export const toExact = (value: number, exponent: number): bigint =>
  toMinor(Number(value).toFixed(exponent + 6), exponent + 6);
const million = 1_000_000n;

/** Rounds millionths to minor units, half a unit away from zero, as Levy and Medusa do. */
export const roundExact = (exact: bigint): bigint => divide(exact, million);

/** Multiplies an amount by a quantity, which can have decimals. */
const timesQuantity = (exact: bigint, quantity: number): bigint => divide(exact * toExact(quantity, 0), million);

const rateDecimals = 12;

/** Returns a percentage of an amount. A rate has a floating-point error, because it is computed from amounts. */
export const takePercent = (exact: bigint, rate: number): bigint =>
  divide(exact * toMinor(Number(rate).toFixed(rateDecimals), rateDecimals), 10n ** BigInt(rateDecimals + 2));

/** Rounds a Medusa amount for Levy: Medusa calculates in fractions of a cent, but shops charge whole cents. */
export const getAmount = (value: number, currency: string): string => {
  const exponent = getExponent(currency);
  return toDecimal(roundExact(toExact(value, exponent)), exponent);
};

/** Writes a price exactly, to a millionth of a minor unit: shops can charge fractions of a cent for a unit. */
const getPrice = (value: number, currency: string): string => {
  const exponent = getExponent(currency);
  const [whole, fraction = ''] = Number(value)
    .toFixed(exponent + 6)
    .split('.');
  const decimals = fraction.replace(/0+$/, '').padEnd(exponent, '0');
  return decimals ? `${whole}.${decimals}` : `${whole}`;
};

/** Returns the sum of amounts in millionths of a minor unit. */
export const sumExact = (rows: readonly { readonly amount: number }[], exponent: number): bigint =>
  getSum(rows.map(({ amount }) => toExact(amount, exponent)));

/** Returns the discount of a line or a charge in millionths of a minor unit. */
const getDiscount = ({ adjustments }: Adjusted, exponent: number): bigint => sumExact(adjustments ?? [], exponent);

/** Returns the net amount of a line in millionths of a minor unit. */
export const netOfLine = (item: Priced, exponent: number): bigint =>
  timesQuantity(toExact(item.unit_price, exponent), item.quantity) - getDiscount(item, exponent);

/** Returns the net amount of a shipping method in millionths of a minor unit. */
export const netOfMethod = (method: ShippingMethod, exponent: number): bigint =>
  toExact(method.amount, exponent) - getDiscount(method, exponent);

/** Rounds the sum of amounts in millionths: half a unit rounds down, in favor of the shop. */
const roundedSum = (exact: readonly bigint[]): bigint => (getSum(exact) + million / 2n - 1n) / million;

/**
 * Rounds the discounts of lines to minor units that add up to `total`: the largest fractions get the remaining units.
 */
const distributeDiscount = (exact: readonly bigint[], total: bigint): bigint[] => {
  const parts = exact.map((amount) => amount / million);
  const left = Number(total - getSum(parts));
  const fraction = (at: number) => (exact[at] as bigint) % million;
  const byFraction = [...exact.keys()].sort((a, b) => Number(fraction(b) - fraction(a)) || a - b);
  for (const at of byFraction.slice(0, Math.max(left, 0))) parts[at] = (parts[at] as bigint) + 1n;
  return parts;
};

/**
 * Returns the discounts of lines in minor units. Medusa distributes fractions of a cent. The sum is the prices minus
 * `charged`, the net amount that the shop charges for the lines, which can round half a cent either way.
 */
export const listDiscounts = (lines: readonly Priced[], exponent: number, charged: bigint | null): bigint[] => {
  const exact = lines.map((item) => getDiscount(item, exponent));
  const rounded = roundedSum(exact);
  const prices = getSum(
    lines.map(({ unit_price, quantity }) => roundExact(timesQuantity(toExact(unit_price, exponent), quantity))),
  );
  const total = charged === null ? rounded : prices - charged;
  return distributeDiscount(exact, total === rounded + 1n ? total : rounded);
};

/** The fields of Medusa carts and orders that the adapter reads. Amounts are numbers in currency units. */
export type Item = Adjusted &
  FulfilledItem & {
    readonly id: string;
    readonly title?: string;
    readonly quantity: number;
    readonly unit_price: number;
    readonly is_tax_inclusive?: boolean;
  };
export type ShippingMethod = Adjusted &
  FulfillingMethod & { readonly amount: number; readonly is_tax_inclusive?: boolean };
export type Document = {
  readonly id: string;
  readonly currency_code: string;
  readonly customer?: { readonly id: string; readonly has_account?: boolean | null } | null;
  readonly items?: readonly Item[] | null;
  readonly shipping_methods?: readonly ShippingMethod[] | null;
  readonly shipping_address?: MedusaAddress | null;
};

/** Returns the fields of a related entity, for `query.graph`. */
export const listFields = (entity: string, names: string): string[] =>
  names.split(' ').map((name) => `${entity}.${name}`);

/** The fields that `toCart` reads, for `query.graph`. */
export const documentFields = [
  ...['id', 'currency_code', 'customer.id', 'customer.has_account', 'shipping_address.*'],
  ...listFields('shipping_methods', 'id amount is_tax_inclusive adjustments.amount'),
  ...listFields('items', 'id title quantity unit_price is_giftcard is_tax_inclusive variant.metadata product.metadata'),
  ...listFields('items.adjustments', 'amount is_tax_inclusive'),
  ...fulfillmentFields,
];

/** The total with tax and the included tax, as decimal strings. */
type Charged = { readonly total: string; readonly tax: string };

type Inclusive = { readonly is_tax_inclusive?: boolean | null };
const isInclusive = (rows: readonly Inclusive[] | null | undefined): boolean =>
  (rows ?? []).some(({ is_tax_inclusive }) => is_tax_inclusive === true);

/** Throws if a price or a discount includes tax: its net amount would depend on the tax that Levy calculates. */
const requireNet = (charges: readonly (Inclusive & Adjusted)[]): void => {
  if (isInclusive(charges))
    throw new Error('Levy adds US sales tax to net prices: turn off tax-inclusive pricing of the region.');
  if (charges.some(({ adjustments }) => isInclusive(adjustments)))
    throw new Error('Levy adds US sales tax to net prices: use promotions whose amount does not include tax.');
};

/** Converts a cart or an order to Levy's input. `charged` is the amount that the shop charges for an order. */
export const toCart = (document: Document, charged: Charged | null = null): Cart => {
  const { currency_code, customer, items, shipping_methods, shipping_address: address } = document;
  const currency = currency_code.toUpperCase();
  const exponent = getExponent(currency);
  // Queries return items in any order, but the distribution of equal discount fractions depends on the order of the
  // lines.
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
  const lines = (items ?? []).filter(({ quantity }) => Number(quantity) > 0).sort(byId);
  const methods = (shipping_methods ?? []).toSorted(byId);
  const shipping = methods.map((method) => ({
    id: method.id,
    amount: toDecimal(roundExact(netOfMethod(method, exponent)), exponent),
    lineIds:
      methods.length > 1 ? lines.filter((item) => getMethod(item, methods) === method).map(({ id }) => id) : null,
  }));
  const minor = (amount: string) => toMinor(amount, exponent);
  const goods =
    charged && shipping.reduce((left, { amount }) => left - minor(amount), minor(charged.total) - minor(charged.tax));
  const delivery = getDelivery(shipping_methods ?? []);
  const discounts = listDiscounts(lines, exponent, goods);
  const cart: Cart = {
    currency,
    address: address ? toAddress(address) : null,
    // Guests can enter any e-mail address, and must not get the exemption of its owner.
    customerId: customer?.has_account ? `${getShopName()}-${customer.id}` : null,
    lines: lines.map(
      (item, at): Line => ({
        id: item.id,
        quantity: Number(item.quantity),
        unitPrice: getPrice(item.unit_price, currency),
        discount: toDecimal(discounts[at] as bigint, exponent),
        taxCode: getMetadata(item, 'levy_tax_code') ?? (item.is_giftcard ? 'FEES.GIFT_CARDS' : null),
        description: item.title ?? null,
        ...delivery(item),
      }),
    ),
    shipping,
  };
  // The shop calculates foreign taxes, except for goods that are picked up in the United States.
  if (isTaxedCountry(address?.country_code) || toDocument(cart).ok) requireNet([...lines, ...(shipping_methods ?? [])]);
  return cart;
};
