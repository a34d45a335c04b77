import { timingSafeEqual } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import * as z from 'zod/mini';
import { ApiKey, hashKey, keyUseStepMs } from '../../accounts/api-key.ts';
import { assert } from '../../base/assert.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { findItem, type Items, partitionQuery, queryPages, readItem } from '../client/reads.ts';
import {
  absent,
  firstObstacle,
  listCodes,
  returned,
  throwCanceled,
  updateItem,
  writeTogether,
} from '../client/writes.ts';
import { accountKey, apiKeyKey, keyNameKey, keyUseKey, keyUses } from '../keys.ts';

const TableName = environment.tables.accounts;

/**
 * Returns the API key with this digest, even if it is revoked or expired.
 *
 * The time of a database or cache look-up may depend on the digest. An attacker learns nothing useful from it: whoever
 * sends a secret can compute its SHA-256, and a shared prefix of digests does not lead to a secret. The final
 * comparison takes constant time.
 */
export const findKey = async (digest: string): Promise<ApiKey | undefined> => {
  const place = apiKeyKey(digest);
  const item = await readItem(TableName, place);
  if (item === undefined) return;
  const [stored, requested] = [Buffer.from(String(item['pk'])), Buffer.from(place.pk)];
  const isRequested = stored.length === requested.length && timingSafeEqual(stored, requested);
  assert(isRequested, 'The database returned a different API key than requested.');
  return ApiKey.parse(item);
};

/** The terms of a new API key. `expires_at: null` never expires. */
export type KeyTerms = Pick<ApiKey, 'account' | 'scopes' | 'expires_at' | 'label'>;
type NewKey = KeyTerms & { readonly secret: string; readonly createdMs?: number };

/** Returns a new key with these terms and a new id. Stores nothing. */
export const newKey = (decided: KeyTerms, createdMs: number): ApiKey => ({
  ...decided,
  id: `key_${ulid(createdMs)}`,
  created_at: new Date(createdMs).toISOString(),
});

// Compares the terms that must match when a secret is provisioned again. The original id, date and label are kept.
const terms = ({ account, scopes, expires_at, revoked_at }: ApiKey) =>
  JSON.stringify([account, [...scopes].sort(), expires_at, revoked_at]);

// The item also holds the label, so one query names all keys of an account. A label never changes.
const keyNameItem = ({ account, id, label }: ApiKey, digest: string) => ({
  ...keyNameKey(account, id),
  digest,
  ...(label !== undefined && { label }),
});

/** Returns the items of a key: requests look it up by digest, operators by id. */
export const keyPuts = (key: ApiKey, digest: string) => [
  { Put: { TableName, Item: { ...apiKeyKey(digest), ...key }, ...absent, ...returned } },
  { Put: { TableName, Item: keyNameItem(key, digest), ...absent } },
];

/** The account exists and is not closed. */
export const whileOpen = { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(closed_at)' } as const;

const accountIsOpen = (account: string) => ({
  ConditionCheck: { TableName, Key: accountKey(account), ...whileOpen },
});

/**
 * Creates an API key of an existing account. Succeeds if the secret already has a key with the same terms; throws if
 * they differ.
 */
export const provisionKey = async ({ secret, createdMs = now(), ...decided }: NewKey): Promise<ApiKey> => {
  const key = ApiKey.parse(newKey(decided, createdMs));
  const writes = [...keyPuts(key, hashKey(secret)), accountIsOpen(key.account)];
  const written = await writeTogether(writes, (exception) => {
    if (listCodes(exception)[2] === 'ConditionalCheckFailed')
      throw new Error(`Account ${key.account} does not exist or is closed.`, { cause: exception });
    const stored = ApiKey.parse(firstObstacle(exception) ?? throwCanceled(exception));
    if (terms(stored) === terms(key)) return stored;
    throw new Error(`The secret already belongs to key ${stored.id}, whose terms differ.`, { cause: exception });
  });
  return 'kind' in written ? key : written;
};

const KeyDigest = z.object({ digest: z.string() });

const findDigest = (account: string, id: string) =>
  findItem(TableName, keyNameKey(account, id), (item) => KeyDigest.parse(item).digest);

/** Returns an account's API key with this id, and its digest. */
export const findNamedKey = async (
  account: string,
  id: string,
): Promise<{ key: ApiKey; digest: string } | undefined> => {
  const digest = await findDigest(account, id);
  if (digest === undefined) return;
  const key = await findKey(digest);
  assert(key !== undefined, `The id ${id} maps to an API key that does not exist.`);
  return { key, digest };
};

/** Revokes an account's API key; `false` if the account has no such key. Running instances reject it within 60 s. */
export const revokeKey = async (account: string, id: string): Promise<boolean> => {
  const digest = await findDigest(account, id);
  if (digest === undefined) return false;
  await database.send(
    new UpdateCommand({
      TableName,
      Key: apiKeyKey(digest),
      // Revoking a key again keeps the first date.
      UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
      ConditionExpression: 'id = :id AND account = :account',
      ExpressionAttributeValues: { ':now': new Date(now()).toISOString(), ':id': id, ':account': account },
    }),
  );
  return true;
};

/** A rotation: the old key, the new key with its secret, and the time at which the old key expires. */
type Rotation = {
  readonly old: { readonly key: ApiKey; readonly digest: string };
  readonly key: ApiKey;
  readonly secret: string;
  readonly oldEndsAt: string;
};

/**
 * Creates the new key and sets the old key's expiry, atomically; `false` if the old key was revoked or rotated since it
 * was read, or the account was closed.
 */
export const rotateKey = async ({ old, key, secret, oldEndsAt }: Rotation): Promise<boolean> => {
  const ending = {
    TableName,
    Key: apiKeyKey(old.digest),
    UpdateExpression: 'SET expires_at = :end, replaced_by = :new',
    ConditionExpression: 'id = :id AND attribute_not_exists(revoked_at) AND attribute_not_exists(replaced_by)',
    ExpressionAttributeValues: { ':end': oldEndsAt, ':new': key.id, ':id': old.key.id },
  };
  const writes = [...keyPuts(ApiKey.parse(key), hashKey(secret)), { Update: ending }, accountIsOpen(key.account)];
  const written = await writeTogether(writes, (exception) => {
    const [, name, ...others] = listCodes(exception);
    // The id is new, so an item with it is from an earlier attempt of this call whose reply was lost.
    if (name === 'ConditionalCheckFailed') return { kind: 'committed' as const };
    return others.includes('ConditionalCheckFailed') ? null : throwCanceled(exception);
  });
  return written !== null;
};

/** A key as operators see it, without its digest. `last_used_at` is accurate to the hour. */
export type ListedKey = ApiKey & { readonly last_used_at: string | null };

const Use = z.object({ sk: z.string(), used_at: z.string() });
const Name = z.object({ sk: z.string(), label: z.optional(z.string()) });

const namePrefix = keyNameKey('', '').sk;

const queryItems = async (pk: string, prefix: string): Promise<Items> => {
  const query = partitionQuery(TableName, pk, 'begins_with(sk, :prefix)', { ':prefix': prefix });
  return (await Array.fromAsync(queryPages(query))).flat();
};

/** The id of an API key and its label; `null` without one. */
type KeyName = { readonly id: string; readonly label: string | null };

/** Returns the ids and labels of all keys of an account, including revoked and expired keys, oldest first. */
export const listKeyNames = async (account: string): Promise<KeyName[]> =>
  z
    .array(Name)
    .parse(await queryItems(accountKey(account).pk, namePrefix))
    .map(({ sk, label = null }) => ({ id: sk.slice(namePrefix.length), label }));

/** Returns all keys of an account, oldest first. */
export const listKeys = async (account: string): Promise<readonly ListedKey[]> => {
  const used = z.array(Use).parse(await queryItems(keyUses(account), 'key_'));
  const uses = new Map(used.map(({ sk, used_at }) => [sk, used_at]));
  const keys: ListedKey[] = [];
  for (const { id } of await listKeyNames(account)) {
    const found = await findNamedKey(account, id);
    if (found) keys.push({ ...found.key, last_used_at: uses.get(id) ?? null });
  }
  return keys;
};

// The write runs in parallel with the request, which awaits it at the end.
const timeoutMs = 250;

const since = (ms: number) => new Date(now() - ms).toISOString();

/** Records that an API key is in use, at most once per `keyUseStepMs`. Throws if the write fails. */
export const recordKeyUse = async (account: string, id: string): Promise<void> => {
  const update = {
    TableName,
    Key: keyUseKey(account, id),
    UpdateExpression: 'SET used_at = :now',
    ConditionExpression: 'attribute_not_exists(used_at) OR used_at <= :before',
    ExpressionAttributeValues: { ':now': since(0), ':before': since(keyUseStepMs) },
  };
  await updateItem(update, { abortSignal: AbortSignal.timeout(timeoutMs) });
};
