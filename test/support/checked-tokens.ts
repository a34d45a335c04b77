/** For a test file: a local issuer, a fresh check of its tokens before each test, and a clock that is set back after it. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { bearerVerifier, type VerifyToken } from '../../shared/api/bearer.ts';
import { advanceClock } from '../../shared/config/clock.ts';
import { type LocalIssuer, secondsNow, startIssuer } from './issuer.ts';

export let issuer: LocalIssuer;
export let verify: VerifyToken;
let advancedMs = 0;

export const advance = (byMs: number) => {
  advancedMs += byMs;
  advanceClock(byMs);
};
export const fresh = (others: Partial<LocalIssuer['configured']> = {}) =>
  bearerVerifier({ ...issuer.configured, ...others });
/** A good token by the clock of the service, wherever it is. */
export const sign = (kid = 'rsa') =>
  issuer.sign(issuer.claims({ exp: secondsNow() + advancedMs / 1000 + 300 }), { kid });
export const good = { ok: true, value: { account: 'acc_a', subject: 'shop', scopes: ['read', 'write'] } };
export const refused = { ok: false, problems: [{ code: 'auth_token_invalid', source: { header: 'Authorization' } }] };

beforeAll(async () => {
  issuer = await startIssuer({
    rsa: 'RS256',
    'rsa-384': 'RS384',
    'rsa-512': 'RS512',
    elliptic: 'ES256',
    'elliptic-384': 'ES384',
    'elliptic-512': 'ES512',
    edwards: 'EdDSA',
    stranger: 'RS256',
  });
  issuer.withdraw('stranger');
});
beforeEach(() => {
  issuer.state.broken = null;
  issuer.state.fetched = [];
  verify = fresh();
});
afterEach(() => {
  advanceClock(-advancedMs);
  advancedMs = 0;
});
afterAll(() => issuer.close());
