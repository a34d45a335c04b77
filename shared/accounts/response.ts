import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { date, objectType } from '../base/response-scalars.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { frequencies } from './account.ts';

const Registration = described(
  z.object({
    state: described(z.string(), 'The code of the state, such as `US-MI`.'),
    from: described(date, 'The first day of the registration.'),
    to: described(z.nullable(date), 'The last day. `null` without an end.'),
    frequency: described(z.enum(frequencies), 'How often the state requires a return.', {
      title: 'FilingFrequency',
    }),
  }),
  'A registration to collect tax in a state.',
  { id: 'Registration' },
);

const collectsIn = ['registered_states', 'every_state', 'not_set'] as const;

/** The response of GET /account. */
export const AccountAnswer = described(
  z.object({
    object: objectType('account'),
    id: described(z.string(), 'The id of the account.'),
    name: described(z.string(), 'The name of the account.'),
    scopes: described(
      z.array(described(z.enum(['read', 'write']), 'A scope.', { title: 'Scope' })),
      'What the credential of this request may do.',
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
    time_zone: described(z.string(), 'The IANA time zone whose day is the tax day of an instant.'),
    review_days: described(z.int(), "Days after a period's end before the schedule closes it."),
    draft_ttl_hours: described(z.int(), 'Hours from the creation of a draft until it expires.'),
    books_open_from: described(date, "The first day of the account's books."),
    incomplete_coverage: described(
      z.enum(['warn', 'reject']),
      'What happens to a sale that the content does not cover completely.',
      { title: 'IncompleteCoverage' },
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
      'All API keys of the account, also revoked and expired ones, so that their ids can be shown as names.',
    ),
    service_version: described(z.string(), 'The API version that requests without `Service-Version` get.'),
  }),
  'The account of a credential. An operator changes its settings with `npm run accounts -- settings`.',
  { id: 'Account' },
);
export type AccountAnswer = z.infer<typeof AccountAnswer>;
