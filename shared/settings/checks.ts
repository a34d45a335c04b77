import type { Registration, RemoteSellerElection, ReturnIdentity } from '../accounts/account.ts';
import { toDay } from '../base/calendar.ts';
import { builtInRelease, builtInReleases } from '../catalog/built-in.ts';
import { type PostalAddress, readAddress } from '../catalog/location/address.ts';
import { listElections } from '../catalog/remote-sales.ts';
import { now } from '../config/clock.ts';
import { localCoverageOn } from '../coverage/local-rates.ts';
import { listFrequencies } from '../filings/filing-calendar.ts';
import { stateJurisdiction, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';

/** Checks of settings that their schemas cannot express. Each returns what to send instead, or `null` if all is well. */

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

/** Registrations have days that do not overlap, and half-years and fiscal years only where the state has them. */
export const checkRegistrations = (entries: readonly Registration[]): string | null => {
  const isRare = ({ frequency }: Registration) => frequency === 'half_year' || frequency === 'fiscal_year';
  const index = entries.findIndex((one) => isRare(one) && !listFrequencies(one.state).includes(one.frequency));
  const found = entries[index];
  return found
    ? `a frequency of ${found.state} in entry ${index + 1}: ${listFrequencies(found.state).join(', ')}`
    : wrongDays(entries);
};

/** Elections have days that do not overlap, and their state allows them. */
export const checkElections = (elections: readonly RemoteSellerElection[]): string | null => {
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
export const checkShipFrom = (sent: PostalAddress): string | null => {
  const address = readAddress(sent, '');
  if (!address.ok) return `an address that can be located: ${address.problems.map(({ detail }) => detail).join(' ')}`;
  const { state, zip5, city } = address.value;
  return state !== null && zip5 === null && city === null && hasLocalTaxes(state)
    ? `an address with a postal_code or city, because ${state} has local taxes`
    : null;
};

/** The account numbers of an identity are named by two-letter codes of states. */
export const checkIdentity = ({ state_ids }: ReturnIdentity): string | null => {
  const unknown = Object.keys(state_ids).find((code) => stateJurisdiction(code) !== `US-${code}`);
  return unknown === undefined ? null : `state_ids by two-letter state codes; "${unknown}" is not a state code`;
};
