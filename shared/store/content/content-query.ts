import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import type { ItemKey } from '../keys.ts';
import { retryThrottled } from './content-throttling.ts';

type PartitionQuery = {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, string>>;
  readonly ProjectionExpression?: string;
};

/** The items of a partition of the Content table, ordered by sort key. Holds one page of at most 1 MB. */
export async function* queryContent(
  query: PartitionQuery,
): AsyncGenerator<ItemKey & Readonly<Record<string, unknown>>> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const command = new QueryCommand({
      TableName: environment.tables.content,
      ConsistentRead: true,
      ...query,
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const { Items = [], LastEvaluatedKey } = await retryThrottled(() => database.send(command));
    yield* Items as (ItemKey & Record<string, unknown>)[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
