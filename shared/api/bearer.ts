import { instanceCache } from '../base/instance-cache.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import type { CheckToken, Issuer, Token } from './jwt.ts';

/** Checks a bearer token. Refuses an invalid token, and throws if the issuer cannot be reached. */
export type VerifyToken = (token: string) => Promise<Result<Token>>;

// TTL of the signing keys: the longest time that a withdrawn key still works.
const keysLifetimeMs = 600_000;
// TTL during an outage of the issuer, so clients can still authenticate.
const keysLifetimeInOutageMs = 3_600_000;
// During an outage a fetch can take seconds, so only one request per minute attempts it.
const pauseInOutageMs = 60_000;

const countFailure = (error: unknown): void =>
  countMetric('IssuerUnavailable', { error: failureLine(error).error }, now());

const refusal = (detail: string) =>
  refuse({ code: 'auth_token_invalid', title: 'Invalid Token', detail, source: { header: 'Authorization' } });

/**
 * Checks bearer tokens: JWTs that the configured OIDC issuer signed for this service. The verifier is loaded for the
 * first token, and fetches keys for the first token from that issuer. Each failed fetch counts in the metric
 * IssuerUnavailable, with the error's name.
 */
export const bearerVerifier = (configured: Issuer | null): VerifyToken => {
  if (!configured) return async () => refusal('This service accepts no bearer tokens. Send an API key in X-API-Key.');
  const checks = instanceCache<CheckToken>({ lifetimeMs: keysLifetimeMs, capacity: 1 });
  let last: { readonly check: CheckToken; readonly readAt: number } | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const freshOrLast = async (create: () => Promise<CheckToken>): Promise<CheckToken> => {
    // The local service's clock can be set back to before the failure.
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
    const { createCheck, readKeyName, notOurs } = await import('./jwt.ts');
    const keyName = readKeyName(token, configured.issuer);
    if (keyName === null) return refusal(notOurs);
    const check = await freshOrLast(() => createCheck(configured, countFailure));
    const checked = await check(token, keyName);
    return typeof checked === 'string' ? refusal(checked) : accept(checked);
  };
};

/** Checks a bearer token against the issuer configured in the environment. */
export const verifyToken = bearerVerifier(environment.oidc);
