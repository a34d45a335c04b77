import { documentOf } from '../core/document.ts';
import type { Problem } from '../core/problem.ts';
import { invalidOrder } from '../core/reconcile.ts';
import { recordOrder } from '../core/sales.ts';
import type { Transaction } from '../core/transactions.ts';
import { type Container, loggerOf, queryOf, rowsOf } from './container.ts';
import { ledgerProblem, unpaidProblem } from './ledger-check.ts';
import { levy } from './levy.ts';
import type { Claim } from './returns.ts';
import { type MedusaOrder, orderFields, type SoldOrder, soldOrderOf } from './shop-order.ts';

const claimFields = ['id', 'order_id', 'created_at', 'updated_at', 'canceled_at', 'claim_items.*'];

/** Orders with their claims. */
export const readOrders = async (container: Container, ids: readonly string[]): Promise<MedusaOrder[]> => {
  const claims: Claim[] = [];
  const ofOrders = { entity: 'order_claim', filters: { order_id: ids }, fields: claimFields };
  for await (const row of rowsOf(container, ofOrders)) claims.push(row as Claim);
  const orders: MedusaOrder[] = [];
  for await (const row of rowsOf(container, { entity: 'order', filters: { id: ids }, fields: orderFields })) {
    const order = row as MedusaOrder;
    orders.push({ ...order, claims: claims.filter(({ order_id }) => order_id === order.id) });
  }
  return orders;
};

export type Mapped = { readonly order: SoldOrder | null; readonly problems: readonly Problem[] };

/** Converts an order for Levy. Returns `null` for draft orders, foreign orders, and orders that Levy cannot record. */
export const mapOrder = (order: MedusaOrder): Mapped => {
  if (order.is_draft_order) return { order: null, problems: [] };
  try {
    const sold = soldOrderOf(order);
    const documented = documentOf(sold);
    const isForeign = !documented.ok && documented.gap.code === 'foreign_country';
    return { order: isForeign ? null : sold, problems: [] };
  } catch (error) {
    // For example, prices that include tax.
    return { order: null, problems: [invalidOrder(order.id, error)] };
  }
};

const logProblems = (container: Container, problems: readonly Problem[]): void => {
  for (const { reference, code, detail } of problems)
    loggerOf(container).error(`Levy: ${reference}: ${code}: ${detail}`);
};

/** Returns whether the ledger differs from an order that has not changed in the meantime. */
export const differenceOf = async (
  container: Container,
  order: SoldOrder,
  sale: Transaction | null,
): Promise<Problem | null> => {
  const difference = await ledgerProblem(levy().ledger, order, sale);
  const [now] = difference ? await readOrders(container, [order.reference]) : [];
  return now && mapOrder(now).order?.changedAt === order.changedAt ? difference : null;
};

/** Synchronizes Levy with an order. Throws `LevyUnavailable` during an outage. */
export const recordShopOrder = async (container: Container, id: string): Promise<void> => {
  const [found] = await readOrders(container, [id]);
  const { order, problems } = found ? mapOrder(found) : { order: null, problems: [] };
  logProblems(container, problems);
  if (!order) return;
  const unpaid = unpaidProblem(order);
  if (unpaid) return logProblems(container, [unpaid]);
  const recorded = await recordOrder(levy().ledger, order);
  const difference = recorded.problems.length > 0 ? null : await differenceOf(container, order, recorded.sale);
  logProblems(container, [...recorded.problems, ...(difference ? [difference] : [])]);
};

/** Returns the order id of a Medusa event. */
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

/** The events after which an order may differ from Levy's record. */
export const orderEvents = [
  ...['order.placed', 'order.updated', 'order.canceled', 'order-edit.confirmed'],
  ...['order.exchange_created', 'order.claim_created', 'order.return_received'],
  ...['payment.captured', 'payment.refunded'],
];

type Event = { readonly name: string; readonly data: Record<string, string> };

/**
 * Records the order of an event. Logs an outage, because Medusa's local event bus does not retry events; the
 * reconciliation records the order later.
 */
export const onOrderEvent = async ({ event, container }: { event: Event; container: Container }): Promise<void> => {
  const id = await orderIdOf(container, event.name, event.data);
  if (!id) return;
  try {
    await recordShopOrder(container, id);
  } catch (error) {
    loggerOf(container).error(`Recording order ${id} after ${event.name} failed; the nightly job will retry: ${error}`);
    throw error;
  }
};
