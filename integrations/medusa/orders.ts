import { sumCredits } from '../core/credits.ts';
import { isForeign } from '../core/document.ts';
import { getDecimals, toDecimal, toMinor } from '../core/money.ts';
import { formatProblem, type Problem } from '../core/problem.ts';
import { invalidOrder } from '../core/reconcile.ts';
import { recordOrder } from '../core/sales.ts';
import { type Ledger, retrieve, type Transaction } from '../core/transactions.ts';
import { type Container, getLogger, getQuery, levy, listRows } from './levy.ts';
import type { Change, Claim } from './refunds.ts';
import { type MedusaOrder, orderFields, type SoldOrder, toSoldOrder } from './shop-order.ts';

export const mismatch = (reference: string, detail: string): Problem => ({
  reference,
  code: 'mismatch',
  detail,
  isFinal: true,
});

/**
 * Returns the problem of a paid order that became more expensive, for example by an edit, or by an exchange whose units
 * have not been returned. The ledger is not changed until the difference is paid or returned.
 */
export const unpaidProblem = (order: SoldOrder): Problem | null => {
  const { reference, wanted, unpaid } = order;
  if (wanted !== 'finalized' || isForeign(order) || !/[1-9]/.test(unpaid)) return null;
  const detail = `${unpaid} of the changed order is neither paid nor covered by returns. Collect this amount; until then, Levy keeps the earlier sale.`;
  return mismatch(reference, detail);
};

/** Returns a problem if a sale does not have the credits that its refunds require; otherwise `null`. */
const ledgerProblem = async (ledger: Ledger, order: SoldOrder, sale: Transaction | null): Promise<Problem | null> => {
  const { reference, wanted, total, refunds } = order;
  if (wanted !== 'finalized' || refunds.length === 0 || !sale) return null;
  const found = await retrieve(ledger, reference, sale.id);
  if (!found.ok) return found.problem;
  const { total_amount, credited_amount, credited_tax_amount, status } = found.value.transaction;
  // A different process is replacing the sale.
  if (status === 'void') return null;
  const credits = await sumCredits(ledger, found.value.transaction, order);
  if (!credits.ok) return credits.problem;
  const minor = (amount: string) => toMinor(amount, getDecimals(total_amount));
  const expected = minor(total) - credits.value;
  const actual = minor(total_amount) - minor(credited_amount) - minor(credited_tax_amount);
  if (actual === expected) return null;
  const [shop, levy] = [expected, actual].map((amount) => toDecimal(amount, getDecimals(total_amount)));
  return mismatch(
    reference,
    `Payments minus refunds are ${shop} in the shop; sale ${sale.id} minus its credits is ${levy} in Levy.`,
  );
};

const claimFields = ['id', 'order_id', 'created_at', 'updated_at', 'canceled_at', 'claim_items.*'];
const changeFields = ['id', 'order_id', 'version', 'confirmed_at'];

/** Orders with their claims and changes. */
export const readOrders = async (container: Container, ids: readonly string[]): Promise<MedusaOrder[]> => {
  if (ids.length === 0) return [];
  const claims: Claim[] = [];
  const changes: Change[] = [];
  const ofOrders = (entity: string, fields: readonly string[]) =>
    listRows(container, { entity, filters: { order_id: ids }, fields });
  for await (const row of ofOrders('order_claim', claimFields)) claims.push(row as Claim);
  for await (const row of ofOrders('order_change', changeFields)) changes.push(row as Change);
  const orders: MedusaOrder[] = [];
  for await (const row of listRows(container, { entity: 'order', filters: { id: ids }, fields: orderFields })) {
    const order = row as MedusaOrder;
    const isOwn = ({ order_id }: { readonly order_id: string }) => order_id === order.id;
    orders.push({ ...order, claims: claims.filter(isOwn), changes: changes.filter(isOwn) });
  }
  return orders;
};

export type Mapped = { readonly order: SoldOrder | null; readonly problems: readonly Problem[] };

/** Converts an order for Levy. Returns `null` for draft orders and orders that Levy cannot record. */
export const mapOrder = (order: MedusaOrder): Mapped => {
  if (order.is_draft_order) return { order: null, problems: [] };
  try {
    return { order: toSoldOrder(order), problems: [] };
  } catch (error) {
    // An order can be invalid, for example because its prices include tax.
    return { order: null, problems: [invalidOrder(order.id, error)] };
  }
};

const logProblems = (container: Container, problems: readonly Problem[]): void => {
  for (const problem of problems) getLogger(container).error(`Levy: ${formatProblem(problem)}`);
};

/** Returns how the ledger differs from an order, or `null` if it does not or the order has changed in the meantime. */
export const readDifference = async (
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
  const difference = recorded.problems.length > 0 ? null : await readDifference(container, order, recorded.sale);
  logProblems(container, [...recorded.problems, ...(difference ? [difference] : [])]);
};

/** Returns the order id of a Medusa event. */
const readOrderId = async (
  container: Container,
  name: string,
  data: Record<string, string>,
): Promise<string | undefined> => {
  if (!name.startsWith('payment.')) return data['order_id'] ?? data['id'];
  const payments = await getQuery(container).graph({
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
  const id = await readOrderId(container, event.name, event.data);
  if (!id) return;
  try {
    await recordShopOrder(container, id);
  } catch (error) {
    getLogger(container).error(
      `Recording order ${id} after ${event.name} failed; the nightly job will retry: ${error}`,
    );
    throw error;
  }
};
