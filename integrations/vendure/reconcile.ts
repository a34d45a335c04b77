import {
  type Injector,
  Logger,
  Order,
  RequestContextService,
  ScheduledTask,
  TransactionalConnection,
} from '@vendure/core';
import type { Order as SoldOrder } from '../core/order.ts';
import type { Problem } from '../core/problem.ts';
import {
  formatLines,
  invalidOrder,
  lastDays,
  type Range,
  type Report,
  reconcile,
  toInstants,
} from '../core/reconcile.ts';
import type { LevyOptions } from './options.ts';
import { editingStates } from './record.ts';
import { toSoldOrder } from './sale.ts';

const context = 'LevyPlugin';
const pageSize = 100;

type Repository = ReturnType<typeof TransactionalConnection.prototype.getRepository<Order>>;

const isIn = (column: string): string => `(${column} >= :from AND ${column} < :end)`;

/** Yields the orders that were placed or changed in a range, page by page, with all their payments and refunds. */
async function* ordersIn(repository: Repository, from: Date, end: Date): AsyncGenerator<Order> {
  // Payments and refunds can come long after their order.
  const changes = ['order.orderPlacedAt', 'order.updatedAt', 'payment.updatedAt', 'refund.updatedAt'].map(isIn);
  for (let skip = 0; ; skip += pageSize) {
    const found = await repository
      .createQueryBuilder('order')
      .leftJoin('order.payments', 'payment')
      .leftJoin('payment.refunds', 'refund')
      .where(`order.orderPlacedAt IS NOT NULL AND (${changes.join(' OR ')})`, { from, end })
      .orderBy('order.id')
      .skip(skip)
      .take(pageSize)
      .getMany();
    if (found.length === 0) return;
    // The conditions above would omit refunds before the range.
    yield* await repository
      .createQueryBuilder('order')
      .leftJoinAndSelect('order.payments', 'payment')
      .leftJoinAndSelect('payment.refunds', 'refund')
      .leftJoinAndSelect('refund.lines', 'refundLine')
      .where('order.id IN (:...ids)', { ids: found.map(({ id }) => id) })
      .getMany();
    if (found.length < pageSize) return;
  }
}

const soldOrProblem = (order: Order): ReturnType<typeof toSoldOrder> => {
  if (editingStates.includes(order.state)) {
    const detail = 'The order is being edited and will be recorded when the edit ends.';
    return { problem: { reference: order.code, code: 'edit_unfinished', detail, isFinal: false } };
  }
  try {
    return toSoldOrder(order);
  } catch (error) {
    return { problem: invalidOrder(order.code, error) };
  }
};

/**
 * Compares the orders that were placed, paid, edited or refunded in a range of days (UTC) with Levy, and records
 * missing data. Run it each night with `reconcileTask`. Throws during an outage of Levy; the next run continues.
 */
export const reconcileOrders = async (
  injector: Injector,
  { levy, shop }: LevyOptions,
  range: Range,
): Promise<Report> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const repository = injector.get(TransactionalConnection).getRepository(ctx, Order);
  const { from, end } = toInstants(range);
  const orders: SoldOrder[] = [];
  const problems: Problem[] = [];
  for await (const order of ordersIn(repository, from, end)) {
    const sold = soldOrProblem(order);
    if (!sold) continue;
    if ('problem' in sold) problems.push(sold.problem);
    else orders.push(sold.order);
  }
  return reconcile({ levy, shop }, orders, range, problems);
};

/** A Vendure scheduler task that reconciles the last days every night at three and logs the problems. */
export const reconcileTask = (options: LevyOptions) =>
  new ScheduledTask({
    id: 'levy-reconcile',
    description: 'Record orders of the last days that are missing in Levy',
    params: { days: 2 },
    schedule: (cron) => cron.everyDayAt(3, 0),
    timeout: 60 * 60_000,
    execute: async ({ injector, params: { days } }) => {
      const report = await reconcileOrders(injector, options, lastDays(days));
      for (const line of formatLines(report)) Logger.error(line, context);
      return { checked: report.checked, recorded: report.recorded, extra: report.extra.length };
    },
  });
