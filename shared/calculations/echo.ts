import { mapShipping, shippingList } from './charges.ts';
import type { CalculationInput, LineItemRequest, ShippingRequest } from './request.ts';
import type { LineItemResponse, ShippingResponse } from './response.ts';

/** Returns metadata as stored: keys with a null value are deleted. */
export const echoMetadata = (
  metadata: Readonly<Record<string, string | null>> | null | undefined,
): Record<string, string> =>
  metadata
    ? Object.fromEntries(Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== null))
    : {};

/** Returns the request's fields for a response: as sent, `null` if absent, with defaults filled in. */
export const inputEcho = (input: Omit<CalculationInput, 'shipping' | 'line_items'>, taxDate: string) => ({
  currency: input.currency ?? 'USD',
  tax_date: taxDate,
  customer: input.customer ?? null,
  ship_from: input.ship_from ?? null,
  discount_amount: input.discount_amount ?? null,
  discount_applies_to: input.discount_applies_to ?? ('line_items' as const),
  third_party_discount_amount: input.third_party_discount_amount ?? null,
  tax_included: input.tax_included ?? false,
  collected_by: input.collected_by ?? ('seller' as const),
  metadata: echoMetadata(input.metadata),
  explain: input.explain ?? false,
});

const lineEcho = (line: LineItemRequest, id: string) => ({
  id,
  parent_line_item_id: line.parent_line_item_id ?? null,
  description: line.description ?? null,
  product_tax_code: line.product_tax_code ?? null,
  quantity: line.quantity,
  unit_price: line.unit_price ?? '0',
  discount_amount: line.discount_amount ?? null,
  third_party_discount_amount: line.third_party_discount_amount ?? null,
  customer: line.customer ?? null,
  ship_from: line.ship_from ?? null,
  fulfillment: line.fulfillment ?? null,
  metadata: echoMetadata(line.metadata),
});

const shippingEcho = (charge: ShippingRequest, id: string) => ({
  id,
  amount: charge.amount,
  discount_amount: charge.discount_amount ?? null,
  product_tax_code: charge.product_tax_code ?? null,
  line_item_ids: charge.line_item_ids ?? null,
  ship_to: charge.ship_to ?? null,
  ship_from: charge.ship_from ?? null,
});

type Identified = { readonly id?: string | null | undefined };

/** The parts of a document with ids. Line items and shipping charges have different ids. */
type Charges = {
  readonly line_items?: readonly Identified[] | null | undefined;
  readonly shipping?: Identified | Identified[] | null | undefined;
};

/**
 * Returns the ids of line items and shipping charges: as sent, otherwise `line_1` and `shipping_1` by position. A
 * generated id never equals a sent id or one of `others`, because a credit's line must not match a line of its sale by
 * a generated id.
 */
export const documentIds = ({ line_items, shipping }: Charges, others: readonly string[] = []) => {
  const lines = line_items ?? [];
  const charges = shippingList(shipping);
  let taken: Set<string> | undefined;
  const assignIds = (named: readonly Identified[], prefix: string): string[] =>
    named.map(({ id }, index) => {
      if (id) return id;
      taken ??= new Set([...others, ...[...lines, ...charges].flatMap((one) => one.id || [])]);
      let made = `${prefix}_${index + 1}`;
      while (taken.has(made)) made = `${made}_`;
      taken.add(made);
      return made;
    });
  return { lines: assignIds(lines, 'line'), shipping: assignIds(charges, 'shipping') };
};

/** Returns the line items and shipping charges of a request as sent, with ids. */
export const chargeEchoes = ({ line_items, shipping }: Pick<CalculationInput, 'line_items' | 'shipping'>) => {
  const ids = documentIds({ line_items, shipping });
  return {
    line_items: (line_items ?? []).map((line, index) => lineEcho(line, ids.lines[index] as string)),
    shipping: mapShipping(shipping, (charge, index) => shippingEcho(charge, ids.shipping[index] as string)),
  };
};

type Echoed = Omit<CalculationInput, 'shipping' | 'line_items'> & {
  readonly type: 'sale' | 'credit';
  readonly tax_date: string;
  readonly shipping: ShippingResponse | ShippingResponse[] | null;
  readonly line_items: readonly LineItemResponse[];
};

/** Returns the inputs of a response: it echoes all of them. */
export const restoreInput = (response: Echoed) => ({
  type: response.type,
  ...inputEcho(response, response.tax_date),
  shipping: mapShipping(response.shipping, (charge) => shippingEcho(charge, charge.id)),
  line_items: response.line_items.map((line) => lineEcho(line, line.id)),
});
