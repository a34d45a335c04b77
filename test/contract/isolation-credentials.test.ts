import { describe, expect, it } from 'vitest';
import { bytesOf, call, closedOperations, requestsTo, two, withCalls } from '../support/isolation.ts';
import type { ClosedOperation, Headers, Ids, RequestArgs, TwoAccounts } from '../support/two-accounts.ts';

const refused = {
  'no credential': '401 auth_error X-API-Key',
  'an unknown key': '401 auth_api_key_not_found X-API-Key',
  'a misspelt key': '401 auth_api_key_not_found X-API-Key',
  'a revoked key': '401 auth_api_key_not_found X-API-Key',
  'an expired key': '401 auth_api_key_expired X-API-Key',
  "the account's id for a key": '401 auth_api_key_not_found X-API-Key',
  'a token with another signature': '401 auth_token_invalid Authorization',
  'an expired token': '401 auth_token_invalid Authorization',
  'a token of no account': '401 auth_token_invalid Authorization',
  'a key of one and a token of the other': '401 auth_error X-API-Key',
} as const;

/** The POST requests that change nothing, written by hand. Every other one needs the scope write. */
const readingPosts = ['create-calculation', 'create-reconciliation', 'replay-transaction'];
const scopeOf = (operation: ClosedOperation) =>
  /^(get|list)-/.test(operation) || readingPosts.includes(operation) ? 'read' : 'write';
const forbidden = { read: '403 auth_forbidden read', write: '403 auth_forbidden write' } as const;
const absent = {
  draft: 'txn_01KAAAAAAAAAAAAAAAAAAAAAAA',
  filing: 'fil_01KAAAAAAAAAAAAAAAAAAAAAAA',
  customer: 'nobody',
};

const asking =
  ([method, path, request = {}]: RequestArgs, headers: Headers) =>
  () =>
    call(method, path, { ...request, headers });
const shortOf = ({ status, body }: Awaited<ReturnType<typeof call>>): string => {
  const [error, ...more] = body?.errors ?? [];
  return error ? [status, error.code, error.source.header ?? error.meta.scope, ...more].join(' ') : String(status);
};
const asked = async (
  operation: ClosedOperation,
  credential: keyof TwoAccounts['credentials'],
  ids?: Pick<Ids, 'draft' | 'filing' | 'customer'>,
) => withCalls(asking(requestsTo(ids ?? two.owner)[operation], two.credentials[credential]));

describe.each(closedOperations)('%s', (operation) => {
  const scope = scopeOf(operation);
  const status = operation === 'create-transaction' ? 201 : 200;

  it.each(Object.entries(refused))(
    'refuses %s for every resource, and reads nothing for it',
    async (name, expected) => {
      const credential = name as keyof typeof refused;
      const { value, calls } = await asked(operation, credential);
      expect([shortOf(value), calls]).toEqual([expected, []]);
      expect(value.headers.get('WWW-Authenticate')).toMatch(
        /^ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"/,
      );
      const other = await asked(operation, credential, absent);
      expect(bytesOf(value)).toEqual(bytesOf(other.value));
    },
  );

  const lacking =
    scope === 'read' ? (['a key that only writes'] as const) : (['a read-only key', 'a read-only token'] as const);
  it.each(lacking)('refuses %s for every resource, and reads nothing for it', async (credential) => {
    const { value, calls } = await asked(operation, credential);
    expect([shortOf(value), calls]).toEqual([forbidden[scope], []]);
    const other = await asked(operation, credential, absent);
    expect(bytesOf(value)).toEqual(bytesOf(other.value));
  });

  const having =
    scope === 'read' ? (['a read-only key', 'a read-only token'] as const) : (['a key that only writes'] as const);
  it.each([...having, 'a good key', 'a good token'] as const)('serves %s', async (credential) => {
    const { value } = await asked(operation, credential);
    // Filing is accepted (202) as long as work is left, and is done (200) when the request is repeated.
    const done = value.status === 202 && operation === 'update-filing' ? '200' : shortOf(value);
    expect(done).toBe(String(status));
  });
});
