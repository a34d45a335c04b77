import type { Order, Refund } from '../core/order.ts';
import { type Report, reconcile } from '../core/reconcile.ts';
import { recordOrder } from '../core/sales.ts';
import { amountOf, cartOf, type Document, documentFields, type Item, type ShippingMethod } from './cart.ts';
import { type Logger, levy } from './levy.ts';
import { isEstimated } from './tax.ts';

type Taxed = { readonly tax_lines?: readonly { readonly code: string }[] | null };
type Payment = {
  readonly amount: number;
  readonly captured_at?: string | Date | null;
  readonly captures?: readonly { readonly amount: number }[] | null;
  readonly refunds?:
    | readonly { readonly id: string; readonly amount: number; readonly created_at: string | Date }[]
    | null;
};
type MedusaOrder = Document & {
  readonly status: string;
  readonly created_at: string | Date;
  readonly canceled_at?: string | Date | null;
  readonly item_total: number;
  readonly shipping_total: number;
  readonly tax_total: number;
  readonly items?: readonly (Item & Taxed)[] | null;
  readonly shipping_methods?: readonly (ShippingMethod & Taxed)[] | null;
  readonly payment_collections?: readonly { readonly payments?: readonly Payment[] | null }[] | null;
};

/** Medusa's `query` and `logger`, from a container. */
export type Container = { readonly resolve: (name: string) => unknown };
type Query = { readonly graph: (options: object) => Promise<{ readonly data: readonly unknown[] }> };

export const queryOf = (container: Container): Query => container.resolve('query') as Query;
export const loggerOf = (container: Container): Logger => container.resolve('logger') as Logger;

const fields = [
  ...documentFields,
  ...[
    'status',
    'created_at',
    'canceled_at',
    'item_total',
    'shipping_total',
    'tax_total',
    'items.tax_lines.code',
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
  const tax = amountOf(order.tax_total, currency);
  // A refund lowers `total`, and not these two.
  const total = amountOf(order.item_total + order.shipping_total, currency);
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

const isUnitedStates = ({ address }: Order): boolean => address?.country?.toUpperCase() === 'US';

/** Bring Levy to the state of an order. Throws `LevyUnavailable` during an outage. */
export const recordShopOrder = async (container: Container, id: string): Promise<void> => {
  const { data } = await queryOf(container).graph({ entity: 'order', filters: { id }, fields });
  const [order] = data as MedusaOrder[];
  const sold = order && soldOrderOf(order);
  if (!sold || !isUnitedStates(sold)) return;
  const { problems } = await recordOrder(levy().ledger, sold);
  for (const { reference, code, detail } of problems)
    loggerOf(container).error(`Levy: ${reference}: ${code}: ${detail}`);
};

const pageSize = 100;

/** The rows of a query, page by page. */
async function* rowsOf(container: Container, options: object): AsyncGenerator<unknown> {
  for (let skip = 0; ; skip += pageSize) {
    const pagination = { skip, take: pageSize, order: { id: 'ASC' } };
    const { data } = await queryOf(container).graph({ ...options, pagination });
    yield* data;
    if (data.length < pageSize) return;
  }
}

type Paid = { readonly payment?: { readonly payment_collection?: { readonly order?: { readonly id: string } } } };

/** The ids of the orders that were placed, edited, paid or refunded in a range: payments and refunds can come long after. */
const changedIn = async (container: Container, range: object): Promise<string[]> => {
  const ids = new Set<string>();
  for (const column of ['created_at', 'updated_at']) {
    const orders = rowsOf(container, { entity: 'order', filters: { [column]: range }, fields: ['id'] });
    for await (const row of orders) ids.add((row as { id: string }).id);
  }
  for (const entity of ['capture', 'refund']) {
    const fields = ['id', 'payment.payment_collection.order.id'];
    for await (const row of rowsOf(container, { entity, filters: { created_at: range }, fields })) {
      const id = (row as Paid).payment?.payment_collection?.order?.id;
      if (id) ids.add(id);
    }
  }
  return [...ids];
};

/** Compare the orders that were placed, edited, paid or refunded in a range of days (UTC) with Levy, and record what is missing. */
export const reconcileOrders = async (
  container: Container,
  range: { readonly from: string; readonly to: string },
): Promise<Report> => {
  const end = new Date(Date.parse(range.to) + 24 * 60 * 60_000);
  const ids = await changedIn(container, { $gte: new Date(range.from), $lt: end });
  const orders: Order[] = [];
  for (let at = 0; at < ids.length; at += pageSize) {
    const filters = { id: ids.slice(at, at + pageSize) };
    for await (const row of rowsOf(container, { entity: 'order', filters, fields }))
      orders.push(soldOrderOf(row as MedusaOrder));
  }
  return reconcile(levy().ledger, orders.filter(isUnitedStates), range);
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
