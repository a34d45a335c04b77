import * as z from 'zod/mini';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { accept, type Result, refuse } from '../result.ts';
import { instanceCache } from './instance-cache.ts';
import type { Scope } from './routes.ts';

/** What a bearer token says, once it is known to be the issuer's. */
export type Token = { readonly account: string; readonly subject: string; readonly scopes: readonly Scope[] };

/** Checks a bearer token. A refusal is the token's fault; it throws where the issuer cannot be reached. */
export type VerifyToken = (token: string) => Promise<Result<Token>>;

/** The OIDC issuer whose tokens are accepted, and the audience that they must be made for. */
export type Issuer = { readonly issuer: string; readonly audience: string };

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

// `exp` is optional in a JWT, but not here: a token that never ends could not be taken back.
const Claims = z.object({
  exp: z.number(),
  sub: z.string().check(z.minLength(1), z.maxLength(255)),
  levy_account: z.string().check(z.minLength(1), z.maxLength(64)),
  scope: z._default(z.string(), ''),
});

const scopeOf = { 'levy/read': 'read', 'levy/write': 'write' } as const satisfies Record<string, Scope>;
const fetchTimeoutMs = 3000;
// The issuer may withdraw a signing key; an instance can live for hours.
const verifierLifetimeMs = 3_600_000;

const refusal = (detail: string) =>
  refuse({ code: 'auth_token_invalid', title: 'Invalid Token', detail, source: { header: 'Authorization' } });

// Under this name it is answered with 503: the issuer is down, and the token may well be good.
class IssuerOutage extends Error {
  override readonly name = 'ServiceUnavailable';
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

// The package's own fetcher speaks https only; this one also reaches an issuer on the developer's machine.
const fetchDocument = async (uri: string): Promise<ArrayBuffer> => {
  if (!isSafe(new URL(uri))) throw new IssuerOutage('Signing keys are read over https, or from this machine.');
  try {
    const response = await fetch(uri, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) });
    if (response.ok) return await response.arrayBuffer();
    throw new Error(`The issuer answers ${response.status}.`);
  } catch (error) {
    throw new IssuerOutage('The issuer of bearer tokens cannot be reached.', { cause: error });
  }
};

// OpenID Connect Discovery 1.0, 4: issuers differ in where they keep their keys, not in where they say so.
const findKeys = async (issuer: string): Promise<string> => {
  const document = await fetchDocument(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  try {
    const described = Discovery.parse(JSON.parse(Buffer.from(document).toString()));
    if (described.issuer === issuer) return described.jwks_uri;
    throw new Error('The issuer describes another one.');
  } catch (error) {
    throw new IssuerOutage('The issuer of bearer tokens does not describe itself.', { cause: error });
  }
};

// Loaded with the first token: most callers send a key.
const createVerifier = async ({ issuer, audience }: Issuer) => {
  const { JwtVerifier, SimpleJwksCache } = await import('./jwt.ts');
  const jwksCache = new SimpleJwksCache({ fetcher: { fetch: fetchDocument } });
  return JwtVerifier.create({ issuer, audience, jwksUri: await findKeys(issuer) }, { jwksCache });
};

const tokenOf = (payload: unknown): Result<Token> => {
  const claims = Claims.safeParse(payload);
  if (!claims.success)
    return refusal('The token must carry the claims exp, sub and levy_account (the account it is for).');
  const { exp, sub, levy_account, scope } = claims.data;
  // The package asks the machine's clock, and the local service's can be ahead of it.
  if (exp * 1000 <= now()) return refusal('The token has expired. Ask its issuer for a new one.');
  const scopes = scope
    .split(' ')
    .flatMap((name) => (Object.hasOwn(scopeOf, name) ? [scopeOf[name as keyof typeof scopeOf]] : []));
  return accept({ account: levy_account, subject: sub, scopes });
};

/**
 * Check bearer tokens: JWTs that the configured OIDC issuer signed for us (interface decisions 10).
 *
 * The claim `levy_account` names the account, and `scope` grants `levy/read` and `levy/write`. Nothing is set up or
 * fetched before the first token comes.
 */
export const bearerVerifier = (configured: Issuer | null): VerifyToken => {
  if (!configured) return async () => refusal('This service accepts no bearer tokens. Send an API key in X-API-Key.');
  const verifiers = instanceCache<Awaited<ReturnType<typeof createVerifier>>>({
    lifetimeMs: verifierLifetimeMs,
    capacity: 1,
  });
  return async (token) => {
    const verifier = await verifiers(configured.issuer, () => createVerifier(configured));
    try {
      return tokenOf(await verifier.verify(token));
    } catch (error) {
      // Anything else is the token's fault, also what Node's crypto says of a signature that does not fit its key.
      if (error instanceof IssuerOutage) throw error;
      return refusal('The token is not one that our issuer has signed for this service, or it is no longer valid.');
    }
  };
};

/** Check a bearer token as the environment asks. */
export const verifyToken = bearerVerifier(environment.oidc);
