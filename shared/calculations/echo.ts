import { lineIds } from './line-ids.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';
import type { LineItemResponse, ShippingResponse } from './response.ts';

/** Metadata as stored: keys with a null value are deleted. */
export const metadataOf = (
  metadata: Readonly<Record<string, string | null>> | null | undefined,
): Record<string, string> =>
  metadata
    ? Object.fromEntries(Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== null))
    : {};

/** The request's fields in a response: as sent, `null` where absent, defaults filled in. */
export const inputEcho = (input: CalculationInput, taxDate: string) => ({
  currency: input.currency ?? 'USD',
  tax_date: taxDate,
  customer: input.customer ?? null,
  ship_from: input.ship_from ?? null,
  discount_amount: input.discount_amount ?? null,
  third_party_discount_amount: input.third_party_discount_amount ?? null,
  tax_included: input.tax_included ?? false,
  collected_by: input.collected_by ?? ('seller' as const),
  metadata: metadataOf(input.metadata),
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
  metadata: metadataOf(line.metadata),
});

export const lineEchoes = (lines: readonly LineItemRequest[]) => {
  const ids = lineIds(lines);
  return lines.map((line, index) => lineEcho(line, ids[index] as string));
};

type Echoed = Omit<ReturnType<typeof inputEcho>, 'metadata' | 'explain'> & {
  readonly shipping: Pick<ShippingResponse, 'amount' | 'product_tax_code'> | null;
  readonly line_items: readonly LineItemResponse[];
  readonly metadata: Record<string, string>;
  readonly explain: boolean;
};

/** The inputs that a response was calculated from: it echoes all of them. */
export const inputOf = (answer: Echoed) => ({
  currency: answer.currency,
  tax_date: answer.tax_date,
  customer: answer.customer,
  ship_from: answer.ship_from,
  discount_amount: answer.discount_amount,
  third_party_discount_amount: answer.third_party_discount_amount,
  shipping: answer.shipping && { amount: answer.shipping.amount, product_tax_code: answer.shipping.product_tax_code },
  tax_included: answer.tax_included,
  collected_by: answer.collected_by,
  line_items: answer.line_items.map((line) => lineEcho(line, line.id)),
  metadata: answer.metadata,
  explain: answer.explain,
});
