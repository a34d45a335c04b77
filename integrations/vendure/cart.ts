import type { Order, OrderLine, ShippingLine } from '@vendure/core';
import { toDecimal } from '../core/money.ts';
import type { Address, Cart, Line } from '../core/order.ts';
import { type DeliveryOf, type VariantFields, variantDelivery } from './delivery.ts';

/** The fields that the plugin adds to orders and refunds. */
export type OrderFields = { readonly levySale?: string | null; readonly levyEstimated?: boolean | null };
export type RefundFields = { readonly levySettledAt?: Date | string | null };

/** Vendure stores amounts in every currency, even the yen, with the two decimals of its MoneyStrategy. */
export const exponent = 2;

/** The reason why the plugin does not support an order. */
export type Unsupported = { readonly code: 'prices_include_tax' | 'currency_fraction'; readonly detail: string };
export type BuiltCart =
  | { readonly ok: true; readonly cart: Cart }
  | { readonly ok: false; readonly unsupported: Unsupported };

/** Returns whether the order is delivered outside of the United States, so the shop calculates the tax. */
export const isForeign = ({ shippingAddress }: Order): boolean => {
  const country = shippingAddress?.countryCode?.trim().toUpperCase();
  return Boolean(country) && country !== 'US';
};

const addressOf = ({ shippingAddress }: Order): Address | null =>
  shippingAddress?.countryCode
    ? {
        line1: shippingAddress.streetLine1,
        city: shippingAddress.city,
        province: shippingAddress.province,
        postalCode: shippingAddress.postalCode,
        country: shippingAddress.countryCode,
      }
    : null;

/**
 * Returns the currency's decimals. Vendure stores more decimals for some currencies, such as the yen, and fewer for
 * others.
 */
const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? exponent;

/** Returns the number of Vendure's minor units in the smallest unit of a currency: 100 for the yen. */
const unitOf = (currency: string): number => 10 ** Math.max(0, exponent - decimalsOf(currency));

export type Write = (minor: number) => string;

/** Converts Vendure's minor units to a decimal string that Levy accepts for the currency. */
export const writerOf = (currency: string): Write => {
  const unit = unitOf(currency);
  return (minor) => {
    const whole = Math.round(minor);
    return unit === 1 || whole % unit !== 0
      ? toDecimal(BigInt(whole), exponent)
      : toDecimal(BigInt(whole / unit), decimalsOf(currency));
  };
};

const lineOf = (line: OrderLine, write: Write, deliveryOf: DeliveryOf): Line => ({
  id: String(line.id),
  quantity: line.quantity,
  unitPrice: write(line.listPrice),
  discount: write(line.listPrice * line.quantity - line.proratedLinePrice),
  taxCode: (line.productVariant?.customFields as VariantFields | undefined)?.levyTaxCode ?? null,
  description: line.productVariant?.name ?? null,
  ...deliveryOf(line),
});

/** Returns the shipping charges after promotions. */
const shippingOf = ({ shippingLines }: Order): number =>
  (shippingLines ?? []).reduce((sum: number, line: ShippingLine) => sum + line.discountedPrice, 0);

const unsupportedIn = (order: Order, lines: readonly OrderLine[], shipping: number): Unsupported | null => {
  if ([...lines, ...(order.shippingLines ?? [])].some(({ listPriceIncludesTax }) => listPriceIncludesTax))
    return { code: 'prices_include_tax', detail: 'Prices that include tax are not supported for US addresses.' };
  const amounts = [...lines.flatMap((line) => [line.listPrice, line.proratedLinePrice]), shipping];
  if (amounts.every((amount) => Math.round(amount) % unitOf(order.currencyCode) === 0)) return null;
  return {
    code: 'currency_fraction',
    detail: `Set prices in whole units of ${order.currencyCode}, such as 88900 for 889.`,
  };
};

/** Data that the caller adds to an order. */
export type CartInput = {
  /** The customer's id in Levy. */
  readonly customerId: string | null;
  readonly shippingTaxCode: string | null;
  /** The fulfillment of a line. Default: the setting of its variant. */
  readonly deliveryOf?: DeliveryOf;
  /** The shipping charge in minor units, if it differs from the order's. */
  readonly shipping?: number | undefined;
};

/** Converts an order to Levy's input, or returns why the plugin does not support it. */
export const cartOf = (order: Order, input: CartInput): BuiltCart => {
  const { customerId, shippingTaxCode, deliveryOf = variantDelivery, shipping = shippingOf(order) } = input;
  const lines = order.lines.filter(({ quantity }) => quantity > 0);
  const unsupported = unsupportedIn(order, lines, shipping);
  if (unsupported) return { ok: false, unsupported };
  const write = writerOf(order.currencyCode);
  return {
    ok: true,
    cart: {
      currency: order.currencyCode,
      address: addressOf(order),
      customerId,
      lines: lines.map((line) => lineOf(line, write, deliveryOf)),
      shipping: shipping > 0 ? { amount: write(shipping), taxCode: shippingTaxCode } : null,
    },
  };
};
