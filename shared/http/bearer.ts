import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Scope } from './exchange.ts';
import { instanceCache } from './instance-cache.ts';
import type { CheckToken } from './jwt.ts';

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
// Whoever asks it meanwhile may wait for seconds, for what is at hand. One request a minute has to.
const pauseInOutageMs = 60_000;

const countFailure = (error: unknown): void =>
  countMetric('IssuerUnavailable', { error: failureLine(error).error }, now());

const refusal = (detail: string) =>
  refuse({ code: 'auth_token_invalid', title: 'Invalid Token', detail, source: { header: 'Authorization' } });

/**
 * Check bearer tokens: JWTs that the configured OIDC issuer signed for us (interface decisions 10).
 *
 * Nothing is loaded before the first token comes, and nothing is fetched before one comes that may be the issuer's. Each
 * time that the issuer cannot be asked is counted in the metric IssuerUnavailable, with what is wrong as the error's name.
 */
export const bearerVerifier = (configured: Issuer | null): VerifyToken => {
  if (!configured) return async () => refusal('This service accepts no bearer tokens. Send an API key in X-API-Key.');
  const checks = instanceCache<CheckToken>({ lifetimeMs: keysLifetimeMs, capacity: 1 });
  let last: { readonly check: CheckToken; readonly readAt: number } | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const freshOrLast = async (create: () => Promise<CheckToken>): Promise<CheckToken> => {
    // The local service's clock can be set back, and then there was no failure.
    const isPaused = now() < pausedUntil && now() >= pausedUntil - pauseInOutageMs;
    if (isPaused && last && now() < last.readAt + keysLifetimeInOutageMs) return last.check;
    try {
      const check = await checks(configured.issuer, create);
      if (check !== last?.check) last = { check, readAt: now() };
      return check;
    } catch (error) {
      pausedUntil = now() + pauseInOutageMs;
      if (last && now() < last.readAt + keysLifetimeInOutageMs) return last.check;
      throw error;
    }
  };

  return async (token) => {
    const { createCheck, keyNameOf, notOurs } = await import('./jwt.ts');
    const keyName = keyNameOf(token, configured.issuer);
    if (keyName === null) return refusal(notOurs);
    const check = await freshOrLast(() => createCheck(configured, { now, onFailure: countFailure }));
    const checked = await check(token, keyName);
    return typeof checked === 'string' ? refusal(checked) : accept(checked);
  };
};

/** Check a bearer token as the environment asks. */
export const verifyToken = bearerVerifier(environment.oidc);
