import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { type Account, booksOpenFrom, type Settings } from './account.ts';
import { scopes as allScopes } from './api-key.ts';
import type { AccountResponse } from './response.ts';
import { plainSettings } from './setting-schemas.ts';

type Scope = AccountResponse['scopes'][number];

const withCode = <Entry extends { readonly state: string }>(entry: Entry): Entry => ({
  ...entry,
  state: stateJurisdiction(entry.state) ?? entry.state,
});

type PlainSettings = Pick<Settings, keyof typeof plainSettings>;

const plainNames = Object.keys(plainSettings) as (keyof PlainSettings)[];

const pickPlainSettings = (settings: Settings): PlainSettings =>
  Object.fromEntries(plainNames.map((name) => [name, settings[name]])) as PlainSettings;

/** The account in a response, with the scopes of the credential. */
export const accountResponse = (account: Account, scopes: ReadonlySet<Scope>): AccountResponse => {
  const { id, name, settings } = account;
  const { registrations } = settings;
  const isListed = Array.isArray(registrations);
  return {
    object: 'account',
    id,
    name,
    scopes: allScopes.filter((scope) => scopes.has(scope)),
    collects_in: isListed ? 'registered_states' : registrations === 'all' ? 'every_state' : 'not_set',
    registrations: isListed ? registrations.map(withCode) : [],
    draft_ttl_hours: settings.draft_ttl_hours,
    books_open_from: booksOpenFrom(account),
    ship_from: settings.ship_from,
    service_version: settings.service_version,
    remote_seller_elections: settings.remote_seller_elections.map(withCode),
    ...pickPlainSettings(settings),
    // A storefront's key must not read a taxpayer number.
    ...(scopes.has('settings') && { return_identity: settings.return_identity }),
    settings_changed_at: account.settings_changed_at ?? null,
  };
};

/** The entity tag of an account's settings, which changes with each change of a setting. */
export const settingsTag = ({ created_at, settings_changed_at = created_at }: Account): string =>
  `"${settings_changed_at}"`;
