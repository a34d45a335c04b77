import { environment } from '../../config/environment.ts';
import type { Idempotency, Ledger } from '../../transactions/ledger.ts';
import type { StoredTransaction } from '../../transactions/transaction.ts';
import type { RemainingMs } from '../client/contention.ts';
import { batchGet, readItem } from '../client/reads.ts';
import { headKey, type ItemKey, idempotencyKey } from '../keys.ts';
import { replayFrom } from './idempotency-item.ts';
import { transactionFrom } from './transaction-item.ts';

const TableName = environment.tables.transactions;

const storedFrom = (item: unknown): StoredTransaction | undefined =>
  item === undefined ? undefined : transactionFrom(item);

const findReplay: Ledger['findReplay'] = async (account, idempotency, nowMs) =>
  replayFrom(await readItem(TableName, idempotencyKey(account, idempotency.digest)), idempotency, nowMs);

// Levy's ids are shorter, and DynamoDB refuses a key of more than 2 KB.
export const idLengthMax = 64;

const find: Ledger['find'] = async (account, id) =>
  id.length > idLengthMax ? undefined : storedFrom(await readItem(TableName, headKey(account, id)));

type LedgerReads = Pick<Ledger, 'find' | 'findSome' | 'findReplay' | 'findWithReplay'>;

const findSomeWithin =
  (remainingMs?: RemainingMs): Ledger['findSome'] =>
  async (account, ids) => {
    if (ids.length === 0) return [];
    const keys = ids.map((id) => headKey(account, id));
    return (await batchGet(TableName, keys, remainingMs)).map(transactionFrom);
  };

const readBoth = async (account: string, id: string, { digest }: Idempotency, remainingMs?: RemainingMs) => {
  const keys = { head: headKey(account, id), record: idempotencyKey(account, digest) };
  const items = await batchGet(TableName, [keys.head, keys.record], remainingMs);
  const itemOf = ({ pk }: ItemKey) => items.find((item) => item['pk'] === pk);
  return { head: itemOf(keys.head), record: itemOf(keys.record) };
};

const findWithReplayWithin =
  (remainingMs?: RemainingMs): Ledger['findWithReplay'] =>
  async (account, id, idempotency, nowMs) => {
    if (idempotency === null) return { stored: await find(account, id), replay: undefined };
    if (id.length > idLengthMax) return { stored: undefined, replay: await findReplay(account, idempotency, nowMs) };
    const { head, record } = await readBoth(account, id, idempotency, remainingMs);
    return { stored: storedFrom(head), replay: replayFrom(record, idempotency, nowMs) };
  };

/** The ledger's reads. They stop retrying when `remainingMs` is used up. */
export const ledgerReadsWithin = (remainingMs?: RemainingMs): LedgerReads => ({
  find,
  findSome: findSomeWithin(remainingMs),
  findReplay,
  findWithReplay: findWithReplayWithin(remainingMs),
});

/** The ledger's reads without a time limit. Separate from the writes, so that the bundle of a reading function has no writes. */
export const ledgerReads: LedgerReads = ledgerReadsWithin();
