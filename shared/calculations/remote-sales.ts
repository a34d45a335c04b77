/** Sales from another state whose tax differs by the law of the state, or by an election of the account (decision 0029). */
import type { RemoteSellerElection } from '../accounts/account.ts';
import { getOrAdd } from '../base/collections.ts';
import { isOwnCode, mayDependOnPlace, mayHaveOwnRules } from '../catalog/own-rules.ts';
import { areRatesKnown } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import type { ElectedRate, Evidence, Jurisdiction, RemoteLocalTax } from '../catalog/release-values.ts';
import { electedRateOn, releaseWithElection, remoteLocalTaxOn } from '../catalog/remote-sales.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { couldBeState, placeAt, type Route, type Sourced } from './sourcing.ts';

/** Why the tax of a remote sale differs, or could differ, from the tax of its address. */
export type RemoteSale =
  /** `isOutdated`: the state's rate for the day is not on record, so the last known rate is used. */
  | { readonly kind: 'elected'; readonly terms: ElectedRate; readonly since: string; readonly isOutdated: boolean }
  | { readonly kind: 'without_local'; readonly terms: RemoteLocalTax }
  /** The local tax of the address is charged, but a different tax could be owed. */
  | { readonly kind: 'uncertain'; readonly terms: RemoteLocalTax };

/** The inputs that determine a remote sale other than its addresses. */
type Terms = { readonly elections: readonly RemoteSellerElection[]; readonly day: string };

// Caches of rates and rules are keyed by the release, so each release has one derived release per election.
const releases = new WeakMap<Release, Map<ElectedRate, Release>>();

const electedRelease = (release: Release, elected: ElectedRate): Release =>
  getOrAdd(
    getOrAdd(releases, release, () => new Map()),
    elected,
    () => releaseWithElection(release, elected),
  );

/**
 * Returns the place with only these jurisdictions of the destination. They are known without the rest of the address.
 */
const placedAt = (
  { place, decisive: [destination, ...others], setting, uncertain }: Sourced,
  release: Release,
  jurisdictions: readonly Jurisdiction[],
  {
    evidence,
    day,
    dependsOnPlace,
  }: { readonly evidence: readonly Evidence[]; readonly day: string; readonly dependsOnPlace: boolean },
): Sourced => {
  const coverage = areRatesKnown(release, jurisdictions, day) ? 'complete' : 'none';
  const taxing = { ...place, release, jurisdictions };
  return {
    place: placeAt(taxing, [[destination, jurisdictions]], place.isInterstate),
    decisive: [
      {
        ...destination,
        choice: null,
        place: taxing,
        resolution: { level: 'state', ambiguous: destination.address.isStateGuessed || dependsOnPlace, coverage },
        evidence,
        lacksLocals: false,
        approximation: null,
        published: null,
        equal: [],
      },
      ...others,
    ],
    setting,
    uncertain,
  };
};

const isOn = ({ from, to }: RemoteSellerElection, day: string): boolean => from <= day && (to === null || day <= to);

/** Returns the rate that the account elected in the state, with the first day of its election; `null` if there is none. */
const electedIn = (release: Release, { elections, day }: Terms) => {
  const own = elections.find((one) => stateJurisdiction(one.state) === release.state && isOn(one, day));
  const found = own && electedRateOn(release, own.election, day);
  return own && found ? { ...found, since: own.from } : null;
};

const isFromElsewhere = ({ to, from }: Route, { decisive: [destination] }: Sourced): boolean =>
  from !== null &&
  !to.isStateGuessed &&
  from.state !== destination.address.state &&
  !couldBeState(from, destination.address);

/**
 * Taxes a sale from another state, or from an unknown origin, as the destination state taxes remote sales: at the rate
 * that the account elected, or without local taxes if none are owed. Local taxes are omitted only if the origin is
 * known, because a sale within the state owes them.
 */
export const asRemoteSale = (
  sourced: Sourced,
  route: Route,
  terms: Terms,
): Sourced & { readonly remote: RemoteSale | null } => {
  const { place } = sourced;
  const { release } = place;
  if (!release?.remote_sales || !place.isInterstate) return { ...sourced, remote: null };
  const { day } = terms;
  const [{ address, county }] = sourced.decisive;
  const { zip5 } = address;
  const ofState = release.jurisdictions.filter(({ type }) => type === 'state');
  const election = electedIn(release, terms);
  if (election) {
    const { elected, isOutdated, since } = election;
    const others = elected.replaces === 'local' ? ofState : [];
    const evidence = [elected];
    return {
      ...placedAt(sourced, electedRelease(release, elected), [...others, elected.jurisdiction], {
        evidence,
        day,
        dependsOnPlace: mayHaveOwnRules(release, { zip5, county }, day),
      }),
      remote: { kind: 'elected', terms: elected, since, isOutdated },
    };
  }
  const local = remoteLocalTaxOn(release, day);
  if (!local) return { ...sourced, remote: null };
  if (local.policy === 'may_differ' || !isFromElsewhere(route, sourced))
    return { ...sourced, remote: { kind: 'uncertain', terms: local } };
  // A remote seller registered in a city adds the city's tax with custom rules.
  const own = place.jurisdictions.filter(({ code }) => isOwnCode(code));
  const dependsOnPlace = mayDependOnPlace(release, { zip5, county }, day);
  return {
    ...placedAt(sourced, release, [...ofState, ...own], { evidence: [local], day, dependsOnPlace }),
    remote: { kind: 'without_local', terms: local },
  };
};
