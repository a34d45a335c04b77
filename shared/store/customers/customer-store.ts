import { isDeepStrictEqual } from 'node:util';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { CustomerCommit, CustomerPorts, Customers } from '../../customers/customer.ts';
import {
  absentOrAsSeen,
  asSeen,
  deleteItem,
  isContended,
  listCodes,
  present,
  returned,
  staleOrThrow,
  throwCanceled,
  type Write,
  writeTogether,
} from '../client/writes.ts';
import { customerKey, responsePartition } from '../keys.ts';
import { idempotencyWrites, replayOfCanceled, responseLinkWrites } from '../ledger/commit-writes.ts';
import { readWithReplay } from '../ledger/ledger-reads.ts';
import { ledgerWithin } from '../ledger/ledger-store.ts';
import { linkedResponses, redactResponses } from '../ledger/redaction-ports.ts';
import { customerFrom, customerItem, customerReads, customerReadsWithin, isCustomerId } from './customer-reads.ts';

const TableName = environment.tables.transactions;

/** Returns the writes of a commit, for one DynamoDB transaction. The idempotency record is first. */
const customerWrites = (commit: CustomerCommit): Write[] => {
  const { account, before, after } = commit;
  return [
    ...[...idempotencyWrites(commit), ...responseLinkWrites(account, { customer: after.id }, commit)].map(
      ({ write }) => write,
    ),
    { Put: { TableName, Item: customerItem(account, after), ...absentOrAsSeen(before?.version ?? 0), ...returned } },
  ];
};

/** Whether the customer was stored by an earlier attempt of the commit, whose reply was lost. */
const isStored = ({ after }: CustomerCommit, { CancellationReasons = [] }: TransactionCanceledException): boolean => {
  const item = CancellationReasons.at(-1)?.Item;
  return item !== undefined && isDeepStrictEqual(customerFrom(unmarshall(item)), after);
};

/** Returns why DynamoDB canceled a commit. Throws `Contention` if a retry may succeed. */
const findRefusal = (
  commit: CustomerCommit,
  exception: TransactionCanceledException,
  isUncertain: boolean,
): Awaited<ReturnType<Customers['commit']>> => {
  const replay = replayOfCanceled(exception, commit);
  if (replay) return replay;
  // An equal customer is from this commit, or from an identical request in the same millisecond.
  if (isUncertain && isStored(commit, exception)) return { kind: 'committed' };
  // The other writer may be an earlier attempt of this request. Its record then has the response.
  return isContended(listCodes(exception)) ? throwCanceled(exception) : staleOrThrow(exception);
};

const customersWithin = (remainingMs: RemainingMs): Customers => ({
  ...customerReadsWithin(remainingMs),
  findWithReplay: async (account, id, idempotency, nowMs) => {
    const key = isCustomerId(id) ? customerKey(account, id) : null;
    const { item, replay } = await readWithReplay(account, key, idempotency, nowMs, remainingMs);
    return { stored: item && customerFrom(item), replay };
  },
  commit: (commit) =>
    writeTogether(customerWrites(commit), (...canceled) => findRefusal(commit, ...canceled), remainingMs),
});

/** Returns the ports for changing customers, on DynamoDB. */
export const customerPorts = (remainingMs: RemainingMs): CustomerPorts => ({
  customers: customersWithin(remainingMs),
  ledger: ledgerWithin(remainingMs),
  now,
  remainingMs,
});

/**
 * Removes a customer from the saved responses of the last day, then removes the links: their key contains an unsalted
 * hash of the customer's id. After an interruption, a second run finds the remaining links.
 */
const removeResponses = async (account: string, id: string): Promise<void> => {
  const pk = responsePartition(account, id);
  const digests = await linkedResponses(pk);
  await redactResponses(account, digests);
  for (const sk of digests) await deleteItem({ TableName, Key: { pk, sk }, ...present });
};

/**
 * Deletes a customer with its certificates, and removes it from the saved responses of the last day. Returns `false` if
 * the customer does not exist.
 */
export const removeCustomer = async (account: string, id: string): Promise<boolean> => {
  let isRemoved = false;
  for (let stored = await customerReads.find(account, id); stored; stored = await customerReads.find(account, id)) {
    // The result can be ignored: a new version is found again, and after a lost reply the customer is already deleted.
    await deleteItem({ TableName, Key: customerKey(account, id), ...asSeen(stored.version) });
    isRemoved = true;
  }
  await removeResponses(account, id);
  return isRemoved;
};
