/** The changes for buyers if a release replaces another, by ZIP code and city, from a day on. */
import type { ReleaseFor } from '../content/content.ts';
import { countsFrom } from '../content/effective.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { combinedRate, placeRate } from '../content/location/combined-rate.ts';
import { locate } from '../content/location/place.ts';
import { statesOfZip } from '../content/location/zip-states.ts';
import type { Release } from '../content/release.ts';
import { establishedSpan, piecesOf, type Span } from './timeline.ts';
import { isZip } from './zip-pieces.ts';

/** The combined rate of one ZIP or city before and after, in units of `10^-rateDecimals`, from a day on. */
export type RateStep = { readonly key: string; readonly day: string; readonly before: bigint; readonly after: bigint };

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

/** A combined rate in units of `10^-rateDecimals`, and whether local taxes are a part of it. */
type PlaceRate = { readonly rate: bigint; readonly hasLocals: boolean };

/** The rate of an address on a day; `null` if it is not known. */
const placeRateOn = (address: TaxAddress, releaseFor: ReleaseFor, day: string): PlaceRate | null => {
  const { place, resolution } = locate(address, releaseFor, day, false);
  if (place.release === null || resolution.coverage === 'none') return null;
  const rate = placeRate(place.release, place.jurisdictions, day);
  if (rate === undefined) return null;
  const locals = place.jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => code);
  return { rate, hasLocals: (combinedRate(place.release, locals, day) ?? 0n) > 0n };
};

/** The combined rate of an address on a day, in units of `10^-rateDecimals`; `null` if it is not known. */
export const rateOn = (address: TaxAddress, releaseFor: ReleaseFor, day: string): bigint | null =>
  placeRateOn(address, releaseFor, day)?.rate ?? null;

/** The days on which a rate or a border may change at an address, and `today`. */
const changeDays = (releases: readonly (Release | undefined)[], today: string): readonly string[] => {
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

type Rates = { readonly day: string; readonly before: PlaceRate | null; readonly after: PlaceRate | null };

/** The step of a rate that is known before and after. */
const stepOf = (key: string, { day, before, after }: Rates): readonly RateStep[] =>
  before && after ? [{ key, day, before: before.rate, after: after.rate }] : [];

const largestOf = (known: RateStep | null, key: string, rates: readonly Rates[]): RateStep | null => {
  let largest = known;
  for (const step of rates.flatMap((rate) => stepOf(key, rate)))
    if (largest === null || sizeOf(step) > sizeOf(largest)) largest = step;
  return largest;
};

const differ = ({ before, after }: Rates): boolean => before?.rate !== after?.rate;

const examplesMax = 3;

const addExample = (examples: RateStep[], key: string, rates: Rates): void => {
  if (examples.length < examplesMax) examples.push(...stepOf(key, rates));
};

/** Count a ZIP or city by its rates on the days on which they may change. */
const addRates = (impact: Impact, key: string, rates: readonly Rates[]): void => {
  const different = rates.filter(differ);
  const [first] = different;
  if (!first) return;
  impact.changed += 1;
  if (different.some(({ before }) => before === null)) impact.gained += 1;
  if (different.some(({ after }) => after === null)) impact.lost += 1;
  impact.largest = largestOf(impact.largest, key, different);
  addExample(impact.examples.changed, key, first);
  const vanished = different.find(({ before, after }) => before?.hasLocals && after?.hasLocals === false);
  if (!vanished) return;
  impact.vanished += 1;
  addExample(impact.examples.vanished, key, vanished);
};

/** Count a ZIP or city by its rates on earlier days, of which only those that were known before matter. */
const addPast = ({ past }: Impact, key: string, rates: readonly Rates[]): void => {
  const different = rates.filter((rate) => rate.before !== null && differ(rate));
  const [first] = different;
  if (!first) return;
  past.changed += 1;
  if (past.firstDay === null || first.day < past.firstDay) past.firstDay = first.day;
  past.largest = largestOf(past.largest, key, different);
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

/** Compare the rates of two releases at ZIPs and cities, with the look-up of a calculation. */
export const impactOf = async ({ state, blocks, before, after, today }: ImpactOptions): Promise<Impact> => {
  const counts = { zips: 0, cities: 0, changed: 0, gained: 0, lost: 0, vanished: 0 };
  const impact: Impact = {
    ...counts,
    firstDay: null,
    lastDay: null,
    largest: null,
    examples: { changed: [], vanished: [] },
    past: { changed: 0, firstDay: null, largest: null },
  };
  for await (const keys of blocks) {
    const addresses = keys.map((key) => ({ key, address: addressOfKey(state, key) }));
    const all = addresses.map(({ address }) => address);
    const [old, next] = [await before(all), await after(all)];
    for (const { key, address } of addresses) {
      const release = next(address);
      if (release) addNamed(impact, key, release);
      const rates = changeDays([old(address), release], today).map((day) => ({
        day,
        before: placeRateOn(address, old, day),
        after: placeRateOn(address, next, day),
      }));
      const isPast = ({ day }: Rates) => day < today;
      addPast(impact, key, rates.filter(isPast));
      addRates(
        impact,
        key,
        rates.filter((rate) => !isPast(rate)),
      );
    }
  }
  return { ...impact, lastDay: impact.lastDay === endless ? null : impact.lastDay };
};
