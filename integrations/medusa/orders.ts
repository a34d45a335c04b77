import type { Order, Refund } from '../core/order.ts';
import { recordOrder } from '../core/sales.ts';
import { amountOf, discountOf } from './amounts.ts';
import { cartOf, type Document, documentFields, type Item, type ShippingMethod } from './cart.ts';
import { type Container, loggerOf, queryOf } from './container.ts';
import { levy } from './levy.ts';
import { isEstimated } from './tax.ts';

type Taxed = { readonly tax_lines?: readonly { readonly code: string; readonly rate: number }[] | null };
type Returned = {
  readonly detail?: {
    readonly return_received_quantity?: number | null;
    readonly return_dismissed_quantity?: number | null;
  } | null;
};
type Payment = {
  readonly amount: number;
  readonly captured_at?: string | Date | null;
  readonly captures?: readonly { readonly amount: number }[] | null;
  readonly refunds?:
    | readonly { readonly id: string; readonly amount: number; readonly created_at: string | Date }[]
    | null;
};
type SoldItem = Item & Taxed & Returned;
export type MedusaOrder = Document & {
  readonly status: string;
  readonly created_at: string | Date;
  readonly canceled_at?: string | Date | null;
  readonly item_total: number;
  readonly shipping_total: number;
  readonly tax_total: number;
  readonly items?: readonly SoldItem[] | null;
  readonly shipping_methods?: readonly (ShippingMethod & Taxed)[] | null;
  readonly payment_collections?: readonly { readonly payments?: readonly Payment[] | null }[] | null;
};

export const orderFields = [
  ...documentFields,
  ...[
    'status',
    'created_at',
    'canceled_at',
    'item_total',
    'shipping_total',
    'tax_total',
    'items.tax_lines.code',
    'items.tax_lines.rate',
    'items.detail.return_received_quantity',
    'items.detail.return_dismissed_quantity',
    'shipping_methods.tax_lines.code',
  ],
  ...['payment_collections.payments.captured_at', 'payment_collections.payments.amount'],
  ...['payment_collections.payments.captures.amount', 'payment_collections.payments.refunds.*'],
];

const instantOf = (value: string | Date): string => new Date(value).toISOString();

const refundsOf = (payments: readonly Payment[], currency: string): Refund[] =>
  payments
    .flatMap(({ refunds }) => refunds ?? [])
    .map(({ id, amount, created_at }) => ({
      ...{ id, total: amountOf(amount, currency), at: instantOf(created_at) },
      // Medusa refunds amounts: nothing links a refund to lines.
      ...{ lines: [], shipping: amountOf(0, currency) },
    }))
    .sort((a, b) => (a.at === b.at ? Number(a.id > b.id) - 0.5 : a.at < b.at ? -1 : 1));

/** What returns took from an order's totals, which Medusa calculates for the units that are left. The sale had all of them. */
const returnedOf = (items: readonly SoldItem[]) => {
  const parts = items.map((item) => {
    const { return_received_quantity, return_dismissed_quantity } = item.detail ?? {};
    const units = Number(return_received_quantity ?? 0) + Number(return_dismissed_quantity ?? 0);
    const net = units === 0 ? 0 : units * (item.unit_price - discountOf(item) / Number(item.quantity));
    const rate = (item.tax_lines ?? []).reduce((sum, line) => sum + Number(line.rate), 0);
    return { net, tax: (net * rate) / 100 };
  });
  return parts.reduce((sum, { net, tax }) => ({ net: sum.net + net, tax: sum.tax + tax }), { net: 0, tax: 0 });
};

/** What was captured of a payment. Each shipment can capture a part. */
const capturedOf = ({ amount, captured_at, captures }: Payment): number => {
  const parts = captures ?? [];
  return parts.length === 0 && captured_at ? Number(amount) : parts.reduce((sum, part) => sum + Number(part.amount), 0);
};

/** An order of Medusa as Levy should have it now. */
export const soldOrderOf = (order: MedusaOrder): Order => {
  const currency = order.currency_code.toUpperCase();
  const payments = (order.payment_collections ?? []).flatMap((collection) => collection.payments ?? []);
  const paid = payments.reduce((sum, payment) => sum + capturedOf(payment), 0);
  const isPaid = paid > 0 || payments.some(({ captured_at }) => captured_at);
  const isCanceled = order.status === 'canceled' || Boolean(order.canceled_at);
  const returned = returnedOf(order.items ?? []);
  const tax = amountOf(order.tax_total + returned.tax, currency);
  // A refund lowers `total`, and not these two.
  const total = amountOf(order.item_total + order.shipping_total + returned.net + returned.tax, currency);
  return {
    ...cartOf(order, { total, tax }),
    reference: order.id,
    placedAt: instantOf(order.created_at),
    wanted: isPaid ? 'finalized' : isCanceled ? 'void' : 'draft',
    tax,
    total,
    paid: amountOf(paid, currency),
    isEstimated: isEstimated([...(order.items ?? []), ...(order.shipping_methods ?? [])]),
    refunds: refundsOf(payments, currency),
  };
};

export const isUnitedStates = ({ address }: Order): boolean => address?.country?.toUpperCase() === 'US';

/** Bring Levy to the state of an order. Throws `LevyUnavailable` during an outage. */
export const recordShopOrder = async (container: Container, id: string): Promise<void> => {
  const { data } = await queryOf(container).graph({ entity: 'order', filters: { id }, fields: orderFields });
  const [order] = data as MedusaOrder[];
  const sold = order && soldOrderOf(order);
  if (!sold || !isUnitedStates(sold)) return;
  const { problems } = await recordOrder(levy().ledger, sold);
  for (const { reference, code, detail } of problems)
    loggerOf(container).error(`Levy: ${reference}: ${code}: ${detail}`);
};

/** The id of the order that an event of Medusa is about. */
const orderIdOf = async (
  container: Container,
  name: string,
  data: Record<string, string>,
): Promise<string | undefined> => {
  if (!name.startsWith('payment.')) return data['order_id'] ?? data['id'];
  const payments = await queryOf(container).graph({
    entity: 'payment',
    filters: { id: data['id'] },
    fields: ['payment_collection.order.id'],
  });
  const [payment] = payments.data as { payment_collection?: { order?: { id: string } } }[];
  return payment?.payment_collection?.order?.id;
};

/** The events after which an order may differ from what Levy has. */
export const orderEvents = [
  ...['order.placed', 'order.canceled', 'order-edit.confirmed'],
  ...['payment.captured', 'payment.refunded'],
];

type Event = { readonly name: string; readonly data: Record<string, string> };

/** Records the order of an event. An outage is logged: Medusa's local event bus does not repeat events, a reconciliation does. */
export const onOrderEvent = async ({ event, container }: { event: Event; container: Container }): Promise<void> => {
  const id = await orderIdOf(container, event.name, event.data);
  if (!id) return;
  try {
    await recordShopOrder(container, id);
  } catch (error) {
    loggerOf(container).error(`Levy does not have the order ${id} after ${event.name} yet: ${error}`);
    throw error;
  }
};
