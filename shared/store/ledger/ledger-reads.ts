import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import type { HistoryReads } from '../../ledger/history.ts';
import type { Idempotency, Ledger, Replay } from '../../ledger/ports.ts';
import type { HolderReads } from '../../ledger/reconciliation.ts';
import { statuses } from '../../ledger/status.ts';
import type { StoredTransaction } from '../../ledger/transaction.ts';
import { batchGet, type Items, partitionQuery, queryPage, readItem } from '../client/reads.ts';
import { auditKey, claimKey, headKey, type Item, type ItemKey, idempotencyKey } from '../keys.ts';
import { auditEntryFrom } from './audit-item.ts';
import { replayFrom } from './idempotency-item.ts';
import { transactionFrom } from './transaction-item.ts';

const TableName = environment.tables.transactions;

const storedFrom = (item: unknown): StoredTransaction | undefined =>
  item === undefined ? undefined : transactionFrom(item);

const findReplay: Ledger['findReplay'] = async (account, idempotency, nowMs) =>
  replayFrom(await readItem(TableName, idempotencyKey(account, idempotency.digest)), idempotency, nowMs);

// Levy's ids are shorter, and DynamoDB rejects a key of more than 2 KB.
export const idLengthMax = 64;

const find: Ledger['find'] = async (account, id) =>
  id.length > idLengthMax ? undefined : storedFrom(await readItem(TableName, headKey(account, id)));

/** Reads the item with this key, if any, and the idempotency record of a request in one round trip. */
export const readWithReplay = async (
  account: string,
  key: ItemKey | null,
  idempotency: Idempotency | null,
  nowMs: number,
  remainingMs?: RemainingMs,
): Promise<{ readonly item: Item | undefined; readonly replay: Replay | undefined }> => {
  if (idempotency === null) return { item: key ? await readItem(TableName, key) : undefined, replay: undefined };
  const record = idempotencyKey(account, idempotency.digest);
  const items = await batchGet(TableName, key ? [key, record] : [record], remainingMs);
  const saved = items.find(({ pk }) => pk === record.pk);
  return { item: items.find((item) => item !== saved), replay: replayFrom(saved, idempotency, nowMs) };
};

type LedgerReads = Pick<Ledger, 'find' | 'findSome' | 'findReplay' | 'findWithReplay'>;

/** Returns the ledger's reads. They stop retrying when `remainingMs` is used up. */
export const ledgerReadsWithin = (remainingMs?: RemainingMs): LedgerReads => ({
  find,
  findSome: async (account, ids) => {
    const keys = ids.map((id) => headKey(account, id));
    return (await batchGet(TableName, keys, remainingMs)).map(transactionFrom);
  },
  findReplay,
  findWithReplay: async (account, id, idempotency, nowMs) => {
    const key = id.length > idLengthMax ? null : headKey(account, id);
    const { item, replay } = await readWithReplay(account, key, idempotency, nowMs, remainingMs);
    return { stored: storedFrom(item), replay };
  },
});

/** The ledger's reads without a time limit. Separate from the writes, so bundles of read-only functions contain no writes. */
export const ledgerReads: LedgerReads = ledgerReadsWithin();

/** Reads items of a transaction's partition from a key down to its first audit entry, strongly consistent. */
const read = async (account: string, id: string, from: ItemKey, limit: number): Promise<Items> => {
  if (id.length > idLengthMax) return [];
  const first = auditKey(account, id, 1).sk;
  const { items } = await queryPage({
    ...partitionQuery(TableName, from.pk, 'sk BETWEEN :first AND :from', { ':first': first, ':from': from.sk }),
    ScanIndexForward: false,
    Limit: limit,
  });
  return items;
};

const newest: HistoryReads['newest'] = async (account, id, limit) => {
  // The head sorts directly after all entries.
  const [head, ...entries] = await read(account, id, headKey(account, id), limit + 1);
  return head ? { stored: transactionFrom(head), entries: entries.map(auditEntryFrom) } : undefined;
};

const from: HistoryReads['from'] = async (account, id, version, limit) =>
  (await read(account, id, auditKey(account, id, version), limit)).map(auditEntryFrom);

/** Reads audit entries from DynamoDB. A page is one call, because 100 entries and a head are far below the 1 MB limit. */
export const historyReads: HistoryReads = { newest, from };

const Claim = z.object({ pk: z.string(), transaction_id: z.string() });

const claimed: HolderReads['claimed'] = async (account, references) => {
  const keys = references.map((reference) => claimKey(account, reference));
  const byKey = new Map(keys.map(({ pk }, at) => [pk, references[at] as string]));
  const items = await batchGet(TableName, keys);
  const claims = z.array(Claim).parse(items);
  return new Map(claims.map(({ pk, transaction_id }) => [byKey.get(pk) ?? '', transaction_id]));
};

// Projects only uncompressed attributes.
const Head = z.object({
  id: z.string(),
  reference_id: z.optional(z.string()),
  type: z.enum(['sale', 'credit']),
  status: z.enum(statuses),
  expires_at: z.optional(z.string()),
  total_amount: z.string(),
  tax_amount: z.string(),
});

const recorded: HolderReads['recorded'] = async (account, ids) => {
  const keys = ids.map((id) => headKey(account, id));
  const items = await batchGet(TableName, keys, undefined, Object.keys(Head.shape));
  const heads = z.array(Head).parse(items);
  return new Map(
    heads.map(({ reference_id = null, expires_at = null, ...head }) => [
      head.id,
      { ...head, reference_id, expires_at },
    ]),
  );
};

/** Reads the holders of references. A projection keeps the reply small: 100 whole transactions could be 30 MB. */
export const holderReads: HolderReads = { claimed, recorded };
