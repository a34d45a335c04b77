import type { Problem } from '../core/problem.ts';
import { formatLines, lastDays, type Range, type Report, reconcile, toInstants } from '../core/reconcile.ts';
import { findByReference } from '../core/transactions.ts';
import { type Container, getLogger, levy, listRows } from './levy.ts';
import { mapOrder, mismatch, readDifference, readOrders, unpaidProblem } from './orders.ts';
import type { SoldOrder } from './shop-order.ts';

const pageSize = 100;

type Row = {
  readonly id: string;
  readonly order_id?: string;
  readonly payment?: { readonly payment_collection?: { readonly order?: { readonly id: string } } };
};

/**
 * Returns the ids of the orders that changed in a range. Payments, refunds, returns and claims can come long after the
 * order.
 */
const changedIn = async (container: Container, range: object): Promise<string[]> => {
  const ids = new Set<string>();
  const collect = async (entity: string, column: string, field: string, getId: (row: Row) => string | undefined) => {
    const fields = ['id', field];
    for await (const row of listRows(container, { entity, filters: { [column]: range }, fields })) {
      const id = getId(row as Row);
      if (id) ids.add(id);
    }
  };
  for (const column of ['created_at', 'updated_at']) await collect('order', column, 'id', ({ id }) => id);
  for (const entity of ['capture', 'refund'])
    await collect(entity, 'created_at', 'payment.payment_collection.order.id', ({ payment }) => {
      return payment?.payment_collection?.order?.id;
    });
  for (const entity of ['return', 'order_claim'])
    await collect(entity, 'updated_at', 'order_id', ({ order_id }) => order_id);
  return [...ids];
};

/** Returns a problem for each refunded order whose sale minus its credits differs from the amount that the shop kept. */
const readDifferences = async (container: Container, orders: readonly SoldOrder[], known: readonly Problem[]) => {
  const differences: Problem[] = [];
  for (const order of orders) {
    const { reference, refunds, wanted } = order;
    if (refunds.length === 0 || wanted !== 'finalized' || known.some((row) => row.reference.startsWith(reference)))
      continue;
    const sale = await findByReference(levy().ledger, reference);
    const difference = sale.ok ? await readDifference(container, order, sale.value) : sale.problem;
    if (difference) differences.push(difference);
  }
  return differences;
};

/** Compares the orders that were placed or changed in a range of days (UTC) with Levy, and records missing data. */
export const reconcileOrders = async (container: Container, range: Range): Promise<Report> => {
  const { from, end } = toInstants(range);
  const ids = await changedIn(container, { $gte: from, $lt: end });
  const orders: SoldOrder[] = [];
  const problems: Problem[] = [];
  const kept = new Set<string>();
  for (let at = 0; at < ids.length; at += pageSize)
    for (const found of await readOrders(container, ids.slice(at, at + pageSize))) {
      const mapped = mapOrder(found);
      const unpaid = mapped.order && unpaidProblem(mapped.order);
      problems.push(...mapped.problems, ...(unpaid ? [unpaid] : []));
      if (mapped.order && !unpaid) orders.push(mapped.order);
      else kept.add(found.id);
    }
  const report = await reconcile(levy().ledger, orders, range, problems);
  const getOrderId = (reference: string | null) => reference?.replace(/-refund-.*$/, '') ?? '';
  const differences = await readDifferences(container, orders, report.problems);
  const others = new Map(
    report.extra.flatMap((row) => (row.type === 'sale' && row.reference_id ? [[row.reference_id, row]] : [])),
  );
  for (const id of ids) others.delete(id);
  for (const found of await readOrders(container, [...others.keys()])) {
    const { order, problems: unbuilt } = mapOrder(found);
    differences.push(...unbuilt);
    if (order || unbuilt.length > 0) kept.add(found.id);
    if (!order) continue;
    // The placement of a converted draft order can be in the range although none of its time columns is.
    const placed = Date.parse(order.placedAt);
    if (placed >= from.getTime() && placed < end.getTime()) continue;
    const { transaction_id, tax_date } = others.get(found.id) as Report['extra'][number];
    const detail = `The order was placed at ${order.placedAt}; its sale ${transaction_id} has the date ${tax_date}.`;
    differences.push(mismatch(found.id, detail));
  }
  const extra = report.extra.filter(({ reference_id }) => !kept.has(getOrderId(reference_id)));
  return { ...report, problems: [...report.problems, ...differences], extra };
};

/** The nightly job: reconciles the last three days, and logs the differences. */
export const reconcileJob = async (container: Container): Promise<void> => {
  const report = await reconcileOrders(container, lastDays(3));
  for (const line of formatLines(report)) getLogger(container).error(`Levy: ${line}`);
  const { recorded, problems, extra } = report;
  getLogger(container).info(`Levy: ${recorded.length} recorded, ${problems.length} problems, ${extra.length} extra`);
};
