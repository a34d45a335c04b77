import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from './client.ts';

/**
 * The item of a key. Strongly consistent: what a client was told a moment ago is what it reads, and what is changed,
 * moved and counted rests on what is read here.
 */
export const readItem = async (
  TableName: string,
  Key: Readonly<Record<string, string>>,
): Promise<Record<string, unknown> | undefined> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
