import { describe, expect, it } from 'vitest';
import { type Added, admissionFigures, admit } from '../../shared/cli/bench/admission.ts';
import { startLocalIssuer } from '../../shared/cli/bench/local-issuer.ts';
import { bearerVerifier } from '../../shared/http/bearer.ts';
import { newCaller } from '../support/api.ts';

// Five minutes of the service's clock: a key and an account are read anew each minute, and the limit's window is ten seconds.
const expectFewCalls = ({ requests, withCalls, reads, writes, warmUs }: Added) => {
  expect(requests).toBe(3000);
  expect(withCalls).toBeLessThanOrEqual(requests / 10);
  expect(warmUs).toHaveLength(requests - withCalls);
  // At least one lease for each window, and each minute a look at the account: else nothing was counted.
  expect(writes).toBeGreaterThanOrEqual(30);
  expect(reads).toBeGreaterThanOrEqual(5);
  return { reads, writes };
};

describe('authentication and the rate limit add no database call to nine of ten requests at 10 requests/s', {
  timeout: 120_000,
}, () => {
  it('with an API key, which is read with its account once a minute', async () => {
    const { key } = await newCaller();
    const { reads } = expectFewCalls(await admit({ name: 'X-API-Key', value: key }));
    expect(reads).toBeLessThanOrEqual(2 * 6);
  });

  it('with a bearer token of either algorithm, for which only the account is read', async () => {
    const { account } = await newCaller();
    const issuer = await startLocalIssuer(account.id);
    try {
      for (const { token } of issuer.tokens) {
        const credential = { name: 'Authorization', value: `Bearer ${token}` } as const;
        const { reads } = expectFewCalls(await admit(credential, bearerVerifier(issuer.configured)));
        expect(reads).toBeLessThanOrEqual(6);
      }
    } finally {
      issuer.stop();
    }
  });

  it('as the bench prints it', async () => {
    const { account, key } = await newCaller();
    const figures = await admissionFigures(account.id, key);
    expect(figures.map(({ of }) => of)).toEqual(['API key', 'bearer token, RS256', 'bearer token, ES256']);
    for (const figure of figures) {
      expect(figure['requests_without_call_percent']).toBeGreaterThanOrEqual(90);
      expect(figure['median_us']).toBeGreaterThan(0);
    }
  });
});
