import type { Account } from '../accounts/account.ts';
import { answerBytes } from '../base/answer-size.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { pageBytesMax } from '../ledger/page-limit.ts';
import type { FilingReads, ShardProgress, StoredFiling } from './ledger.ts';
import type { Filing } from './response.ts';
import type { JurisdictionSum } from './totals.ts';
import { answeredTotal } from './totals-answer.ts';
import { sumsAfter } from './totals-parts.ts';

/** A page of totals, and the cursor of the next one. */
export type TotalsPage = { readonly totals: NonNullable<Filing['totals']>; readonly totals_next_cursor: string | null };

/** The scope of a cursor of totals: the filing, or the dry run of a period. */
export type TotalsList = {
  readonly account: Pick<Account, 'cursor_secret'>;
  readonly of: { readonly filing: string } | { readonly state: string; readonly period_end: string };
};

const cursorScope = ({ account, of }: TotalsList): CursorScope => ({
  list: 'filings',
  secret: account.cursor_secret,
  filters: { ...of, only: 'totals' },
});

/** The key after which a page begins: the start without a cursor, `null` for a cursor of anything else. */
export const keyAfter = (cursor: string | null | undefined, list: TotalsList): string | null =>
  cursor == null ? '' : decodeCursor(cursor, cursorScope(list));

// The names of the fields of a total, and its zeros.
const totalBytesMin = 900;

/** More totals than fit into this many bytes. */
export const totalsMax = (bytes = pageBytesMax): number => Math.ceil(bytes / totalBytesMin);

type Keyed = readonly [string, JurisdictionSum];

/** The totals of the first sums that fit into `bytesMax`, at least one. */
export const pageOfTotals = (sums: readonly Keyed[], list: TotalsList, bytesMax = pageBytesMax): TotalsPage => {
  const totals: TotalsPage['totals'] = [];
  let bytes = 0;
  for (const [at, [, sum]] of sums.entries()) {
    const total = answeredTotal(sum);
    bytes += answerBytes(JSON.stringify(total));
    const [last] = sums[at - 1] ?? [];
    if (last !== undefined && bytes > bytesMax)
      return { totals, totals_next_cursor: encodeCursor(last, cursorScope(list)) };
    totals.push(total);
  }
  return { totals, totals_next_cursor: null };
};

/** A page of the totals of a filing after a key. */
export const filingTotals = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  account: Pick<Account, 'cursor_secret'>,
  filings: Pick<FilingReads, 'parts'>,
  { after = '', bytesMax = pageBytesMax }: { readonly after?: string; readonly bytesMax?: number } = {},
): Promise<TotalsPage> => {
  const sums: Keyed[] = [];
  for await (const group of sumsAfter(filing, shards, after, filings)) {
    sums.push(...group);
    if (sums.length > totalsMax(bytesMax)) break;
  }
  return pageOfTotals(sums, { account, of: { filing: filing.id } }, bytesMax);
};
