import { accept, type Result, refuse } from '../base/result.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import type { CheckToken, Issuer, Token } from './jwt.ts';

/** Checks a bearer token. Refuses an invalid token, and throws if the issuer cannot be reached. */
export type VerifyToken = (token: string) => Promise<Result<Token>>;

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
  let check: CheckToken | undefined;
  return async (token) => {
    const { createCheck } = await import('./jwt.ts');
    check ??= createCheck(configured, countFailure);
    const checked = await check(token);
    return typeof checked === 'string' ? refusal(checked) : accept(checked);
  };
};

/** Checks a bearer token against the issuer configured in the environment. */
export const verifyToken = bearerVerifier(environment.oidc);
