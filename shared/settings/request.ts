import * as z from 'zod/mini';
import {
  collectsIn,
  type Frequency,
  frequencies,
  type Registration,
  type RemoteSellerElection,
  type ReturnIdentity,
  type Settings,
} from '../accounts/account.ts';
import { settingSchemas } from '../accounts/setting-schemas.ts';
import { toDay } from '../base/calendar.ts';
import { component, described } from '../base/described.ts';
import { asObject } from '../base/json.ts';
import { invalidField, type Problem } from '../base/result.ts';
import { builtInRelease, builtInReleases } from '../catalog/built-in.ts';
import { type PostalAddress, readAddress } from '../catalog/location/address.ts';
import { listElections } from '../catalog/remote-sales.ts';
import { now } from '../config/clock.ts';
import { localCoverageOn } from '../coverage/local-rates.ts';
import { listFrequencies } from '../filings/filing-calendar.ts';
import { stateJurisdiction, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';

// Checks of settings that their schemas cannot express. Each returns what to send instead, or `null` if the value is
// valid.

type StateDays = Pick<Registration, 'state' | 'from' | 'to'>;

// `YYYY-MM-DD` strings sort chronologically.
const overlaps = (a: StateDays, b: StateDays): boolean =>
  stateJurisdiction(a.state) === stateJurisdiction(b.state) && a.from <= (b.to ?? '9999') && b.from <= (a.to ?? '9999');

const wrongDays = (entries: readonly StateDays[]): string | null => {
  for (const [index, current] of entries.entries()) {
    const { state, from, to } = current;
    if (to !== null && to < from) return `a "to" on or after "from" in entry ${index + 1}`;
    const earlier = entries.slice(0, index).findIndex((before) => overlaps(before, current));
    if (earlier >= 0)
      return `entries that do not overlap: entries ${earlier + 1} and ${index + 1} of ${state} include the same days`;
  }
  return null;
};

/** Lists the frequencies that a registration can have: half-years and fiscal years only where the state has them. */
const listAllowed = (state: string): readonly Frequency[] =>
  frequencies.filter((one) => (one !== 'half_year' && one !== 'fiscal_year') || listFrequencies(state).includes(one));

/** Checks that registrations do not overlap, and that each has a frequency that its state allows. */
const checkRegistrations = (entries: readonly Registration[]): string | null => {
  const index = entries.findIndex(({ state, frequency }) => !listAllowed(state).includes(frequency));
  const found = entries[index];
  return found
    ? `a frequency of ${found.state} in entry ${index + 1}: ${listAllowed(found.state).join(', ')}`
    : wrongDays(entries);
};

/** Checks that elections do not overlap, and that their state allows them. */
const checkElections = (elections: readonly RemoteSellerElection[]): string | null => {
  const known = builtInReleases().flatMap((release) =>
    listElections(release).map((election) => ({ state: release.state, election })),
  );
  const isKnown = (one: RemoteSellerElection) =>
    known.some(({ state, election }) => state === stateJurisdiction(one.state) && election === one.election);
  const index = elections.findIndex((one) => !isKnown(one));
  const texts = known.map((one) => `${one.election} in ${stateOfJurisdiction(one.state)}`);
  return index < 0
    ? wrongDays(elections)
    : `an election that the state allows in entry ${index + 1}: ${texts.join(', ')}`;
};

const hasLocalTaxes = (state: string): boolean => {
  const release = builtInRelease(state);
  return release !== undefined && localCoverageOn(release, toDay(now())).basis !== 'not_levied';
};

/** Checks that the default ship-from address can be located, down to the locality if the state has local taxes. */
const checkShipFrom = (sent: PostalAddress): string | null => {
  const address = readAddress(sent, '');
  if (!address.ok) return `an address that can be located: ${address.problems.map(({ detail }) => detail).join(' ')}`;
  const { state, zip5, city } = address.value;
  return state !== null && zip5 === null && city === null && hasLocalTaxes(state)
    ? `an address with a postal_code or city, because ${state} has local taxes`
    : null;
};

/** Checks that the keys of an identity's account numbers are two-letter state codes. */
const checkIdentity = ({ state_ids }: ReturnIdentity): string | null => {
  const unknown = Object.keys(state_ids).find((code) => stateJurisdiction(code) !== `US-${code}`);
  return unknown === undefined ? null : `state_ids by two-letter state codes; "${unknown}" is not a state code`;
};

/** Returns an entry with its state as two letters, so a different spelling is not a change. */
const inLetters = <Entry extends { readonly state: string }>(entry: Entry): Entry => ({
  ...entry,
  state: stateOfJurisdiction(stateJurisdiction(entry.state) ?? entry.state),
});

/** The request of POST /account: only the fields that are sent change. */
export const AccountUpdate = component(
  'AccountUpdate',
  'The settings to change.',
  {
    collects_in: described(
      z.optional(z.enum(collectsIn, `Send one of ${collectsIn.join(', ')}.`)),
      'Where the account collects tax. Send `every_state` or `not_set` without `registrations`.',
      { title: 'CollectsIn' },
    ),
    ...z.partial(z.object(settingSchemas)).shape,
  },
  'Send a JSON object.',
);
export type AccountUpdate = z.infer<typeof AccountUpdate>;

/** Returns what to send instead of a setting with a valid form; `null` if its value is valid. */
export const checkSetting = {
  registrations: checkRegistrations,
  remote_seller_elections: checkElections,
  ship_from: (value: AccountUpdate['ship_from']) => (value ? checkShipFrom(value) : null),
  return_identity: (value: AccountUpdate['return_identity']) => (value ? checkIdentity(value) : null),
} as const;

/** Returns the problems of settings with valid forms. */
export const accountUpdateProblems = (body: unknown): Problem[] => {
  const sent = asObject(body) ?? {};
  const others = (Object.keys(checkSetting) as (keyof typeof checkSetting)[]).flatMap((name) => {
    const { success, data } = settingSchemas[name].safeParse(sent[name]);
    const send = success ? (checkSetting[name] as (value: unknown) => string | null)(data) : null;
    return send === null ? [] : [invalidField(`/${name}`, `Send ${send.replace(/\.$/, '')}.`)];
  });
  const { collects_in, registrations } = sent;
  const isListed = collects_in === undefined || collects_in === 'registered_states';
  const count = Array.isArray(registrations) ? registrations.length : null;
  const refuse = (name: string, advice: string) => others.push(invalidField(`/${name}`, advice));
  if (collects_in === 'registered_states' && registrations === undefined)
    refuse('collects_in', 'Send registrations together with registered_states.');
  if (isListed && count === 0) refuse('registrations', 'Send a registration, or set collects_in to not_set.');
  if (!isListed && count) refuse('registrations', `Leave it out if collects_in is ${collects_in}.`);
  return others;
};

/** Returns the settings that a request sets. Reminder days are stored once each, the largest first. */
export const toSettings = ({
  collects_in,
  registrations,
  remote_seller_elections: elections,
  ...update
}: AccountUpdate): Partial<Settings> => {
  const where =
    collects_in === 'every_state'
      ? { registrations: 'all' as const }
      : collects_in === 'not_set'
        ? { registrations: null }
        : registrations !== undefined
          ? { registrations: registrations.map(inLetters) }
          : {};
  const sent = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  const days = update.filing_reminder_days;
  return {
    ...sent,
    ...where,
    ...(elections && { remote_seller_elections: elections.map(inLetters) }),
    ...(days && { filing_reminder_days: [...new Set(days)].sort((a, b) => b - a) }),
  };
};
