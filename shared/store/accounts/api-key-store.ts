import { timingSafeEqual } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ulid } from 'ulid';
import * as z from 'zod/mini';
import { ApiKey, digestOf } from '../../accounts/api-key.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { readItem } from '../client/read-item.ts';
import { accountKey, apiKeyKey, keyNameKey } from '../keys.ts';

const TableName = environment.tables.accounts;
const absent = { TableName, ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * The API key with this digest, also a revoked or expired one.
 *
 * The database and the instance's cache look up by the digest, in a time that may depend on it. That tells a stranger
 * nothing of use: who sends a secret knows its SHA-256, and how much of it another one's digest shares names no secret
 * to try next. What is then accepted as the key that was asked for is compared in constant time all the same.
 */
export const findKey = async (digest: string): Promise<ApiKey | undefined> => {
  const place = apiKeyKey(digest);
  const item = await readItem(TableName, place);
  if (item === undefined) return;
  const [stored, asked] = [Buffer.from(String(item['pk'])), Buffer.from(place.pk)];
  if (stored.length !== asked.length || !timingSafeEqual(stored, asked))
    throw new Error('The database answered with another key than the one that was asked for.');
  return ApiKey.parse(item);
};

/** What an operator decides about a new API key; `expires_at: null` never expires. */
export type KeyTerms = Pick<ApiKey, 'account' | 'scopes' | 'expires_at' | 'label'>;
export type NewKey = KeyTerms & { readonly secret: string; readonly createdMs?: number };

/** A key on these terms, with an id of its own. Nothing is stored yet. */
export const keyOn = (decided: KeyTerms, createdMs: number): ApiKey => ({
  ...decided,
  id: `key_${ulid(createdMs)}`,
  created_at: new Date(createdMs).toISOString(),
});

// What two provisions of one secret must agree on. A repeated one keeps the first one's id, date and label.
const terms = ({ account, scopes, expires_at, revoked_at }: ApiKey) =>
  JSON.stringify([account, [...scopes].sort(), expires_at, revoked_at]);

/** A request looks under the digest, the operator under the name. */
export const keyPuts = (key: ApiKey, digest: string) => [
  {
    Put: { ...absent, Item: { ...apiKeyKey(digest), ...key }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const },
  },
  { Put: { ...absent, Item: { ...keyNameKey(key.account, key.id), digest } } },
];

// A key without an account would be a dead end.
const accountExists = (account: string) => ({
  ConditionCheck: { TableName, Key: accountKey(account), ConditionExpression: 'attribute_exists(pk)' },
});

/** Create an API key of an account that exists. An identical one may exist already; a different one throws. */
export const provisionKey = async ({ secret, createdMs = now(), ...decided }: NewKey): Promise<ApiKey> => {
  const key = ApiKey.parse(keyOn(decided, createdMs));
  const TransactItems = [...keyPuts(key, digestOf(secret)), accountExists(key.account)];
  try {
    await database.send(new TransactWriteCommand({ TransactItems }));
    return key;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [keyReason, , accountReason] = error.CancellationReasons ?? [];
    if (accountReason?.Code === 'ConditionalCheckFailed') {
      throw new Error(`There is no account ${key.account} to give a key to.`, { cause: error });
    }
    if (keyReason?.Code !== 'ConditionalCheckFailed' || !keyReason.Item) throw error;
    const stored = ApiKey.parse(unmarshall(keyReason.Item));
    if (terms(stored) === terms(key)) return stored;
    throw new Error(`This secret is in use already, on other terms, by the key ${stored.id}.`, { cause: error });
  }
};

const KeyName = z.object({ digest: z.string() });

/** An account's API key with this id, and its digest, which is where it is stored. */
export const findNamedKey = async (
  account: string,
  id: string,
): Promise<{ key: ApiKey; digest: string } | undefined> => {
  const name = await readItem(TableName, keyNameKey(account, id));
  if (name === undefined) return;
  const { digest } = KeyName.parse(name);
  const key = await findKey(digest);
  if (!key) throw new Error(`The name of the key ${id} leads to no key.`);
  return { key, digest };
};

/** Revoke an account's API key for good; `false` if the account has no such key. Instances notice within 60 s. */
export const revokeKey = async (account: string, id: string): Promise<boolean> => {
  const name = await readItem(TableName, keyNameKey(account, id));
  if (name === undefined) return false;
  await database.send(
    new UpdateCommand({
      TableName,
      Key: apiKeyKey(KeyName.parse(name).digest),
      // Revoked twice, it keeps the first date.
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
      ConditionExpression: 'id = :id AND account = :account',
      ExpressionAttributeValues: { ':now': new Date(now()).toISOString(), ':id': id, ':account': account },
    }),
  );
  return true;
};

/** A key that takes another one's place: the new one with its secret, and when the old one ends. */
export type Rotation = {
  readonly old: { readonly key: ApiKey; readonly digest: string };
  readonly key: ApiKey;
  readonly secret: string;
  readonly oldEndsAt: string;
};

/**
 * Make a key in place of another one, and have that one end, both or neither; `false` if the old key was revoked, or
 * rotated by somebody else, after it was read.
 */
export const rotateKey = async ({ old, key, secret, oldEndsAt }: Rotation): Promise<boolean> => {
  const ending = {
    TableName,
    Key: apiKeyKey(old.digest),
    UpdateExpression: 'SET expires_at = :end, replaced_by = :new',
    ConditionExpression: 'id = :id AND attribute_not_exists(revoked_at) AND attribute_not_exists(replaced_by)',
    ExpressionAttributeValues: { ':end': oldEndsAt, ':new': key.id, ':id': old.key.id },
  };
  const TransactItems = [...keyPuts(ApiKey.parse(key), digestOf(secret)), { Update: ending }];
  try {
    await database.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    const reason = error instanceof TransactionCanceledException && error.CancellationReasons?.[2]?.Code;
    // A conflict: somebody else is at it in this very moment.
    if (reason === 'ConditionalCheckFailed' || reason === 'TransactionConflict') return false;
    throw error;
  }
};
