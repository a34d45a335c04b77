import { answeredAccount } from '../shared/accounts/answer.ts';
import { AccountAnswer } from '../shared/accounts/response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { accept } from '../shared/base/result.ts';
import { listKeyNames } from '../shared/store/accounts/api-key-store.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-account',
  method: 'GET',
  path: '/account',
  scope: 'read',
  // The query names the keys of the account.
  access: { actions: { accounts: ['GetItem', 'UpdateItem', 'Query'] } },
  answer: async ({ caller: { account, scopes } }) =>
    accept({ ...answeredAccount(account, scopes), api_keys: await listKeyNames(account.id) }),
});

export const documentation = () =>
  ({
    group: 'Look up codes and coverage',
    tag: 'Account',
    summary: 'Retrieve the account',
    description:
      'The account of the credential, what the credential may do, and the settings that decide calculations and filings. A change of a setting is visible within a minute.',
    responses: [
      {
        status: 200,
        description: 'The account.',
        schema: AccountAnswer,
        example: ({ account }) => ({
          ...answeredAccount({ ...account, id: exampleId.replace('txn', 'acct') }, new Set(['read', 'write'])),
          api_keys: [{ id: exampleId.replace('txn', 'key'), label: 'Finance' }],
        }),
      },
    ],
    errors: [],
  }) satisfies Documentation;
