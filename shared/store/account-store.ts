import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ulid } from 'ulid';
import * as z from 'zod/mini';
import { Account } from '../accounts/account.ts';
import { ApiKey, digestOf } from '../accounts/api-key.ts';
import type { Taken } from '../accounts/rate-limiter.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { database } from './client.ts';
import { accountKey, accountRegister, accountRegisterKey, apiKeyKey, keyNameKey, rateWindowKey } from './keys.ts';

const TableName = environment.tables.accounts;
const absent = { TableName, ConditionExpression: 'attribute_not_exists(pk)' };

// Strongly consistent: a revoked key must not come back from a late replica, nor a new one be cached as unknown.
const read = async (Key: Record<string, string>): Promise<unknown> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

/** The API key with this digest, also a revoked or expired one. */
export const findKey = async (digest: string): Promise<ApiKey | undefined> => {
  const item = await read(apiKeyKey(digest));
  return item === undefined ? undefined : ApiKey.parse(item);
};

/** The account with this id. */
export const findAccount = async (id: string): Promise<Account | undefined> => {
  const item = await read(accountKey(id));
  return item === undefined ? undefined : Account.parse(item);
};

/** Create an account, and enter it into the register. An identical one may exist already; a different one throws. */
export const provisionAccount = async (account: Account): Promise<void> => {
  const asked = Account.parse(account);
  const entry = accountRegisterKey(account.id);
  try {
    await database.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              ...absent,
              Item: { ...accountKey(account.id), ...asked },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          { Put: { TableName, Item: entry } },
        ],
      }),
    );
  } catch (error) {
    const stored = error instanceof TransactionCanceledException && error.CancellationReasons?.[0]?.Item;
    if (!stored) throw error;
    if (isDeepStrictEqual(Account.parse(unmarshall(stored)), asked)) return;
    throw new Error(`Another account has the id ${account.id} already.`, { cause: error });
  }
};

const registerPage = 100;
const RegisterKey = z.object({ sk: z.string() });

/** The ids of all accounts, in their order, page by page: those after the one that is given. */
export const listAccountIds = async (
  after: string | null,
): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> => {
  const { Items = [], LastEvaluatedKey } = await database.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :register',
      ExpressionAttributeValues: { ':register': accountRegister },
      Limit: registerPage,
      ...(after !== null && { ExclusiveStartKey: accountRegisterKey(after) }),
    }),
  );
  const ids = Items.map((item) => RegisterKey.parse(item).sk);
  return { ids, next: LastEvaluatedKey ? RegisterKey.parse(LastEvaluatedKey).sk : null };
};

/** What an operator decides about a new API key; `expires_at: null` never expires. */
export type NewKey = Pick<ApiKey, 'account' | 'scopes' | 'expires_at'> & { readonly secret: string };

// What two provisions of one secret must agree on. A repeated one keeps the first one's id and date.
const terms = ({ account, scopes, expires_at, revoked_at }: ApiKey) =>
  JSON.stringify([account, [...scopes].sort(), expires_at, revoked_at]);

// A request looks under the digest, the operator under the name; a key without an account would be a dead end.
const keyWrites = (key: ApiKey, digest: string) => [
  {
    Put: { ...absent, Item: { ...apiKeyKey(digest), ...key }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const },
  },
  { Put: { ...absent, Item: { ...keyNameKey(key.account, key.id), digest } } },
  { ConditionCheck: { TableName, Key: accountKey(key.account), ConditionExpression: 'attribute_exists(pk)' } },
];

/** Create an API key of an account that exists. An identical one may exist already; a different one throws. */
export const provisionKey = async ({ secret, ...decided }: NewKey): Promise<{ id: string }> => {
  const time = now();
  const key = ApiKey.parse({ ...decided, id: `key_${ulid(time)}`, created_at: new Date(time).toISOString() });
  try {
    await database.send(new TransactWriteCommand({ TransactItems: keyWrites(key, digestOf(secret)) }));
    return { id: key.id };
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [keyReason, , accountReason] = error.CancellationReasons ?? [];
    if (accountReason?.Code === 'ConditionalCheckFailed') {
      throw new Error(`There is no account ${key.account} to give a key to.`, { cause: error });
    }
    if (keyReason?.Code !== 'ConditionalCheckFailed' || !keyReason.Item) throw error;
    const stored = ApiKey.parse(unmarshall(keyReason.Item));
    if (terms(stored) === terms(key)) return { id: stored.id };
    throw new Error(`This secret is in use already, on other terms, by the key ${stored.id}.`, { cause: error });
  }
};

const KeyName = z.object({ digest: z.string() });

/** Revoke an account's API key for good; `false` if the account has no such key. Instances notice within 60 s. */
export const revokeKey = async (account: string, id: string): Promise<boolean> => {
  const name = await read(keyNameKey(account, id));
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

const Window = z.object({ requests: z.number() });
const windowKeptS = 3600;
// A limiter that waits is worse than one that lets a request pass.
const countTimeoutMs = 500;

/**
 * Add requests to an account's window, all of them or, where they would go over the limit, none.
 *
 * A lost reply counts them twice: that can waste some of the limit, never exceed it.
 */
export const takeRequests = async (
  account: string,
  windowStart: number,
  amount: number,
  limit: number,
): Promise<Taken> => {
  if (amount > limit) throw new RangeError('A window that is not there yet would take any amount.');
  const command = new UpdateCommand({
    TableName,
    Key: rateWindowKey(account, windowStart),
    UpdateExpression: 'ADD requests :amount SET #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(requests) OR requests <= :room',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':amount': amount,
      ':room': limit - amount,
      ':ttl': Math.floor(windowStart / 1000) + windowKeptS,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await database.send(command, { abortSignal: AbortSignal.timeout(countTimeoutMs) });
    return { taken: true, used: Window.parse(Attributes).requests };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
    return { taken: false, used: Window.parse(unmarshall(error.Item)).requests };
  }
};
