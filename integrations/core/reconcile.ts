import { LevyRefused, LevyUnavailable, orThrow, type Schemas } from '../../shared/client/client.ts';
import { refundReference } from './credits.ts';
import type { Order } from './order.ts';
import { failed, formatProblem, type Problem } from './problem.ts';
import { isNewer, type Recorded, recordOrder } from './sales.ts';
import { findByReference, type Ledger, retrieve } from './transactions.ts';

export type Report = {
  readonly checked: number;
  /** Orders that were missing or different in Levy and are now recorded. */
  readonly recorded: readonly string[];
  readonly problems: readonly Problem[];
  /** Sales and credits of the range in Levy that match no order of this shop. */
  readonly extra: readonly Schemas['ExtraTransaction'][];
};

/** Returns the log lines of a report, one for each problem and each extra transaction. */
export const formatLines = ({ problems, extra }: Report): string[] => [
  ...problems.map(formatProblem),
  ...extra.map(
    ({ reference_id, transaction_id }) =>
      `Levy has ${reference_id ?? transaction_id}, but no order of this shop matches it.`,
  ),
];

const dayMs = 24 * 60 * 60_000;

/** Returns the range of the last days until today. */
export const lastDays = (days: number): Range => {
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  return { from: day(days), to: day(0) };
};

/** Returns the instants of a range: its start, and the end of its last day. */
export const toInstants = ({ from, to }: Range) => ({ from: new Date(from), end: new Date(Date.parse(to) + dayMs) });

/** The date range of the orders in UTC, such as `2026-10-01`, inclusive. */
export type Range = { readonly from: string; readonly to: string };

const chunkSize = 1000;

/** Compares the amounts of finalized orders with the ledger. Returns the references that are missing or different. */
const findDifferences = async ({ levy }: Ledger, orders: readonly Order[]): Promise<Set<string>> => {
  const transactions = orders.map(({ reference, total, tax }) => ({
    reference_id: reference,
    total_amount: total,
    tax_amount: tax,
  }));
  const compared = await levy.post('/reconciliations', { body: { transactions } });
  // One invalid amount causes a refusal of the whole chunk. If orders are recorded one by one, only the invalid order
  // is a problem.
  if (!compared.ok && compared.refusal.status === 422) return new Set(orders.map(({ reference }) => reference));
  const { missing, different } = orThrow(compared);
  return new Set([...missing, ...different].map(({ reference_id }) => reference_id));
};

type Extra = Report['extra'][number];

/** Returns whether a different shop of the account recorded a transaction. */
const isOfOtherShop = async (ledger: Ledger, { reference_id, transaction_id }: Extra): Promise<boolean> => {
  const found = await retrieve(ledger, reference_id ?? transaction_id, transaction_id);
  const shop = found.ok ? found.value.transaction.metadata?.['shop'] : undefined;
  return shop !== undefined && shop !== ledger.shop;
};

/** Returns the reference of the sale to which a credit belongs. */
const saleReference = ({ reference_id }: Extra): string | undefined => /^(.*)-refund-/.exec(reference_id ?? '')?.[1];

/** Returns whether a credit may belong to a refund made after the snapshot of its order. */
const isOfLaterState = async (ledger: Ledger, entry: Extra, orders: readonly Order[]): Promise<boolean> => {
  const order = orders.find(({ reference }) => reference === saleReference(entry));
  const sale = order && (await findByReference(ledger, order.reference));
  return Boolean(order && sale?.ok && sale.value && isNewer(sale.value, order));
};

const extraIn = async (
  ledger: Ledger,
  { from, to }: Range,
  orders: readonly Order[],
  problems: readonly Problem[],
): Promise<Report['extra']> => {
  const paid = orders.filter(({ wanted }) => wanted === 'finalized');
  const unbuilt = new Set(problems.map(({ reference }) => reference));
  const sales = new Set([...paid.map(({ reference }) => reference), ...unbuilt]);
  const credits = new Set(
    paid.flatMap(({ reference, refunds }) => refunds.map(({ id }) => refundReference(reference, id))),
  );
  const isExtra = (entry: Extra): boolean => {
    const { reference_id, type } = entry;
    if (type === 'sale') return !sales.has(reference_id ?? '');
    const order = saleReference(entry);
    // The order of a credit may be older than the range.
    if (order === undefined) return true;
    return sales.has(order) && !unbuilt.has(order) && !credits.has(reference_id ?? '');
  };
  const extra: Extra[] = [];
  // The service requires at least one transaction. This one does not exist, so `isExtra` compares the range with the
  // orders.
  const transactions = [{ reference_id: 'levy-reconcile', total_amount: '0', tax_amount: '0' }];
  for (let starting_after: string | null = null; ; ) {
    // Levy interprets a date in the account's time zone.
    const range = { from: `${from}T00:00:00.000Z`, to: `${to}T23:59:59.999Z` };
    const body = { ...range, transactions, starting_after };
    const page: Schemas['Reconciliation'] = orThrow(await ledger.levy.post('/reconciliations', { body }));
    for (const entry of (page.extra ?? []).filter(isExtra))
      if (!(await isOfOtherShop(ledger, entry)) && !(await isOfLaterState(ledger, entry, orders))) extra.push(entry);
    if (page.next_cursor === null) return extra;
    starting_after = page.next_cursor;
  }
};

const nothing = { sale: null, isChanged: false } as const;

/** The problem of an order that the adapter could not build, or for which `recordOrder` threw an error. */
export const invalidOrder = (reference: string, error: unknown): Problem =>
  failed(reference, 'invalid_order', error instanceof Error ? error.message : String(error)).problem;

const recordOrProblem = (ledger: Ledger, order: Order, record: typeof recordOrder): Promise<Recorded> =>
  record(ledger, order).catch((error: unknown) => {
    if (error instanceof LevyUnavailable || error instanceof LevyRefused) throw error;
    return { ...nothing, problems: [invalidOrder(order.reference, error)] };
  });

/**
 * Returns whether equal amounts prove that the order is recorded: it is paid, and was neither refunded nor changed
 * since.
 */
const isPlain = ({ wanted, refunds, placedAt, changedAt }: Order): boolean =>
  wanted === 'finalized' && refunds.length === 0 && !(Date.parse(changedAt ?? '') > Date.parse(placedAt));

/**
 * Compares the shop's orders in a range with Levy and records missing data. Orders that are refunded, unpaid or changed
 * after placement are recorded one by one; the amounts of all others are compared in batches of 1,000.
 *
 * `orders` are all orders placed in the range. `problems` are the problems of orders that the adapter could not build;
 * the report includes them. `record` records one order. An order that fails otherwise has the problem `invalid_order`.
 * Throws `LevyUnavailable` during an outage, and `LevyRefused` if the credential lacks read or write permission; a later
 * run continues.
 */
export const reconcile = async (
  ledger: Ledger,
  orders: readonly Order[],
  range: Range,
  problems: readonly Problem[] = [],
  record = recordOrder,
): Promise<Report> => {
  const plain = orders.filter(isPlain);
  const waiting = new Set(orders.filter((order) => !isPlain(order)));
  for (let at = 0; at < plain.length; at += chunkSize) {
    const chunk = plain.slice(at, at + chunkSize);
    const references = await findDifferences(ledger, chunk);
    for (const order of chunk) if (references.has(order.reference)) waiting.add(order);
  }
  const recorded: string[] = [];
  const found = [...problems];
  for (const order of waiting) {
    const result = await recordOrProblem(ledger, order, record);
    found.push(...result.problems);
    if (result.isChanged) recorded.push(order.reference);
  }
  const extra = await extraIn(ledger, range, orders, problems);
  return { checked: orders.length, recorded, problems: found, extra };
};
