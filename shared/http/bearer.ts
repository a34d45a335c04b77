import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { accept, type Result, refuse } from '../result.ts';
import { instanceCache } from './instance-cache.ts';
import type { CheckToken } from './jwt.ts';
import type { Scope } from './routes.ts';

/** What a bearer token says, once it is known to be the issuer's. */
export type Token = { readonly account: string; readonly subject: string; readonly scopes: readonly Scope[] };

/** Checks a bearer token. A refusal is the token's fault; it throws where the issuer cannot be reached. */
export type VerifyToken = (token: string) => Promise<Result<Token>>;

/** The OIDC issuer whose tokens are accepted, whom they must be made for, and where they say what we need. */
export type Issuer = {
  readonly issuer: string;
  /** One of them must be the token's. */
  readonly audience: readonly string[];
  /** The claim that names the account. */
  readonly accountClaim: string;
  /** The claim that holds the scopes: text with spaces, or a list. */
  readonly scopesClaim: string;
  /** What the issuer calls our scopes. */
  readonly scopes: Readonly<Record<Scope, string>>;
};

// An instance can live for hours. A key that the issuer withdraws works for so long …
const keysLifetimeMs = 600_000;
// … and for so long while the issuer cannot be reached, as its outage should not be ours.
const keysLifetimeInOutageMs = 3_600_000;

const refusal = (detail: string) =>
  refuse({ code: 'auth_token_invalid', title: 'Invalid Token', detail, source: { header: 'Authorization' } });

/**
 * Check bearer tokens: JWTs that the configured OIDC issuer signed for us (interface decisions 10).
 *
 * Nothing is loaded before the first token comes, and nothing is fetched before one comes that may be the issuer's.
 */
export const bearerVerifier = (configured: Issuer | null): VerifyToken => {
  if (!configured) return async () => refusal('This service accepts no bearer tokens. Send an API key in X-API-Key.');
  const checks = instanceCache<CheckToken>({ lifetimeMs: keysLifetimeMs, capacity: 1 });
  let last: { readonly check: CheckToken; readonly readAt: number } | undefined;

  const freshOrLast = async (create: () => Promise<CheckToken>): Promise<CheckToken> => {
    try {
      const check = await checks(configured.issuer, create);
      if (check !== last?.check) last = { check, readAt: now() };
      return check;
    } catch (error) {
      if (last && now() < last.readAt + keysLifetimeInOutageMs) return last.check;
      throw error;
    }
  };

  return async (token) => {
    const { createCheck, keyNameOf, notOurs } = await import('./jwt.ts');
    const keyName = keyNameOf(token, configured.issuer);
    if (keyName === null) return refusal(notOurs);
    const check = await freshOrLast(() => createCheck(configured, now));
    const checked = await check(token, keyName);
    return typeof checked === 'string' ? refusal(checked) : accept(checked);
  };
};

/** Check a bearer token as the environment asks. */
export const verifyToken = bearerVerifier(environment.oidc);
