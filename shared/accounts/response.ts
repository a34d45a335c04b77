import * as z from 'zod/mini';
import {
  array,
  component,
  described,
  integer,
  nullable,
  nullableString,
  string,
  stringEnum,
} from '../base/described.ts';
import { date, objectType, timestamp } from '../base/response-scalars.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { collectsIn, frequencies } from './account.ts';
import { scopes } from './api-key.ts';
import { plainSettings, ReturnIdentity } from './setting-schemas.ts';

const Registration = component('Registration', 'A registration to collect tax in a state.', {
  state: string('The code of the state, such as `US-MI`.'),
  from: described(date, 'The first day of the registration.'),
  to: nullable(date, 'The last day. `null` if there is none.'),
  frequency: stringEnum('FilingFrequency', frequencies, 'How often the state requires a return.'),
});

const Election = component('AccountElection', 'A simplified rate for remote sellers that the account elected.', {
  state: string('The code of the state, such as `US-TX`.'),
  election: string('The rate that replaces the rates of the address.'),
  from: described(date, 'The first day.'),
  to: nullable(date, 'The last day. `null` if there is none.'),
});

const SettingChange = component('SettingChange', 'A change of a setting.', {
  at: described(timestamp, 'When it was changed.'),
  by: string('The id of the API key, `token:` and the subject of a token, or `operator`.'),
  setting: string('The name of the setting.'),
  before: string('The value before, as JSON.'),
  after: string('The value after, as JSON.'),
});

/** The response of GET /account. */
export const AccountResponse = component(
  'Account',
  'The account of a credential. `POST /account` changes the settings for finance. The operator can change all settings.',
  {
    object: objectType('account'),
    id: string('The id of the account.'),
    name: string('The name of the account.'),
    scopes: array(stringEnum('Scope', scopes, 'A scope.'), 'The permissions of the credential of this request.'),
    collects_in: stringEnum(
      'CollectsIn',
      collectsIn,
      'Where the account collects tax: in the states of `registrations`, or in every state. With `not_set`, in every state and with the warning `registrations_missing`.',
    ),
    registrations: array(Registration, 'The registrations. Empty unless `collects_in` is `registered_states`.'),
    draft_ttl_hours: integer('Hours from the creation of a draft until it expires.'),
    books_open_from: described(date, "The first day of the account's books."),
    remote_seller_elections: array(Election, 'The simplified rates for remote sellers that the account elected.'),
    ...plainSettings,
    return_identity: described(
      z.optional(z.nullable(ReturnIdentity)),
      'Who files the returns: name, taxpayer number and account numbers. `null` if it is not set. Only for credentials with the scope `settings`.',
    ),
    ship_from: nullable(PostalAddress, 'The default address from which the account ships.'),
    api_keys: described(
      z.optional(
        z.array(
          component('ApiKeyName', 'The id and the label of an API key, never its secret.', {
            id: string('The id of the key, such as the `by` of a history entry.'),
            label: nullableString("The operator's name for the user of the key."),
          }),
        ),
      ),
      'All API keys of the account, including revoked and expired ones, to show their labels instead of their ids.',
    ),
    settings_changed_at: nullable(timestamp, 'When a setting was last changed. `null` if never.'),
    changes: described(
      z.optional(z.array(SettingChange)),
      'The last 50 changes of settings, newest first. Taxpayer and account numbers are left out.',
    ),
    service_version: string('The API version that requests without `Service-Version` get.'),
  },
);
export type AccountResponse = z.infer<typeof AccountResponse>;
