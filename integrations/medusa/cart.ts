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
export type ShippingMethod = Adjusted & { readonly id: string; readonly amount: number };
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
  ...['shipping_methods.adjustments.amount', 'items.id', 'items.title', 'items.quantity', 'items.unit_price'],
  ...['items.is_tax_inclusive', 'items.adjustments.amount', 'items.variant.metadata', 'items.product.metadata'],
];

const exponentOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount of Medusa as Levy takes it: Medusa calculates in fractions of a cent, and shops charge cents. */
export const amountOf = (value: number, currency: string): string => Number(value).toFixed(exponentOf(currency));

const discountOf = ({ adjustments }: Adjusted): number =>
  (adjustments ?? []).reduce((sum, { amount }) => sum + Number(amount), 0);

const codeOf = ({ variant, product }: Item): string | null => {
  const code = variant?.metadata?.['levy_tax_code'] ?? product?.metadata?.['levy_tax_code'];
  return typeof code === 'string' && code !== '' ? code : null;
};

/** A cart or an order as Levy calculates it. */
export const cartOf = (document: Document): Cart => {
  const { currency_code, customer_id, items, shipping_methods, shipping_address: address } = document;
  const currency = currency_code.toUpperCase();
  const write = (value: number) => amountOf(value, currency);
  const lines = (items ?? []).filter(({ quantity }) => Number(quantity) > 0);
  if (lines.some(({ is_tax_inclusive }) => is_tax_inclusive))
    throw new Error('Levy adds US sales tax to net prices: turn off tax-inclusive pricing of the region.');
  const shipping = (shipping_methods ?? []).reduce((sum, method) => sum + Number(method.amount) - discountOf(method), 0);
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
    lines: lines.map((item): Line => ({
      id: item.id,
      quantity: Number(item.quantity),
      unitPrice: write(item.unit_price),
      discount: write(discountOf(item)),
      taxCode: codeOf(item),
      description: item.title ?? null,
    })),
    shipping: (shipping_methods ?? []).length > 0 ? { amount: write(shipping) } : null,
  };
};
