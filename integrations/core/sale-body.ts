import type { Schemas } from '../../shared/client/client.ts';
import { isAddedFee } from './delivery-fee.ts';
import { documentOf } from './document.ts';
import type { Order } from './order.ts';
import { type Attempt, done, failed } from './problem.ts';
import { isShippingId } from './shipping.ts';
import type { Body, Ledger } from './transactions.ts';

export type SaleBody = Body & { readonly tax_amount: string; readonly line_items: Schemas['LineItemRequest'][] };

/** Builds the sale of an order, with the tax that the shop collected. */
export const saleBody = (order: Order, { shop }: Ledger): Attempt<SaleBody> => {
  const documented = documentOf(order);
  if (!documented.ok) return failed(order.reference, documented.gap.code, documented.gap.detail);
  const metadata = {
    shop,
    order: order.reference,
    ...(order.isEstimated && { estimated: 'true' }),
    ...(order.changedAt && { changed_at: order.changedAt }),
  };
  const own = { reference_id: order.reference, tax_date: order.placedAt, tax_amount: order.tax, metadata };
  return done({ ...documented.document, ...own });
};

type Figures = Pick<Schemas['TransactionRequest'], 'currency' | 'customer' | 'tax_amount' | 'line_items' | 'shipping'>;

/**
 * Returns the fields of a recorded sale that must match its order: the amounts, and the state, city and ZIP code of the
 * tax. A later change of a product's name, tax code or fulfillment, or of the street, does not affect a recorded sale.
 * Fees that Levy added are not lines of the order.
 */
export const figuresOf = ({ currency, customer, tax_amount, line_items, shipping }: Figures): string => {
  const plain = (amount: string | null | undefined) => (amount ?? '0').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  const lines = (line_items ?? [])
    .filter((line) => !isShippingId(line.id) && !isAddedFee(line))
    .map((line) => [line.id, plain(line.quantity), plain(line.unit_price), plain(line.discount_amount)]);
  const charges = [
    ...[shipping ?? []].flat().map(({ amount }) => plain(amount)),
    ...(line_items ?? []).filter(({ id }) => isShippingId(id)).map(({ unit_price }) => plain(unit_price)),
  ];
  const { state, city, postal_code } = customer?.address ?? {};
  // Redaction keeps the first five digits of a ZIP code.
  const place = [state ?? null, city ?? null, postal_code?.slice(0, 5) ?? null];
  return JSON.stringify([currency, place, plain(tax_amount), charges, lines]);
};
