import type { Account } from '../accounts/account.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { OpenEntry } from '../transactions/open-entries.ts';
import { filingAnswer } from './answer.ts';
import { cursorOf, invalidCursor, placeOf } from './cursor.ts';
import type { Filing, FilingEntries, FilingEntry } from './filing.ts';
import type { EntryPlace } from './ledger.ts';
import type { FilingPage, FilingReadPorts } from './ports.ts';
import { filingNotFound } from './problems.ts';

/**
 * A filing with its totals, and a page of its entries where they are asked for (interface decisions 8). While it is
 * closing, both are so far. Page by page, each entry comes once.
 *
 * Refused with `not_found`, or `validation_invalid_cursor` for a cursor of anything else.
 */
export const getFiling = async (
  id: string,
  page: FilingPage,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<Filing>> => {
  const filing = await ports.filings.find(account.id, id);
  if (!filing) return refuse(filingNotFound);
  const after = page.starting_after === null ? start : placeAfter(page.starting_after, id, account);
  if (after === null) return refuse(invalidCursor);
  const [shards, entries] = await Promise.all([
    ports.filings.progress(account.id, id),
    page.expand === null ? null : entriesOf(id, page.limit, after, account, ports),
  ]);
  return accept(filingAnswer(filing, shards, entries));
};

/** After which entry of which shard a page begins. */
type Place = { readonly shard: number; readonly entry: EntryPlace | null };

const start: Place = { shard: 0, entry: null };

const listOf = (id: string) => ({ filing: id });

const placeAfter = (cursor: string, id: string, { cursor_secret }: Account): Place | null => {
  const [shard, transactionId, currency] = placeOf(cursor, cursor_secret, listOf(id))?.split(' ') ?? [];
  if (shard === undefined || transactionId === undefined || currency === undefined) return null;
  return { shard: Number(shard), entry: { transactionId, currency } };
};

type Row = { readonly shard: number; readonly entry: OpenEntry };

// What a Lambda function answers ends at 6 MB; an entry of hundreds of jurisdictions has tens of thousands of bytes.
const pageBytesMax = 4_000_000;

/** As many rows as a page has room for, from the first; never less than one. */
const fitting = (rows: readonly Row[], limit: number): readonly Row[] => {
  let bytes = 0;
  const end = rows.findIndex(({ entry }, at) => {
    bytes += Buffer.byteLength(JSON.stringify(entry.amounts));
    return at === limit || (at > 0 && bytes > pageBytesMax);
  });
  return end === -1 ? rows : rows.slice(0, end);
};

/** Shard by shard, so that a page goes on where the one before ended. */
const entriesOf = async (
  id: string,
  limit: number,
  after: Place,
  { id: account, cursor_secret }: Account,
  { filings }: FilingReadPorts,
): Promise<FilingEntries> => {
  const rows: Row[] = [];
  let place = after;
  // One more than the page has, to know whether another follows.
  while (rows.length <= limit && place.shard < filings.shards) {
    const { shard, entry } = place;
    const found = await filings.filedEntries({ account, id, shard }, limit + 1 - rows.length, entry);
    rows.push(...found.entries.map((one) => ({ shard, entry: one })));
    place = found.next === null ? { shard: shard + 1, entry: null } : { shard, entry: found.next };
  }
  const data = fitting(rows, limit);
  const last = rows.length > data.length ? data.at(-1) : undefined;
  return {
    object: 'list',
    has_more: last !== undefined,
    next_cursor: last
      ? cursorOf([last.shard, last.entry.transactionId, last.entry.currency].join(' '), cursor_secret, listOf(id))
      : null,
    data: data.map(({ entry }) => entryAnswer(entry)),
  };
};

const entryAnswer = ({ transactionId, month, currency, amounts }: OpenEntry): FilingEntry => ({
  transaction_id: transactionId,
  month,
  currency,
  amounts: [...amounts],
});
