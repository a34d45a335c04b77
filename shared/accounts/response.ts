import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { date, objectType, timestamp } from '../base/response-scalars.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { frequencies, ReturnIdentity, retailDeliveryFees } from './account.ts';
import { scopes } from './api-key.ts';

const Registration = described(
  z.object({
    state: described(z.string(), 'The code of the state, such as `US-MI`.'),
    from: described(date, 'The first day of the registration.'),
    to: described(z.nullable(date), 'The last day. `null` if there is none.'),
    frequency: described(z.enum(frequencies), 'How often the state requires a return.', {
      title: 'FilingFrequency',
    }),
  }),
  'A registration to collect tax in a state.',
  { id: 'Registration' },
);

const Election = described(
  z.object({
    state: described(z.string(), 'The code of the state, such as `US-TX`.'),
    election: described(z.string(), 'The rate that replaces the rates of the address.'),
    from: described(date, 'The first day.'),
    to: described(z.nullable(date), 'The last day. `null` if there is none.'),
  }),
  'A simplified rate for remote sellers that the account elected.',
  { id: 'AccountElection' },
);

const SettingChange = described(
  z.object({
    at: described(timestamp, 'When it was changed.'),
    by: described(z.string(), 'The id of the API key, `token:` and the subject of a token, or `operator`.'),
    setting: described(z.string(), 'The name of the setting.'),
    before: described(z.string(), 'The value before, as JSON.'),
    after: described(z.string(), 'The value after, as JSON.'),
  }),
  'A change of a setting.',
  { id: 'SettingChange' },
);

const collectsIn = ['registered_states', 'every_state', 'not_set'] as const;

/** The response of GET /account. */
export const AccountAnswer = described(
  z.object({
    object: objectType('account'),
    id: described(z.string(), 'The id of the account.'),
    name: described(z.string(), 'The name of the account.'),
    scopes: described(
      z.array(described(z.enum(scopes), 'A scope.', { title: 'Scope' })),
      'The permissions of the credential of this request.',
    ),
    collects_in: described(
      z.enum(collectsIn),
      'Where the account collects tax: in the states of `registrations`, or in every state. With `not_set`, in every state and with the warning `registrations_missing`.',
      { title: 'CollectsIn' },
    ),
    registrations: described(
      z.array(Registration),
      'The registrations. Empty unless `collects_in` is `registered_states`.',
    ),
    time_zone: described(z.string(), 'The IANA time zone that decides the tax day of a timestamp.'),
    review_days: described(
      z.nullable(z.int()),
      "Days after a period's end before the schedule closes it. With `null`, only requests close periods.",
    ),
    draft_ttl_hours: described(z.int(), 'Hours from the creation of a draft until it expires.'),
    books_open_from: described(date, "The first day of the account's books."),
    incomplete_coverage: described(
      z.enum(['warn', 'reject']),
      'What happens to a sale that the content does not cover completely.',
      { title: 'IncompleteCoverage' },
    ),
    ambiguous_address: described(
      z.enum(['warn', 'reject', 'highest_rate']),
      'What happens if an address fits places with different rates.',
      { title: 'AmbiguousAddress' },
    ),
    remote_seller_elections: described(
      z.array(Election),
      'The simplified rates for remote sellers that the account elected.',
    ),
    retail_delivery_fee: described(
      z.enum(retailDeliveryFees),
      'What happens if a retail delivery fee is due and the order has no line for it.',
      { title: 'RetailDeliveryFee' },
    ),
    filing_reminder_days: described(
      z.nullable(z.array(z.int())),
      'The days before a due date on which Levy publishes the event `filing.due_soon`. `null` publishes no reminders.',
    ),
    return_identity: described(
      z.optional(z.nullable(ReturnIdentity)),
      'Who files the returns: name, taxpayer number and account numbers. `null` if it is not set. Only for credentials with the scope `settings`.',
    ),
    ship_from: described(z.nullable(PostalAddress), 'The default address from which the account ships.'),
    api_keys: described(
      z.optional(
        z.array(
          described(
            z.object({
              id: described(z.string(), 'The id of the key, such as the `by` of a history entry.'),
              label: described(z.nullable(z.string()), "The operator's name for the user of the key."),
            }),
            'The id and the label of an API key, never its secret.',
            { id: 'ApiKeyName' },
          ),
        ),
      ),
      'All API keys of the account, including revoked and expired ones, to show their labels instead of their ids.',
    ),
    settings_changed_at: described(z.nullable(timestamp), 'When a setting was last changed. `null` if never.'),
    changes: described(
      z.optional(z.array(SettingChange)),
      'The last 50 changes of settings, newest first. Taxpayer and account numbers are left out.',
    ),
    service_version: described(z.string(), 'The API version that requests without `Service-Version` get.'),
  }),
  'The account of a credential. `POST /account` changes the settings for finance. The operator can change all settings.',
  { id: 'Account' },
);
export type AccountAnswer = z.infer<typeof AccountAnswer>;
