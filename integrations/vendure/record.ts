import {
  EventBus as Bus,
  type EventBus,
  type ID,
  type Injector,
  type JobQueue,
  JobQueueService,
  Logger,
  OrderPlacedEvent,
  OrderService,
  OrderStateTransitionEvent,
  RefundStateTransitionEvent,
  RequestContextService,
} from '@vendure/core';
import { formatProblem } from '../core/problem.ts';
import { recordOrder } from '../core/sales.ts';
import type { Ledger } from '../core/transactions.ts';
import type { LevyOptions } from './options.ts';
import { relations, toSoldOrder } from './sale.ts';

const context = 'LevyPlugin';
const retries = 20;

/**
 * A `backoffStrategy` for the job queue. Returns the delay before the next of 20 retries in milliseconds, from 1 s to
 * 10 minutes. All retries take almost two hours.
 */
export const backoff = (_queue: string, attempts: number): number => Math.min(1000 * 2 ** (attempts - 1), 600_000);

/** The states in which an order is edited. */
export const editingStates: readonly string[] = ['Modifying', 'ArrangingAdditionalPayment'];

type Job = { readonly orderId: ID };

/** Synchronizes Levy with an order. Throws if a retry can succeed. */
export const recordShopOrder = async (injector: Injector, ledger: Ledger, orderId: ID): Promise<void> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const order = await injector.get(OrderService).findOne(ctx, orderId, [...relations]);
  // An edit is recorded when it ends. Until then, its refund would look like a refund of the earlier sale.
  if (!order || editingStates.includes(order.state)) return;
  const sold = toSoldOrder(order);
  if (!sold) return;
  const problems = 'problem' in sold ? [sold.problem] : (await recordOrder(ledger, sold.order)).problems;
  for (const problem of problems) Logger.error(formatProblem(problem), context);
  const temporary = problems.find(({ isFinal }) => !isFinal);
  if (temporary) throw new Error(formatProblem(temporary));
};

/** Records each order change in a job, because jobs survive a restart of the shop, but events do not. */
export const startRecording = async (injector: Injector, { levy, shop }: LevyOptions): Promise<void> => {
  const ledger: Ledger = { levy, shop };
  const queue: JobQueue<{ orderId: ID }> = await injector.get(JobQueueService).createQueue({
    name: 'levy-record',
    process: async ({ data }: { data: Job }) => recordShopOrder(injector, ledger, data.orderId),
  });
  // An unhandled rejection would end the server.
  const add = ({ id }: { readonly id: ID }) =>
    void queue
      .add({ orderId: id }, { retries })
      .catch((error) => Logger.error(`Could not enqueue order ${id}; run a reconciliation: ${error}`, context));
  const bus: EventBus = injector.get(Bus);
  bus.ofType(OrderPlacedEvent).subscribe(({ order }) => add(order));
  bus.ofType(RefundStateTransitionEvent).subscribe(({ order, toState }) => toState === 'Settled' && add(order));
  bus.ofType(OrderStateTransitionEvent).subscribe(({ order, toState, fromState }) => {
    if (['PaymentSettled', 'Cancelled'].includes(toState) || editingStates.includes(fromState)) add(order);
  });
};
