import type { Account } from '../accounts/account.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../cursor.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { OpenEntry } from '../transactions/open-entries.ts';
import { pageLimitOf } from '../transactions/page-limit.ts';
import { filingAnswer } from './answer.ts';
import type { EntryPlace } from './ledger.ts';
import type { FilingReadPorts } from './ports.ts';
import { filingNotFound, invalidCursor } from './problems.ts';
import type { FilingQuery } from './query.ts';
import type { Filing, FilingEntries, FilingEntry } from './response.ts';

/**
 * A filing with its totals, and with a page of its entries where the request expands them (interface decisions 8). Both
 * are preliminary while it is closing. Each entry appears on one page only.
 *
 * Refused with `not_found`, or `validation_invalid_cursor` for a cursor of anything else.
 */
export const getFiling = async (
  id: string,
  query: FilingQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<Filing>> => {
  const filing = await ports.filings.find(account.id, id);
  if (!filing) return refuse(filingNotFound);
  const after = query.starting_after === undefined ? start : placeAfter(query.starting_after, id, account);
  if (after === null) return refuse(invalidCursor);
  const [shards, entries] = await Promise.all([
    ports.filings.progress(account.id, id),
    query.expand === undefined ? null : entriesOf(id, pageLimitOf(query), after, account, ports),
  ]);
  return accept(filingAnswer(filing, shards, entries));
};

/** The shard and the entry after which a page begins. */
type Place = { readonly shard: number; readonly entry: EntryPlace | null };

const start: Place = { shard: 0, entry: null };

const scopeOf = (id: string, { cursor_secret }: Account): CursorScope => ({
  list: 'filings',
  secret: cursor_secret,
  filters: { filing: id },
});

const placeAfter = (cursor: string, id: string, account: Account): Place | null => {
  const [shard, transactionId, currency] = decodeCursor(cursor, scopeOf(id, account))?.split(' ') ?? [];
  if (shard === undefined || transactionId === undefined || currency === undefined) return null;
  return { shard: Number(shard), entry: { transactionId, currency } };
};

type Row = { readonly shard: number; readonly entry: OpenEntry };

// A Lambda answer has at most 6 MB; an entry of hundreds of jurisdictions has tens of thousands of bytes.
const pageBytesMax = 4_000_000;

/** The entries after a position, shard by shard. Reads lazily. */
const rowsAfter = async function* (
  id: string,
  after: Place,
  most: number,
  account: string,
  { filings }: FilingReadPorts,
): AsyncGenerator<Row> {
  let place = after;
  let left = most;
  while (left > 0 && place.shard < filings.shards) {
    const { shard, entry } = place;
    const found = await filings.filedEntries({ account, id, shard }, left, entry);
    for (const filed of found.entries) yield { shard, entry: filed };
    left -= found.entries.length;
    place = found.next === null ? { shard: shard + 1, entry: null } : { shard, entry: found.next };
  }
};

/** The first entries that fit into a page, at least one. */
const entriesOf = async (
  id: string,
  limit: number,
  after: Place,
  account: Account,
  ports: FilingReadPorts,
): Promise<FilingEntries> => {
  const rows: Row[] = [];
  let bytes = 0;
  let last: Row | undefined;
  // One more than the limit, to find out whether another page follows.
  for await (const row of rowsAfter(id, after, limit + 1, account.id, ports)) {
    bytes += Buffer.byteLength(JSON.stringify(row.entry.amounts));
    if (rows.length === limit || (rows.length > 0 && bytes > pageBytesMax)) {
      last = rows.at(-1);
      break;
    }
    rows.push(row);
  }
  return {
    object: 'list',
    has_more: last !== undefined,
    next_cursor: last
      ? encodeCursor([last.shard, last.entry.transactionId, last.entry.currency].join(' '), scopeOf(id, account))
      : null,
    data: rows.map(({ entry }) => entryAnswer(entry)),
  };
};

const entryAnswer = ({ transactionId, month, currency, amounts }: OpenEntry): FilingEntry => ({
  transaction_id: transactionId,
  month,
  currency,
  amounts: [...amounts],
});
