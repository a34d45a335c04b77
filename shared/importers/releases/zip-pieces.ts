/** Ranges of nine-digit ZIPs, as numbers. The range from 0 to 0 represents a city. */
import { getOrAdd } from '../../base/collections.ts';
import type { Location, Release } from '../../catalog/release.ts';
import type { NumberRange } from '../zips.ts';

/** Nine-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

/** Returns whether the key of a part is a ZIP rather than a city. */
export const isZip = (key: string): boolean => /^\d{5}$/.test(key);

export const zipText = (value: number): string => String(value).padStart(9, '0');

const bound = (digits: string, fill: '0' | '9'): number => Number(digits.padEnd(9, fill));

/** Returns all numbers of a ZIP, or the range that represents a city. */
export const getWhole = (key: string): NumberRange =>
  isZip(key) ? { low: bound(key, '0'), high: bound(key, '9') } : { low: 0, high: 0 };

/** Returns the ranges of a location in the ZIP or city. */
export const listZipRanges = (key: string, location: Location): readonly NumberRange[] => {
  const whole = getWhole(key);
  if (!isZip(key)) return location.cities.includes(key) ? [whole] : [];
  return location.zips
    .map(([from, to]) => ({ low: Math.max(whole.low, bound(from, '0')), high: Math.min(whole.high, bound(to, '9')) }))
    .filter(({ low, high }) => low <= high);
};

const chainFrom = (release: Release | undefined): readonly Release[] =>
  release ? [release, ...chainFrom(release.fallback)] : [];

/**
 * Groups a ZIP's 10,000 numbers by the ranges of several releases and their fallbacks; each group is a list of ranges.
 * All addresses of a group have the same locations in each release, so one address represents the group. Returns no
 * groups if every range is the whole ZIP.
 */
export const zip4Groups = (
  key: string,
  releases: readonly (Release | undefined)[],
): readonly (readonly NumberRange[])[] => {
  if (!isZip(key)) return [];
  const whole = getWhole(key);
  const ranges = releases
    .flatMap(chainFrom)
    .flatMap(({ locations }) => locations.flatMap((location) => listZipRanges(key, location)));
  const partial = ranges.filter(({ low, high }) => low > whole.low || high < whole.high);
  if (partial.length === 0) return [];
  // A random mark for each range. The combined marks of the ranges that contain a number identify its group.
  const marks = crypto.getRandomValues(new BigUint64Array(partial.length));
  const flips = new Map<number, bigint>([[whole.low, 0n]]);
  const flip = (at: number, mark: bigint) => flips.set(at, (flips.get(at) ?? 0n) ^ mark);
  for (const [index, { low, high }] of partial.entries()) {
    const mark = marks[index] ?? 0n;
    flip(low, mark);
    if (high < whole.high) flip(high + 1, mark);
  }
  const starts = [...flips.keys()].sort((a, b) => a - b);
  const groups = new Map<bigint, NumberRange[]>();
  let containing = 0n;
  for (const [index, low] of starts.entries()) {
    containing ^= flips.get(low) ?? 0n;
    getOrAdd(groups, containing, (): NumberRange[] => []).push({
      low,
      high: (starts[index + 1] ?? whole.high + 1) - 1,
    });
  }
  return [...groups.values()];
};
