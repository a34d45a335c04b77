import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { auditKey, headKey, type ItemKey } from '../../shared/store/keys.ts';
import { auditItem } from '../../shared/store/ledger/audit-item.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { type AuditEntry, auditEntry, entryHashOf } from '../../shared/transactions/audit.ts';
import type { StoredTransaction, Transaction } from '../../shared/transactions/transaction.ts';

/** Changes to the ledger's table behind the service's back, each of which can be undone. */

const TableName = environment.tables.transactions;
type Item = Record<string, unknown>;

const before = new Map<string, { readonly key: ItemKey; readonly item: Item | undefined }>();

export const itemAt = async (Key: ItemKey): Promise<Item | undefined> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

const write = async (key: ItemKey, item: Item | undefined): Promise<void> => {
  if (item) await database.send(new PutCommand({ TableName, Item: item }));
  else await database.send(new DeleteCommand({ TableName, Key: key }));
};

/** Put something else in an item's place; `undefined` is nothing. */
export const tamper = async (key: ItemKey, change: (item: Item | undefined) => Item | undefined): Promise<void> => {
  const { pk, sk } = key;
  const item = await itemAt({ pk, sk });
  if (!before.has(`${pk} ${sk}`)) before.set(`${pk} ${sk}`, { key: { pk, sk }, item });
  await write({ pk, sk }, change(item));
};

export const remove = (key: ItemKey): Promise<void> => tamper(key, () => undefined);

/** Everything as it was. */
export const undoTampering = async (): Promise<void> => {
  for (const { key, item } of before.values()) await write(key, item);
  before.clear();
};

/** A transaction and whose it is. */
export type Owned = { readonly account: string; readonly id: string };

/** Alter a transaction, and every attribute that repeats what is altered. */
export const alter = (
  { account, id }: Owned,
  change: (stored: StoredTransaction) => StoredTransaction,
): Promise<void> => tamper(headKey(account, id), (item) => transactionItem(account, change(transactionFrom(item))));

/** The same by somebody who knows of the chain: the newest entry is written anew, and the hash of it. */
export const forge = async (
  owned: Owned,
  change: (stored: StoredTransaction) => StoredTransaction,
  others: Partial<Pick<AuditEntry, 'at' | 'to'>> = {},
): Promise<void> => {
  const { account, id } = owned;
  const stored = transactionFrom(await itemAt(headKey(account, id)));
  const { version } = stored.transaction;
  const altered = change(stored);
  const kept = (await itemAt(auditKey(account, id, version))) as Item;
  const entry = auditEntry({
    before: null,
    after: altered.transaction,
    at: String(kept['at']),
    by: String(kept['by']),
    fields: kept['fields'] as string[],
  });
  const { hash: _, ...covered } = {
    ...entry,
    from: kept['from_status'] as string | null,
    previousHash: kept['previous_hash'] as string | null,
    ...others,
  };
  const hash = entryHashOf(covered);
  await tamper(auditKey(account, id, version), () => auditItem(account, { ...covered, hash }));
  await tamper(headKey(account, id), () => transactionItem(account, { ...altered, auditHash: hash }));
};

/** A change of nothing but the transaction's answer. */
export const ofTransaction =
  (change: (transaction: Transaction) => Partial<Transaction>) =>
  (stored: StoredTransaction): StoredTransaction => ({
    ...stored,
    transaction: { ...stored.transaction, ...change(stored.transaction) },
  });
