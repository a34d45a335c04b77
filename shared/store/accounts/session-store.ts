import type { PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { hashKey, newApiKey, scopes } from '../../accounts/api-key.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { findItem } from '../client/reads.ts';
import { deleteItem, present, putItem } from '../client/writes.ts';
import { sessionKey } from '../keys.ts';

const TableName = environment.tables.accounts;

/** A session ends after this time without use, and at the latest after `lifetimeMs`. */
const idleMs = 3_600_000;
const lifetimeMs = 12 * 3_600_000;

/** The credential that started a session: an API key, whose terms are read with each use, or a bearer token. */
const Source = z.union([
  z.object({ key_digest: z.string() }),
  z.object({ subject: z.string(), scopes: z.array(z.enum(scopes)), token_ends_at: z.string() }),
]);
export type SessionSource = z.infer<typeof Source>;

/** A console session, without its secret: the digest of the secret is the item's key. */
const Session = z.object({
  account: z.string(),
  source: Source,
  /** When an unused session ends. */
  expires_at: z.string(),
  /** When the session ends at the latest. */
  ends_at: z.string(),
});
export type Session = z.infer<typeof Session>;

const instant = (ms: number) => new Date(ms).toISOString();

const idleEnd = (endsAt: string) => instant(Math.min(now() + idleMs, Date.parse(endsAt)));

type Condition = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

const put = (digest: string, session: Session, condition: Condition) =>
  putItem({
    TableName,
    Item: { ...sessionKey(digest), ...session, ttl: Math.ceil(Date.parse(session.ends_at) / 1000) },
    ...condition,
  });

/** Returns the session with this digest, even if it expired. */
export const findSession = (digest: string): Promise<Session | undefined> =>
  findItem(TableName, sessionKey(digest), (item) => Session.parse(item));

/**
 * Stores a new session. It ends after one hour without use, after 12 hours, and with the token that started it. Returns
 * its secret, which has the format of an API key but is not one.
 */
export const startSession = async (account: string, source: SessionSource): Promise<Session & { secret: string }> => {
  const tokenEndsMs = 'token_ends_at' in source ? Date.parse(source.token_ends_at) : Number.POSITIVE_INFINITY;
  const ends_at = instant(Math.min(now() + lifetimeMs, tokenEndsMs));
  const session = { account, source, expires_at: idleEnd(ends_at), ends_at };
  const secret = newApiKey();
  // The SDK repeats the write if its reply was lost, and then finds its own item.
  const absentOrSame = {
    ConditionExpression: 'attribute_not_exists(pk) OR expires_at = :expires_at',
    ExpressionAttributeValues: { ':expires_at': session.expires_at },
  };
  if (!(await put(hashKey(secret), session, absentOrSame))) throw new Error('A random session secret already exists.');
  return { ...session, secret };
};

/** Extends a session that is in use; `null` if it ended. */
export const extendSession = async (digest: string): Promise<Session | null> => {
  const session = await findSession(digest);
  if (!session || Date.parse(session.expires_at) <= now()) return null;
  const extended = { ...session, expires_at: idleEnd(session.ends_at) };
  // A concurrent sign-out has deleted the item.
  return (await put(digest, extended, present)) ? extended : null;
};

/** Ends a session. Instances that used it within the last 60 s accept it until then. */
export const endSession = async (digest: string): Promise<void> => {
  await deleteItem({ TableName, Key: sessionKey(digest), ...present });
};
