import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ApiKey } from '../../accounts/api-key.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { accountKey, keyNameKey, keyUses } from '../keys.ts';
import { findNamedKey } from './api-key-store.ts';

/** A key for operators, without its digest. `last_used_at` is accurate to the hour. */
export type ListedKey = ApiKey & { readonly last_used_at: string | null };

const Use = z.object({ sk: z.string(), used_at: z.string() });
const Name = z.object({ sk: z.string() });

const namePrefix = keyNameKey('', '').sk;

async function* itemsOf(pk: string, prefix: string): AsyncGenerator<Record<string, unknown>> {
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(
      new QueryCommand({
        TableName: environment.tables.accounts,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield* Items;
    from = LastEvaluatedKey;
  } while (from);
}

/** All keys of an account, the oldest first. */
export const listKeys = async (account: string): Promise<readonly ListedKey[]> => {
  const uses = new Map<string, string>();
  for await (const item of itemsOf(keyUses(account), 'key_')) {
    const { sk, used_at } = Use.parse(item);
    uses.set(sk, used_at);
  }
  const keys: ListedKey[] = [];
  for await (const item of itemsOf(accountKey(account).pk, namePrefix)) {
    const id = Name.parse(item).sk.slice(namePrefix.length);
    const found = await findNamedKey(account, id);
    if (found) keys.push({ ...found.key, last_used_at: uses.get(id) ?? null });
  }
  return keys;
};
