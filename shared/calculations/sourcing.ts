import type { ReleaseFor } from '../catalog/content.ts';
import { isApproximateOn, settingOn } from '../catalog/effective.ts';
import type { TaxAddress } from '../catalog/location/address.ts';
import { type Located, locate, type Resolution, type TaxingPlace } from '../catalog/location/place.ts';
import { statesOfZip } from '../catalog/location/zip-states.ts';
import { mergedRelease } from '../catalog/merge-releases.ts';
import type { Release, SourcingSetting } from '../catalog/release.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import type { SourcedAt } from '../tax/assessment.ts';
import type { Place, Sourcing } from '../tax/document.ts';
import { isUnconfirmed } from '../tax/uncertainties.ts';
import { isWithin } from '../vocabulary/product-tax-code.ts';

/** An address that determines where a sale is taxed: its destination or its origin. */
export type TaxingAddress = Located & { readonly at: SourcedAt };

/** Where a sale is taxed, and the deciding addresses. The first one determines at least the state. */
export type Sourced = {
  readonly place: Place;
  readonly decisive: readonly [TaxingAddress, ...TaxingAddress[]];
  /** The state's sourcing setting for the product, if the state has one. */
  readonly setting: SourcingSetting | undefined;
  /** The sourcing setting, if it determined the place and is unconfirmed, or not established on the day. */
  readonly uncertain: SourcingSetting | null;
};

/** The two addresses of a sale. `from: null` is unknown. */
export type Route = { readonly to: TaxAddress; readonly from: TaxAddress | null };

/** The inputs of locating other than the addresses. Without a product, the rule for most products applies. */
type Locating = {
  readonly releaseFor: ReleaseFor;
  readonly day: string;
  readonly highest: boolean;
  readonly product: string | null;
};

/** Returns the settings that apply to a product, and whether one of them is limited to some products. */
export const sourcingFor = (
  release: Release | null | undefined,
  product: string | null,
): { readonly settings: readonly SourcingSetting[]; readonly isLimited: boolean } => {
  const settings = (release?.settings.sourcing ?? []).filter(
    ({ ptcs }) => !ptcs || (product !== null && ptcs.some((code) => isWithin(product, code))),
  );
  return { settings, isLimited: settings.some(({ ptcs }) => ptcs) };
};

const isKnown = ({ resolution: { coverage, ambiguous }, lacksLocals }: TaxingAddress): boolean =>
  coverage !== 'none' && !lacksLocals && !ambiguous;

const joinCodes = ({ place: { jurisdictions } }: TaxingAddress): string =>
  jurisdictions.map(({ code }) => code).join(' ');

/** Whether taxing at the origin or at the destination could differ: false if both have the same known jurisdictions. */
const mayDiffer = (destination: TaxingAddress, origin: TaxingAddress): boolean =>
  JSON.stringify(destination.address) !== JSON.stringify(origin.address) &&
  !(isKnown(destination) && isKnown(origin) && joinCodes(destination) === joinCodes(origin));

// An address without a state, whose ZIP is in several states, could be in the state of the other address.
export const couldBeState = ({ isStateGuessed, zip5 }: TaxAddress, { state }: TaxAddress): boolean =>
  isStateGuessed && zip5 !== null && state !== null && statesOfZip(zip5).includes(state);

/** An address that only determines whether the sale is within one state, and is ambiguous about that. */
const asUncertainty = (uncertain: TaxingAddress, { resolution }: TaxingAddress): TaxingAddress => ({
  ...uncertain,
  resolution: { ...resolution, ambiguous: true },
  evidence: [],
});

type End = Pick<TaxingAddress, 'address' | 'county' | 'at'>;

/** A place whose jurisdictions come from these addresses. */
export const placeAt = (
  place: TaxingPlace,
  ends: readonly (readonly [end: End, jurisdictions: readonly Jurisdiction[]])[],
  isInterstate: boolean,
): Place => {
  const jurisdictions: Jurisdiction[] = [];
  const sourcing: Sourcing[] = [];
  for (const [{ at, address, county }, own] of ends)
    for (const jurisdiction of own) {
      jurisdictions.push(jurisdiction);
      sourcing.push({ at, zip5: address.zip5, county });
    }
  return { ...place, jurisdictions, sourcing, isInterstate };
};

const sourcedAt = (end: TaxingAddress, isInterstate: boolean): Place =>
  placeAt(end.place, [[end, end.place.jurisdictions]], isInterstate);

/** Returns the release without its districts. */
const withoutDistricts = (release: Release): Release => {
  const [state, ...others] = release.jurisdictions;
  const districts = new Set(others.flatMap(({ type, code }) => (type === 'district' ? [code] : [])));
  return {
    ...release,
    jurisdictions: [state, ...others.filter(({ code }) => !districts.has(code))],
    rates: release.rates.filter(({ jurisdiction }) => !districts.has(jurisdiction)),
  };
};

/**
 * Returns the origin's release with the districts of the destination. An import and the release below it can differ in
 * a rate.
 */
const mixedRelease = (origin: Release, destination: Release): Release =>
  origin === destination ? origin : mergedRelease(withoutDistricts(origin), destination);

/** California: district taxes are sourced at the destination, all others at the origin. */
const mixedPlace = (from: TaxingAddress, to: TaxingAddress): Place => {
  const { place: origin } = from;
  const near = origin.jurisdictions.filter(({ type }) => type !== 'district');
  const far = to.place.jurisdictions.filter(({ type }) => type === 'district');
  // If one address is not covered, the other one has only part of the taxes.
  if (!origin.release || !to.place.release || near.length === 0 || to.place.jurisdictions.length === 0)
    return placeAt(origin, [], false);
  const ends = [[from, near] as const, [to, far] as const];
  return placeAt({ ...origin, release: mixedRelease(origin.release, to.place.release) }, ends, false);
};

/**
 * Finds where a sale is taxed: at its destination or, if the state requires it and the goods come from the same state,
 * at its origin. A sale from another state or an unknown origin is always taxed at its destination.
 */
export const sourceSale = ({ to, from }: Route, { releaseFor, day, highest, product }: Locating): Sourced => {
  const find = (address: TaxAddress, at: SourcedAt): TaxingAddress => ({
    ...locate(address, releaseFor, day, highest),
    at,
  });
  const destination = find(to, 'destination');
  const setting = settingOn(sourcingFor(destination.place.release, product).settings, day);
  const policy = setting?.policy ?? 'destination';
  // Locating has chosen one state for a ZIP in several states, at the origin and at the destination.
  const home = destination.address;
  const source = from?.isStateGuessed ? find(from, 'origin').address : from;
  const isInterstate = source?.state !== home.state;
  const { release } = destination.place;
  const isUncertain = setting && release && (isUnconfirmed(setting) || isApproximateOn(setting, day, release));
  const uncertaintyAbout = (origin: () => TaxingAddress): Sourced['uncertain'] =>
    isUncertain && mayDiffer(destination, origin()) ? setting : null;
  if (from === null || policy === 'destination' || policy === 'residence') {
    const uncertain = from === null || isInterstate ? null : uncertaintyAbout(() => find(from, 'origin'));
    return { place: sourcedAt(destination, isInterstate), decisive: [destination], setting, uncertain };
  }
  if (isInterstate) {
    const unclear = couldBeState(from, home) ? [asUncertainty(find(from, 'origin'), destination)] : [];
    const decisive = [destination, ...unclear] as const;
    return { place: sourcedAt(destination, true), decisive, setting, uncertain: null };
  }
  const origin = find(from, 'origin');
  const uncertain = uncertaintyAbout(() => origin);
  if (policy === 'mixed')
    return { place: mixedPlace(origin, destination), decisive: [destination, origin], setting, uncertain };
  return {
    place: sourcedAt(origin, false),
    decisive: to.isStateGuessed ? [origin, asUncertainty(destination, origin)] : [origin],
    setting,
    uncertain,
  };
};

// The values are ordered from worst to best.
const levels = ['none', 'state', 'county', 'city', 'zip5', 'zip9', 'street'] as const;
const coverages = ['none', 'partial', 'complete'] as const;

/** Returns the worst level, ambiguity and coverage of the deciding addresses. */
export const resolveAddresses = (decisive: readonly TaxingAddress[]): Resolution => {
  const resolutions = decisive.map(({ resolution }) => resolution);
  const [only] = resolutions;
  if (only && resolutions.length === 1) return only;
  return {
    level: levels.find((worst) => resolutions.some(({ level }) => level === worst)) ?? 'none',
    ambiguous: resolutions.some(({ ambiguous }) => ambiguous),
    coverage: coverages.find((worst) => resolutions.some(({ coverage }) => coverage === worst)) ?? 'none',
  };
};
