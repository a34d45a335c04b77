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
export const inputEcho = (input: Omit<CalculationInput, 'shipping' | 'line_items'>, taxDate: string) => ({
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

/**
 * The ids of line items: as sent, otherwise `line_1`, `line_2`, … by position. A generated id never equals one that was sent
 * or one of `others`: a credit's line must not match a line of its sale by a generated id.
 */
export const lineIds = (
  lines: readonly { readonly id?: string | null | undefined }[],
  others: readonly string[] = [],
): string[] => {
  const taken = new Set(others);
  for (const { id } of lines) if (id) taken.add(id);
  return lines.map(({ id }, index) => {
    if (id) return id;
    let made = `line_${index + 1}`;
    while (taken.has(made)) made = `${made}_`;
    taken.add(made);
    return made;
  });
};

export const lineEchoes = (lines: readonly LineItemRequest[]) => {
  const ids = lineIds(lines);
  return lines.map((line, index) => lineEcho(line, ids[index] as string));
};

type Echoed = Omit<CalculationInput, 'shipping' | 'line_items'> & {
  readonly tax_date: string;
  readonly shipping: Pick<ShippingResponse, 'amount' | 'product_tax_code'> | null;
  readonly line_items: readonly LineItemResponse[];
};

/** The inputs that a response was calculated from: it echoes all of them. */
export const inputOf = (answer: Echoed) => ({
  ...inputEcho(answer, answer.tax_date),
  shipping: answer.shipping && { amount: answer.shipping.amount, product_tax_code: answer.shipping.product_tax_code },
  line_items: answer.line_items.map((line) => lineEcho(line, line.id)),
});
