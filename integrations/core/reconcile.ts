import { orThrow, type Schemas } from '../../shared/client/client.ts';
import type { Order } from './order.ts';
import type { Problem } from './problem.ts';
import { recordOrder, refundReference } from './sales.ts';
import type { Ledger } from './transactions.ts';

export type Report = {
  readonly checked: number;
  /** Orders of which something was missing or different in Levy, and is recorded now. */
  readonly recorded: readonly string[];
  readonly problems: readonly Problem[];
  /** Sales and credits in the range that no order of the shop explains. */
  readonly extra: readonly Schemas['ExtraTransaction'][];
};

/** The dates of the orders in UTC, such as `2026-10-01`, with the days of both included. */
export type Range = { readonly from: string; readonly to: string };

const chunkSize = 1000;

/** Compare finalized orders with the ledger by their amounts; returns the references that are missing or different. */
const unlike = async ({ levy }: Ledger, orders: readonly Order[]): Promise<Set<string>> => {
  const transactions = orders.map(({ reference, total, tax }) => ({
    reference_id: reference,
    total_amount: total,
    tax_amount: tax,
  }));
  const { missing, different } = orThrow(await levy.post('/reconciliations', { body: { transactions } }));
  return new Set([...missing, ...different].map(({ reference_id }) => reference_id));
};

const extraIn = async ({ levy }: Ledger, { from, to }: Range, orders: readonly Order[]): Promise<Report['extra']> => {
  const paid = orders.filter(({ wanted }) => wanted === 'finalized');
  const sales = new Set(paid.map(({ reference }) => reference));
  const credits = new Set(
    paid.flatMap(({ reference, refunds }) => refunds.map(({ id }) => refundReference(reference, id))),
  );
  const isExtra = ({ reference_id, type }: Schemas['ExtraTransaction']): boolean => {
    if (type === 'sale') return !sales.has(reference_id ?? '');
    const order = /^(.*)-refund-/.exec(reference_id ?? '')?.[1];
    // The order of a credit may have been placed before the range.
    return order === undefined || (sales.has(order) && !credits.has(reference_id ?? ''));
  };
  const extra: Schemas['ExtraTransaction'][] = [];
  // The service compares the range with a list, too. An entry that does not exist leaves the comparison to `isExtra`.
  const transactions = [{ reference_id: 'levy-reconcile', total_amount: '0', tax_amount: '0' }];
  for (let starting_after: string | null = null; ; ) {
    // Levy reads a date as a day of the account's time zone.
    const range = { from: `${from}T00:00:00.000Z`, to: `${to}T23:59:59.999Z` };
    const body = { ...range, transactions, starting_after };
    const page: Schemas['Reconciliation'] = orThrow(await levy.post('/reconciliations', { body }));
    extra.push(...(page.extra ?? []).filter(isExtra));
    if (page.next_cursor === null) return extra;
    starting_after = page.next_cursor;
  }
};

/**
 * Compare the shop's orders of a range with Levy, and record what is not recorded. Orders with refunds, and those that are not
 * paid, are brought to their state one by one; the others are compared by a thousand.
 *
 * `orders` are all orders placed in the range. Throws `LevyUnavailable` during an outage, and `LevyRefused` without a credential
 * that may read and write; another run continues.
 */
export const reconcile = async (
  ledger: Ledger,
  orders: readonly Order[],
  range: Range,
  found: readonly Problem[] = [],
): Promise<Report> => {
  const plain = orders.filter(({ wanted, refunds }) => wanted === 'finalized' && refunds.length === 0);
  const waiting = new Set(orders.filter((order) => !plain.includes(order)));
  for (let at = 0; at < plain.length; at += chunkSize) {
    const chunk = plain.slice(at, at + chunkSize);
    const references = await unlike(ledger, chunk);
    for (const order of chunk) if (references.has(order.reference)) waiting.add(order);
  }
  const recorded: string[] = [];
  const problems: Problem[] = [...found];
  for (const order of waiting) {
    const result = await recordOrder(ledger, order);
    problems.push(...result.problems);
    if (result.isChanged) recorded.push(order.reference);
  }
  return { checked: orders.length, recorded, problems, extra: await extraIn(ledger, range, orders) };
};
