import type { Order, OrderLine, ShippingLine } from '@vendure/core';
import type { Fulfillment, Line } from '../core/order.ts';

/** The fulfillment of a line, and the store at which it is picked up. */
export type Delivery = Pick<Line, 'fulfillment' | 'shipFrom'>;
export type DeliveryOf = (line: OrderLine) => Delivery;

/** Returns the shipping line of an order line. An edit first assigns it in memory. */
export const shippingLineOf = (
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
export const variantDelivery: DeliveryOf = ({ productVariant }) => ({
  fulfillment: (productVariant?.customFields as VariantFields | undefined)?.levyFulfillment ?? null,
});
