import type { Account } from '../accounts/account.ts';
import { type ApiKey, hashKey, isMisspelt, keyUseStepMs } from '../accounts/api-key.ts';
import type { Code } from '../base/error-codes.ts';
import { instanceCache } from '../base/instance-cache.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Problem } from '../base/result.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import { recordCacheHit, recordCacheMiss } from '../observability/tally.ts';
import { findAccount } from '../store/accounts/account-store.ts';
import { findKey, recordKeyUse } from '../store/accounts/api-key-store.ts';
import { findSession, type Session, type SessionSource } from '../store/accounts/session-store.ts';
import { type VerifyToken, verifyToken } from './bearer.ts';
import { bodyBytesMax } from './body.ts';
import type { EndpointDescription } from './endpoint.ts';
import { showRate } from './limit-rate.ts';
import { type Caller, type Login, Refusal, type RequestContext, requireCaller, type Scope } from './request-context.ts';

// Browsers keep a Secure cookie only over https, so the local service omits the attribute.
const isPlain = ({ headers }: RequestContext): boolean =>
  !environment.isDeployed && isLoopback(headers.get('host')?.[0] ?? '');

// `__Host-`: only this host can set it, over https, for the path `/` (RFC 6265bis, 4.1.3.2).
const cookieName = (context: RequestContext): string => (isPlain(context) ? 'levy_session' : '__Host-levy_session');

/**
 * Returns the value of `Set-Cookie` for a session's secret; `null` removes the cookie. The cookie also ends with the
 * browser.
 */
export const sessionCookie = (context: RequestContext, secret: string | null): string =>
  [
    `${cookieName(context)}=${secret ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(isPlain(context) ? [] : ['Secure']),
    ...(secret === null ? ['Max-Age=0'] : []),
  ].join('; ');

/** Returns the secrets that the request's cookies carry under the name of the session cookie. */
export const sessionSecrets = (context: RequestContext): readonly string[] => {
  const cookies = (context.headers.get('cookie') ?? []).flatMap((value) => value.split(';'));
  const start = `${cookieName(context)}=`;
  return cookies
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(start) ? [cookie.slice(start.length)] : []));
};

type TokenSource = Extract<SessionSource, { subject: string }>;
type Found = { readonly caller: Caller; readonly login: Login };

type Credentials = {
  readonly findKey: typeof findKey;
  readonly findAccount: typeof findAccount;
  readonly recordKeyUse: typeof recordKeyUse;
  readonly findSession: typeof findSession;
  readonly verifyToken: VerifyToken;
};

// A revocation or a changed setting takes effect within this time.
const lifetimeMs = 60_000;
const capacity = 1000;
const keyLengthMax = 512;
const tokenLengthMax = 8192;

type Header = 'X-API-Key' | 'Authorization' | 'Console-Session';

const challenges = (bearer: string) => ({
  'WWW-Authenticate': `ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"${bearer}`,
});

const unauthorized = (code: Code, detail: string, header: Header = 'X-API-Key'): Refusal =>
  new Refusal(
    [{ code, title: 'Unauthorized', detail, source: { header } }],
    challenges(code === 'auth_token_invalid' ? ', error="invalid_token"' : ''),
  );

const missing = 'Send an API key in the header X-API-Key, or a bearer token in Authorization.';
export const noCredential = () => unauthorized('auth_error', missing);
const unknownKey = () =>
  unauthorized('auth_api_key_not_found', 'There is no such API key, or it was revoked. Send an active key.');

export const sessionEnded = () =>
  unauthorized('auth_error', 'The console session has ended or does not exist. Sign in again.', 'Console-Session');

// A repeated header must have the same value each time.
const onlyValue = ({ headers }: RequestContext, header: Header): string | undefined => {
  const values = new Set(headers.get(header.toLowerCase()));
  if (values.size > 1)
    throw unauthorized(
      'auth_error',
      `The header ${header} was sent twice with different values. Send it once.`,
      header,
    );
  const [value] = values;
  if (value?.trim() === '') throw unauthorized('auth_error', `The header ${header} is empty. ${missing}`, header);
  return value;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const control = /[\u0000-\u001f\u007f]/;

const isUnreadable = (secret: string): boolean =>
  secret.length > keyLengthMax || control.test(secret) || isMisspelt(secret);

const readToken = (authorization: string): string => {
  const [, token] = /^bearer +([\w.~+/=-]+)$/i.exec(authorization) ?? [];
  if (token !== undefined && authorization.length <= tokenLengthMax) return token;
  throw unauthorized(
    'auth_token_invalid',
    'Authorization must be "Bearer" and a token of at most 8 KiB. Send an API key in X-API-Key instead.',
    'Authorization',
  );
};

/** Returns the digest of the secret in the session cookie. */
const readSession = (context: RequestContext): string => {
  // Browsers set this header and pages cannot change it, so no other site can use the cookie.
  if (context.headers.get('sec-fetch-site')?.join() !== 'same-origin')
    throw unauthorized(
      'auth_error',
      'A console session works only in same-origin requests of a browser (Sec-Fetch-Site). Send an API key in X-API-Key instead.',
      'Console-Session',
    );
  const [secret, ...others] = sessionSecrets(context);
  if (secret === undefined || others.length > 0 || isUnreadable(secret)) throw sessionEnded();
  return hashKey(secret);
};

/** Finds the callers of stored keys and verified tokens. Keys and accounts are cached in the instance for a minute. */
const callerFinder = ({ findKey, findAccount }: Pick<Credentials, 'findKey' | 'findAccount'>) => {
  const keys = instanceCache<ApiKey | undefined>({ lifetimeMs, capacity });
  const accounts = instanceCache<Account | undefined>({ lifetimeMs, capacity });

  const keyCaller = async (key_digest: string): Promise<Found> => {
    recordCacheHit('ApiKey');
    const key = await keys(key_digest, (digest) => {
      recordCacheMiss('ApiKey');
      return findKey(digest);
    });
    if (!key || key.revoked_at !== undefined) throw unknownKey();
    if (key.expires_at !== null && Date.parse(key.expires_at) <= now()) {
      throw unauthorized('auth_api_key_expired', `This API key expired at ${key.expires_at}. Use a newer one.`);
    }
    const account = await accounts(key.account, findAccount);
    if (!account || account.closed_at !== undefined) throw unknownKey();
    return { caller: { account, credential: key.id, scopes: new Set(key.scopes) }, login: { key_digest } };
  };

  const subjectCaller = async (id: string, source: TokenSource): Promise<Found> => {
    const account = await accounts(id, findAccount);
    if (!account || account.closed_at !== undefined) {
      const why = account ? `was closed at ${account.closed_at}` : 'does not exist';
      throw unauthorized('auth_token_invalid', `The account that the token names ${why}.`, 'Authorization');
    }
    const { subject, scopes } = source;
    // The prefix prevents a subject from being mistaken for a key id or a schedule name.
    return { caller: { account, credential: `token:${subject}`, scopes: new Set(scopes) }, login: source };
  };

  return { keyCaller, subjectCaller, forgetAccount: accounts.forget };
};

/** Finds sessions that have not ended. Sessions are also cached in the instance for a minute. */
const sessionFinder = (findSession: Credentials['findSession']) => {
  const sessions = instanceCache<Session | undefined>({ lifetimeMs, capacity });
  const isOver = ({ expires_at }: Session) => Date.parse(expires_at) <= now();
  return async (digest: string): Promise<Session | undefined> => {
    const kept = await sessions(digest, findSession);
    if (!kept || !isOver(kept)) return kept;
    // The session can have been extended since the instance read it.
    sessions.forget(digest);
    const stored = await sessions(digest, findSession);
    return stored && !isOver(stored) ? stored : undefined;
  };
};

/** Creates the middleware that authenticates a request. */
export const authenticator = (credentials: Credentials) => {
  const { verifyToken, recordKeyUse } = credentials;
  const findOpenSession = sessionFinder(credentials.findSession);
  const { keyCaller, subjectCaller, forgetAccount } = callerFinder(credentials);
  const uses = instanceCache<void>({ lifetimeMs: keyUseStepMs, capacity });

  // Failures have the same TTL as successes, so an overloaded database does not get a call for every request.
  const noteUse = ({ account, credential }: Caller): Promise<void> =>
    uses(credential, () =>
      recordKeyUse(account.id, credential).catch((error: unknown) => {
        countMetric('KeyUseUnrecorded', { error: failureLine(error).error }, now());
      }),
    );

  const tokenCaller = async (authorization: string): Promise<Found> => {
    const verified = await verifyToken(readToken(authorization));
    if (!verified.ok) {
      const [{ code, detail }] = verified.problems;
      throw unauthorized(code, detail, 'Authorization');
    }
    const { account, subject, scopes, endsMs } = verified.value;
    return subjectCaller(account, { subject, scopes: [...scopes], token_ends_at: new Date(endsMs).toISOString() });
  };

  /** Returns the caller of a session. Checks its credential again, as if the request had sent it. */
  const sessionCaller = async (context: RequestContext): Promise<Found> => {
    const digest = readSession(context);
    const session = await findOpenSession(digest);
    if (!session) throw sessionEnded();
    const { account, source } = session;
    const { caller } = await ('key_digest' in source ? keyCaller(source.key_digest) : subjectCaller(account, source));
    return { caller, login: { session: digest } };
  };

  /**
   * Finds the caller, or refuses with 401. If a request has several credentials, the first of API key, token and
   * session applies.
   */
  const findCaller = async (context: RequestContext): Promise<void> => {
    const secret = onlyValue(context, 'X-API-Key');
    const authorization = onlyValue(context, 'Authorization');
    const hasSession = onlyValue(context, 'Console-Session') !== undefined;
    if (secret !== undefined && isUnreadable(secret)) throw unknownKey();
    const byKey = secret === undefined ? undefined : await keyCaller(hashKey(secret));
    const byToken = authorization === undefined ? undefined : await tokenCaller(authorization);
    const bySession = hasSession ? await sessionCaller(context) : undefined;
    const found = byKey ?? byToken ?? bySession;
    if (!found) throw noCredential();
    const { account, credential } = found.caller;
    if ([byToken, bySession].some((other) => other && other.caller.account.id !== account.id))
      throw unauthorized('auth_error', 'The credentials of the request belong to different accounts. Send only one.');
    context.caller = found.caller;
    context.login = found.login;
    if (!credential.startsWith('token:')) context.backgroundWork = noteUse(found.caller);
  };
  return Object.assign(findCaller, { forgetAccount });
};

const findCaller = authenticator({ findKey, findAccount, findSession, verifyToken, recordKeyUse });

/**
 * Lets the next request of this instance read the account again after a change of its settings. All endpoints of the
 * local service share an instance; other functions of a deployment apply the change within a minute.
 */
export const { forgetAccount } = findCaller;

/**
 * Sets `context.caller`, or refuses with 401. Any other failure (table or token issuer) counts in the metric
 * CredentialsUnread.
 */
export const authenticate = async (context: RequestContext): Promise<void> => {
  try {
    await findCaller(context);
  } catch (error) {
    if (!(error instanceof Refusal)) countMetric('CredentialsUnread', { error: failureLine(error).error }, now());
    throw error;
  }
};

export const outOfScope = (scope: Scope): Problem => ({
  code: 'auth_forbidden',
  title: 'Forbidden',
  detail: `This credential lacks the scope ${scope}. Ask the account's operator for one that has it.`,
  meta: { scope },
});

/** The unvalidated body; `undefined` if it does not parse or is too large. */
const sentBody = ({ rawBody }: RequestContext): unknown => {
  if (rawBody.length > bodyBytesMax) return undefined;
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Refuses with 403 if the credential lacks the endpoint's scope. `null` requires no scope. */
export const authorize =
  ({ scope, readsOnly }: Pick<EndpointDescription, 'scope' | 'readsOnly'>) =>
  (context: RequestContext): void => {
    if (scope === null) return;
    const caller = requireCaller(context);
    if (caller.scopes.has(scope)) return;
    if (readsOnly && caller.scopes.has('read') && readsOnly(sentBody(context))) return;
    showRate(context, caller);
    throw new Refusal([outOfScope(scope)]);
  };
