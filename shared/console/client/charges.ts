import type { Schemas } from '../../client/client.ts';
import { grouped } from './amounts.ts';

type Document = Schemas['RetrievedTransaction'];

/** A line or a shipping charge, as people read it. */
export type Charge = {
  readonly id: string;
  readonly title: string;
  /** Such as the quantity and the price. */
  readonly details: readonly string[];
  readonly net: string;
  readonly tax: string;
  readonly taxes: readonly Schemas['TaxRow'][];
};

/** An address on one line. Redaction leaves the city, the state and the ZIP code. */
export const addressText = (address: Schemas['Customer']['address'] | undefined): string | null =>
  address
    ? [address.line1, address.city, address.state, address.postal_code, address.country].filter(Boolean).join(', ')
    : null;

/** A detail with its name, or nothing. */
const detail = (name: string, text: string | null): string[] => (text ? [`${name} ${text}`] : []);
const discount = (name: string, amount: string): string[] =>
  /[1-9]/.test(amount) ? detail(name, grouped(amount)) : [];

const titleOf = (line: Document['line_items'][number]): string => line.description ?? line.product_tax_code ?? line.id;

type Titles = ReadonlyMap<string, string>;

/** The discounts of a line; what it reduces, if its price is negative. */
const discountsOf = (line: Document['line_items'][number], titles: Titles): string[] => {
  const { unit_price, parent_line_item_id: parent } = line;
  if (unit_price.startsWith('-')) return [`discount of ${parent ? (titles.get(parent) ?? parent) : 'other charges'}`];
  return [
    ...discount('discount', line.applied_discount_amount),
    ...discount('third-party discount', line.applied_third_party_discount_amount),
  ];
};

const lineCharge = (line: Document['line_items'][number], tax_included: boolean, titles: Titles): Charge => ({
  id: line.id,
  title: titleOf(line),
  details: [
    ...(line.description && line.product_tax_code ? [line.product_tax_code] : []),
    ...detail('fulfillment:', line.fulfillment),
    ...detail('from', addressText(line.ship_from?.address)),
    ...detail('to', addressText(line.customer?.address)),
    `${line.quantity} × ${grouped(line.unit_price)}${tax_included ? ' with tax' : ''}`,
    ...discountsOf(line, titles),
  ],
  net: line.net_amount,
  tax: line.tax_amount,
  taxes: line.taxes,
});

/** The lines of a document, and its shipping charges. Charges of a list have their ids in their titles. */
export const chargesOf = (document: Document): Charge[] => {
  const { line_items, shipping, tax_included } = document;
  const titles = new Map(line_items.map((line) => [line.id, titleOf(line)]));
  return [
    ...line_items.map((line) => lineCharge(line, tax_included, titles)),
    ...[shipping ?? []].flat().map((charge) => ({
      id: charge.id,
      title: Array.isArray(shipping) ? `Shipping ${charge.id}` : 'Shipping',
      details: [
        ...(charge.product_tax_code ? [charge.product_tax_code] : []),
        ...detail('for', charge.line_item_ids?.map((id) => titles.get(id) ?? id).join(', ') ?? null),
        ...detail('from', addressText(charge.ship_from?.address)),
        ...detail('to', addressText(charge.ship_to?.address)),
        grouped(charge.amount),
        ...discount('discount', charge.applied_discount_amount),
      ],
      net: charge.net_amount,
      tax: charge.tax_amount,
      taxes: charge.taxes,
    })),
  ];
};

/** The title of the charge that a JSON Pointer of the document begins with; otherwise the pointer. */
export const titleAt = (pointer: string, document: Document): string => {
  const [, field, index = '0'] = /^\/(line_items|shipping)(?:\/(\d+))?/.exec(pointer) ?? [];
  if (!field) return pointer;
  const charges = chargesOf(document);
  const at = Number(index) + (field === 'shipping' ? document.line_items.length : 0);
  return charges[at]?.title ?? pointer;
};
