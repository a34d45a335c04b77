import { beforeAll, describe, expect, it } from 'vitest';
import { type Admission, admissions, figureOf } from '../../shared/cli/bench/admission.ts';
import { newCaller } from '../support/api.ts';

const patience = 120_000;

describe('authentication and the rate limit add no database call to nine of ten requests at 10 requests/s', () => {
  let all: readonly Admission[];
  // Five minutes of the service's clock: a key and an account are read anew each minute, and the limit's window is ten seconds.
  beforeAll(async () => {
    const { account, key } = await newCaller();
    all = await admissions(account.id, key);
  }, patience);

  it.each([
    { at: 0, of: 'API key', readEachMinute: 2 },
    { at: 1, of: 'bearer token, RS256', readEachMinute: 1 },
    { at: 2, of: 'bearer token, ES256', readEachMinute: 1 },
  ])('with $of, where each minute reads $readEachMinute items', ({ at, of, readEachMinute }) => {
    const { added, ...named } = all[at] as Admission;
    expect(named).toEqual({ of });
    const { requests, withCalls, reads, writes, warmUs } = added;
    expect(requests).toBe(3000);
    expect(withCalls).toBeLessThanOrEqual(requests / 10);
    expect(warmUs).toHaveLength(requests - withCalls);
    // At least one lease for each window, and each minute a look at the account: else nothing was counted.
    expect(writes).toBeGreaterThanOrEqual(30);
    expect(reads).toBeGreaterThanOrEqual(5);
    expect(reads).toBeLessThanOrEqual(readEachMinute * 6);
    const figure = figureOf({ of, added });
    expect(figure['requests_without_call_percent']).toBeGreaterThanOrEqual(90);
    expect(figure['median_us']).toBeGreaterThan(0);
  });

  it('of nothing else', () => expect(all).toHaveLength(3));
});
