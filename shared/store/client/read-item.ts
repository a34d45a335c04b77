import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from './client.ts';

/** Read an item by its key. The read is strongly consistent: clients read their own writes, and changes build on it. */
export const readItem = async (
  TableName: string,
  Key: Readonly<Record<string, string>>,
): Promise<Record<string, unknown> | undefined> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
