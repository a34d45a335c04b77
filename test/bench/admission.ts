import { authenticator } from '../../shared/api/authenticate.ts';
import { bearerVerifier, type VerifyToken } from '../../shared/api/bearer.ts';
import { limitRate } from '../../shared/api/limit-rate.ts';
import { requestContext } from '../../shared/api/request-context.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { findAccount } from '../../shared/store/accounts/account-store.ts';
import { findKey, recordKeyUse } from '../../shared/store/accounts/api-key-store.ts';
import { findSession } from '../../shared/store/accounts/session-store.ts';
import { getEvent } from '../support/handler-calls.ts';
import { secondsNow, startIssuer } from '../support/issuer.ts';
import { countDatabaseUse } from './database.ts';
import { type Figure, median, rounded } from './figure.ts';

const minutes = 5;
const perSecond = 10;

type Headers = Readonly<Record<string, string[]>>;
const exchangeWith = (multiValueHeaders: Headers) =>
  requestContext({ ...getEvent('POST', '/calculations'), multiValueHeaders }, () => 10_000);

/**
 * Sends requests of one instance through authentication and the rate limit, at a constant rate by the service's clock.
 */
const admit = async (of: string, headers: Headers, verifyToken: VerifyToken): Promise<Figure> => {
  const authenticate = authenticator({ findKey, findAccount, findSession, verifyToken, recordKeyUse });
  const requests = minutes * 60 * perSecond;
  const warmUs: number[] = [];
  const begun = now();
  let advancedMs = 0;
  const { reads, writes } = await countDatabaseUse(async (used) => {
    for (let request = 0; request < requests; request += 1) {
      const aheadMs = Math.max(0, begun + (request * 1000) / perSecond - now());
      advanceClock(aheadMs);
      advancedMs += aheadMs;
      const context = exchangeWith(headers);
      const before = used.reads + used.writes;
      const start = performance.now();
      await authenticate(context);
      await limitRate(context);
      const us = (performance.now() - start) * 1000;
      await context.backgroundWork;
      if (used.reads + used.writes === before) warmUs.push(us);
    }
  });
  advanceClock(-advancedMs);
  return {
    figure: 'authentication_and_limit',
    of,
    virtual_minutes: minutes,
    requests_per_second: perSecond,
    requests_without_call_percent: rounded((100 * warmUs.length) / requests),
    reads_per_request: rounded(reads / requests),
    writes_per_request: rounded(writes / requests),
    median_us: rounded(median(warmUs)),
  };
};

/** Measures the cost of authentication and the rate limit for an instance, with a key and with bearer tokens. */
export const admissionFigures = async (account: string, apiKey: string): Promise<Figure[]> => {
  const issuer = await startIssuer({ RS256: 'RS256', ES256: 'ES256' });
  const claims = issuer.claims({ levy_account: account, exp: secondsNow() + 24 * 3600 });
  const figures = [await admit('API key', { 'X-API-Key': [apiKey] }, bearerVerifier(null))];
  for (const alg of ['RS256', 'ES256']) {
    const headers = { Authorization: [`Bearer ${await issuer.sign(claims, { alg, kid: alg })}`] };
    figures.push(await admit(`bearer token, ${alg}`, headers, bearerVerifier(issuer.configured)));
  }
  issuer.close();
  return figures;
};
