import {
  EventBus as Bus,
  type EventBus,
  type ID,
  type Injector,
  type JobQueue,
  JobQueueService,
  Logger,
  Order,
  OrderPlacedEvent,
  OrderService,
  OrderStateTransitionEvent,
  RefundStateTransitionEvent,
  RequestContextService,
  TransactionalConnection,
} from '@vendure/core';
import { type Report, reconcile } from '../core/reconcile.ts';
import { recordOrder } from '../core/sales.ts';
import type { Ledger } from '../core/transactions.ts';
import type { LevyOptions } from './options.ts';
import { relations, soldOrderOf } from './sale.ts';

const context = 'LevyPlugin';
const retries = 20;

/** The states in which an order is edited. */
export const editingStates: readonly string[] = ['Modifying', 'ArrangingAdditionalPayment'];

type Job = { readonly orderId: ID };

/** Brings Levy to the state of an order. Throws where another try can succeed. */
export const recordShopOrder = async (injector: Injector, ledger: Ledger, orderId: ID): Promise<void> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const order = await injector.get(OrderService).findOne(ctx, orderId, [...relations]);
  // The end of an edit records it. Until then, a refund of the edit looks like one of the sale before.
  if (order?.state === 'Modifying') return;
  const sold = order && soldOrderOf(order);
  if (!sold) return;
  const { problems } = await recordOrder(ledger, sold);
  for (const { reference, code, detail } of problems) Logger.error(`${reference}: ${code}: ${detail}`, context);
  const [passing] = problems.filter(({ isFinal }) => !isFinal);
  if (passing) throw new Error(`${passing.reference}: ${passing.code}`);
};

/** Record each change of an order in a job, because events are lost when the shop restarts, and jobs are not. */
export const startRecording = async (injector: Injector, { levy, shop }: LevyOptions): Promise<void> => {
  const ledger: Ledger = { levy, shop };
  const queue: JobQueue<{ orderId: ID }> = await injector.get(JobQueueService).createQueue({
    name: 'levy-record',
    process: async ({ data }: { data: Job }) => recordShopOrder(injector, ledger, data.orderId),
  });
  // A rejection that nobody handles ends the server.
  const add = ({ id }: { readonly id: ID }) =>
    void queue
      .add({ orderId: id }, { retries })
      .catch((error) => Logger.error(`The order ${id} waits for a reconciliation: ${error}`, context));
  const bus: EventBus = injector.get(Bus);
  bus.ofType(OrderPlacedEvent).subscribe(({ order }) => add(order));
  bus.ofType(RefundStateTransitionEvent).subscribe(({ order, toState }) => toState === 'Settled' && add(order));
  bus.ofType(OrderStateTransitionEvent).subscribe(({ order, toState, fromState }) => {
    if (['PaymentSettled', 'Cancelled'].includes(toState) || editingStates.includes(fromState)) add(order);
  });
};

const pageSize = 100;

type Repository = ReturnType<typeof TransactionalConnection.prototype.getRepository<Order>>;

const isIn = (column: string): string => `(${column} >= :from AND ${column} < :end)`;

/** The orders that were placed or changed in a range, page by page, each with all its payments and refunds. */
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
    // The conditions above would leave out the refunds before the range.
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

/**
 * Compare the orders that were placed, paid, edited or refunded in a range of days (UTC) with Levy, and record what is missing. Run
 * it each night, as a scheduled task. Throws during an outage of Levy; the next run continues.
 */
export const reconcileOrders = async (
  injector: Injector,
  { levy, shop }: LevyOptions,
  range: { readonly from: string; readonly to: string },
): Promise<Report> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const repository = injector.get(TransactionalConnection).getRepository(ctx, Order);
  const end = new Date(Date.parse(range.to) + 24 * 60 * 60_000);
  const orders = [];
  for await (const order of ordersIn(repository, new Date(range.from), end)) {
    const sold = soldOrderOf(order);
    if (sold) orders.push(sold);
  }
  return reconcile({ levy, shop }, orders, range);
};
