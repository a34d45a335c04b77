import { answeredAccount } from '../shared/accounts/answer.ts';
import { AccountAnswer } from '../shared/accounts/response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { accept } from '../shared/base/result.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-account',
  method: 'GET',
  path: '/account',
  scope: 'read',
  access: { actions: {} },
  answer: ({ caller }) => accept(answeredAccount(caller.account, caller.scopes)),
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
        example: ({ account }) =>
          answeredAccount({ ...account, id: exampleId.replace('txn', 'acct') }, new Set(['read', 'write'])),
      },
    ],
    errors: [],
  }) satisfies Documentation;
