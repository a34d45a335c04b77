import type { ListPosition, ListQuery, TransactionIndex } from '../ledger.ts';
import { expireIfDue, isLive } from '../lifecycle.ts';
import type { TransactionSummary } from '../transaction.ts';
import type { ExtraTransaction } from './response.ts';

/** The most calls of one request, and the most index rows of each. */
const pagesMax = 4;
const pageRows = 500;
const extraMax = 1000;

/** The unlisted transactions, and the position at which the search stopped; `null` at the end of the range. */
type Extra = { readonly extra: ExtraTransaction[]; readonly next: ListPosition | null };

type Search = {
  readonly account: string;
  /** Instants of the tax date, both inclusive. */
  readonly range: Pick<ListQuery, 'from' | 'to'>;
  /** The position at which the previous search stopped. */
  readonly after: ListPosition | null;
  /** Whether the list names this transaction, by reference or id. */
  readonly isListed: (row: TransactionSummary) => boolean;
  readonly nowMs: number;
};

/**
 * The live transactions of a range of tax dates that the billing system does not list, newest first.
 *
 * Bounded to four calls and 1,000 transactions; `next` is the position for the next request. Reads an index, which may be
 * seconds behind.
 */
export const extraIn = async (
  { account, range, after, isListed, nowMs }: Search,
  { page }: TransactionIndex,
): Promise<Extra> => {
  const query = { index: 'by_tax_date', value: null, ...range } as const;
  const extra: ExtraTransaction[] = [];
  let position = after;
  for (let call = 1; call <= pagesMax; call++) {
    const { rows, next } = await page(account, { ...query, after: position, limit: pageRows });
    for (const row of rows) {
      const now = expireIfDue(row, nowMs);
      if (!isLive(now) || isListed(now)) continue;
      if (extra.length === extraMax) return { extra, next: position };
      extra.push(toExtra(now));
      position = now;
    }
    if (next === null) return { extra, next: null };
    position = next;
  }
  return { extra, next: position };
};

const toExtra = (row: TransactionSummary): ExtraTransaction => ({
  transaction_id: row.id,
  reference_id: row.reference_id,
  type: row.type,
  status: row.status,
  tax_date: row.tax_date,
  currency: row.currency,
  total_amount: row.total_amount,
  tax_amount: row.tax_amount,
});
