import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { type ItemKey, openEntryShards } from '../keys.ts';

const TableName = environment.tables.transactions;

/**
 * A page of a partition, of at most 1 MB or `Limit` items. Strongly consistent, because entries are moved and counted by
 * what is read here.
 */
export const query = async (input: Omit<QueryCommandInput, 'TableName' | 'ConsistentRead'>) => {
  const { Items = [], LastEvaluatedKey } = await database.send(
    new QueryCommand({ TableName, ConsistentRead: true, ...input }),
  );
  return { items: Items, last: LastEvaluatedKey };
};

/** The start of a query's next page. */
export const startAfter = (key: ItemKey | null) => (key === null ? {} : { ExclusiveStartKey: key });

/** The numbers of the shards of open and of filed entries. */
export const everyShard: readonly number[] = Array.from({ length: openEntryShards }, (_, shard) => shard);
