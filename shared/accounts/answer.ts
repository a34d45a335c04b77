import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { Account, Registration } from './account.ts';
import { booksOpenFrom } from './books-open.ts';
import type { AccountAnswer } from './response.ts';

type Scope = AccountAnswer['scopes'][number];

const answeredRegistration = ({ state, from, to, frequency }: Registration) => ({
  state: stateJurisdiction(state) ?? state,
  from,
  to,
  frequency,
});

/** An account as a client sees it, with the scopes of its credential. */
export const answeredAccount = (account: Account, scopes: ReadonlySet<Scope>): AccountAnswer => {
  const { id, name, settings } = account;
  const { registrations, time_zone, review_days, draft_ttl_hours, incomplete_coverage, ship_from, service_version } =
    settings;
  return {
    object: 'account',
    ...{ id, name },
    scopes: (['read', 'write'] as const).filter((scope) => scopes.has(scope)),
    collects_in: Array.isArray(registrations)
      ? 'registered_states'
      : registrations === 'all'
        ? 'every_state'
        : 'not_set',
    registrations: Array.isArray(registrations) ? registrations.map(answeredRegistration) : [],
    ...{ time_zone, review_days, draft_ttl_hours },
    books_open_from: booksOpenFrom(account),
    ...{ incomplete_coverage, ship_from, service_version },
  };
};
