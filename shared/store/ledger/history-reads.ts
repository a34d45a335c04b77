import { environment } from '../../config/environment.ts';
import type { HistoryReads } from '../../transactions/history/history.ts';
import { type Items, queryPage } from '../client/reads.ts';
import { auditKey, headKey, type ItemKey } from '../keys.ts';
import { auditEntryFrom } from './audit-item.ts';
import { idLengthMax } from './ledger-reads.ts';
import { transactionFrom } from './transaction-item.ts';

/** Items of a transaction's partition from a key down to its first entry, strongly consistent. */
const read = async (account: string, id: string, from: ItemKey, limit: number): Promise<Items> => {
  if (id.length > idLengthMax) return [];
  const { items } = await queryPage({
    TableName: environment.tables.transactions,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :from',
    ExpressionAttributeValues: { ':pk': from.pk, ':first': auditKey(account, id, 1).sk, ':from': from.sk },
    ScanIndexForward: false,
    Limit: limit,
  });
  return items;
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
