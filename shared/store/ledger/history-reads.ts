import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import type { HistoryReads } from '../../transactions/history/history.ts';
import { database } from '../client/client.ts';
import { auditKey, headKey, type ItemKey } from '../keys.ts';
import { auditEntryFrom } from './audit-item.ts';
import { idLengthMax } from './ledger-reads.ts';
import { transactionFrom } from './transaction-item.ts';

type Item = Readonly<Record<string, unknown>>;

/** Items of a transaction's partition from a key down to its first entry, strongly consistent. */
const read = async (account: string, id: string, from: ItemKey, limit: number): Promise<readonly Item[]> => {
  if (id.length > idLengthMax) return [];
  const { Items = [] } = await database.send(
    new QueryCommand({
      TableName: environment.tables.transactions,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :from',
      ExpressionAttributeValues: { ':pk': from.pk, ':first': auditKey(account, id, 1).sk, ':from': from.sk },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  return Items;
};

const newest: HistoryReads['newest'] = async (account, id, limit) => {
  // The head sorts after all entries, and no other item lies between.
  const [head, ...entries] = await read(account, id, headKey(account, id), limit + 1);
  return head ? { stored: transactionFrom(head), entries: entries.map(auditEntryFrom) } : undefined;
};

const from: HistoryReads['from'] = async (account, id, version, limit) =>
  (await read(account, id, auditKey(account, id, version), limit)).map(auditEntryFrom);

/** The audit entries on DynamoDB: one page is one call, as a hundred entries and a head take far less than its 1 MB. */
export const historyReads: HistoryReads = { newest, from };
