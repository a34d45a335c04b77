import { createServer } from 'node:http';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { Issuer as Configured } from '../../shared/api/jwt.ts';
import { now } from '../../shared/config/clock.ts';
import { listen } from './http.ts';

type Key = { readonly alg: string; readonly privateKey: CryptoKey; readonly jwk: JWK };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Builds a token from any header, payload and signature, without signing it. */
export const assembled = (header: unknown, payload: unknown, signature = ''): string =>
  `${encode(header)}.${encode(payload)}.${signature}`;

/** The account claim that `withIssuer` configures. */
export const accountClaim = 'https://example.com/levy_account';

export const secondsNow = (): number => Math.floor(now() / 1000);

/** An OIDC issuer over HTTP on loopback that serves its metadata and changing keys. */
export const startIssuer = async (kids: Readonly<Record<string, string>> = { rsa: 'RS256' }) => {
  const signers = new Map<string, Key>();
  const state = {
    /** The requests received, in order. */
    fetched: [] as string[],
    /** The paths that fail, with the kind of failure. */
    broken: null as { readonly path: RegExp; readonly status?: number; readonly body?: string } | null,
    /** The published keys, in order. */
    published: [] as unknown[],
    /** Other fields of the metadata. */
    metadata: {},
  };
  const server = createServer(({ url: path = '' }, response) => {
    state.fetched.push(path);
    const broken = state.broken?.path.test(path) ? state.broken : null;
    response.statusCode = broken ? (broken.status ?? 500) : 200;
    response.setHeader('Access-Control-Allow-Origin', '*');
    const good = path.endsWith('/keys')
      ? { keys: state.published }
      : { issuer: url, jwks_uri: `${url}/keys`, ...state.metadata };
    response.end(broken?.body ?? JSON.stringify(good));
  });
  const { url: origin, close } = await listen(server);
  const url = `${origin}/realms/shop`;

  /** Creates a key with this id and publishes it. */
  const publish = async (kid: string, alg: string, others: JWK = {}): Promise<Key> => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const key = { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig', ...others } };
    signers.set(kid, key);
    state.published.push(key.jwk);
    return key;
  };
  const getKey = (kid: string): Key => {
    const key = signers.get(kid);
    if (!key) throw new Error(`The issuer has no key ${kid}.`);
    return key;
  };
  for (const [kid, alg] of Object.entries(kids)) await publish(kid, alg);
  const [firstKid = 'rsa'] = Object.keys(kids);

  const claims = (others: Record<string, unknown> = {}): JWTPayload => ({
    iss: url,
    aud: 'levy',
    sub: 'shop',
    exp: secondsNow() + 300,
    levy_account: 'acc_a',
    scope: 'openid levy/read levy/write levy/admin',
    ...others,
  });

  return {
    url,
    state,
    claims,
    publish,
    getKey,
    /** The service's settings for this issuer. */
    configured: {
      issuer: url,
      audience: ['levy', 'levy-batch'],
      accountClaim: 'levy_account',
      scopesClaim: 'scope',
      scopes: { read: 'levy/read', write: 'levy/write', settings: 'levy/settings' },
    } satisfies Configured,
    /** Creates a token signed with a key of this issuer. `undefined` claims are omitted. */
    sign: (payload: JWTPayload = claims(), header: Partial<JWTHeaderParameters> = {}, by = header.kid ?? firstKid) => {
      const { alg, privateKey } = getKey(by);
      return new SignJWT(payload).setProtectedHeader({ alg, kid: firstKid, ...header }).sign(privateKey);
    },
    /** Withdraws a key: it is no longer published, but can still sign. */
    withdraw: (kid: string) => {
      state.published = state.published.filter((key) => (key as JWK | null)?.kid !== kid);
    },
    close,
  };
};
export type LocalIssuer = Awaited<ReturnType<typeof startIssuer>>;

/**
 * Starts an issuer and configures the service for it. The service reads its environment when it is loaded, so modules
 * that load it must be imported afterwards.
 */
export const withIssuer = async (
  kids: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
) => {
  const issuer = await startIssuer(kids);
  const settings = {
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: 'levy, levy-batch',
    OIDC_ACCOUNT_CLAIM: accountClaim,
    ...others,
  };
  Object.assign(process.env, settings);
  const close = () => {
    issuer.close();
    for (const name of Object.keys(settings)) delete process.env[name];
  };
  return { ...issuer, close };
};
