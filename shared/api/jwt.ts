/**
 * Checks signed tokens. bearer.ts imports this file lazily, so a function loads the library only when it receives its
 * first token.
 */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader, type JWK } from 'jose';
import { scopes as credentialScopes } from '../accounts/api-key.ts';
import { now } from '../config/clock.ts';
import type { environment } from '../config/environment.ts';
import type { Scope } from './request-context.ts';

type Json = Readonly<Record<string, unknown>>;

const fetchTimeoutMs = 3000;
// The maximum size of a response of the issuer. A set of a hundred keys has 50 KiB.
const responseBytesMax = 1024 * 1024;

/** The issuer is down, or its response is invalid. The token may be valid, so an error with this name becomes a 503. */
class IssuerOutage extends Error {
  override readonly name = 'ServiceUnavailable';
}

// The local service's clock can be set back to before `since`.
const isWithin = (since: number | undefined, periodMs: number) =>
  since !== undefined && now() >= since && now() < since + periodMs;

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

// The cause is usually a configuration error. The log contains only an error's name, so the name must state the cause.
const wrong = (name: string): Error => Object.assign(new Error(), { name });

const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw wrong('IssuerTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const fetchJson = async (uri: string): Promise<Json> => {
  if (!isSafe(new URL(uri))) throw wrong('IssuerUnsafe');
  const response = await fetch(uri, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) });
  if (!response.ok) throw wrong(`IssuerStatus${response.status}`);
  return JSON.parse(await readText(response));
};

// OpenID Connect Discovery 1.0, 4.
const fetchKeysUri = async (expected: string): Promise<string> => {
  const { issuer, jwks_uri } = await fetchJson(`${expected.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (issuer !== expected) throw wrong('IssuerOther');
  if (typeof jwks_uri !== 'string') throw wrong('IssuerIncomplete');
  return jwks_uri;
};

/** A key of the issuer: the published JWK and the Node.js KeyObject. */
type SigningKey = { readonly jwk: JWK; readonly native: KeyObject };
type Keys = ReadonlyMap<string, SigningKey>;

// RFC 7518, 3.3.
const rsaBitsMin = 2048;

// RFC 7517, 5: a key with a different use or an unknown type is ignored, and the rest of the set stays valid.
const signingKey = (jwk: JWK): readonly (readonly [string, SigningKey])[] => {
  try {
    const { kid, use = 'sig' } = jwk;
    const native = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = rsaBitsMin } = native.asymmetricKeyDetails ?? {};
    const isUsable = typeof kid === 'string' && use === 'sig' && modulusLength >= rsaBitsMin;
    return isUsable ? [[kid, { jwk, native }]] : [];
  } catch {
    return [];
  }
};

// If several keys share an id, the first one wins; a map would keep the last.
const fetchKeys = async (uri: string): Promise<Keys> => {
  const { keys } = await fetchJson(uri);
  if (!Array.isArray(keys)) throw wrong('IssuerWithoutKeys');
  return new Map(keys.flatMap(signingKey).reverse());
};

// TTL of the signing keys: the longest time that a withdrawn key still works.
const keysLifetimeMs = 600_000;
// TTL during an outage of the issuer, so clients can still authenticate.
const keysLifetimeInOutageMs = 3_600_000;
// Every instance fetches keys. The pauses keep instances from overloading an issuer that is down, and from fetching
// once for each unknown key id, which any client can invent. During an outage a fetch can take seconds, so only one
// request per minute attempts it while the old keys work.
const pauseAfterFailureMs = 5000;
const pauseInOutageMs = 60_000;
const pauseAfterUnknownKeyMs = 10_000;

/**
 * Reads the issuer's keys, and reads them again if a token has an unknown key id, which may be new. Unknown ids cause
 * at most one fetch per ten seconds and instance, so a new key works within ten seconds and known keys keep working.
 * The library's key set is not used, because it measures its pauses with the machine's clock instead of the service's.
 */
const createKeySource = (issuer: string, onFailure: (error: unknown) => void) => {
  let uri = '';
  let keys: Keys = new Map();
  let readAt: number | undefined;
  let failedAt: number | undefined;
  let outageAt: number | undefined;
  let unknownAt: number | undefined;
  let reading: Promise<void> | undefined;

  const fetchKeySet = async (withMetadata: boolean): Promise<void> => {
    try {
      if (withMetadata) uri = await fetchKeysUri(issuer);
      keys = await fetchKeys(uri);
      if (withMetadata) {
        readAt = now();
        outageAt = undefined;
      }
      failedAt = undefined;
    } catch (error) {
      failedAt = now();
      if (withMetadata) outageAt = failedAt;
      onFailure(error);
      throw new IssuerOutage('The issuer of bearer tokens is unavailable.', { cause: error });
    } finally {
      reading = undefined;
    }
  };
  /** Fetches the keys from the address in the issuer's metadata, or from the last known one, which may be outdated. */
  const read = async (withMetadata: boolean): Promise<void> => {
    if (isWithin(failedAt, pauseAfterFailureMs))
      throw new IssuerOutage('The last fetch from the issuer of bearer tokens failed.');
    reading ??= fetchKeySet(withMetadata);
    await reading;
  };
  const refresh = async (): Promise<void> => {
    const isUsable = readAt !== undefined && now() < readAt + keysLifetimeInOutageMs;
    if (isUsable && isWithin(outageAt, pauseInOutageMs)) return;
    await read(true).catch((error: unknown) => {
      if (!isUsable) throw error;
    });
  };

  return async (name: string): Promise<SigningKey | undefined> => {
    if (!isWithin(readAt, keysLifetimeMs)) await refresh();
    if (!keys.has(name) && !isWithin(unknownAt, pauseAfterUnknownKeyMs)) {
      await read(false);
      unknownAt = keys.has(name) ? undefined : now();
    }
    return keys.get(name);
  };
};

/** The content of a verified bearer token. */
export type Token = {
  readonly account: string;
  readonly subject: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970. */
  readonly endsMs: number;
};

/** The accepted OIDC issuer, the expected audience, and the claims with the account and the scopes. */
export type Issuer = NonNullable<typeof environment.oidc>;

type Payload = Readonly<Record<string, unknown>>;

// A token is used as soon as it is issued, and the issuer's clock may be ahead of ours. `exp` needs no such allowance.
const skewSeconds = 60;

// A lone surrogate cannot be stored. The other characters can forge the display of the audit trail in a terminal.
const unwritable = /[\p{Cs}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const isName = (value: unknown, length: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= length && !unwritable.test(value);

// OpenID Connect Core 1.0, 2.
const subjectLengthMax = 255;
const accountLengthMax = 64;

// JSON reads 1e999 as Infinity: a token with this value would never expire.
const isTime = (value: unknown): value is number => Number.isFinite(value);

// A Cognito access token has no `aud` and names the client in `client_id`. Every other token has an `aud`.
const isForUs = ({ aud, token_use, client_id }: Payload, audience: readonly string[]): boolean => {
  const named = aud !== undefined ? [aud].flat() : token_use === 'access' ? [client_id] : [];
  return named.some((name) => audience.includes(name as string));
};

const scopeNames = (value: unknown): readonly unknown[] =>
  typeof value === 'string' ? value.split(' ') : [value].flat();

const allScopes: readonly Scope[] = credentialScopes;

/**
 * Returns the claims of a token with a valid signature, or the reason for refusing it. `nowMs` is the service's time.
 *
 * `exp` and `sub` are required, because a token without expiry could not be revoked. The clock skew allowed is 60 s for
 * `nbf` and `iat`, and none for `exp`. Unknown scopes and scopes that are not strings are ignored.
 */
const checkToken = (payload: Payload, configured: Issuer, nowMs: number): Token | string => {
  const { audience, accountClaim, scopesClaim, scopes } = configured;
  const { exp, nbf = 0, iat = 0, sub, [accountClaim]: account, [scopesClaim]: granted } = payload;
  if (!isForUs(payload, audience))
    return 'The token is for another audience. Send a token with a configured audience of this service.';
  if (!isTime(exp) || !isName(sub, subjectLengthMax) || !isName(account, accountLengthMax))
    return `The token must contain exp as a number, sub as a string of 1 to ${subjectLengthMax} characters and ${accountClaim} (the account) as a string of 1 to ${accountLengthMax}, without control characters.`;
  if (!isTime(nbf) || !isTime(iat)) return 'The claims nbf and iat must be numbers of seconds.';
  if (exp * 1000 <= nowMs) return 'The token has expired. Ask its issuer for a new one.';
  if ((Math.max(nbf, iat) - skewSeconds) * 1000 > nowMs)
    return 'The token is not valid yet (nbf or iat is in the future). Check the clock of its issuer.';
  const names = scopeNames(granted);
  return {
    account,
    subject: sub,
    scopes: allScopes.filter((scope) => names.includes(scopes[scope])),
    // The last time that a Date can represent.
    endsMs: Math.min(exp * 1000, 8.64e15),
  };
};

const notOurs = 'The token was not signed by the configured issuer for this service. Get a token from that issuer.';

// Levy accepts only public-key signatures: with a shared secret, anyone who can verify tokens could also issue them.
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

// RFC 8725, 3.11: an issuer signs other kinds of tokens with the same keys, such as logout tokens.
const isForAccess = (typ: unknown) => typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(String(typ));

/**
 * Returns the id of the key that signed a token; `null` if the token is refused without a call to the issuer.
 *
 * Keys in the token's header (`jwk`, `jku`, `x5u`, `x5c`) are ignored. A token with `crit` is refused, because no
 * extension is supported (RFC 7515, 4.1.11).
 */
const readKeyName = (token: string, issuer: string): string | null => {
  try {
    const { alg = '', kid, typ, crit } = decodeProtectedHeader(token);
    const isSupported = algorithms.includes(alg) && isForAccess(typ) && crit === undefined;
    const isOurs = isSupported && decodeJwt(token).iss === issuer;
    return isOurs && typeof kid === 'string' ? kid : null;
  } catch {
    return null;
  }
};

// The library checks the signature, and that the algorithm fits the key. `checkToken` checks the claims.
const verifyPayload = async (token: string, { jwk: { alg }, native }: SigningKey): Promise<Payload | null> => {
  try {
    await compactVerify(token, native, { algorithms: algorithms.filter((name) => name === (alg ?? name)) });
    return decodeJwt(token);
  } catch {
    return null;
  }
};

/** Checks a token. Returns the reason for a refusal. Throws if the issuer cannot be reached. */
export type CheckToken = (token: string) => Promise<Token | string>;

/** Creates a verifier for the tokens of an issuer, which fetches its keys for the first token. */
export const createCheck = (configured: Issuer, onFailure: (error: unknown) => void): CheckToken => {
  const { issuer } = configured;
  const keyNamed = createKeySource(issuer, onFailure);
  return async (token) => {
    const name = readKeyName(token, issuer);
    const key = name === null ? undefined : await keyNamed(name);
    const payload = key && (await verifyPayload(token, key));
    return payload?.['iss'] === issuer ? checkToken(payload, configured, now()) : notOurs;
  };
};
