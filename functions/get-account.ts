import { answeredAccount } from '../shared/accounts/answer.ts';
import { accept } from '../shared/base/result.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-account',
  method: 'GET',
  path: '/account',
  scope: 'read',
  access: { actions: {} },
  tag: 'Account',
  summary: 'Retrieve the account',
  description:
    'The account of the credential, what the credential may do, and the settings that decide calculations and filings. A change of a setting is visible within a minute.',
  responses: [{ status: 200, description: 'The account.', schema: 'AccountAnswer' }],
  errors: [],
  run: async ({ caller }) => accept(ok(answeredAccount(caller.account, caller.scopes))),
});
