import type { Order, OrderLine, ShippingLine, Surcharge } from '@vendure/core';
import { isForeign } from '../core/document.ts';
import { toDecimal } from '../core/money.ts';
import type { Address, Cart, Fulfillment, Line } from '../core/order.ts';
import { feeDelivery } from '../core/shipping.ts';

/** The fulfillment of a line, and the store at which it is picked up. */
export type Delivery = Pick<Line, 'fulfillment' | 'shipFrom'>;
export type GetDelivery = (line: OrderLine) => Delivery;

/** Returns the shipping line of an order line. An edit first assigns it in memory. */
export const getShippingLine = (
  { shippingLines = [] }: Pick<Order, 'shippingLines'>,
  { shippingLine, shippingLineId }: OrderLine,
): ShippingLine | undefined => {
  const id = shippingLine?.id ?? shippingLineId;
  return (
    shippingLines.find((one) => String(one.id) === String(id)) ??
    (shippingLines.length === 1 ? shippingLines[0] : undefined)
  );
};

/** The fields that the plugin adds to product variants. */
export type VariantFields = { readonly levyTaxCode?: string | null; readonly levyFulfillment?: Fulfillment | null };

export const fulfillments: readonly Fulfillment[] = ['ship', 'pickup', 'electronic', 'none'];

/** Returns the fulfillment of a line's variant. */
export const variantDelivery: GetDelivery = ({ productVariant }) => ({
  fulfillment: (productVariant?.customFields as VariantFields | undefined)?.levyFulfillment ?? null,
});

/** The fields that the plugin adds to orders and refunds. */
export type OrderFields = { readonly levySale?: string | null; readonly levyEstimated?: boolean | null };
export type RefundFields = { readonly levySettledAt?: Date | string | null };

/** Vendure stores amounts in every currency, even the yen, with the two decimals of its MoneyStrategy. */
export const exponent = 2;

/** The reason why the plugin does not support an order. */
export type Unsupported = {
  readonly code: 'prices_include_tax' | 'currency_fraction' | 'currency_decimals' | 'repeated_shipping_method';
  readonly detail: string;
};
export type BuiltCart =
  | { readonly ok: true; readonly cart: Cart }
  | { readonly ok: false; readonly unsupported: Unsupported };

const toAddress = ({ shippingAddress }: Order): Address | null =>
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
const getDecimals = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? exponent;

/** Returns the number of Vendure's minor units in the smallest unit of a currency: 100 for the yen. */
const getUnit = (currency: string): number => 10 ** Math.max(0, exponent - getDecimals(currency));

/** Rounds a payment or a refund: Vendure calculates in a hundredth of a yen, but payment providers use whole yen. */
export const roundToUnit = (minor: number, currency: string): number =>
  Math.round(minor / getUnit(currency)) * getUnit(currency);

export type Write = (minor: number) => string;

/** Converts Vendure's minor units to a decimal string that Levy accepts for the currency. */
export const getWriter = (currency: string): Write => {
  const unit = getUnit(currency);
  return (minor) => {
    const whole = Math.round(minor);
    return unit === 1 || whole % unit !== 0
      ? toDecimal(BigInt(whole), exponent)
      : toDecimal(BigInt(whole / unit), getDecimals(currency));
  };
};

const toLine = (line: OrderLine, write: Write, getDelivery: GetDelivery): Line => ({
  id: String(line.id),
  quantity: line.quantity,
  unitPrice: write(line.listPrice),
  discount: write(line.listPrice * line.quantity - line.proratedLinePrice),
  taxCode: (line.productVariant?.customFields as VariantFields | undefined)?.levyTaxCode ?? null,
  description: line.productVariant?.name ?? null,
  ...getDelivery(line),
});

/** The id of the line that represents a surcharge in Levy. */
export const surchargeId = ({ id }: Surcharge): string => `surcharge-${id}`;

/**
 * Returns the amount of a surcharge. A negative surcharge is a discount without tax, so its price with tax is the same.
 */
const surchargePrice = ({ listPrice, price }: Surcharge): number => (listPrice < 0 ? listPrice : price);

const listSurcharges = ({ surcharges }: Order, lines: readonly Line[], write: Write): Line[] =>
  (surcharges ?? []).map((surcharge) => ({
    id: surchargeId(surcharge),
    quantity: 1,
    unitPrice: write(surchargePrice(surcharge)),
    discount: write(0),
    description: surcharge.description,
    ...feeDelivery(lines),
  }));

/** A shipping charge after promotions, in minor units. */
export type ShippingNet = { readonly id: string; readonly net: number };

const getShipping = ({ shippingLines }: Order): ShippingNet[] =>
  (shippingLines ?? []).map(({ id, discountedPrice }) => ({ id: String(id), net: discountedPrice }));

/** Returns the shipping charges, sorted because Levy can round a charge together with the preceding charges. */
const listCharges = (
  order: Order,
  nets: readonly ShippingNet[],
  write: Write,
  taxCode: string | null,
): Cart['shipping'] =>
  nets
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, net }) => {
      const lines = order.lines.filter((line) => String(getShippingLine(order, line)?.id) === id);
      // A single method ships all lines, including lines that were added after its selection.
      return {
        id,
        amount: write(net),
        taxCode,
        lineIds: nets.length > 1 ? lines.map((line) => String(line.id)) : null,
      };
    });

const hasRepeatedMethod = ({ shippingLines }: Order): boolean => {
  const ids = (shippingLines ?? []).map((line) => String(line.shippingMethodId ?? line.shippingMethod?.id));
  return new Set(ids).size < ids.length;
};

const unsupportedIn = (
  order: Order,
  lines: readonly OrderLine[],
  shipping: readonly ShippingNet[],
): Unsupported | null => {
  if ([...lines, ...(order.shippingLines ?? [])].some(({ listPriceIncludesTax }) => listPriceIncludesTax))
    return {
      code: 'prices_include_tax',
      detail: 'Prices that include tax are not supported for US addresses. Set prices without tax.',
    };
  const decimals = getDecimals(order.currencyCode);
  if (decimals > exponent)
    return {
      code: 'currency_decimals',
      detail: `Sell in a different currency: Vendure stores ${exponent} of the ${decimals} decimals of ${order.currencyCode}.`,
    };
  if (hasRepeatedMethod(order))
    return {
      code: 'repeated_shipping_method',
      detail:
        'Use a different shipping method for each shipping line: Vendure calculates one tax rate for each method.',
    };
  const amounts = [
    ...lines.flatMap((line) => [line.listPrice, line.proratedLinePrice]),
    ...[...shipping.map(({ net }) => net), ...(order.surcharges ?? []).map(surchargePrice)],
  ];
  if (amounts.every((amount) => Math.round(amount) % getUnit(order.currencyCode) === 0)) return null;
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
  readonly getDelivery?: GetDelivery;
  /** The shipping charges, if they differ from the order's. */
  readonly shipping?: readonly ShippingNet[] | undefined;
};

/**
 * Converts an order to Levy's input, or returns why the plugin does not support it. The shop calculates the tax of an
 * order abroad, so every such order is supported.
 */
export const toCart = (order: Order, input: CartInput): BuiltCart => {
  const { customerId, shippingTaxCode, getDelivery = variantDelivery, shipping = getShipping(order) } = input;
  const sold = order.lines.filter(({ quantity }) => quantity > 0);
  const write = getWriter(order.currencyCode);
  const lines = sold.map((line) => toLine(line, write, getDelivery));
  const cart: Cart = {
    currency: order.currencyCode,
    address: toAddress(order),
    customerId,
    lines: lines.length > 0 ? [...lines, ...listSurcharges(order, lines, write)] : [],
    shipping: listCharges(order, shipping, write, shippingTaxCode),
  };
  const isSupported = lines.length === 0 || isForeign(cart);
  const unsupported = isSupported ? null : unsupportedIn(order, sold, shipping);
  return unsupported ? { ok: false, unsupported } : { ok: true, cart };
};
