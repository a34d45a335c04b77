/** The changes for buyers if a release replaces another, by ZIP code and city, from a day on. */
import type { ReleaseFor } from '../../catalog/content.ts';
import { countsFrom } from '../../catalog/effective.ts';
import type { TaxAddress } from '../../catalog/location/address.ts';
import { statesOfZip } from '../../catalog/location/zip-states.ts';
import type { Release } from '../../catalog/release.ts';
import { type ChargedRates, chargedRates, differentRates, highestRate, type RatePair } from './charged-rates.ts';
import { establishedSpan, piecesOf, type Span } from './timeline.ts';
import { isZip, zip4Groups } from './zip-pieces.ts';

/** The combined rate of one ZIP, ZIP+4 or city before and after, in units of `10^-rateDecimals`, from a day on. */
export type RateStep = RatePair & { readonly key: string; readonly day: string };

export type Impact = {
  /** The number of ZIPs and cities that the release names, and the first and last day of any; `null` is open or unknown. */
  zips: number;
  cities: number;
  firstDay: string | null;
  lastDay: string | null;
  /** The number of compared ZIPs and cities with another combined rate on some day. */
  changed: number;
  /** The number of these without a known rate before or after. */
  gained: number;
  lost: number;
  /** The number of these with local taxes before and none after, on some day. */
  vanished: number;
  largest: RateStep | null;
  /** The highest combined rate of the release from today on, of any kind, in units of `10^-rateDecimals`. */
  highest: bigint;
  /** The largest change of a rate of an earlier day that was complete, and not only the state's or approximate. */
  largestPast: RateStep | null;
  /** The first changes, and the first losses of local taxes. */
  readonly examples: { readonly changed: RateStep[]; readonly vanished: RateStep[] };
  /** The changes of rates that were known on days before today: a correction, or the first official file. */
  readonly past: { changed: number; firstDay: string | null; largest: RateStep | null };
};

/** Loads content for addresses of one state, as a calculation does. */
export type LoadRelease = (addresses: readonly TaxAddress[]) => Promise<ReleaseFor>;

/** The address of a ZIP (five digits) or city, the key of a part, in a state (two letters). */
export const addressOfKey = (state: string, key: string): TaxAddress => {
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

/** An address to compare. `isMain`: it stands for the ZIP or city, or for more than half of the numbers of the ZIP. */
type Probe = { readonly key: string; readonly address: TaxAddress; readonly isMain: boolean };

const mostNumbers = 5000;

/** Addresses that stand for all of a ZIP or city in these releases. */
export const probesOf = (
  key: string,
  address: TaxAddress,
  releases: readonly (Release | undefined)[],
): readonly Probe[] => [
  { key, address, isMain: true },
  ...zip4Groups(key, releases).map(({ plus4, count }) => ({
    key: `${key}-${plus4}`,
    address: { ...address, plus4 },
    isMain: count > mostNumbers,
  })),
];

/** The days on which a rate or a border may change at an address, and `today`. */
export const changeDays = (releases: readonly (Release | undefined)[], today: string): readonly string[] => {
  const spans: Span[] = [{ from: today, to: null }];
  for (const release of releases)
    for (let level = release; level; level = level.fallback) {
      const { rates, locations, established_from, complete_from = today, local, own } = level;
      for (const from of [complete_from, countsFrom(level), established_from, local?.established_from ?? today])
        spans.push({ from, to: null });
      for (const value of [...rates, ...locations, ...(own?.rates ?? [])])
        spans.push(establishedSpan(value, established_from));
    }
  return piecesOf(spans).map(({ from }) => from);
};

const endless = '9999-12-31';

/** Count a ZIP or city that the release itself names. */
const addNamed = (impact: Impact, key: string, { locations, established_from }: Release): void => {
  if (locations.length === 0) return;
  if (isZip(key)) impact.zips += 1;
  else impact.cities += 1;
  for (const { from, to } of locations) {
    const [first, last] = [from ?? established_from, to ?? endless];
    if (impact.firstDay === null || first < impact.firstDay) impact.firstDay = first;
    if (impact.lastDay === null || last > impact.lastDay) impact.lastDay = last;
  }
};

const sizeOf = ({ before, after }: RateStep): bigint => (after > before ? after - before : before - after);

type Rates = {
  readonly day: string;
  readonly before: ChargedRates | null;
  readonly after: ChargedRates | null;
  /** The rates that are known before and after, and differ. */
  readonly steps: readonly RateStep[];
  /** Whether the release before can have its own rates for the address. */
  readonly isCompared: boolean;
};

const largestOf = (known: RateStep | null, rates: readonly Rates[]): RateStep | null => {
  let largest = known;
  for (const step of rates.flatMap(({ steps }) => steps))
    if (largest === null || sizeOf(step) > sizeOf(largest)) largest = step;
  return largest;
};

const differ = ({ before, after, steps }: Rates): boolean => (before === null) !== (after === null) || steps.length > 0;

const examplesMax = 3;

const addExample = (examples: RateStep[], { steps }: Rates): void => {
  if (examples.length < examplesMax) examples.push(...steps.slice(0, 1));
};

/** Count a ZIP or city by its rates on the days on which they may change. */
const addRates = (impact: Impact, rates: readonly Rates[]): void => {
  const different = rates.filter(differ);
  const [first] = different;
  if (!first) return;
  impact.changed += 1;
  if (different.some(({ before }) => before === null)) impact.gained += 1;
  if (different.some(({ after }) => after === null)) impact.lost += 1;
  impact.largest = largestOf(impact.largest, different);
  addExample(impact.examples.changed, first);
  const vanished = different.find(({ before, after }) => before?.hasLocals && after?.hasLocals === false);
  if (!vanished) return;
  impact.vanished += 1;
  addExample(impact.examples.vanished, vanished);
};

/** Count a ZIP or city by its rates on earlier days, of which only those that were known before matter. */
const addPast = (impact: Impact, rates: readonly Rates[]): void => {
  const different = rates.filter((rate) => rate.before !== null && differ(rate));
  const [first] = different;
  if (!first) return;
  const { past } = impact;
  const complete = different.filter(({ before }) => before?.isComplete);
  impact.largestPast = largestOf(impact.largestPast, complete);
  past.changed += 1;
  if (past.firstDay === null || first.day < past.firstDay) past.firstDay = first.day;
  past.largest = largestOf(past.largest, different);
};

export type ImpactOptions = {
  /** Two letters. */
  readonly state: string;
  /** ZIPs and cities to compare, in blocks that fit in memory. */
  readonly blocks: AsyncIterable<readonly string[]>;
  readonly before: LoadRelease;
  readonly after: LoadRelease;
  /** Changes of earlier tax days are counted apart. */
  readonly today: string;
};

/**
 * The rates of a ZIP or city on the days on which they may change, at each address that stands for a part of it. The
 * built-in tables have no ZIP+4 numbers, so against them only addresses that stand for most of the ZIP are compared.
 */
const ratesOf = (
  { key, address, isMain }: Probe,
  releases: { readonly before: Release | undefined; readonly after: Release | undefined },
  days: readonly string[],
): readonly Rates[] =>
  days.map((day) => {
    const [before, after] = [chargedRates(address, releases.before, day), chargedRates(address, releases.after, day)];
    const isCompared = isMain || before?.isImported === true;
    const steps = before && after ? differentRates(before, after).map((pair) => ({ key, day, ...pair })) : [];
    return { day, before, after, steps, isCompared };
  });

const highestOf = (known: bigint, rates: readonly Rates[]): bigint => {
  let highest = known;
  for (const { after } of rates) if (after && highestRate(after) > highest) highest = highestRate(after);
  return highest;
};

/** Compare the rates of two releases at ZIPs and cities, with the look-up of a calculation. */
export const impactOf = async ({ state, blocks, before, after, today }: ImpactOptions): Promise<Impact> => {
  const counts = { zips: 0, cities: 0, changed: 0, gained: 0, lost: 0, vanished: 0 };
  const impact: Impact = {
    ...counts,
    firstDay: null,
    lastDay: null,
    largest: null,
    highest: 0n,
    largestPast: null,
    examples: { changed: [], vanished: [] },
    past: { changed: 0, firstDay: null, largest: null },
  };
  for await (const keys of blocks) {
    const addresses = keys.map((key) => ({ key, address: addressOfKey(state, key) }));
    const all = addresses.map(({ address }) => address);
    const [old, next] = [await before(all), await after(all)];
    for (const { key, address } of addresses) {
      const releases = { before: old(address), after: next(address) };
      if (releases.after) addNamed(impact, key, releases.after);
      const days = changeDays([releases.before, releases.after], today);
      const probes = probesOf(key, address, [releases.before, releases.after]);
      const rates = probes.flatMap((probe) => ratesOf(probe, releases, days));
      const coming = rates.filter(({ day }) => day >= today);
      impact.highest = highestOf(impact.highest, coming);
      const isCompared = (rate: Rates) => rate.isCompared;
      addRates(impact, coming.filter(isCompared));
      addPast(
        impact,
        rates.filter((rate) => rate.day < today && rate.isCompared),
      );
    }
  }
  return { ...impact, lastDay: impact.lastDay === endless ? null : impact.lastDay };
};
