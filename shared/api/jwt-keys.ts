import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { now } from '../config/clock.ts';

/** The issuer to fetch from, and the callback for each failed fetch. */
type Source = { readonly issuer: string; readonly onFailure: (error: unknown) => void };
type Json = Readonly<Record<string, unknown>>;

const fetchTimeoutMs = 3000;
// A hundred keys are 50 KiB.
const answerBytesMax = 1024 * 1024;
// Every instance fetches. The pauses keep them from overloading an issuer that is down, and from fetching for each
// unknown key, whose name any client can invent.
const pauseAfterFailureMs = 5000;
const pauseAfterUnknownKeyMs = 10_000;

/** The issuer is down, or its response is invalid. The token may be valid, so the name of this error makes a 503. */
class IssuerOutage extends Error {
  override readonly name = 'ServiceUnavailable';
}

// By issuer, because its metadata is useless without its keys.
const failedAt = new Map<string, number>();

const isWithin = (since: number | undefined, pauseMs: number) =>
  since !== undefined && now() >= since && now() < since + pauseMs;

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

// Usually a wrong setting. The log has only the name of an error, so the name must state the cause.
const wrong = (name: string): Error => Object.assign(new Error(), { name });

const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw wrong('IssuerTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const fetchJson = async <Value>(
  { issuer, onFailure }: Source,
  uri: string,
  read: (document: Json) => Value,
): Promise<Value> => {
  if (isWithin(failedAt.get(issuer), pauseAfterFailureMs))
    throw new IssuerOutage('The last fetch from the issuer of bearer tokens failed.');
  try {
    if (!isSafe(new URL(uri))) throw wrong('IssuerUnsafe');
    const response = await fetch(uri, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) });
    if (!response.ok) throw wrong(`IssuerStatus${response.status}`);
    const value = read(JSON.parse(await readText(response)) as Json);
    failedAt.delete(issuer);
    return value;
  } catch (error) {
    failedAt.set(issuer, now());
    onFailure(error);
    throw new IssuerOutage('The issuer of bearer tokens is unavailable.', { cause: error });
  }
};

// OpenID Connect Discovery 1.0, 4.
const findKeysUri = (source: Source): Promise<string> =>
  fetchJson(source, `${source.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, ({ issuer, jwks_uri }) => {
    if (issuer !== source.issuer) throw wrong('IssuerOther');
    if (typeof jwks_uri !== 'string') throw wrong('IssuerIncomplete');
    return jwks_uri;
  });

/** A key of the issuer: as published, and as a key object of Node's crypto. */
export type SigningKey = { readonly jwk: JWK; readonly native: KeyObject };
type Keys = ReadonlyMap<string, SigningKey>;

// RFC 7518, 3.3.
const rsaBitsMin = 2048;

// RFC 7517, 5: a key with another use or an unknown type is ignored, and the rest of the set stays valid.
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

// If several keys have one name, the first counts; a map would keep the last.
const keysIn = ({ keys }: Json): Keys => {
  if (!Array.isArray(keys)) throw wrong('IssuerWithoutKeys');
  return new Map(keys.flatMap(signingKey).reverse());
};

/**
 * Read the issuer's keys, and read them again when a token names an unknown key, which may be new.
 *
 * Unknown names cause at most one fetch in ten seconds and instance. So a new key works within ten seconds, and known keys
 * work all the time. The library's key set measures its pauses with the machine's clock instead of the service's.
 */
export const readKeys = async (source: Source) => {
  const uri = await findKeysUri(source);
  const read = () => fetchJson(source, uri, keysIn);
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
    if (!keys.has(name) && !isWithin(unknownAt, pauseAfterUnknownKeyMs)) {
      reading ??= readAgain(name);
      await reading;
    }
    return keys.get(name);
  };
};
