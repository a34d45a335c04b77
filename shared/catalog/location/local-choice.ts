import { getOrAdd } from '../../base/collections.ts';
import type { Approximation } from '../effective.ts';
import type { Location, Release } from '../release.ts';
import type { Evidence, Published } from '../release-values.ts';

/** Local jurisdictions that tax a place together. The key is independent of the order of the codes. */
export type LocalSet = {
  readonly key: string;
  readonly codes: readonly string[];
  /** The five-digit code of their county, if the content has it. */
  readonly county?: string | null;
  /** Whether the jurisdictions are not established. */
  readonly isUnknown?: true;
  /** Set if the rates of a different day are used on the tax day. */
  readonly approximation?: Approximation | null;
  /** When the rates were published, if they come from a local table. */
  readonly published?: Published | null;
};

/**
 * A location with the possible sets of its addresses. A location without ZIPs has unknown limits: it is matched by the
 * name of a city.
 */
export type Area = Location & { readonly sets: readonly LocalSet[] };

/** The nine-digit ZIPs of an area, both ends inclusive. */
export type Span = { readonly low: number; readonly high: number; readonly area: Area };

type LocationIndex = {
  readonly spans: readonly Span[];
  readonly byCity: ReadonlyMap<string, readonly Area[]>;
  /** The codes whose ZIPs the release lists. */
  readonly codesWithZips: ReadonlySet<string>;
};

/** Returns the set with a location's codes. */
export const newLocalSet = (codes: readonly string[]): LocalSet => ({
  key: [...new Set(codes)].sort().join(' '),
  codes,
});

// A five-digit ZIP covers all its ZIP+4 codes.
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

/** Returns the location index of a release, built once because releases are immutable. */
export const locationIndex = (release: Release): LocationIndex => getOrAdd(indexes, release, () => index(release));

/**
 * How the city was read: a place in the ZIP (`place`); a postal name of the whole ZIP, or of several ZIPs if none was
 * sent (`postal`); a name from other ZIPs or counties (`elsewhere`); `unknown`; or not sent (`none`).
 */
type CityReading = 'place' | 'postal' | 'elsewhere' | 'unknown' | 'none';

/** An area that may contain the address. */
export type PossibleArea = {
  /** The name of the place, or of the county for a county's remainder. */
  readonly name: string;
  /** The local rate in units of `10^-rateDecimals`; `null` if it is not established. */
  readonly rate: bigint | null;
  /** The percentage of residents who live there; 0 if the area is possible but not likely. */
  readonly percent: number;
};

/** The result of a look-up by ZIP and city in the local tables, without a boundary file. */
export type ByPlace = {
  readonly city: CityReading;
  /** The nearest known name for an unknown city. */
  readonly suggestion: string | null;
  /** Whether the county in the address is outside its ZIP. */
  readonly contradictsCounty: boolean;
  /** A county that does not exist in the state, with the nearest name; `null` if the county exists or was not sent. */
  readonly unknownCounty: { readonly suggestion: string | null } | null;
  /**
   * The number of counties in the state where the ZIP has residents; `null` if no ZIP was sent or the tables do not
   * contain it.
   */
  readonly zipCounties: number | null;
  /** The charged area (`place` is empty for a county's remainder); `null` if no local rate is established. */
  readonly area: { readonly place: string; readonly county: string } | null;
  /** The place whose rate is not established, so its county's rate is charged. */
  readonly missing: string | null;
  /** The areas that may contain the address, the charged area first. Areas with equal names and rates are merged. */
  readonly possible: readonly PossibleArea[];
  /** The first day on which the charged rate is established. */
  readonly established: string | null;
};

/** A set that could apply instead of the chosen one, the name of its place, and a release with its rates. */
export type OtherSet = { readonly set: LocalSet; readonly name: string; readonly release: Release };

/** The local jurisdictions that may apply to an address. */
export type LocalChoice = {
  /** The part of the address that determined the choice. */
  readonly level: 'street' | 'zip9' | 'zip5' | 'city' | 'county' | 'state';
  /** All possible sets. The address is ambiguous if there are several. */
  readonly possible: readonly [LocalSet, ...LocalSet[]];
  /** The default sets: the sets of the whole ZIP, if it has any (SSUTA section 305). */
  readonly usual: readonly [LocalSet, ...LocalSet[]];
  /** The sources of the sets. */
  readonly evidence: readonly Evidence[];
  /** Whether only the city's name determined the choice. Postal addresses use a city's name beyond its limits. */
  readonly isByName: boolean;
  /** Whether the sets cover only part of the ZIP, and the rest of the ZIP is unknown. */
  readonly isPart: boolean;
  /** Whether a city that is known only by name takes precedence over these sets. */
  readonly yieldsToCity: boolean;
  /** Whether the address lacks a city, which could take precedence over these sets. */
  readonly lacksCity: boolean;
  /** Whether borders cross the ZIP and the taxes beyond them are unknown. */
  readonly crossesBorders: boolean;
  /** The cities with separate sets in the ZIP, if the address names none of them. */
  readonly otherCities: readonly string[];
  /** Whether the ZIP does not belong to the city in the address. One of them is wrong; the ZIP is used. */
  readonly contradictsCity: boolean;
  /** Whether the content has ZIP+4 ranges for the ZIP. */
  readonly hasRanges: boolean;
  /** `null` if the choice comes from an imported location. */
  readonly byPlace: ByPlace | null;
  /**
   * Whether the source states only that the taxes depend on the address within the city. The fallback release then
   * applies.
   */
  readonly dependsOnAddress?: true;
  /** Whether a release above the applied release states that the taxes depend on the address within the city. */
  readonly ofAddresses?: true;
  /**
   * Whether some of the possible sets apply only to street addresses in the ZIP, and none of them matches the address.
   */
  readonly byStreet?: true;
  /**
   * Other sets with the same combined rate, which do not make the address ambiguous. They matter for products that
   * their jurisdictions tax differently.
   */
  readonly equal?: readonly OtherSet[];
};

const distinct = (areas: readonly Area[]): LocalSet[] => {
  const found = new Map<string, LocalSet>();
  for (const { sets } of areas) for (const set of sets) found.set(set.key, set);
  return [...found.values()];
};

// Shared, because a choice is cached for each address.
const none: readonly never[] = [];

/** Returns a choice of one set without any uncertainty. */
export const plainChoice = (level: LocalChoice['level'], set: LocalSet): LocalChoice => {
  const only = [set] as const;
  return {
    level,
    possible: only,
    usual: only,
    evidence: none,
    isByName: false,
    isPart: false,
    yieldsToCity: false,
    lacksCity: false,
    crossesBorders: false,
    otherCities: none,
    contradictsCity: false,
    hasRanges: false,
    byPlace: null,
  };
};

/**
 * Returns the choice among areas that may contain an address; `undefined` if there are none. `usual` contains the
 * default areas.
 */
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

/** The set of a place without local tax. */
export const noLocals: LocalSet = { key: '', codes: [] };

/** Adds possible sets. The default sets do not change. */
export const addAlternatives = (choice: LocalChoice, { possible, evidence }: LocalChoice): LocalChoice => ({
  ...choice,
  possible: [...choice.possible, ...possible.filter(({ key }) => choice.possible.every((set) => set.key !== key))],
  evidence: [...new Set([...choice.evidence, ...evidence])],
});

/** Returns the choice for a ZIP that contradicts the city in the address. It adds the city's sets as possible. */
export const addContradictingCity = (ofZip: LocalChoice, ofCity: LocalChoice): LocalChoice => ({
  ...addAlternatives(ofZip, { ...ofCity, evidence: [] }),
  contradictsCity: true,
});

/** Returns whether any possible set has local taxes. */
export const hasLocals = ({ possible }: LocalChoice): boolean => possible.some(({ codes }) => codes.length > 0);

/** Returns whether the tables leave several possible rates, or do not contain the place. */
export const isOpen = ({ possible }: ByPlace): boolean =>
  possible.length === 0 || possible.some(({ rate }) => rate !== possible[0]?.rate);

/** Returns whether any possible rate from the tables is not established. */
export const isIncomplete = ({ possible }: ByPlace): boolean =>
  possible.length === 0 || possible.some(({ rate }) => rate === null);

/** Returns whether local taxes other than the chosen ones may apply to an address. */
export const isAmbiguous = (choice: LocalChoice): boolean => {
  const { possible, isByName, isPart, lacksCity, crossesBorders, ofAddresses = false, byPlace } = choice;
  if (byPlace !== null && isOpen(byPlace)) return true;
  return possible.length > 1 || isByName || isPart || lacksCity || crossesBorders || ofAddresses;
};
