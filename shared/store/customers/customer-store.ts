import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { CustomerPorts } from '../../customers/change-customers.ts';
import type { CustomerCommit, Customers } from '../../customers/customer.ts';
import type { Replay } from '../../ledger/ledger.ts';
import { absentOrAsSeen } from '../client/conditions.ts';
import { batchGet } from '../client/reads.ts';
import {
  isContended,
  listCodes,
  staleOrThrow,
  throwCanceled,
  type Write,
  writeTogether,
} from '../client/write-together.ts';
import { customerKey, idempotencyKey } from '../keys.ts';
import { answerLinkWrites, idempotencyWrites } from '../ledger/commit-writes.ts';
import { replayFrom } from '../ledger/idempotency-item.ts';
import { ledgerWithin } from '../ledger/ledger-store.ts';
import { customerFrom, customerItem } from './customer-item.ts';
import { customerReadsWithin, isCustomerId } from './customer-reads.ts';

const TableName = environment.tables.transactions;

/** The writes of a commit in one DynamoDB transaction. The idempotency record is first. */
const customerWrites = (commit: CustomerCommit): Write[] => {
  const { account, before, after } = commit;
  return [
    ...[...idempotencyWrites(commit), ...answerLinkWrites(account, { customer: after.id }, commit)].map(
      ({ write }) => write,
    ),
    { Put: { TableName, Item: customerItem(account, after), ...absentOrAsSeen(before?.version ?? 0) } },
  ];
};

/** The reason why DynamoDB canceled a commit. Throws `Contention` where a retry may succeed. */
const findRefusal = (
  { idempotency, nowMs }: CustomerCommit,
  exception: TransactionCanceledException,
): Replay | { readonly kind: 'stale' } => {
  const record = idempotency && exception.CancellationReasons?.[0]?.Item;
  const replay = record ? replayFrom(unmarshall(record), idempotency, nowMs) : undefined;
  if (replay) return replay;
  // The other writer may be an earlier attempt of this request, whose record is its answer.
  return isContended(listCodes(exception)) ? throwCanceled(exception) : staleOrThrow(exception);
};

const customersWithin = (remainingMs: RemainingMs): Customers => {
  const reads = customerReadsWithin(remainingMs);
  return {
    ...reads,
    findWithReplay: async (account, id, idempotency, nowMs) => {
      if (idempotency === null) return { stored: await reads.find(account, id), replay: undefined };
      const keys = {
        customer: isCustomerId(id) ? customerKey(account, id) : null,
        record: idempotencyKey(account, idempotency.digest),
      };
      const items = await batchGet(TableName, [...(keys.customer ? [keys.customer] : []), keys.record], remainingMs);
      const itemOf = (pk: string | undefined) => items.find((item) => item['pk'] === pk);
      const item = itemOf(keys.customer?.pk);
      return {
        stored: item === undefined ? undefined : customerFrom(item),
        replay: replayFrom(itemOf(keys.record.pk), idempotency, nowMs),
      };
    },
    commit: (commit) =>
      writeTogether(customerWrites(commit), (exception) => findRefusal(commit, exception), remainingMs),
  };
};

/** The ports of changes of customers, on DynamoDB. */
export const customerPorts = (remainingMs: RemainingMs): CustomerPorts => ({
  customers: customersWithin(remainingMs),
  ledger: ledgerWithin(remainingMs),
  now,
  remainingMs,
});
