import { isDeepStrictEqual } from 'node:util';
import type { TransactionRow } from '../../../shared/ledger/response.ts';
import type { Listing, Observed } from '../observed.ts';
import type { Head } from './decode.ts';
import type { Ledger, Reign } from './ledger.ts';

const belongs = ({ transaction }: { readonly transaction: TransactionRow }, query: Listing['query']): boolean =>
  Object.entries(query).every(([name, value]) => {
    if (name === 'customer_id') return transaction.customer?.id === value;
    if (name === 'tax_date[gte]') return transaction.tax_date >= value;
    return name === 'limit' || transaction[name as keyof TransactionRow] === value;
  });

/** Whether a row equals a state without its lines, or an expired draft returned as void. */
const reads = ({ head: { transaction } }: Reign, row: TransactionRow): boolean => {
  const { line_items: _lines, explanation: _explanation, ...state } = transaction;
  const { line_items: _none, explanation: _neither, ...shown } = row;
  if (isDeepStrictEqual(state, shown)) return true;
  const { expires_at } = state;
  const ended = { status: 'void', void_reason: 'draft_expired', voided_at: expires_at, updated_at: expires_at };
  return state.status === 'draft' && isDeepStrictEqual({ ...state, ...ended, version: state.version + 1 }, shown);
};

/** The state of a transaction that did not change or expire during the list request. */
const stable = (reigns: readonly Reign[], { from, to, fromMs, toMs }: Listing): Head | undefined => {
  const during = reigns.filter((reign) => reign.from <= to && reign.to >= from);
  const [only] = during;
  if (during.length !== 1 || !only || only.from >= from) return undefined;
  const { endsMs } = only.head;
  return endsMs !== null && endsMs >= fromMs && endsMs <= toMs ? undefined : only.head;
};

const ofListing = (listing: Listing, ledger: Ledger): string[] => {
  const rows = listing.pages.flatMap((page) => page.rows);
  const ids = rows.map(({ id }) => id);
  const wrong = rows
    .filter((row) => !ledger.of(listing.account, row.id).some((reign) => reads(reign, row)))
    .map(({ id }) => `shows ${id} as it never was in this account`);
  // In the order of tax dates, a transaction may move during the request.
  if (!('tax_date[gte]' in listing.query) && new Set(ids).size < ids.length)
    wrong.push(`shows a transaction twice: ${ids}`);
  for (const row of rows)
    if (!belongs({ transaction: row }, withoutCursor(listing.query)))
      wrong.push(`shows ${row.id}, which it does not ask for`);
  if (!listing.isWhole) return wrong;
  for (const reigns of ledger.reigns.values()) {
    const head = stable(reigns, listing);
    if (!head || head.account !== listing.account || !belongs(head, listing.query)) continue;
    const times = ids.filter((id) => id === head.id).length;
    if (times !== 1) wrong.push(`shows ${head.id} ${times} times`);
  }
  return wrong;
};

const withoutCursor = ({ starting_after: _, ...query }: Record<string, string>) => query;

/** A list shows existing states only, none twice, and every unchanged transaction. */
export const listViolations = (ledger: Ledger, { listings }: Observed): string[] =>
  listings.flatMap((listing) =>
    ofListing(listing, ledger).map(
      (words) => `The list ${JSON.stringify(listing.query)} of ${listing.account} ${words}`,
    ),
  );
