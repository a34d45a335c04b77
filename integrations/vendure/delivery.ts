import type { OrderLine } from '@vendure/core';
import type { Fulfillment, Line } from '../core/order.ts';

/** The fulfillment of a line, and the store at which it is picked up. */
export type Delivery = Pick<Line, 'fulfillment' | 'shipFrom'>;
export type DeliveryOf = (line: OrderLine) => Delivery;

/** The fields that the plugin adds to product variants. */
export type VariantFields = { readonly levyTaxCode?: string | null; readonly levyFulfillment?: Fulfillment | null };

export const fulfillments: readonly Fulfillment[] = ['ship', 'pickup', 'electronic', 'none'];

/** Returns the fulfillment of a line's variant. */
export const variantDelivery: DeliveryOf = ({ productVariant }) => ({
  fulfillment: (productVariant?.customFields as VariantFields | undefined)?.levyFulfillment ?? null,
});
