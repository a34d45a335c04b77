import type { Order } from '../core/order.ts';
import { type Report, reconcile } from '../core/reconcile.ts';
import { type Container, rowsOf } from './container.ts';
import { levy } from './levy.ts';
import { isUnitedStates, type MedusaOrder, orderFields, soldOrderOf } from './orders.ts';

const pageSize = 100;

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
    for await (const row of rowsOf(container, { entity: 'order', filters, fields: orderFields }))
      orders.push(soldOrderOf(row as MedusaOrder));
  }
  return reconcile(levy().ledger, orders.filter(isUnitedStates), range);
};
