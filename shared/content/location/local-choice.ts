import type { Evidence } from '../release.ts';
import type { Area, LocalSet } from './location-index.ts';

/**
 * What became of the city's name: it has a rate (`taxed`), it taxes at a rate that is not established (`missing`), mail
 * uses it there and it has no rate of its own (`postal`), it is known in other counties than the ZIP's (`elsewhere`), it
 * is not known, or there was none.
 */
export type CityReading = 'taxed' | 'missing' | 'postal' | 'elsewhere' | 'unknown' | 'none';

/** How a place was found by its ZIP and city, without a boundary file. */
export type ByPlace = {
  readonly city: CityReading;
  /** The nearest known name of a city that is not known. */
  readonly suggestion: string | null;
  /** Whether the county that the address names is none of its ZIP's. */
  readonly contradictsCounty: boolean;
  /** A county that the state does not have, with the nearest name; `null` where the county is known or none was sent. */
  readonly unknownCounty: { readonly suggestion: string | null } | null;
  /** In how many counties of the state the ZIP lies; `null` where no ZIP was sent, or the tables do not have it. */
  readonly zipCounties: number | null;
  /** The area that is meant (`place` is empty for a county's remainder); `null` where no local rate is established. */
  readonly area: { readonly place: string; readonly county: string } | null;
  /** The first day on which its rate is established. */
  readonly established: string | null;
};

/** The local jurisdictions that an address may have, as its content says. */
export type LocalChoice = {
  /** What of the address decided. */
  readonly level: 'zip9' | 'zip5' | 'city' | 'county' | 'state';
  /** All the sets that an address there may have. Several are ambiguous. */
  readonly possible: readonly [LocalSet, ...LocalSet[]];
  /** Those of them that are meant where nothing else is known: the whole ZIP's, if it has any (SSUTA section 305). */
  readonly usual: readonly [LocalSet, ...LocalSet[]];
  /** What says so. */
  readonly evidence: readonly Evidence[];
  /** Whether a city's name alone decided: mail that is addressed to a city also goes to places beyond its limits. */
  readonly isByName: boolean;
  /** Whether these are of a part of the ZIP, and nothing says what the rest of it has. */
  readonly isPart: boolean;
  /** Whether a city that is known by its name comes before these. */
  readonly yieldsToCity: boolean;
  /** Whether no city was sent that could come before these. */
  readonly lacksCity: boolean;
  /** Whether borders cross the ZIP, and nothing says what lies beyond them. */
  readonly crossesBorders: boolean;
  /** The cities that have sets of their own in the ZIP, where the address names none of them. */
  readonly otherCities: readonly string[];
  /** Whether the ZIP is none of those of the city that the address names: one of both is wrong, and the ZIP decides. */
  readonly contradictsCity: boolean;
  /** Whether only the state's rate is said of the place: where no local tax is assumed, some may be missing. */
  readonly lacksLocals: boolean;
  /** Whether the content tells parts of the ZIP apart by the last four digits. */
  readonly hasRanges: boolean;
  /** `null` where a file of ZIPs or cities decided. */
  readonly byPlace: ByPlace | null;
  /** Some of the possible sets are those of street addresses in the ZIP, and no look-up reads streets. */
  readonly byStreet?: true;
};

const distinct = (areas: readonly Area[]): LocalSet[] => [
  ...new Map(areas.flatMap(({ sets }) => sets).map((set) => [set.key, set])).values(),
];

/** What areas come to that an address may lie in, or `undefined` of none; `usual` are those of them that are meant. */
export const choiceOf = (
  level: LocalChoice['level'],
  areas: readonly Area[],
  { usual, hasRanges = false }: { readonly usual?: readonly Area[]; readonly hasRanges?: boolean } = {},
): LocalChoice | undefined => {
  const [first, ...others] = distinct(areas);
  if (!first) return undefined;
  const [usualFirst = first, ...otherUsual] = usual ? distinct(usual) : [first, ...others];
  return {
    level,
    possible: [first, ...others],
    usual: [usualFirst, ...otherUsual],
    evidence: areas.map(({ evidence }) => evidence),
    isByName: level === 'city' && areas.some(({ isByName }) => isByName),
    isPart: false,
    yieldsToCity: areas.some(({ yieldsToCity, withinCity }) => yieldsToCity && withinCity === null),
    lacksCity: false,
    crossesBorders: areas.some(({ crossesBorders }) => crossesBorders),
    otherCities: [],
    contradictsCity: false,
    lacksLocals: areas.some(({ lacksLocals }) => lacksLocals),
    hasRanges,
    byPlace: null,
  };
};

const untaxed: LocalSet = { key: '', codes: [] };

const withSets = <Sets extends LocalChoice['possible']>(sets: Sets, more: readonly LocalSet[]): Sets =>
  [...sets, ...more.filter(({ key }) => sets.every((set) => set.key !== key))] as unknown as Sets;

/** An address may have other sets too; what is meant stays. */
export const withPossible = (choice: LocalChoice, { possible, evidence }: LocalChoice): LocalChoice => ({
  ...choice,
  possible: withSets(choice.possible, possible),
  evidence: [...new Set([...choice.evidence, ...evidence])],
});

/** An address may have no local tax too, and that is meant as well as the others. */
export const withUntaxed = (choice: LocalChoice): LocalChoice => ({
  ...choice,
  possible: withSets(choice.possible, [untaxed]),
  usual: withSets(choice.usual, [untaxed]),
});

/** A choice of one set, with every doubt absent. */
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
  lacksLocals: false,
  hasRanges: false,
  byPlace: null,
});

/** The choice for a ZIP that no location names: no local tax. */
export const untaxedZip = (level: LocalChoice['level']): LocalChoice => plainChoice(level, untaxed);

/** What a ZIP says of an address that names a city whose local taxes are none of these: those may be meant as well. */
export const againstCity = (ofZip: LocalChoice, ofCity: LocalChoice): LocalChoice => ({
  ...withPossible(ofZip, { ...ofCity, evidence: [] }),
  contradictsCity: true,
});

/** Whether some address there has local taxes. */
export const hasLocals = ({ possible }: LocalChoice): boolean => possible.some(({ codes }) => codes.length > 0);

/** Whether an address may have other local taxes than those that are assumed. */
export const isAmbiguous = ({ possible, isByName, isPart, lacksCity, crossesBorders }: LocalChoice): boolean =>
  possible.length > 1 || isByName || isPart || lacksCity || crossesBorders;
