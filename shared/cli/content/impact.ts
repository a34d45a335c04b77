/** What changes for buyers if a release takes the place of another, by ZIP code and city, from a day on. */

import { dayAfter } from '../../calendar.ts';
import type { ReleaseFor } from '../../content/content.ts';
import type { TaxAddress } from '../../content/location/address.ts';
import { placeRate } from '../../content/location/combined-rate.ts';
import { locate } from '../../content/location/place.ts';
import { statesOfZip } from '../../content/location/zip-states.ts';
import type { Dated, Release } from '../../content/release.ts';
import { isZip } from './zip-pieces.ts';

/** The combined rate of one ZIP or city before and after, in units of `10^-rateDecimals`, from a day on. */
export type RateStep = { readonly key: string; readonly day: string; readonly before: bigint; readonly after: bigint };

export type Impact = {
  /** How many ZIPs and cities the release names, and the first and last day of any; `null` days are open or unknown. */
  readonly zips: number;
  readonly cities: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  /** How many of those that were compared have another combined rate on some day. */
  readonly changed: number;
  /** How many of these had no known rate before, or have none afterwards. */
  readonly gained: number;
  readonly lost: number;
  readonly largest: RateStep | null;
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

/** The combined rate of an address on a day, in units of `10^-rateDecimals`; `null` if it is not known. */
export const rateOn = (address: TaxAddress, releaseFor: ReleaseFor, day: string): bigint | null => {
  const { place, resolution } = locate(address, releaseFor, day, false);
  if (place.release === null || resolution.coverage === 'none') return null;
  return placeRate(place.release, place.jurisdictions, day) ?? null;
};

/** The releases that answer for an address, the active one first. */
function* levelsOf(release: Release | undefined): Generator<Release> {
  for (let level = release; level; level = level.fallback) yield level;
}

/** The days from `today` on, on which a rate or a border may change at an address. */
const daysFrom = (releases: readonly (Release | undefined)[], today: string): readonly string[] => {
  const days = new Set([today]);
  const add = ({ from, to }: Dated): void => {
    if (from !== null && from > today) days.add(from);
    if (to !== null && to >= today) days.add(dayAfter(to));
  };
  for (const release of releases)
    for (const { rates, locations } of levelsOf(release)) for (const value of [...rates, ...locations]) add(value);
  return [...days].sort();
};

const sizeOf = ({ before, after }: RateStep): bigint => (after > before ? after - before : before - after);

/** Counts what changes, one ZIP or city after another. */
class Tally {
  private zips = 0;
  private cities = 0;
  private first: string | null = null;
  private last = '';
  private changed = 0;
  private gained = 0;
  private lost = 0;
  private largest: RateStep | null = null;

  /** Count a ZIP or city that the release itself names. */
  addNamed(key: string, { locations, established_from }: Release): void {
    if (locations.length === 0) return;
    if (isZip(key)) this.zips += 1;
    else this.cities += 1;
    for (const { from, to } of locations) {
      const [first, last] = [from ?? established_from, to ?? endless];
      if (this.first === null || first < this.first) this.first = first;
      if (last > this.last) this.last = last;
    }
  }

  addSteps(key: string, days: readonly string[], before: readonly (bigint | null)[], after: typeof before): void {
    const different = days.flatMap((day, index) => {
      const [was = null, is = null] = [before[index], after[index]];
      return was === is ? [] : [{ key, day, before: was, after: is }];
    });
    if (different.length === 0) return;
    this.changed += 1;
    if (different.some((step) => step.before === null)) this.gained += 1;
    if (different.some((step) => step.after === null)) this.lost += 1;
    for (const step of different) if (isStep(step)) this.addStep(step);
  }

  private addStep(step: RateStep): void {
    if (this.largest === null || sizeOf(step) > sizeOf(this.largest)) this.largest = step;
  }

  get impact(): Impact {
    const { zips, cities, changed, gained, lost, largest, first: firstDay, last } = this;
    const lastDay = last === endless || last === '' ? null : last;
    return { zips, cities, firstDay, lastDay, changed, gained, lost, largest };
  }
}

const endless = '9999-12-31';

const isStep = (
  step: Record<'before' | 'after', bigint | null> & Omit<RateStep, 'before' | 'after'>,
): step is RateStep => step.before !== null && step.after !== null;

export type ImpactOptions = {
  /** Two letters. */
  readonly state: string;
  /** ZIPs and cities to compare, in blocks that fit in memory. */
  readonly blocks: AsyncIterable<readonly string[]>;
  readonly before: LoadRelease;
  readonly after: LoadRelease;
  /** Changes of earlier tax days are not counted. */
  readonly today: string;
};

/** Compare what two releases make of ZIPs and cities, through the look-up that a calculation makes. */
export const impactOf = async ({ state, blocks, before, after, today }: ImpactOptions): Promise<Impact> => {
  const tally = new Tally();
  for await (const keys of blocks) {
    const addresses = keys.map((key) => addressOfKey(state, key));
    const [old, next] = [await before(addresses), await after(addresses)];
    for (const [index, address] of addresses.entries()) {
      const key = keys[index] as string;
      const release = next(address);
      if (release) tally.addNamed(key, release);
      const days = daysFrom([old(address), release], today);
      tally.addSteps(
        key,
        days,
        days.map((day) => rateOn(address, old, day)),
        days.map((day) => rateOn(address, next, day)),
      );
    }
  }
  return tally.impact;
};
