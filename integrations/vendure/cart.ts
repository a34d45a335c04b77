import type { Order, OrderLine, ShippingLine } from '@vendure/core';
import { toDecimal } from '../core/money.ts';
import type { Address, Cart, Line } from '../core/order.ts';

/** The fields that the plugin adds. */
export type VariantFields = { readonly levyTaxCode?: string | null };
export type OrderFields = { readonly levySale?: string | null; readonly levyEstimated?: boolean | null };
export type RefundFields = { readonly levySettledAt?: Date | string | null };

/** Vendure's amounts are in the minor unit of the currency. */
export const exponentOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

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

const lineOf = (line: OrderLine, write: (minor: number) => string): Line => ({
  id: String(line.id),
  quantity: line.quantity,
  unitPrice: write(line.listPrice),
  discount: write(line.listPrice * line.quantity - line.proratedLinePrice),
  taxCode: (line.productVariant?.customFields as VariantFields | undefined)?.levyTaxCode ?? null,
  description: line.productVariant?.name ?? null,
});

/** The charges of shipping after their promotions. */
const shippingOf = ({ shippingLines }: Order): number =>
  (shippingLines ?? []).reduce((sum: number, line: ShippingLine) => sum + line.discountedPrice, 0);

/**
 * An order as Levy calculates it. `shipping` is the charge in minor units, where it is not the one that the order has.
 * `null` where the shop's prices include tax, which this plugin does not support.
 */
export const cartOf = (order: Order, shippingTaxCode: string | null, shipping = shippingOf(order)): Cart | null => {
  const lines = order.lines.filter(({ quantity }) => quantity > 0);
  if ([...lines, ...(order.shippingLines ?? [])].some(({ listPriceIncludesTax }) => listPriceIncludesTax)) return null;
  const exponent = exponentOf(order.currencyCode);
  const write = (minor: number) => toDecimal(BigInt(Math.round(minor)), exponent);
  return {
    currency: order.currencyCode,
    address: addressOf(order),
    customerId: order.customer ? String(order.customer.id) : null,
    lines: lines.map((line) => lineOf(line, write)),
    shipping: shipping > 0 ? { amount: write(shipping), taxCode: shippingTaxCode } : null,
  };
};
