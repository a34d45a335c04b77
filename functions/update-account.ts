import { accountResponse, settingsTag } from '../shared/accounts/account-response.ts';
import { AccountResponse } from '../shared/accounts/response.ts';
import { forgetAccount } from '../shared/api/authenticate.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIfMatch } from '../shared/api/entity-tag.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { mapResult, type Problem } from '../shared/base/result.ts';
import { accountResponseFields } from '../shared/calculations/response-fields.ts';
import { AccountUpdate, accountUpdateProblems, toSettings } from '../shared/settings/request.ts';
import { openPeriodsExample, otherSettings, updateAccount } from '../shared/settings/update-account.ts';
import { filingReads } from '../shared/store/filings/filing-reads.ts';
import { accountKey, settingChanges } from '../shared/store/keys.ts';
import { callerPartitions, partitions } from '../shared/store/table-access.ts';

// Unknown settings are refused, because a misspelled setting would be silently ignored.
const unknownSetting = (pointer: string): Problem => ({
  code: 'validation_unknown_field',
  title: `Unknown setting ${pointer.slice(pointer.lastIndexOf('/') + 1)}`,
  detail: `Send a setting of POST /account. Only the operator of the service can change other settings.`,
  source: { pointer },
});

export const { endpoint, handler } = defineEndpoint({
  name: 'update-account',
  method: 'POST',
  path: '/account',
  scope: 'settings',
  access: {
    actions: { accounts: ['GetItem', 'UpdateItem', 'PutItem'], transactions: ['PutItem'] },
    partitions: { accounts: [...callerPartitions, settingChanges('*')], transactions: [partitions.due] },
    readOnly: [['Query', partitions.openEntries]],
    accountWrites: { UpdateItem: [accountKey('*').pk], PutItem: [settingChanges('*')] },
  },
  body: {
    schema: AccountUpdate,
    ignored: accountResponseFields,
    inspect: accountUpdateProblems,
    refuseUnknown: unknownSetting,
  },
  run: async ({ body, caller: { account, credential, scopes }, context }) => {
    const change = { by: credential, ifMatch: readIfMatch(context.headers.get('if-match')) };
    const updated = await updateAccount(account.id, toSettings(body), change, filingReads);
    forgetAccount(account.id);
    return mapResult(updated, (changed) => ({
      status: 200,
      body: accountResponse(changed, scopes),
      headers: { ETag: settingsTag(changed) },
    }));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Update the account',
  description: [
    'Changes the settings that are sent. A list replaces the whole stored list. The change applies to new requests within a minute; recorded transactions keep their amounts, and closed filings do not change. A change that would exclude open periods with sales or credits is refused.',
    'The credential needs the scope `settings`, which the key of a storefront should not have. `changes` of `GET /account` lists who changed which setting. A repeated request changes nothing. The operator changes all other settings, such as the rate limit.',
  ].join('\n\n'),
  requestHeaders: ['IfMatch'],
  requests: {
    registrations: {
      summary: 'Set the registrations',
      value: { registrations: [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' }] },
    },
  },
  response: {
    description: 'The account after the change.',
    schema: AccountResponse,
    example: ({ account }) =>
      accountResponse(
        { ...account, id: exampleId.replace('txn', 'acct') },
        new Set(['read', 'write', 'settings'] as const),
      ),
    headers: ['ETag'],
  },
  errorExamples: () => [otherSettings, openPeriodsExample],
});
