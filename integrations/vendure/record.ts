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
import { recordOrder } from '../core/sales.ts';
import type { Ledger } from '../core/transactions.ts';
import type { LevyOptions } from './options.ts';
import { relations, soldOrderOf } from './sale.ts';

const context = 'LevyPlugin';
const retries = 20;

/**
 * A `backoffStrategy` for the job queue: milliseconds before the next of 20 retries, from 1 s up to 10 minutes. The retries last
 * almost two hours.
 */
export const backoff = (_queue: string, attempts: number): number => Math.min(1000 * 2 ** (attempts - 1), 600_000);

/** The states in which an order is edited. */
export const editingStates: readonly string[] = ['Modifying', 'ArrangingAdditionalPayment'];

type Job = { readonly orderId: ID };

/** Brings Levy to the state of an order. Throws where another try can succeed. */
export const recordShopOrder = async (injector: Injector, ledger: Ledger, orderId: ID): Promise<void> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const order = await injector.get(OrderService).findOne(ctx, orderId, [...relations]);
  // The end of an edit records it. Until then, a refund of the edit looks like one of the sale before.
  if (!order || editingStates.includes(order.state)) return;
  const sold = soldOrderOf(order);
  if (!sold) return;
  const problems = 'problem' in sold ? [sold.problem] : (await recordOrder(ledger, sold.order)).problems;
  for (const { reference, code, detail } of problems) Logger.error(`${reference}: ${code}: ${detail}`, context);
  const temporary = problems.find(({ isFinal }) => !isFinal);
  if (temporary) throw new Error(`${temporary.reference}: ${temporary.code}`);
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
      .catch((error) => Logger.error(`Could not enqueue order ${id}; run a reconciliation: ${error}`, context));
  const bus: EventBus = injector.get(Bus);
  bus.ofType(OrderPlacedEvent).subscribe(({ order }) => add(order));
  bus.ofType(RefundStateTransitionEvent).subscribe(({ order, toState }) => toState === 'Settled' && add(order));
  bus.ofType(OrderStateTransitionEvent).subscribe(({ order, toState, fromState }) => {
    if (['PaymentSettled', 'Cancelled'].includes(toState) || editingStates.includes(fromState)) add(order);
  });
};
