import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';
import type { Idempotency, Ledger } from '../transactions/ledger.ts';
import type { StoredTransaction } from '../transactions/transaction.ts';
import { database } from './client.ts';
import { Contention, retryContention } from './contention.ts';
import { replayFrom } from './idempotency-item.ts';
import { headKey, type ItemKey, idempotencyKey } from './keys.ts';
import { transactionFrom } from './transaction-item.ts';

const TableName = environment.tables.transactions;

// Strongly consistent, all of them: what a client was told a moment ago is what it reads, and what its change rests on.
const read = async (Key: ItemKey): Promise<unknown> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

type Items = readonly Readonly<Record<string, unknown>>[];

const readSome = async (Keys: ItemKey[]): Promise<{ items: Items; missed: ItemKey[] }> => {
  const { Responses, UnprocessedKeys } = await database.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  );
  return {
    items: Responses?.[TableName] ?? [],
    missed: (UnprocessedKeys?.[TableName]?.Keys ?? []).map(({ pk, sk }) => ({ pk, sk })),
  };
};

/** The items of these keys that there are. DynamoDB may leave some unread when it is busy: they are asked for again. */
const readTogether = async (keys: ItemKey[]): Promise<Items> => {
  const found: Items[] = [];
  let missing = keys;
  await retryContention(async () => {
    const { items, missed } = await readSome(missing);
    found.push(items);
    missing = missed;
    if (missing.length > 0) throw new Contention('The database left keys unread.');
  });
  return found.flat();
};

const storedFrom = (item: unknown): StoredTransaction | undefined =>
  item === undefined ? undefined : transactionFrom(item);

const findReplay: Ledger['findReplay'] = async (account, idempotency, nowMs) =>
  replayFrom(await read(idempotencyKey(account, idempotency.digest)), idempotency, nowMs);

// No id of ours is longer, and DynamoDB fails on a key of more than 2 KB.
const idLengthMax = 64;

const find: Ledger['find'] = async (account, id) =>
  id.length > idLengthMax ? undefined : storedFrom(await read(headKey(account, id)));

const findSome: Ledger['findSome'] = async (account, ids) =>
  ids.length === 0 ? [] : (await readTogether(ids.map((id) => headKey(account, id)))).map(transactionFrom);

const readBoth = async (account: string, id: string, { digest }: Idempotency) => {
  const keys = { head: headKey(account, id), record: idempotencyKey(account, digest) };
  const items = await readTogether([keys.head, keys.record]);
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
