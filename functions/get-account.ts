import { accountResponse, settingsTag } from '../shared/accounts/account-response.ts';
import { AccountResponse } from '../shared/accounts/response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { accept } from '../shared/base/result.ts';
import { findAccount, listSettingChanges } from '../shared/store/accounts/account-store.ts';
import { listKeyNames } from '../shared/store/accounts/api-key-store.ts';
import { settingChanges } from '../shared/store/keys.ts';
import { callerPartitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-account',
  method: 'GET',
  path: '/account',
  scope: 'read',
  // The queries look up the names of the account's keys and list the changes of its settings.
  access: {
    actions: { accounts: ['GetItem', 'UpdateItem', 'Query'] },
    partitions: { accounts: [...callerPartitions, settingChanges('*')] },
  },
  run: async ({ caller: { account: known, scopes } }) => {
    // Read without the cache: the instance's copy can be a minute old, but the ETag for an update must be current.
    const account = (await findAccount(known.id)) ?? known;
    const [api_keys, changes] = await Promise.all([listKeyNames(account.id), listSettingChanges(account.id)]);
    const body = { ...accountResponse(account, scopes), api_keys, changes };
    return accept({ status: 200, body, headers: { ETag: settingsTag(account) } });
  },
});

export const documentation = (): Documentation => ({
  summary: 'Retrieve the account',
  description:
    'Returns the account of the credential, the scopes of the credential, and the settings that affect calculations and filings. A changed setting is returned immediately, and applies to all requests within a minute.',
  response: {
    description: 'The account.',
    schema: AccountResponse,
    example: ({ account }) => ({
      ...accountResponse({ ...account, id: exampleId.replace('txn', 'acct') }, new Set(['read', 'write'])),
      api_keys: [{ id: exampleId.replace('txn', 'key'), label: 'Finance' }],
      changes: [],
    }),
    headers: ['ETag'],
  },
});
