// Invalid tokens are tested in test/integration/accounts-issuer.test.ts, and their response in isolation.test.ts.
// @isolated: the service reads the issuer's settings at import.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { advanceClock } from '../../shared/config/clock.ts';
import type { Call, Caller } from '../support/api.ts';
import { accountClaim, type LocalIssuer, withIssuer } from '../support/issuer.ts';
import { sale } from '../support/sales.ts';

let issuer: LocalIssuer;
let own: Caller;
let call: Call;
/** Returns a valid token for the account, with the given claims overridden. */
let signToken: (claims?: Record<string, unknown>) => Promise<string>;

// The service reads its environment at import, so it is imported after the issuer has started.
beforeAll(async () => {
  issuer = await withIssuer(
    { rsa: 'RS256' },
    { OIDC_SCOPES_CLAIM: 'permissions', OIDC_READ_SCOPE: 'tax:read', OIDC_WRITE_SCOPE: 'tax:write' },
  );
  const api = await import('../support/api.ts');
  own = await api.newCaller();
  call = api.anonymous.call;
  const permissions = ['tax:read', 'tax:write'];
  signToken = (claims = {}) => issuer.sign(issuer.claims({ [accountClaim]: own.account.id, permissions, ...claims }));
});
beforeEach(() => {
  issuer.state.broken = null;
});
afterAll(() => issuer.close());

const get = (headers: Record<string, string>) => call('GET', '/transactions', { headers });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('valid tokens', () => {
  it.each(['shop', 'key_9c1f24ad7be0', 'close-periods', 'draft_expired', 'token:shop', '👍 é', 's'.repeat(255)])(
    'records the subject of a token in the history, and no other credential can have it: %s',
    async (sub) => {
      const headers = bearer(await signToken({ sub }));
      const { body } = await call('POST', '/transactions', { body: sale({ status: 'finalized' }), headers });
      const { body: history } = await own.call('GET', `/transactions/${body.id}/history`);
      expect(history.data).toMatchObject([{ by: `token:${sub}` }]);
    },
  );
});

it("returns 503, not 401, if the issuer's keys are unavailable", async () => {
  const headers = bearer(await issuer.sign(issuer.claims(), { kid: 'unheard-of' }, 'rsa'));
  for (const broken of [{ path: /./ }, { path: /keys$/, status: 200, body: '<html>' }]) {
    issuer.state.broken = broken;
    const { status, body, headers: replied } = await get(headers);
    expect([status, body.errors[0].code, replied.get('WWW-Authenticate')]).toEqual([
      503,
      'system_service_unavailable',
      null,
    ]);
    expect(replied.get('Retry-After')).toBe('1');
    // Tokens signed with a cached key still work.
    expect((await get(bearer(await signToken()))).status).toBe(200);
    advanceClock(5000);
  }
  advanceClock(-10_000);
});
