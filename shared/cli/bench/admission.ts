import { advanceClock, now } from '../../config/clock.ts';
import { authenticator } from '../../http/authenticate.ts';
import { bearerVerifier } from '../../http/bearer.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { limitRate } from '../../http/limit-rate.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { findKey, recordKeyUse } from '../../store/accounts/api-key-store.ts';
import { database } from '../../store/client/client.ts';
import { eventOf } from './event.ts';
import { type Figure, median, rounded } from './figure.ts';
import { startLocalIssuer } from './local-issuer.ts';

/** A header that says who calls. */
export type Credential = { readonly name: 'X-API-Key' | 'Authorization'; readonly value: string };

/** What authentication and the rate limit added to some requests. */
export type Added = {
  readonly requests: number;
  /** Requests that needed the database at all. */
  readonly withCalls: number;
  readonly reads: number;
  readonly writes: number;
  /** What each request without a call took, in microseconds. */
  readonly warmUs: readonly number[];
};

export type Admission = { readonly of: string; readonly added: Added };

const minutes = 5;
const perSecond = 10;

const exchangeWith = ({ name, value }: Credential) =>
  exchangeOf(
    { ...eventOf({ operation: 'create-calculation', apiKey: '' }), multiValueHeaders: { [name]: [value] } },
    () => 10_000,
  );

// Counts the calls of one request. Those that go on beside it are its own, too: it ends with them.
const counting = () => {
  const seen = { reads: 0, writes: 0 };
  database.middlewareStack.add(
    (next, { commandName = '' }) =>
      (sent) => {
        seen[/^(Get|BatchGet|Query)/.test(commandName) ? 'reads' : 'writes'] += 1;
        return next(sent);
      },
    { step: 'initialize', name: 'count-admission' },
  );
  return { seen, stop: () => void database.middlewareStack.remove('count-admission') };
};

/** The service's clock by hand, and never back: what really passes hardly counts, however slow the machine is. */
const clockByHand = () => {
  const begun = now();
  let moved = 0;
  const moveBy = (byMs: number): void => {
    moved += byMs;
    advanceClock(byMs);
  };
  return { setTo: (ms: number) => moveBy(Math.max(0, begun + ms - now())), putBack: () => moveBy(-moved) };
};

/** Send requests to one instance's door at a steady rate of the service's clock, which is put back afterwards. */
const admit = async (
  credential: Credential,
  verifyToken: ReturnType<typeof bearerVerifier> = bearerVerifier(null),
): Promise<Added> => {
  const authenticate = authenticator({ findKey, findAccount, verifyToken, recordKeyUse });
  const { seen, stop } = counting();
  const clock = clockByHand();
  const requests = minutes * 60 * perSecond;
  const added = { requests, withCalls: 0, reads: 0, writes: 0, warmUs: [] as number[] };
  try {
    for (let request = 0; request < requests; request += 1) {
      clock.setTo((request * 1000) / perSecond);
      Object.assign(seen, { reads: 0, writes: 0 });
      const exchange = exchangeWith(credential);
      const begun = performance.now();
      await authenticate(exchange);
      await limitRate(exchange);
      const us = (performance.now() - begun) * 1000;
      await exchange.beside;
      added.reads += seen.reads;
      added.writes += seen.writes;
      if (seen.reads + seen.writes > 0) added.withCalls += 1;
      else added.warmUs.push(us);
    }
    return added;
  } finally {
    clock.putBack();
    stop();
  }
};

/** What was added, as the bench prints it. */
export const figureOf = ({ of, added: { requests, withCalls, reads, writes, warmUs } }: Admission): Figure => ({
  figure: 'authentication_and_limit',
  of,
  virtual_minutes: minutes,
  requests_per_second: perSecond,
  requests_without_call_percent: rounded((100 * (requests - withCalls)) / requests),
  reads_per_request: rounded(reads / requests),
  writes_per_request: rounded(writes / requests),
  median_us: rounded(median(warmUs)),
});

/** What authentication and the limit add to the requests of an instance that gets ten a second, by kind of credential. */
export const admissions = async (account: string, apiKey: string): Promise<Admission[]> => {
  const issuer = await startLocalIssuer(account);
  try {
    const all = [{ of: 'API key', added: await admit({ name: 'X-API-Key', value: apiKey }) }];
    for (const { algorithm, token } of issuer.tokens) {
      const credential = { name: 'Authorization', value: `Bearer ${token}` } as const;
      all.push({ of: `bearer token, ${algorithm}`, added: await admit(credential, bearerVerifier(issuer.configured)) });
    }
    return all;
  } finally {
    issuer.stop();
  }
};

/** The same as figures. */
export const admissionFigures = async (account: string, apiKey: string): Promise<Figure[]> =>
  (await admissions(account, apiKey)).map(figureOf);
