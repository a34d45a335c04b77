import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { StreamRecord } from '../shared/events/stream-record.ts';
import { errorWithoutStack, failureLine } from '../shared/observability/failure-line.ts';
import {
  type CountedVersion,
  countTransactions as count,
  countTransaction,
} from '../shared/reports/count-transactions.ts';
import { headOwner } from '../shared/store/keys.ts';
import { transactionFrom } from '../shared/store/ledger/transaction-item.ts';
import { countStoreWithin, deletedAccounts } from '../shared/store/report-store.ts';
import { accountPartition, partitions } from '../shared/store/table-access.ts';

const head = { sk: { S: ['H'] } };
const finalized = { status: { S: ['finalized'] } };

/** Updates the sums of reports from the ledger's stream (infra/stream-consumers.ts, decision 0025). */
export const countTransactions = {
  name: 'count-transactions',
  timeoutSeconds: 60,
  access: {
    actions: { transactions: ['BatchGetItem', 'PutItem'], accounts: ['BatchGetItem'] },
    partitions: { transactions: [partitions.transactions, partitions.reports], accounts: [accountPartition] },
  },
  /**
   * The records that can change a sum: transactions that are or were finalized. Imported transactions may be filed.
   * Lambda drops all other records free of charge.
   */
  patterns: [
    { eventName: ['INSERT'], dynamodb: { Keys: head, NewImage: { status: { S: ['finalized', 'filed'] } } } },
    { eventName: ['MODIFY'], dynamodb: { Keys: head, NewImage: finalized } },
    { eventName: ['MODIFY'], dynamodb: { Keys: head, OldImage: finalized, NewImage: { status: { S: ['void'] } } } },
  ],
} as const;

const Event = z.object({ Records: z.array(StreamRecord) });

/** Converts a stream record to an item. Its binary attributes are base64 strings; the database returns bytes. */
const parseItem = (image: StreamRecord['dynamodb']['NewImage']): Readonly<Record<string, unknown>> => {
  const decoded = Object.entries(image).map(([name, value]) => [
    name,
    typeof value.B === 'string' ? { B: Buffer.from(value.B, 'base64') } : value,
  ]);
  return unmarshall(Object.fromEntries(decoded));
};

const parseVersion = (item: Readonly<Record<string, unknown>>): CountedVersion => {
  const stored = transactionFrom(item);
  const { id, version } = stored.transaction;
  return { account: headOwner(String(item['pk'])).account, id, version, counted: countTransaction(stored) };
};

/**
 * Counts the transactions of stream records. Lambda retries a failed batch, bisects it, and finally sends the failing
 * record to the dead-letter queue. A repeated record counts once. Records of a deleted account are ignored, because no
 * data of the account may remain.
 */
export const handler = async (event: unknown, context: Context): Promise<void> => {
  const remainingMs = () => context.getRemainingTimeInMillis();
  try {
    const versions = Event.parse(event).Records.map(({ dynamodb: { NewImage } }) => parseVersion(parseItem(NewImage)));
    const deleted = await deletedAccounts([...new Set(versions.map(({ account }) => account))], remainingMs);
    const counted = versions.filter(({ account }) => !deleted.has(account));
    await count(counted, countStoreWithin(remainingMs), remainingMs);
  } catch (error) {
    const line = failureLine(error);
    console.error({ function: countTransactions.name, ...line });
    // Lambda logs the whole error, which may quote a transaction.
    throw errorWithoutStack(`${countTransactions.name} failed with ${line.error}.`);
  }
};
