/** Computes how combined rates change, by ZIP code and city, if one release replaces another. */
import { getOrAdd } from '../../base/collections.ts';
import type { ReleaseFor } from '../../catalog/content.ts';
import { countsFrom, establishedSpan, inForce, listPieces, type Span } from '../../catalog/effective.ts';
import type { TaxAddress } from '../../catalog/location/address.ts';
import { locate } from '../../catalog/location/place.ts';
import { statesOfZip } from '../../catalog/location/zip-states.ts';
import { combinedRate, placeRate, rateOn } from '../../catalog/rates.ts';
import type { Release } from '../../catalog/release.ts';
import { formatFraction, type RateKind, rateKinds } from '../../catalog/release-values.ts';
import { joinRanges, type NumberRange } from '../zips.ts';
import { type Change, changesOver } from './compare-rates.ts';
import { getWhole, isZip, type ZipRange, zip4Groups, zipText } from './zip-pieces.ts';

/**
 * Combined rates in units of `10^-rateDecimals`: the charged rate, and the lowest and highest rate of any address
 * there.
 */
type Combined = { readonly charged: bigint; readonly lowest: bigint; readonly highest: bigint };

const least = (a: bigint, b: bigint): bigint => (b < a ? b : a);
const most = (a: bigint, b: bigint): bigint => (b > a ? b : a);

/** Returns the rates of an address on a day; `null` if its general rate is unknown. */
export const chargedRates = (address: TaxAddress, active: Release | undefined, day: string) => {
  const { place, choice, resolution } = locate(address, () => active, day, false);
  const { release, jurisdictions } = place;
  if (release === null || resolution.coverage === 'none') return null;
  const isImported = choice !== null && choice.byPlace === null;
  const sets = isImported ? choice.possible : [];
  const codesOfSets = new Set(sets.flatMap(({ codes }) => codes));
  const others = jurisdictions.filter(({ code }) => !codesOfSets.has(code));
  const codes = [...new Set([...jurisdictions.map(({ code }) => code), ...codesOfSets])];
  const hasFood = codes
    .map((code) => rateOn(release, code, day))
    .some((rate) => rate?.food_rate !== undefined || rate?.interstate?.food_rate !== undefined);
  const byKind: Partial<Record<RateKind, Combined>> = {};
  for (const kind of rateKinds) {
    if (kind.startsWith('food') && !hasFood) continue;
    const charged = placeRate(release, jurisdictions, day, kind);
    const beside = placeRate(release, others, day, kind);
    if (charged === undefined || beside === undefined) return null;
    const sums = sets.flatMap((set) => combinedRate(release, set.codes, day, kind) ?? []).map((sum) => beside + sum);
    const [lowest, highest] = [sums.reduce(least, charged), sums.reduce(most, charged)];
    byKind[kind] = { charged, lowest, highest };
  }
  const locals = jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => code);
  return {
    /** The rates on food are present only if a jurisdiction has a separate one. */
    byKind,
    hasLocals: (combinedRate(release, locals, day) ?? 0n) > 0n,
    /** Whether an import covers the address. `lowest` and `highest` include its ranges and streets. */
    isImported,
    /** Whether every rate is known and exact. */
    isComplete: resolution.coverage === 'complete',
  };
};
export type ChargedRates = NonNullable<ReturnType<typeof chargedRates>>;

/** A rate before and after, in units of `10^-rateDecimals`. */
type RatePair = { readonly kind: RateKind; readonly before: bigint; readonly after: bigint };

const getGoodsKind = (kind: RateKind): RateKind => (kind === 'food_interstate' ? 'general_interstate' : 'general');

/**
 * Returns the rates of one kind in two releases; `null` if they cannot be compared. A release without rates on food may
 * have a state rule instead, so its rate on food is at most the general rate.
 */
const combinedPair = (kind: RateKind, before: ChargedRates, after: ChargedRates) => {
  const [old, next] = [before.byKind[kind], after.byKind[kind]];
  if (!old && !next) return null;
  const [oldGoods, nextGoods] = [before.byKind[getGoodsKind(kind)], after.byKind[getGoodsKind(kind)]];
  if (!old && next && oldGoods && next.highest <= oldGoods.highest) return null;
  const pair = [old ?? oldGoods, next ?? nextGoods] as const;
  return pair[0] && pair[1] ? ([pair[0], pair[1]] as const) : null;
};

/**
 * Returns the rates of an address that differ: the charged rates and, between two imports, the lowest and highest rates
 * of the ranges and streets around it.
 */
const differentRates = (before: ChargedRates, after: ChargedRates): readonly RatePair[] =>
  rateKinds.flatMap((kind) => {
    const pair = combinedPair(kind, before, after);
    if (!pair) return [];
    const names =
      before.isImported && after.isImported ? (['charged', 'lowest', 'highest'] as const) : (['charged'] as const);
    return names.flatMap((name) => {
      const [old, next] = [pair[0][name], pair[1][name]];
      return old === next ? [] : [{ kind, before: old, after: next }];
    });
  });

/** Returns the highest rate of any kind that an address there can have. */
const highestRate = ({ byKind }: ChargedRates): bigint =>
  Object.values(byKind).reduce((known, { highest }) => most(known, highest), 0n);

/**
 * The combined rate of one ZIP, ZIP+4 or city before and after a change, in units of `10^-rateDecimals`, and the day of
 * the change.
 */
export type RateStep = RatePair & { readonly key: string; readonly day: string };

const newImpact = () => ({
  /** The number of ZIPs and cities in the release, and their first and last day; `null` is open or unknown. */
  zips: 0,
  cities: 0,
  firstDay: null as string | null,
  lastDay: null as string | null,
  /** The number of locations in force today in these ZIPs and cities. */
  inForce: 0,
  /** The number of compared ZIPs and cities whose combined rate differs on some day. */
  changed: 0,
  /** The changed ZIPs and cities that had no known rate before (`gained`), or have none after (`lost`). */
  gained: 0,
  lost: 0,
  /** The changed ZIPs and cities that had local taxes before and have none after, on some day. */
  vanished: 0,
  largest: null as RateStep | null,
  /** The highest combined rate of any kind in the release, today or later, in units of `10^-rateDecimals`. */
  highest: 0n,
  /** The largest change of a past rate that was complete, exact and more than the state's rate. */
  largestPast: null as RateStep | null,
  /** Examples for the report: the first changes, and the first losses of local taxes. */
  examples: { changed: [] as RateStep[], vanished: [] as RateStep[] },
  /** Changes of known rates on past days, from a correction or from the first official file. */
  past: { changed: 0, firstDay: null as string | null, largest: null as RateStep | null },
});
export type Impact = ReturnType<typeof newImpact>;

/** Loads content for addresses of one state, as a calculation does. */
export type LoadRelease = (addresses: readonly TaxAddress[]) => Promise<ReleaseFor>;

/** Returns the address of a part's key, a ZIP (five digits) or city, in a state (two letters). */
const addressOfKey = (state: string, key: string): TaxAddress => {
  const zip5 = isZip(key) ? key : null;
  return {
    country: 'US',
    state,
    zip5,
    plus4: null,
    city: zip5 === null ? key : null,
    county: null,
    isZipKnown: zip5 !== null && statesOfZip(zip5).length > 0,
    isStateGuessed: false,
  };
};

const mostNumbers = 5000;

/**
 * Returns addresses that together represent a whole ZIP or city in these releases, and the ZIP+4 ranges that each
 * represents: a whole ZIP or city, or a group of the ZIP's ranges. `isMain`: it represents the whole ZIP or city, or
 * more than half of the ZIP's numbers.
 */
export const listProbes = (key: string, address: TaxAddress, releases: readonly (Release | undefined)[]) => [
  { key, address, ranges: [getWhole(key)], isMain: true },
  ...zip4Groups(key, releases).map((ranges) => {
    const plus4 = zipText(ranges[0]?.low ?? 0).slice(5);
    const count = ranges.reduce((sum, { low, high }) => sum + high - low + 1, 0);
    return { key: `${key}-${plus4}`, address: { ...address, plus4 }, ranges, isMain: count > mostNumbers };
  }),
];
type Probe = ReturnType<typeof listProbes>[number];

/** Splits time at the days on which a rate or a boundary can change at an address, and at `today`. */
export const rateTimes = (releases: readonly (Release | undefined)[], today: string): readonly Span[] => {
  const spans: Span[] = [{ from: today, to: null }];
  for (const release of releases)
    for (let level = release; level; level = level.fallback) {
      const { rates, locations, established_from, complete_from = today, local, own } = level;
      for (const from of [complete_from, countsFrom(level), established_from, local?.established_from ?? today])
        spans.push({ from, to: null });
      for (const value of [...rates, ...locations, ...(own?.rates ?? [])])
        spans.push(establishedSpan(value, established_from));
    }
  return listPieces(spans);
};

const endless = '9999-12-31';

/** Counts a ZIP or city that the release itself lists. */
const addNamed = (impact: Impact, key: string, { locations, established_from }: Release, today: string): void => {
  if (locations.length === 0) return;
  if (isZip(key)) impact.zips += 1;
  else impact.cities += 1;
  impact.inForce += inForce(locations, today, established_from).length;
  for (const { from, to } of locations) {
    const [first, last] = [from ?? established_from, to ?? endless];
    if (impact.firstDay === null || first < impact.firstDay) impact.firstDay = first;
    if (impact.lastDay === null || last > impact.lastDay) impact.lastDay = last;
  }
};

/** Returns the absolute difference. */
export const getSize = (left: bigint, right: bigint): bigint => (left > right ? left - right : right - left);

const getLargest = (known: RateStep | null, rates: readonly Rates[]): RateStep | null => {
  let largest = known;
  for (const step of rates.flatMap(({ steps }) => steps))
    if (largest === null || getSize(step.before, step.after) > getSize(largest.before, largest.after)) largest = step;
  return largest;
};

const differ = ({ before, after, steps }: Rates): boolean => (before === null) !== (after === null) || steps.length > 0;

/** The maximum number of examples of one kind in a report. */
export const examplesMax = 3;

const addExample = (examples: RateStep[], { steps }: Rates): void => {
  if (examples.length < examplesMax) examples.push(...steps.slice(0, 1));
};

/** Counts a ZIP or city by its rates on each day on which they can change. */
const addRates = (impact: Impact, rates: readonly Rates[]): void => {
  const different = rates.filter(differ);
  const [first] = different;
  if (!first) return;
  impact.changed += 1;
  if (different.some(({ before }) => before === null)) impact.gained += 1;
  if (different.some(({ after }) => after === null)) impact.lost += 1;
  impact.largest = getLargest(impact.largest, different);
  addExample(impact.examples.changed, first);
  const vanished = different.find(({ before, after }) => before?.hasLocals && after?.hasLocals === false);
  if (!vanished) return;
  impact.vanished += 1;
  addExample(impact.examples.vanished, vanished);
};

/** Counts a ZIP or city by its rates on past days. Only rates that were known before count. */
const addPast = (impact: Impact, rates: readonly Rates[]): void => {
  const different = rates.filter((rate) => rate.before !== null && differ(rate));
  const [first] = different;
  if (!first) return;
  const { past } = impact;
  const complete = different.filter(({ before }) => before?.isComplete);
  impact.largestPast = getLargest(impact.largestPast, complete);
  past.changed += 1;
  if (past.firstDay === null || first.day < past.firstDay) past.firstDay = first.day;
  past.largest = getLargest(past.largest, different);
};

type Releases = { readonly before: Release | undefined; readonly after: Release | undefined };

type ComparedPlaces = {
  /** The two-letter code of the state. */
  readonly state: string;
  /** ZIPs and cities to compare, in blocks that fit in memory. */
  readonly blocks: AsyncIterable<readonly string[]>;
  readonly before: LoadRelease;
  readonly after: LoadRelease;
};

type ImpactOptions = ComparedPlaces & {
  /** Changes on earlier tax days are counted separately. */
  readonly today: string;
  /** Called with the changes of each ZIP or city that has any. */
  readonly onChanges?: OnChanges | undefined;
};

/**
 * Returns the rates at an address on the first day of each span. The built-in tables have no ZIP+4 ranges, so a
 * comparison with them uses only addresses that represent most of the ZIP.
 */
const ratesAt = ({ key, address, isMain }: Probe, releases: Releases, times: readonly Span[]) =>
  times.map(({ from: day }) => {
    const [before, after] = [chargedRates(address, releases.before, day), chargedRates(address, releases.after, day)];
    // The rates that are known both before and after, and differ.
    const steps = before && after ? differentRates(before, after).map((pair) => ({ key, day, ...pair })) : [];
    // Whether the `before` release can have separate rates for the address.
    const isCompared = isMain || before?.isImported === true;
    return { day, before, after, steps, isCompared };
  });
type Rates = ReturnType<typeof ratesAt>[number];

/** The general combined rate of a city, or of ranges of a ZIP, before and after. Rates are fractions. */
export type PlaceChange = Change & { readonly key: string; readonly zips: readonly ZipRange[] };
export type OnChanges = (changes: readonly PlaceChange[]) => void;

type Rated = { readonly probe: Probe; readonly rates: readonly Rates[] };

const generalRate = (rates: ChargedRates | null | undefined): string | null => {
  const charged = rates?.byKind.general?.charged;
  return charged === undefined ? null : formatFraction(charged);
};

/**
 * Returns the changes in a ZIP or city, by ZIP+4 if its ranges are compared. Ranges with the same change share one
 * entry.
 */
const placeChanges = (key: string, [whole, ...groups]: readonly Rated[], times: readonly Span[]) => {
  const compared = groups.filter(({ rates }) => rates.some(({ isCompared }) => isCompared));
  const found = new Map<string, { readonly change: Change; readonly ranges: NumberRange[] }>();
  for (const { probe, rates } of compared.length > 0 || !whole ? compared : [whole]) {
    const getRate = (side: 'before' | 'after') => (_: Span, index: number) => generalRate(rates[index]?.[side]);
    for (const change of changesOver(times, getRate('before'), getRate('after')))
      getOrAdd(found, JSON.stringify(change), () => ({ change, ranges: [] as NumberRange[] })).ranges.push(
        ...probe.ranges,
      );
  }
  return [...found.values()].map(({ change, ranges }): PlaceChange => {
    const zips = joinRanges(ranges).map(({ low, high }): ZipRange => [zipText(low), zipText(high)]);
    return { key, zips: isZip(key) ? zips : [], ...change };
  });
};

/** Yields each ZIP or city with the two releases that apply there. */
export async function* listBoth({ state, blocks, before, after }: ComparedPlaces) {
  for await (const keys of blocks) {
    const addresses = keys.map((key) => ({ key, address: addressOfKey(state, key) }));
    const all = addresses.map(({ address }) => address);
    const [old, next] = [await before(all), await after(all)];
    for (const { key, address } of addresses)
      yield { key, address, releases: { before: old(address), after: next(address) } };
  }
}

/** Compares the rates of two releases at ZIPs and cities, with the same lookup as a calculation. */
export const computeImpact = async ({ today, onChanges, ...places }: ImpactOptions): Promise<Impact> => {
  const impact = newImpact();
  for await (const { key, address, releases } of listBoth(places)) {
    if (releases.after) addNamed(impact, key, releases.after, today);
    const both = [releases.before, releases.after];
    const times = rateTimes(both, today);
    const probes = listProbes(key, address, both);
    const rated = probes.map((probe): Rated => ({ probe, rates: ratesAt(probe, releases, times) }));
    const changes = onChanges ? placeChanges(key, rated, times) : [];
    if (changes.length > 0) onChanges?.(changes);
    const rates = rated.flatMap((one) => one.rates);
    const coming = rates.filter(({ day }) => day >= today);
    for (const { after } of coming) if (after) impact.highest = most(impact.highest, highestRate(after));
    const compared = coming.filter(({ isCompared }) => isCompared);
    addRates(impact, compared);
    const past = rates.filter(({ day, isCompared }) => isCompared && day < today);
    addPast(impact, past);
  }
  return { ...impact, lastDay: impact.lastDay === endless ? null : impact.lastDay };
};
