import type { Account } from '../accounts/account.ts';
import { type ApiKey, hashKey, isMisspelt, keyUseStepMs } from '../accounts/api-key.ts';
import type { Code } from '../base/error-codes.ts';
import { instanceCache } from '../base/instance-cache.ts';
import type { Problem } from '../base/problem.ts';
import { now } from '../config/clock.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import { recordCacheHit, recordCacheMiss } from '../observability/tally.ts';
import { findAccount } from '../store/accounts/account-store.ts';
import { findKey, recordKeyUse } from '../store/accounts/api-key-store.ts';
import { type VerifyToken, verifyToken } from './bearer.ts';
import { bodyBytesMax } from './body.ts';
import type { EndpointDescription } from './endpoint.ts';
import { showRate } from './limit-rate.ts';
import { type Caller, Refusal, type RequestContext, requireCaller, type Scope } from './request-context.ts';

type Credentials = {
  readonly findKey: typeof findKey;
  readonly findAccount: typeof findAccount;
  readonly recordKeyUse: typeof recordKeyUse;
  readonly verifyToken: VerifyToken;
};

// A revocation or a changed setting takes effect within this time.
const lifetimeMs = 60_000;
const capacity = 1000;
const keyLengthMax = 512;
const tokenLengthMax = 8192;

type Header = 'X-API-Key' | 'Authorization';

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
const unknownKey = () => unauthorized('auth_api_key_not_found', 'There is no such API key, or it was revoked.');

// A repeated header must have the same value each time.
const onlyValue = ({ headers }: RequestContext, header: Header): string | undefined => {
  const values = new Set(headers.get(header.toLowerCase()));
  if (values.size > 1)
    throw unauthorized('auth_error', `The header ${header} came twice, with different values.`, header);
  const [value] = values;
  if (value?.trim() === '') throw unauthorized('auth_error', `The header ${header} is empty. ${missing}`, header);
  return value;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const control = /[\u0000-\u001f\u007f]/;

const readToken = (authorization: string): string => {
  const [, token] = /^bearer +([\w.~+/=-]+)$/i.exec(authorization) ?? [];
  if (token !== undefined && authorization.length <= tokenLengthMax) return token;
  throw unauthorized(
    'auth_token_invalid',
    'Authorization must be "Bearer" and a token of at most 8 KiB. Send an API key in X-API-Key instead.',
    'Authorization',
  );
};

/** Creates the middleware that authenticates a request. Keys and accounts are cached in the instance for a minute. */
export const authenticator = ({ findKey, findAccount, verifyToken, recordKeyUse }: Credentials) => {
  const keys = instanceCache<ApiKey | undefined>({ lifetimeMs, capacity });
  const accounts = instanceCache<Account | undefined>({ lifetimeMs, capacity });
  const uses = instanceCache<void>({ lifetimeMs: keyUseStepMs, capacity });

  // Failures have the same TTL as successes, so an overloaded database does not get a call for every request.
  const noteUse = ({ account, credential }: Caller): Promise<void> =>
    uses(credential, () =>
      recordKeyUse(account.id, credential).catch((error: unknown) => {
        countMetric('KeyUseUnrecorded', { error: failureLine(error).error }, now());
      }),
    );

  const keyCaller = async (secret: string): Promise<Caller> => {
    if (secret.length > keyLengthMax || control.test(secret) || isMisspelt(secret)) throw unknownKey();
    recordCacheHit('ApiKey');
    const key = await keys(hashKey(secret), (digest) => {
      recordCacheMiss('ApiKey');
      return findKey(digest);
    });
    if (!key || key.revoked_at !== undefined) throw unknownKey();
    if (key.expires_at !== null && Date.parse(key.expires_at) <= now()) {
      throw unauthorized('auth_api_key_expired', `This API key expired at ${key.expires_at}. Use a newer one.`);
    }
    const account = await accounts(key.account, findAccount);
    if (!account || account.closed_at !== undefined) throw unknownKey();
    return { account, credential: key.id, scopes: new Set(key.scopes) };
  };

  const tokenCaller = async (authorization: string): Promise<Caller> => {
    const verified = await verifyToken(readToken(authorization));
    if (!verified.ok) {
      const [{ code, detail }] = verified.problems;
      throw unauthorized(code, detail, 'Authorization');
    }
    const { account: id, subject, scopes } = verified.value;
    const account = await accounts(id, findAccount);
    if (!account || account.closed_at !== undefined) {
      const why = account ? `was closed at ${account.closed_at}` : 'does not exist';
      throw unauthorized('auth_token_invalid', `The account that the token names ${why}.`, 'Authorization');
    }
    // The prefix prevents a subject from being mistaken for a key id or a schedule name.
    return { account, credential: `token:${subject}`, scopes: new Set(scopes) };
  };

  /** Finds the caller, or refuses with 401. If a request has two credentials, the API key's name and scopes apply. */
  return async (context: RequestContext): Promise<void> => {
    const secret = onlyValue(context, 'X-API-Key');
    const authorization = onlyValue(context, 'Authorization');
    const byKey = secret === undefined ? undefined : await keyCaller(secret);
    const byToken = authorization === undefined ? undefined : await tokenCaller(authorization);
    const caller = byKey ?? byToken;
    if (!caller) throw noCredential();
    if (byToken && byToken.account.id !== caller.account.id)
      throw unauthorized('auth_error', 'The API key and the bearer token belong to different accounts. Send only one.');
    context.caller = caller;
    if (byKey) context.backgroundWork = noteUse(byKey);
  };
};

const findCaller = authenticator({ findKey, findAccount, verifyToken, recordKeyUse });

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
