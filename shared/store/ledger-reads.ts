import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';
import type { Idempotency, Ledger } from '../transactions/ledger.ts';
import type { StoredTransaction } from '../transactions/transaction.ts';
import { database } from './client.ts';
import { replayFrom } from './idempotency-item.ts';
import { headKey, type ItemKey, idempotencyKey } from './keys.ts';
import { readTogether } from './read-together.ts';
import { transactionFrom } from './transaction-item.ts';

const TableName = environment.tables.transactions;

// Strongly consistent, all of them: what a client was told a moment ago is what it reads, and what its change rests on.
const read = async (Key: ItemKey): Promise<unknown> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

const storedFrom = (item: unknown): StoredTransaction | undefined =>
  item === undefined ? undefined : transactionFrom(item);

const findReplay: Ledger['findReplay'] = async (account, idempotency, nowMs) =>
  replayFrom(await read(idempotencyKey(account, idempotency.digest)), idempotency, nowMs);

// No id of ours is longer, and DynamoDB fails on a key of more than 2 KB.
const idLengthMax = 64;

const find: Ledger['find'] = async (account, id) =>
  id.length > idLengthMax ? undefined : storedFrom(await read(headKey(account, id)));

const findSome: Ledger['findSome'] = async (account, ids) =>
  ids.length === 0
    ? []
    : (
        await readTogether(
          TableName,
          ids.map((id) => headKey(account, id)),
        )
      ).map(transactionFrom);

const readBoth = async (account: string, id: string, { digest }: Idempotency) => {
  const keys = { head: headKey(account, id), record: idempotencyKey(account, digest) };
  const items = await readTogether(TableName, [keys.head, keys.record]);
  const itemOf = ({ pk }: ItemKey) => items.find((item) => item['pk'] === pk);
  return { head: itemOf(keys.head), record: itemOf(keys.record) };
};

const findWithReplay: Ledger['findWithReplay'] = async (account, id, idempotency, nowMs) => {
  if (idempotency === null) return { stored: await find(account, id), replay: undefined };
  if (id.length > idLengthMax) return { stored: undefined, replay: await findReplay(account, idempotency, nowMs) };
  const { head, record } = await readBoth(account, id, idempotency);
  return { stored: storedFrom(head), replay: replayFrom(record, idempotency, nowMs) };
};

/** What reads the ledger. By themselves, so that a function that only reads carries nothing that writes. */
export const ledgerReads: Pick<Ledger, 'find' | 'findSome' | 'findReplay' | 'findWithReplay'> = {
  find,
  findSome,
  findReplay,
  findWithReplay,
};
