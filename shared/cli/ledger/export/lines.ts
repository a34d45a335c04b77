import { batchesOf } from '../../../base/collections.ts';
import type { ShardProgress, StoredFiling } from '../../../filings/ledger.ts';
import type { AuditEntry } from '../../../ledger/audit.ts';
import type { StoredTransaction } from '../../../ledger/transaction.ts';
import { decompress } from '../../../store/client/compressed.ts';
import { chainFrom } from '../../../store/filings/filing-item.ts';
import { filingProgressFrom } from '../../../store/filings/filing-progress-item.ts';
import { filingReads } from '../../../store/filings/filing-reads.ts';
import { filingProgressKey, itemPlace, totalsPartKey } from '../../../store/keys.ts';
import { auditEntryFrom } from '../../../store/ledger/audit-item.ts';
import {
  auditItems,
  chainItems,
  findClaimItem,
  headItem,
  itemsAt,
  openEntryItems,
  transactionIds,
} from '../../../store/ledger/ledger-walk.ts';
import { openEntryFrom, openEntryToJson } from '../../../store/ledger/open-entry-item.ts';
import { transactionFrom, transactionToJson } from '../../../store/ledger/transaction-item.ts';
import { CommandError } from '../../terminal/errors.ts';
import { filedEntryPages, filingBook } from '../filing-book.ts';
import type { Line } from './format.ts';

const pageSize = 100;
const atOnce = 16;
// An item has at most 400 KB, and a response of BatchGetItem 16 MB.
const partsAtOnce = 25;

/** Entries up to the transaction's version. Later entries were written after the transaction was read. */
const chainOf = async (account: string, { transaction: { id, version } }: StoredTransaction): Promise<AuditEntry[]> => {
  const pages = await Array.fromAsync(auditItems(account, id));
  const entries = pages.flatMap((items) => items.map(auditEntryFrom)).filter((entry) => entry.version <= version);
  if (entries.length !== version)
    throw new CommandError(
      `${id} has ${entries.length} audit entries at version ${version}. Run npm run ledger -- verify --account ${account}.`,
    );
  return entries;
};

const holdsReference = async (account: string, { transaction }: StoredTransaction): Promise<boolean> => {
  const { id, status, reference_id } = transaction;
  if (reference_id === null || status === 'void') return false;
  return (await findClaimItem(account, reference_id))?.['transaction_id'] === id;
};

type Exported = { readonly stored: StoredTransaction; readonly lines: readonly Line[] };

const exportedOf = async (account: string, id: string): Promise<Exported> => {
  const head = await headItem(account, id);
  if (!head)
    throw new CommandError(`${id} was deleted while it was exported. Stop what deletes it, then export again.`);
  const stored = transactionFrom(head);
  const [entries, holds_reference] = await Promise.all([chainOf(account, stored), holdsReference(account, stored)]);
  const chain = entries.map((entry): Line => ({ kind: 'audit_entry', entry }));
  return { stored, lines: [...chain, { kind: 'transaction', holds_reference, stored: transactionToJson(stored) }] };
};

/** An account's transactions with their audit chains as lines, oldest first, from strongly consistent reads of the table. */
export const exportedTransactions = async function* (account: string): AsyncGenerator<Exported> {
  for await (const ids of transactionIds(account, pageSize))
    for await (const some of batchesOf(ids, atOnce))
      yield* await Promise.all(some.map((id) => exportedOf(account, id)));
};

/** An account's filings. Refuses an unfinished one, because some of its entries are still open. */
export const finishedFilings = async (account: string): Promise<readonly StoredFiling[]> => {
  const filings = (await filingBook(account)).all();
  const unfinished = filings.find(({ isUnfinished }) => isUnfinished);
  if (!unfinished) return filings;
  const { id, status } = unfinished;
  throw new CommandError(
    `The filing ${id} is unfinished (${status}). Export when GET /filings/${id} returns progress.complete as true.`,
  );
};

const partLines = async function* (
  account: string,
  { id }: StoredFiling,
  { shard, parts }: ShardProgress,
): AsyncGenerator<Line> {
  for await (const froms of batchesOf(parts, partsAtOnce)) {
    const keys = froms.map((from) => totalsPartKey(account, id, { shard, from }));
    const items = await itemsAt(keys);
    for (const key of keys) {
      const item = items.get(itemPlace(key));
      if (!item) throw new CommandError(`The filing ${id} lacks a part of its totals. Run npm run ledger -- verify.`);
      yield {
        kind: 'filing_totals',
        filing: id,
        shard,
        from: String(item['from']),
        sums: decompress(item['sums'] as Uint8Array),
      };
    }
  }
};

const shardLines = async function* (account: string, filing: StoredFiling): AsyncGenerator<Line> {
  const shards = Array.from({ length: filingReads.shards }, (_, shard) => filingProgressKey(account, filing.id, shard));
  const items = await itemsAt(shards);
  for (const { pk, sk } of shards) {
    const item = items.get(`${pk} ${sk}`);
    if (!item) throw new CommandError(`The filing ${filing.id} lacks a shard. Run npm run ledger -- verify.`);
    yield* partLines(account, filing, filingProgressFrom(item));
    const { pk: _, sk: __, totals, ...progress } = item;
    const uncompressed = decompress(totals as Uint8Array);
    yield { kind: 'filing_shard', filing: filing.id, progress: { ...progress, totals: uncompressed } };
  }
};

const entryLines = async function* (account: string, { id }: StoredFiling): AsyncGenerator<Line> {
  for (let shard = 0; shard < filingReads.shards; shard++)
    for await (const entries of filedEntryPages({ account, id, shard }, pageSize))
      for (const entry of entries) yield { kind: 'filed_entry', filing: id, entry: openEntryToJson(entry) };
};

const chainLines = async function* (account: string, state: string): AsyncGenerator<Line> {
  const { chain, periods } = await chainItems(account, state);
  for (const { period_end, filing } of periods) yield { kind: 'period', state, period_end, filing: String(filing) };
  if (chain === undefined) return;
  const { account: _, ...stored } = chainFrom(chain);
  yield { kind: 'chain', chain: stored };
};

/** Open entries, filings with their entries and shards, and the chains of periods. */
export const filingLines = async function* (
  account: string,
  filings: readonly StoredFiling[],
  states: readonly string[],
): AsyncGenerator<Line> {
  for (const state of states)
    for await (const items of openEntryItems(account, state))
      for (const item of items) yield { kind: 'open_entry', entry: openEntryToJson(openEntryFrom(item)) };
  for (const filing of filings) {
    yield* entryLines(account, filing);
    yield* shardLines(account, filing);
    const { account: _, ...stored } = filing;
    yield { kind: 'filing', filing: stored };
  }
  for (const state of states) yield* chainLines(account, state);
};
