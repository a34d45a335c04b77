import { expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { synthesize, withoutBundling } from './synthesized.ts';

const issuer = 'https://login.example.com/';
const environments = (context: Record<string, unknown>) =>
  Object.fromEntries(
    synthesize({ ...withoutBundling, ...context })
      .ofType('AWS::Lambda::Function')
      .map(([id, { Properties }]) => [id.toLowerCase(), Properties['Environment']?.Variables ?? {}]),
  );

it('tells where tokens come from to every function that authenticates, and to no other', () => {
  const told = environments({ oidcIssuer: issuer, oidcAudience: 'levy' });
  const authenticating = Object.entries(endpoints).filter(([, { scope }]) => scope !== null);
  const names = authenticating.map(([operation]) => operation.replaceAll('-', ''));
  for (const [id, variables] of Object.entries(told)) {
    const expected = names.includes(id) ? [issuer, 'levy'] : [undefined, undefined];
    expect([id, variables.OIDC_ISSUER, variables.OIDC_AUDIENCE]).toEqual([id, ...expected]);
  }
});

it('tells the names of claims and scopes where they are chosen, and leaves the rest to the service', () => {
  const chosen = {
    oidcAccountClaim: 'https://example.com/levy_account',
    oidcScopesClaim: 'permissions',
    oidcReadScope: 'tax:read',
    oidcWriteScope: 'tax:write',
  };
  const told = environments({ oidcIssuer: issuer, oidcAudience: 'one,two', ...chosen });
  expect(told['createcalculation']).toMatchObject({
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: 'one,two',
    OIDC_ACCOUNT_CLAIM: 'https://example.com/levy_account',
    OIDC_SCOPES_CLAIM: 'permissions',
    OIDC_READ_SCOPE: 'tax:read',
    OIDC_WRITE_SCOPE: 'tax:write',
  });
  expect(environments({ oidcIssuer: issuer, oidcAudience: 'levy' })['createcalculation']).not.toHaveProperty(
    'OIDC_SCOPES_CLAIM',
  );
});

it('names no issuer unless told', () => {
  for (const variables of Object.values(environments({}))) expect(variables).not.toHaveProperty('OIDC_ISSUER');
});

it.each([
  { given: { oidcIssuer: issuer }, because: 'every token would be refused' },
  { given: { oidcAudience: 'levy' }, because: 'every token would be refused' },
  { given: { oidcScopesClaim: 'scp' }, because: 'nobody issues the tokens' },
  { given: { oidcIssuer: 'http://login.example.com', oidcAudience: 'levy' }, because: 'keys must come over TLS' },
])('stops at $given, as $because', ({ given }) => {
  expect(() => environments(given)).toThrow(/oidc/);
});

it('names no emulator outside of SAM', () => {
  for (const variables of Object.values(environments({}))) expect(variables).not.toHaveProperty('DYNAMODB_ENDPOINT');
});
