import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Jwk } from 'aws-jwt-verify/jwk';

/** Whom to ask, by which clock, and what is to hear of each failure. */
export type Asked = {
  readonly issuer: string;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
};
type Json = Readonly<Record<string, unknown>>;

const fetchTimeoutMs = 3000;
// A hundred keys are 50 KiB.
const answerBytesMax = 1024 * 1024;
// Many instances ask, and an issuer in trouble must not be asked by each of them for every request.
const pauseAfterFailureMs = 5000;
const pauseAfterUnknownKeyMs = 10_000;

/** The issuer cannot be asked, or answers nonsense: by its name a 503, as the token may well be good. */
export class IssuerOutage extends Error {
  override readonly name = 'ServiceUnavailable';
}

// By issuer, not by address: where the keys cannot be read, its description is no use.
const failedAt = new Map<string, number>();

const isWithin = (since: number | undefined, pauseMs: number, nowMs: number) =>
  since !== undefined && nowMs >= since && nowMs < since + pauseMs;

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

// Usually a wrong setting. The log has only the name of an error, so the name must state the cause.
const wrong = (name: string): Error => Object.assign(new Error(), { name });

const textOf = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw wrong('IssuerTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

// The package's own fetcher speaks https only; this one also reaches an issuer on the developer's machine.
const fetchJson = async <Value>(
  { issuer, now, onFailure }: Asked,
  uri: string,
  read: (document: Json) => Value,
): Promise<Value> => {
  if (isWithin(failedAt.get(issuer), pauseAfterFailureMs, now()))
    throw new IssuerOutage('The issuer of bearer tokens could not be reached a moment ago.');
  try {
    if (!isSafe(new URL(uri))) throw wrong('IssuerUnsafe');
    const response = await fetch(uri, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) });
    if (!response.ok) throw wrong(`IssuerStatus${response.status}`);
    const value = read(JSON.parse(await textOf(response)) as Json);
    failedAt.delete(issuer);
    return value;
  } catch (error) {
    failedAt.set(issuer, now());
    onFailure(error);
    throw new IssuerOutage('The issuer of bearer tokens cannot be asked.', { cause: error });
  }
};

/** Where an issuer keeps its keys: they differ in that, not in where they say so (OpenID Connect Discovery 1.0, 4). */
export const findKeysUri = (asked: Asked): Promise<string> =>
  fetchJson(
    asked,
    `${asked.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    ({ issuer: named, jwks_uri }) => {
      if (named !== asked.issuer) throw wrong('IssuerOther');
      if (typeof jwks_uri !== 'string') throw wrong('IssuerIncomplete');
      return jwks_uri;
    },
  );

/** One of the issuer's keys, as it was published and as Node's crypto takes it. */
export type SigningKey = { readonly jwk: Jwk; readonly native: KeyObject };
type Keys = ReadonlyMap<string, SigningKey>;

// RFC 7518, 3.3.
const rsaBitsMin = 2048;

// RFC 7517, 5: a key with another use or an unknown type is ignored, and the rest of the set stays valid.
const signingKey = (jwk: Jwk): readonly (readonly [string, SigningKey])[] => {
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

// Of several with one name the first counts: a map keeps the last.
const keysIn = ({ keys }: Json): Keys => {
  if (!Array.isArray(keys)) throw wrong('IssuerWithoutKeys');
  return new Map(keys.flatMap(signingKey).reverse());
};

/**
 * Read the issuer's keys, and again when a token names one that is not known: it may be new.
 *
 * Whoever invents names makes the issuer read once in ten seconds and instance. What is read then is kept, so a key that
 * is new meanwhile works after ten seconds at the latest, and those that are known work all the time.
 */
export const readKeys = async (asked: Asked, uri: string) => {
  const { now } = asked;
  const read = () => fetchJson(asked, uri, keysIn);
  let keys = await read();
  let reading: Promise<void> | undefined;
  let unknownAt: number | undefined;

  const readAgain = async (name: string) => {
    try {
      keys = await read();
      unknownAt = keys.has(name) ? undefined : now();
    } finally {
      reading = undefined;
    }
  };

  return async (name: string): Promise<SigningKey | undefined> => {
    if (!keys.has(name) && !isWithin(unknownAt, pauseAfterUnknownKeyMs, now())) {
      reading ??= readAgain(name);
      await reading;
    }
    return keys.get(name);
  };
};
