import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { type Account, booksOpenFrom, type Registration } from './account.ts';
import { scopes as allScopes } from './api-key.ts';

import type { AccountAnswer } from './response.ts';

type Scope = AccountAnswer['scopes'][number];

const getCode = (state: string): string => stateJurisdiction(state) ?? state;

const answeredRegistration = ({ state, from, to, frequency }: Registration) => ({
  state: getCode(state),
  from,
  to,
  frequency,
});

/** An account as a client sees it, with the scopes of its credential. */
export const answeredAccount = (account: Account, scopes: ReadonlySet<Scope>): AccountAnswer => {
  const { id, name, settings } = account;
  const { registrations, time_zone, review_days, draft_ttl_hours, incomplete_coverage, ship_from, service_version } =
    settings;
  const { ambiguous_address, retail_delivery_fee, filing_reminder_days, return_identity } = settings;
  return {
    object: 'account',
    id,
    name,
    scopes: allScopes.filter((scope) => scopes.has(scope)),
    collects_in: Array.isArray(registrations)
      ? 'registered_states'
      : registrations === 'all'
        ? 'every_state'
        : 'not_set',
    registrations: Array.isArray(registrations) ? registrations.map(answeredRegistration) : [],
    time_zone,
    review_days,
    draft_ttl_hours,
    books_open_from: booksOpenFrom(account),
    incomplete_coverage,
    ambiguous_address,
    ship_from,
    service_version,
    remote_seller_elections: settings.remote_seller_elections.map((one) => ({ ...one, state: getCode(one.state) })),
    retail_delivery_fee,
    filing_reminder_days,
    // A storefront's key must not read a taxpayer number.
    ...(scopes.has('settings') && { return_identity }),
    settings_changed_at: account.settings_changed_at ?? null,
  };
};

/** The entity tag of an account's settings, which changes with each change of a setting. */
export const settingsTag = ({ created_at, settings_changed_at = created_at }: Account): string =>
  `"${settings_changed_at}"`;
