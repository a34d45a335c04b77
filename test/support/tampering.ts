import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Finding } from '../../shared/cli/ledger/checks.ts';
import { verifyAccount } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { type AuditEntry, buildHeadChange, hashEntry } from '../../shared/ledger/audit.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { auditKey, headKey, type ItemKey } from '../../shared/store/keys.ts';
import { auditItem } from '../../shared/store/ledger/audit-item.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';

/** Tampers with items of the Transactions table. `undoTampering` reverts the changes. */

const TableName = environment.tables.transactions;
type Item = Record<string, unknown>;

const before = new Map<string, { readonly key: ItemKey; readonly item: Item | undefined }>();

export const itemAt = async (Key: ItemKey): Promise<Item | undefined> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

const write = async (key: ItemKey, item: Item | undefined): Promise<void> => {
  if (item) await database.send(new PutCommand({ TableName, Item: item }));
  else await database.send(new DeleteCommand({ TableName, Key: key }));
};

/** Replaces an item; `undefined` deletes it. */
export const tamper = async (key: ItemKey, change: (item: Item | undefined) => Item | undefined): Promise<void> => {
  const { pk, sk } = key;
  const item = await itemAt({ pk, sk });
  if (!before.has(`${pk} ${sk}`)) before.set(`${pk} ${sk}`, { key: { pk, sk }, item });
  await write({ pk, sk }, change(item));
};

export const remove = (key: ItemKey): Promise<void> => tamper(key, () => undefined);

/** Restores all changed items. */
export const undoTampering = async (): Promise<void> => {
  for (const { key, item } of before.values()) await write(key, item);
  before.clear();
};

/** Verifies the ledger of an account. A finding is checked again after the pause, because the ledger can change. */
export const verified = async (account: string, pauseMs = 0) => {
  const findings: Finding[] = [];
  const onFinding = (finding: Finding) => void findings.push(finding);
  const { counts } = await verifyAccount({ account, pauseMs, onFinding });
  return { counts, findings };
};

type Owned = { readonly account: string; readonly id: string };

/** Changes a transaction with all its attributes, but not its audit entries. */
export const alter = (
  { account, id }: Owned,
  change: (stored: StoredTransaction) => StoredTransaction,
): Promise<void> => tamper(headKey(account, id), (item) => transactionItem(account, change(transactionFrom(item))));

/** Changes a transaction, and rewrites its newest audit entry with a correct hash. */
export const forge = async (
  owned: Owned,
  change: (stored: StoredTransaction) => StoredTransaction,
  others: Partial<Pick<AuditEntry, 'at' | 'to'>> = {},
): Promise<void> => {
  const { account, id } = owned;
  const stored = transactionFrom(await itemAt(headKey(account, id)));
  const { version } = stored.transaction;
  const altered = change(stored);
  const newest = (await itemAt(auditKey(account, id, version))) as Item;
  const { entry } = buildHeadChange(null, altered, String(newest['by']), newest['fields'] as string[]);
  const { hash: _, ...covered } = {
    ...entry,
    at: String(newest['at']),
    from: newest['from'] as string | null,
    previousHash: newest['previousHash'] as string | null,
    ...others,
  };
  const hash = hashEntry(covered);
  await tamper(auditKey(account, id, version), () => auditItem(account, { ...covered, hash }));
  await tamper(headKey(account, id), () => transactionItem(account, { ...altered, auditHash: hash }));
};

/** Changes only the transaction, not the data stored next to it. */
export const ofTransaction =
  (change: (transaction: Transaction) => Partial<Transaction>) =>
  (stored: StoredTransaction): StoredTransaction => ({
    ...stored,
    transaction: { ...stored.transaction, ...change(stored.transaction) },
  });
