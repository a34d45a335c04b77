import { assert } from '../../base/assert.ts';
import { jurisdictionCode, stateName } from '../../vocabulary/jurisdiction.ts';
import type { ReleaseFor } from '../content.ts';
import { type Approximation, isApproximateOn } from '../effective.ts';
import { choosePlace, countyWithoutTaxes, type PlaceChoice } from '../local/place-choice.ts';
import { mayDependOnPlace, ownCodesAt } from '../own-rules.ts';
import { areRatesKnown, byRate, placeRate, type RatePreference, rateOn, setByRate } from '../rates.ts';
import type { Coverage, Release } from '../release.ts';
import type { Evidence, Jurisdiction, Published } from '../release-values.ts';
import { addressesByState, type TaxAddress } from './address.ts';
import { isAmbiguous, isIncomplete, type LocalChoice, type LocalSet, noLocals } from './local-choice.ts';
import { chooseLocals } from './location-choice.ts';

/** How precisely an address was resolved: `address_resolution` of the API. */
export type Resolution = {
  readonly level: 'street' | 'zip9' | 'zip5' | 'city' | 'county' | 'state' | 'none';
  /** Whether more than one set of jurisdictions is possible. */
  readonly ambiguous: boolean;
  readonly coverage: Coverage;
};

/** A taxing place: the jurisdictions of an address, state first, and their release. */
export type TaxingPlace = {
  /** `US-MI`; the country or territory for a place that no release covers. */
  readonly code: string;
  readonly name: string;
  /** The release used for the address: the active one, or one of its fallbacks. */
  readonly release: Release | null;
  /** Empty if the release does not cover the address. */
  readonly jurisdictions: readonly Jurisdiction[];
};

/** A state that may contain an address without a state. */
export type StateCandidate = {
  /** The two-letter code of the state. */
  readonly state: string;
  /** The combined general rate in that state, in units of `10^-rateDecimals`; `null` if no content covers it. */
  readonly rate: bigint | null;
  readonly lacksLocals: boolean;
  /** Whether only part of the ZIP is covered. */
  readonly isPart: boolean;
};

/** An address resolved to its jurisdictions. The caller decides the sourcing, which depends on two addresses. */
export type Located = {
  /** The address in the chosen state. */
  readonly address: TaxAddress;
  /** The states that may contain the address, if it has no state and its ZIP is in several. */
  readonly states: readonly StateCandidate[];
  /** The possible sets of local jurisdictions; `null` if no location contains the address. */
  readonly choice: LocalChoice | null;
  /** `highest`: the set and state with the highest rate were chosen. `lowest`: the default set. */
  readonly prefer: RatePreference;
  readonly place: TaxingPlace;
  /** The five-digit code of the county where the sale is taxed; `null` if unknown. */
  readonly county: string | null;
  readonly resolution: Resolution;
  /** The sources of the local jurisdictions. */
  readonly evidence: readonly Evidence[];
  /** Whether local taxes are unknown for the state, the whole ZIP or part of the ZIP. */
  readonly lacksLocals: boolean;
  /** Set if the local rates of a different day are used on the tax day. */
  readonly approximation: Approximation | null;
  /** When the local rates were published, if they come from a built-in table or an import. */
  readonly published: Published | null;
  /** Other places that could contain the address, with the same combined rate (`LocalChoice.equal`). */
  readonly equal: readonly {
    readonly name: string;
    readonly place: TaxingPlace;
    readonly county: string | null;
  }[];
};

const uncovered = (
  place: Omit<TaxingPlace, 'jurisdictions'>,
  address: TaxAddress,
  prefer: RatePreference,
): Located => ({
  address,
  states: [],
  choice: null,
  prefer,
  place: { ...place, jurisdictions: [] },
  county: null,
  resolution: { level: 'none', ambiguous: address.isStateGuessed, coverage: 'none' },
  evidence: [],
  lacksLocals: false,
  approximation: null,
  published: null,
  equal: [],
});

/** Returns whether local taxes of the release depend on the ZIP or city of an address. */
const isLocal = ({ locations }: Release): boolean => locations.length > 0;

const resolutionLevel = (release: Release, { zip5, plus4, isZipKnown }: TaxAddress): Resolution['level'] => {
  if (!isLocal(release) || zip5 === null || !isZipKnown) return 'state';
  return plus4 === null ? 'zip5' : 'zip9';
};

// "No location" means "no local tax" only for an address with a known ZIP.
const lacksLocalsAt = (release: Release, { zip5, isZipKnown }: TaxAddress): boolean =>
  release.coverage === 'partial' || (isLocal(release) && (zip5 === null || !isZipKnown));

// All jurisdictions of type `state` tax the whole state, such as Tennessee's single article tax.
const listJurisdictions = ({ id, jurisdictions }: Release, local: readonly string[]): readonly Jurisdiction[] => {
  const found = jurisdictions.filter(({ code, type }) => type === 'state' || local.includes(code));
  const missing = local.filter((code) => !found.some((jurisdiction) => jurisdiction.code === code));
  // Without this check, a missing jurisdiction would silently reduce the tax.
  assert(missing.length === 0, `${id} lacks the jurisdictions ${missing.join(', ')} of a location.`);
  return found;
};

const chosenSet = (release: Release, choice: LocalChoice | null, day: string, prefer: RatePreference): LocalSet => {
  if (!choice) return noLocals;
  const sets = prefer === 'highest' ? choice.possible : choice.usual;
  return setByRate(release, sets, day, prefer);
};

/**
 * The release used for an address, and its local choice; `choice: null` if the release has no location for the address.
 */
type ReleaseChoice = { readonly release: Release; readonly choice: LocalChoice | null };

const lowestRelease = (release: Release): Release => (release.fallback ? lowestRelease(release.fallback) : release);

/** Returns the county in a code: 031 in `US-IL-031-14000` and `US-CO-00-031`. */
const countyIn = (code: string): string | undefined => /^US-[A-Z]{2}-(?:00-)?(\d{3})(?:-|$)/.exec(code)?.[1];

/** Returns the sets in these counties (five digits) and the sets without a county; all sets if none remain. */
const setsIn = <Sets extends LocalChoice['possible']>(sets: Sets, counties: ReadonlySet<string | undefined>): Sets => {
  const found = sets.filter(({ codes }) => {
    const named = codes.flatMap((code) => countyIn(code) ?? []);
    return named.length === 0 || named.some((county) => counties.has(county));
  });
  return found.length === 0 ? sets : (found as unknown as Sets);
};

/**
 * Narrows a city that an import has only by name to the place that the built-in tables found: removes its sets in other
 * counties. The name is no longer ambiguous if the tables are certain.
 */
const withPlace = (choice: LocalChoice, place: PlaceChoice | null): LocalChoice => {
  if (!choice.isByName || place?.choice.level !== 'city') return choice;
  const counties = new Set(place.choice.possible.map(({ county }) => county?.slice(2)));
  const isConfirmed = !isAmbiguous(place.choice);
  return {
    ...choice,
    possible: setsIn(choice.possible, counties),
    usual: setsIn(choice.usual, counties),
    ...(isConfirmed && { isByName: false, byPlace: place.choice.byPlace }),
  };
};

/**
 * Returns whether an import covers the address, so no fallback is needed. It does not if its rates do not cover the
 * day, or if it states only that the taxes depend on the address.
 */
const coversAddress = (release: Release, choice: LocalChoice, day: string, prefer: RatePreference): boolean => {
  if (choice.dependsOnAddress) return false;
  const { codes } = chosenSet(release, choice, day, prefer);
  return areRatesKnown(release, listJurisdictions(release, codes), day);
};

/** Marks the choice if a higher release states that the taxes depend on the address within the city. */
const withUncertainty = ({ release, choice }: ReleaseChoice, dependsOnAddress: boolean): ReleaseChoice => ({
  release,
  choice: choice && dependsOnAddress ? { ...choice, ofAddresses: true } : choice,
});

/**
 * Searches the active release first, then each of its fallbacks, because an import is an overlay and removes nothing.
 * On a day before an import's `complete_from`, a fallback whose files reach further back takes precedence.
 */
const buildLocated = (
  active: Release,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
  place: PlaceChoice | null,
): ReleaseChoice => {
  let release = active;
  let found: { readonly chosen: ReleaseChoice; readonly completeFrom: string } | null = null;
  let dependsOnAddress = false;
  for (; release.fallback; release = release.fallback) {
    const { complete_from: completeFrom = '' } = release;
    if (found && found.completeFrom <= completeFrom) continue;
    const choice = chooseLocals(release, address, day);
    dependsOnAddress ||= found === null && choice?.dependsOnAddress === true;
    if (!choice || !coversAddress(release, choice, day, prefer)) continue;
    found = { chosen: { release, choice: withPlace(choice, place) }, completeFrom };
    if (completeFrom <= day) break;
  }
  if (found) return withUncertainty(found.chosen, dependsOnAddress);
  const choice = chooseLocals(release, address, day);
  return withUncertainty(choice ? { release, choice } : (place ?? { release, choice: null }), dependsOnAddress);
};

/**
 * Returns the county of the charged set. An import has no counties, so the tables determine the county if the address
 * can be in only one. In a state without local taxes, only custom rules depend on the county.
 */
const findCounty = (
  { own }: Release,
  { county }: LocalSet,
  place: PlaceChoice | null,
  findUntaxed: () => string | null,
): string | null => {
  if (county !== undefined) return county;
  if (place !== null) return place.county;
  return own?.rules.some(({ counties }) => counties) ? findUntaxed() : null;
};

// A place whose rate is not established gets its county's rate, so a local tax may be missing.
const isWithoutLocals = ({ isPart, byPlace }: LocalChoice, { isUnknown }: LocalSet): boolean =>
  isPart || isUnknown === true || (byPlace !== null && isIncomplete(byPlace));

/** Returns the jurisdictions whose rates are approximations on a day. */
const approximateAt = ({ release, jurisdictions }: TaxingPlace, day: string): readonly Jurisdiction[] =>
  release === null || day >= release.established_from
    ? []
    : jurisdictions.filter(({ code }) => {
        const rate = rateOn(release, code, day);
        return rate !== undefined && isApproximateOn(rate, day, release);
      });

const locateInState = (address: TaxAddress, releaseFor: ReleaseFor, day: string, prefer: RatePreference): Located => {
  const code = address.state === null ? address.country : jurisdictionCode(address.state);
  const active = address.state === null ? undefined : releaseFor(address);
  if (!active) {
    const name = address.state === null ? code : stateName(address.state);
    return uncovered({ code, name, release: null }, address, prefer);
  }
  const byName = choosePlace(lowestRelease(active), address, day, prefer);
  const { release, choice } = buildLocated(active, address, day, prefer, byName);
  const set = chosenSet(release, choice, day, prefer);
  const own = ownCodesAt(release, address.zip5, day);
  const county = findCounty(release, set, byName, () => countyWithoutTaxes(lowestRelease(active), address));
  const jurisdictions = listJurisdictions(release, [...set.codes, ...own]);
  const place = { code: release.state, name: release.name, release, jurisdictions };
  const equal = (choice?.equal ?? []).map((other) => ({
    place: {
      ...place,
      release: other.release,
      jurisdictions: listJurisdictions(other.release, [...other.set.codes, ...own]),
    },
    name: other.name,
    county: other.set.county ?? null,
  }));
  const lacksLocals = choice ? isWithoutLocals(choice, set) : lacksLocalsAt(release, address);
  const approximate = approximateAt(place, day);
  const undated = { ratesDay: release.established_from, because: 'undated' } as const;
  const approximation = set.approximation ?? (approximate.some(({ type }) => type !== 'state') ? undated : null);
  const isWhole = !lacksLocals && approximation === null && approximate.length === 0;
  const coverage = isWhole ? 'complete' : 'partial';
  return {
    address,
    states: [],
    choice,
    prefer,
    place,
    county,
    resolution: {
      level: choice?.level ?? resolutionLevel(release, address),
      ambiguous:
        address.isStateGuessed ||
        (choice !== null && isAmbiguous(choice)) ||
        mayDependOnPlace(release, { zip5: address.zip5, county }, day),
      coverage: areRatesKnown(release, jurisdictions, day) ? coverage : 'none',
    },
    evidence: choice?.evidence ?? [],
    lacksLocals,
    approximation,
    published: set.published ?? release.published ?? null,
    equal,
  };
};

// An address that is not covered has no rate to compare, even if a part of its ZIP is known.
const combinedRate = ({ place: { release, jurisdictions }, resolution: { coverage } }: Located, day: string) =>
  release === null || coverage === 'none' ? undefined : placeRate(release, jurisdictions, day);

const toCandidate = (located: Located, day: string): StateCandidate => ({
  state: located.address.state ?? located.address.country,
  rate: combinedRate(located, day) ?? null,
  lacksLocals: located.lacksLocals,
  isPart: located.choice?.isPart ?? false,
});

/**
 * Finds the jurisdictions of an address on a tax day.
 *
 * If a ZIP spans jurisdictions, or spans states and no state was sent, Levy chooses the highest combined general rate
 * if `highest` is set. Otherwise it chooses the rate of most residents in the local tables, and the lowest rate in
 * imports and among states. It chooses a state without content only if all possible states lack content. A city that is
 * known only by name is ambiguous even with one set. A five-digit ZIP that is only partly known is also ambiguous, and
 * its coverage is `partial`. Coverage is `none` for a place without a release and for a day without rates.
 */
export const locate = (address: TaxAddress, releaseFor: ReleaseFor, day: string, highest: boolean): Located => {
  const prefer = highest ? 'highest' : 'lowest';
  const [first, ...others] = addressesByState(address).map((one) => locateInState(one, releaseFor, day, prefer));
  assert(first !== undefined, 'addressesByState returned no address');
  if (others.length === 0) return first;
  const all = [first, ...others] as const;
  const chosen = byRate(all, (one) => combinedRate(one, day), prefer);
  return { ...chosen, states: all.map((one) => toCandidate(one, day)) };
};
