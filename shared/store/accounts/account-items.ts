import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { concurrently, toBatches } from '../../base/collections.ts';
import { retryThrottled } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import { stateJurisdictions } from '../../vocabulary/jurisdiction.ts';
import { type Items, partitionQuery, queryPages } from '../client/reads.ts';
import { asSeen, deleteItem, present } from '../client/writes.ts';
import { filingReads } from '../filings/filing-reads.ts';
import * as keys from '../keys.ts';
import { headItem, transactionIds } from '../ledger/ledger-walk.ts';

const { transactions, accounts } = environment.tables;
const pageSize = 100;
const atOnce = 16;

/** An item to delete. With a version, only that version is deleted. */
type Delete = keys.ItemKey & { readonly table: string; readonly version?: unknown };

/** Deletes an item; `false` if it does not exist or has a different version. */
const remove = ({ table, pk, sk, version }: Delete): Promise<boolean> => {
  const condition = version === undefined ? present : asSeen(version);
  return retryThrottled(() => deleteItem({ TableName: table, Key: { pk, sk }, ...condition }));
};

const keysIn = (table: string, pk: string, more: Partial<QueryCommandInput> = {}): AsyncGenerator<Items> =>
  queryPages({ ...partitionQuery(table, pk), ProjectionExpression: 'pk, sk', ...more });

/** Deletes the items of a partition, optionally only those whose sort key meets a condition. */
const deletePartition = async (table: string, pk: string, isOwn = (_sk: string) => true): Promise<void> => {
  for await (const items of keysIn(table, pk)) {
    const own = items.map(({ sk }) => sk).filter(isOwn);
    await concurrently(own, (sk) => remove({ table, pk, sk }), atOnce);
  }
};

/**
 * Deletes a transaction: its claim, then its audit entries, and finally its head, by which an interrupted deletion
 * finds it.
 */
const deleteTransaction = async (account: string, id: string): Promise<void> => {
  const { pk, sk: headSk } = keys.headKey(account, id);
  let head: keys.Item | undefined;
  do {
    head = await headItem(account, id);
    const reference = head?.['reference_id'];
    // A different transaction may hold the claim by now. The claim is then deleted with that transaction or here.
    if (typeof reference === 'string') await remove({ table: transactions, ...keys.claimKey(account, reference) });
    await deletePartition(transactions, pk, (sk) => sk !== headSk);
    // A schedule may have changed the transaction concurrently and added an audit entry.
  } while (head && !(await remove({ table: transactions, pk, sk: headSk, version: head['version'] })));
};

const deleteTransactions = async (account: string, onDeleted: (count: number) => void): Promise<void> => {
  for await (const ids of transactionIds(account, pageSize))
    for await (const some of toBatches(ids, atOnce)) {
      await Promise.all(some.map((id) => deleteTransaction(account, id)));
      onDeleted(some.length);
    }
};

/** Deletes each filing: its entries, then its head, by which an interrupted deletion finds the filing. */
const deleteFilings = async (account: string): Promise<void> => {
  for await (const items of keysIn(transactions, keys.filingPartition(account)))
    for (const { sk: id } of items) {
      const partitions = Array.from({ length: filingReads.shards }, (_, shard) =>
        [keys.totalsPartition, keys.filingShardPartition].map((getPartition) => getPartition(account, id, shard)),
      ).flat();
      await concurrently(partitions, (pk) => deletePartition(transactions, pk));
      await remove({ table: transactions, pk: keys.filingPartition(account), sk: id });
    }
};

/** Deletes an account's keys: each key item, which requests look up, before its name item. */
const deleteKeys = async (account: string): Promise<void> => {
  const { pk, sk: own } = keys.accountKey(account);
  const names = (await Array.fromAsync(keysIn(accounts, pk, { ProjectionExpression: 'pk, sk, digest' }))).flat();
  for (const { sk, digest } of names)
    if (sk !== own) {
      await remove({ table: accounts, ...keys.apiKeyKey(String(digest)) });
      await remove({ table: accounts, pk, sk });
    }
};

/**
 * Deletes all items of an account except the account itself and its register entry. Idempotent: after an interruption,
 * run it again. Saved responses (`I#`) cannot be listed: DynamoDB's TTL removes them and the links to customers'
 * responses after they expire, 24 hours after the request.
 */
export const deleteAccountItems = async (account: string, onDeleted: (count: number) => void): Promise<void> => {
  await deleteTransactions(account, onDeleted);
  await deleteFilings(account);
  const partitions = [
    ...stateJurisdictions.flatMap((state) => [
      ...keys.openEntryPartitions(account, state),
      keys.chainKey(account, state).pk,
    ]),
    ...[
      keys.customerPartition(account),
      keys.reminderPartition(account),
      keys.reportPartition(account),
      keys.importMarkKey(account).pk,
    ],
  ];
  await concurrently(partitions, (pk) => deletePartition(transactions, pk));
  await remove({ table: transactions, ...keys.retentionKey(account) });
  const dues = Array.from({ length: keys.dueShards }, (_, shard) => keys.duePartition(shard));
  await concurrently(dues, (pk) => deletePartition(transactions, pk, (sk) => keys.parseDueKey(sk).account === account));
  await deleteKeys(account);
  await deletePartition(accounts, keys.keyUses(account));
  await deletePartition(accounts, keys.settingChanges(account));
  await deletePartition(accounts, keys.rateWindowKey(account, 0).pk);
};
