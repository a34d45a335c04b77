import { getOrAdd } from '../../base/collections.ts';
import type { Approximation } from '../effective.ts';
import type { Location, Release } from '../release.ts';
import type { Evidence, Published } from '../release-values.ts';

/** Local jurisdictions that tax a place together. The key does not depend on the order of the codes. */
export type LocalSet = {
  readonly key: string;
  readonly codes: readonly string[];
  /** The five-digit code of their county, if the content has it. */
  readonly county?: string | null;
  /** Whether the jurisdictions are not established. */
  readonly isUnknown?: true;
  /** Set where the rates of another day are used on the tax day. */
  readonly approximation?: Approximation | null;
  /** When the rates were published, if a local table has them. */
  readonly published?: Published | null;
};

/** A location with the sets that an address in it may have. Without ZIPs, its limits are unknown: it has the name of a city. */
export type Area = Location & { readonly sets: readonly LocalSet[] };

/** The nine-digit ZIPs of an area, both ends inclusive. */
export type Span = { readonly low: number; readonly high: number; readonly area: Area };

type LocationIndex = {
  readonly spans: readonly Span[];
  readonly byCity: ReadonlyMap<string, readonly Area[]>;
  /** The codes of which the release lists ZIPs. */
  readonly codesWithZips: ReadonlySet<string>;
};

/** The set of a location's codes. */
export const newLocalSet = (codes: readonly string[]): LocalSet => ({
  key: [...new Set(codes)].sort().join(' '),
  codes,
});

// Five digits mean all ZIP+4 codes of the ZIP.
const findSpans = ({ zips }: Location, area: Area): Span[] =>
  zips.map(([low, high]) => ({ low: Number(low.padEnd(9, '0')), high: Number(high.padEnd(9, '9')), area }));

const index = ({ locations }: Release): LocationIndex => {
  const spans: Span[] = [];
  const byCity = new Map<string, Area[]>();
  const codesWithZips = new Set<string>();
  for (const location of locations) {
    const area = { ...location, sets: location.alternatives.map(newLocalSet) };
    for (const span of findSpans(location, area)) spans.push(span);
    if (location.zips.length > 0) for (const code of location.alternatives.flat()) codesWithZips.add(code);
    for (const city of location.cities) {
      const areas = byCity.get(city) ?? [];
      if (areas.push(area) === 1) byCity.set(city, areas);
    }
  }
  return { spans, byCity, codesWithZips };
};

const indexes = new WeakMap<Release, LocationIndex>();

/** The location index of a release, built once because releases are immutable. */
export const locationIndex = (release: Release): LocationIndex => getOrAdd(indexes, release, () => index(release));

/**
 * The kind of city: a place of its own where the ZIP is (`place`); a name of the whole ZIP, or of several without a ZIP
 * (`postal`); a name of other ZIPs or counties (`elsewhere`); unknown; or none was sent.
 */
type CityReading = 'place' | 'postal' | 'elsewhere' | 'unknown' | 'none';

/** An area that an address may lie in. */
export type PossibleArea = {
  /** The place; for the rest of a county, the county. */
  readonly name: string;
  /** Its local rate in units of `10^-rateDecimals`; `null` where it is not established. */
  readonly rate: bigint | null;
  /** The percent of the residents who live there; 0 where it is possible only. */
  readonly percent: number;
};

/** A look-up of a place by ZIP and city, without a boundary file. */
export type ByPlace = {
  readonly city: CityReading;
  /** The nearest known name of an unknown city. */
  readonly suggestion: string | null;
  /** Whether the county in the address is not a county of its ZIP. */
  readonly contradictsCounty: boolean;
  /** A county that the state does not have, with the nearest name; `null` where the county is known or none was sent. */
  readonly unknownCounty: { readonly suggestion: string | null } | null;
  /**
   * In how many counties of the state the ZIP has residents; `null` where no ZIP was sent, or the tables do not have
   * it.
   */
  readonly zipCounties: number | null;
  /** The area that is charged (`place` is empty for a county's remainder); `null` where no local rate is established. */
  readonly area: { readonly place: string; readonly county: string } | null;
  /** The place whose rate is not established and whose county's rate is charged instead. */
  readonly missing: string | null;
  /** Where the address may lie; the first one is charged. Areas with the same name and rate are one. */
  readonly possible: readonly PossibleArea[];
  /** The first day on which the charged rate is established. */
  readonly established: string | null;
};

/** The local jurisdictions that an address may have. */
export type LocalChoice = {
  /** The part of the address that decided. */
  readonly level: 'street' | 'zip9' | 'zip5' | 'city' | 'county' | 'state';
  /** All sets that the address may have. Several make it ambiguous. */
  readonly possible: readonly [LocalSet, ...LocalSet[]];
  /** The default sets: the sets of the whole ZIP, if it has any (SSUTA section 305). */
  readonly usual: readonly [LocalSet, ...LocalSet[]];
  /** The sources of the sets. */
  readonly evidence: readonly Evidence[];
  /** Whether a city's name alone decided: mail that is addressed to a city goes to places beyond its limits as well. */
  readonly isByName: boolean;
  /** Whether the sets are of a part of the ZIP, and the rest of it is unknown. */
  readonly isPart: boolean;
  /** Whether a city that is known only by its name takes precedence over these. */
  readonly yieldsToCity: boolean;
  /** Whether no city was sent that could take precedence over these. */
  readonly lacksCity: boolean;
  /** Whether borders cross the ZIP, and the taxes beyond them are unknown. */
  readonly crossesBorders: boolean;
  /** The cities with sets of their own in the ZIP, if the address names none of them. */
  readonly otherCities: readonly string[];
  /** Whether the ZIP does not belong to the city in the address. One of both is wrong, and the ZIP decides. */
  readonly contradictsCity: boolean;
  /** Whether the content has ZIP+4 ranges in the ZIP. */
  readonly hasRanges: boolean;
  /** `null` if an imported location decided. */
  readonly byPlace: ByPlace | null;
  /** Whether the source says only that the taxes depend on the address within the city: the fallback release applies. */
  readonly dependsOnAddress?: true;
  /** Whether a release above the applied one says that the taxes depend on the address within the city. */
  readonly ofAddresses?: true;
  /** Whether some of the possible sets are of street addresses in the ZIP, none of which was found for the address. */
  readonly byStreet?: true;
};

const distinct = (areas: readonly Area[]): LocalSet[] => [
  ...new Map(areas.flatMap(({ sets }) => sets).map((set) => [set.key, set])).values(),
];

/** A choice of one set, with every uncertainty absent. */
export const plainChoice = (level: LocalChoice['level'], set: LocalSet): LocalChoice => ({
  level,
  possible: [set],
  usual: [set],
  evidence: [],
  isByName: false,
  isPart: false,
  yieldsToCity: false,
  lacksCity: false,
  crossesBorders: false,
  otherCities: [],
  contradictsCity: false,
  hasRanges: false,
  byPlace: null,
});

/** The choice among areas that an address may lie in; `undefined` without areas. `usual` are the default ones. */
export const pickLocals = (
  level: LocalChoice['level'],
  areas: readonly Area[],
  { usual = areas, hasRanges = false }: { readonly usual?: readonly Area[]; readonly hasRanges?: boolean } = {},
): LocalChoice | undefined => {
  const sets = distinct(areas);
  const [first, ...others] = sets;
  if (!first) return undefined;
  const [usualFirst = first, ...otherUsual] = usual === areas ? sets : distinct(usual);
  return {
    ...plainChoice(level, first),
    possible: [first, ...others],
    usual: [usualFirst, ...otherUsual],
    evidence: areas,
    isByName: level === 'city' && areas.some(({ zips }) => zips.length === 0),
    yieldsToCity: areas.some(({ yields_to_city, within_city }) => yields_to_city && within_city === undefined),
    crossesBorders: areas.some(({ crosses_borders }) => crosses_borders),
    hasRanges,
    ...(areas.every(({ of_addresses }) => of_addresses) && { dependsOnAddress: true }),
  };
};

const untaxed: LocalSet = { key: '', codes: [] };

const withSets = <Sets extends LocalChoice['possible']>(sets: Sets, more: readonly LocalSet[]): Sets =>
  [...sets, ...more.filter(({ key }) => sets.every((set) => set.key !== key))] as unknown as Sets;

/** Add possible sets; the default sets stay. */
export const addAlternatives = (choice: LocalChoice, { possible, evidence }: LocalChoice): LocalChoice => ({
  ...choice,
  possible: withSets(choice.possible, possible),
  evidence: [...new Set([...choice.evidence, ...evidence])],
});

/** Add the empty set (no local tax) to the possible and the default sets. */
export const withUntaxed = (choice: LocalChoice): LocalChoice => ({
  ...choice,
  possible: withSets(choice.possible, [untaxed]),
  usual: withSets(choice.usual, [untaxed]),
});

/** The choice for a ZIP that no location names: no local tax. */
export const untaxedZip = (level: LocalChoice['level']): LocalChoice => plainChoice(level, untaxed);

/** The choice for a ZIP that contradicts the city in the address: the city's sets are possible as well. */
export const addContradictingCity = (ofZip: LocalChoice, ofCity: LocalChoice): LocalChoice => ({
  ...addAlternatives(ofZip, { ...ofCity, evidence: [] }),
  contradictsCity: true,
});

/** Whether some address there has local taxes. */
export const hasLocals = ({ possible }: LocalChoice): boolean => possible.some(({ codes }) => codes.length > 0);

/** Whether the tables leave several rates, or do not know the place at all. */
export const isOpen = ({ possible }: ByPlace): boolean =>
  possible.length === 0 || possible.some(({ rate }) => rate !== possible[0]?.rate);

/** Whether a rate that the tables leave is not established. */
export const isIncomplete = ({ possible }: ByPlace): boolean =>
  possible.length === 0 || possible.some(({ rate }) => rate === null);

/** Whether an address may have other local taxes than the chosen ones. */
export const isAmbiguous = (choice: LocalChoice): boolean => {
  const { possible, isByName, isPart, lacksCity, crossesBorders, ofAddresses = false, byPlace } = choice;
  if (byPlace !== null && isOpen(byPlace)) return true;
  return possible.length > 1 || isByName || isPart || lacksCity || crossesBorders || ofAddresses;
};
