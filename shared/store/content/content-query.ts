import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import type { ItemKey } from '../keys.ts';
import { retryThrottled } from './content-throttling.ts';

type Asked = {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, string>>;
  readonly ProjectionExpression?: string;
};

/** The items of a partition of the Content table in the order of their sort keys; one page, of at most 1 MB, is held. */
export async function* queryContent(asked: Asked): AsyncGenerator<ItemKey & Readonly<Record<string, unknown>>> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: environment.tables.content,
      ConsistentRead: true,
      ...asked,
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const { Items = [], LastEvaluatedKey } = await retryThrottled(() => database.send(query));
    yield* Items as (ItemKey & Record<string, unknown>)[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
