import type { ReleaseFor } from '../content/content.ts';
import { settingOn } from '../content/effective.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { mergedRelease } from '../content/location/merged-release.ts';
import { type Located, locate, type Resolution } from '../content/location/place.ts';
import { statesOfZip } from '../content/location/zip-states.ts';
import type { Evidence } from '../content/release.ts';
import type { Place, SourcedAt } from '../tax/document.ts';
import { isDoubtful } from '../tax/doubts.ts';

/** An address that decides about a sale, and which of its two it is. */
export type Decisive = Located & { readonly at: SourcedAt };

/** Where a sale is taxed, and by which of its addresses: the first decides about the state, at least. */
export type Sourced = {
  readonly place: Place;
  readonly decisive: readonly [Decisive, ...Decisive[]];
  /** What the state says of sales within it, where that decided and is not certain. */
  readonly doubtful: Evidence | null;
};

/** The two addresses of a sale; `from: null` is not known. */
export type Route = { readonly to: TaxAddress; readonly from: TaxAddress | null };

/** What locating rests on beside the addresses. */
export type Locating = { readonly releaseFor: ReleaseFor; readonly day: string; readonly highest: boolean };

const isKnown = ({ resolution: { coverage, ambiguous } }: Decisive): boolean => coverage === 'complete' && !ambiguous;

const codesOf = ({ place: { jurisdictions } }: Decisive): string => jurisdictions.map(({ code }) => code).join(' ');

/** Whether it may matter which end of a sale taxes it: not where both are known, and are taxed by the same. */
const isElsewhere = (one: Decisive, other: Decisive): boolean =>
  JSON.stringify(one.address) !== JSON.stringify(other.address) &&
  !(isKnown(one) && isKnown(other) && codesOf(one) === codesOf(other));

// Its ZIP crosses a border, and no state was sent: it could be the state of the destination.
const couldBeState = ({ isStateGuessed, zip5 }: TaxAddress, { state }: TaxAddress): boolean =>
  isStateGuessed && zip5 !== null && state !== null && statesOfZip(zip5).includes(state);

/** An address that decides nothing but whether the sale stays within its state, and leaves that open. */
const asDoubt = (doubtful: Decisive, { resolution }: Decisive): Decisive => ({
  ...doubtful,
  resolution: { ...resolution, ambiguous: true },
  evidence: [],
});

const sourcedAt = ({ place, address: { zip5 }, county, at }: Decisive, isInterstate: boolean): Place => ({
  ...place,
  sourcing: place.jurisdictions.map(() => at),
  zips: place.jurisdictions.map(() => zip5),
  counties: place.jurisdictions.map(() => county),
  isInterstate,
});

/** California's: districts tax where the goods arrive, all others where they come from. */
const mixedPlace = (
  { place: origin, address: from, county: fromCounty }: Decisive,
  { place: destination, address: to, county: toCounty }: Decisive,
): Place => {
  const { release, code, name } = origin;
  const near = origin.jurisdictions.filter(({ type }) => type !== 'district');
  const far = destination.jurisdictions.filter(({ type }) => type === 'district');
  // Of what is not covered at one end, the other end is not the whole answer.
  if (!release || !destination.release || near.length === 0 || destination.jurisdictions.length === 0)
    return { code, name, release, jurisdictions: [], sourcing: [], zips: [], counties: [], isInterstate: false };
  return {
    code,
    name,
    release: mergedRelease(release, destination.release),
    jurisdictions: [...near, ...far],
    sourcing: [...near.map(() => 'origin' as const), ...far.map(() => 'destination' as const)],
    zips: [...near.map(() => from.zip5), ...far.map(() => to.zip5)],
    counties: [...near.map(() => fromCounty), ...far.map(() => toCounty)],
    isInterstate: false,
  };
};

/**
 * Find who taxes a sale: at its destination, or where the state says so and the goods come from the same state, at its
 * origin. A remote sale, and one of unknown origin, is always taxed at its destination.
 */
export const sourceSale = ({ to, from }: Route, { releaseFor, day, highest }: Locating): Sourced => {
  const find = (address: TaxAddress, at: SourcedAt): Decisive => ({
    ...locate(address, releaseFor, day, highest),
    at,
  });
  const destination = find(to, 'destination');
  const setting = settingOn(destination.place.release?.settings.sourcing ?? [], day);
  const policy = setting?.policy ?? 'destination';
  // Of a ZIP in several states locating has chosen one, at both ends.
  const home = destination.address;
  const source = from?.isStateGuessed ? find(from, 'origin').address : from;
  const isInterstate = source?.state !== home.state;
  const doubtAbout = (origin: () => Decisive): Evidence | null =>
    setting && isDoubtful(setting) && isElsewhere(destination, origin()) ? setting : null;
  if (from === null || policy === 'destination') {
    const doubtful = from === null || isInterstate ? null : doubtAbout(() => find(from, 'origin'));
    return { place: sourcedAt(destination, isInterstate), decisive: [destination], doubtful };
  }
  if (isInterstate) {
    const unclear = couldBeState(from, home) ? [asDoubt(find(from, 'origin'), destination)] : [];
    const decisive = [destination, ...unclear] as const;
    return { place: sourcedAt(destination, true), decisive, doubtful: null };
  }
  const origin = find(from, 'origin');
  const doubtful = doubtAbout(() => origin);
  if (policy === 'mixed') return { place: mixedPlace(origin, destination), decisive: [destination, origin], doubtful };
  return {
    place: sourcedAt(origin, false),
    decisive: to.isStateGuessed ? [origin, asDoubt(destination, origin)] : [origin],
    doubtful,
  };
};

const levels = ['none', 'state', 'county', 'city', 'zip5', 'zip9'] as const;
const coverages = ['none', 'partial', 'complete'] as const;
const worst = <Value>(order: readonly Value[], values: readonly Value[]): Value =>
  order.find((value) => values.includes(value)) as Value;

/** What is known of all the addresses that decide: the worst of each. */
export const resolutionOf = (decisive: readonly Decisive[]): Resolution => {
  const resolutions = decisive.map(({ resolution }) => resolution);
  return {
    level: worst(
      levels,
      resolutions.map(({ level }) => level),
    ),
    ambiguous: resolutions.some(({ ambiguous }) => ambiguous),
    coverage: worst(
      coverages,
      resolutions.map(({ coverage }) => coverage),
    ),
  };
};
