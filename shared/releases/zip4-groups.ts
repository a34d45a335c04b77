/** The ZIP+4 numbers of a ZIP, in groups that the same ranges contain. */
import type { Release } from '../content/release.ts';
import { isZip, zipRangesOf } from './zip-pieces.ts';

/** Four digits of one number of the group, and how many numbers the group has. */
export type Zip4Group = { readonly plus4: string; readonly count: number };

const chainFrom = (release: Release | undefined): readonly Release[] =>
  release ? [release, ...chainFrom(release.fallback)] : [];

/**
 * The groups of a ZIP's 10,000 numbers over the ranges of several releases and their fallbacks. All addresses of a group
 * have the same locations in each release, so that one of them stands for all. None where every range is the whole ZIP.
 */
export const zip4Groups = (key: string, releases: readonly (Release | undefined)[]): readonly Zip4Group[] => {
  if (!isZip(key)) return [];
  const [first, last] = [Number(key) * 10_000, Number(key) * 10_000 + 9999];
  const zones = releases
    .flatMap(chainFrom)
    .flatMap(({ locations }) => locations.flatMap((one) => zipRangesOf(key, one)));
  const partial = zones.filter(({ low, high }) => low > first || high < last);
  if (partial.length === 0) return [];
  // A random mark for each range: the marks of the ranges that contain a number, combined, identify its group.
  const marks = crypto.getRandomValues(new BigUint64Array(partial.length));
  const flips = new Map<number, bigint>([[first, 0n]]);
  const flip = (at: number, mark: bigint) => flips.set(at, (flips.get(at) ?? 0n) ^ mark);
  for (const [index, { low, high }] of partial.entries()) {
    const mark = marks[index] ?? 0n;
    flip(low, mark);
    if (high < last) flip(high + 1, mark);
  }
  const starts = [...flips.keys()].sort((a, b) => a - b);
  const groups = new Map<bigint, Zip4Group>();
  let containing = 0n;
  for (const [index, start] of starts.entries()) {
    containing ^= flips.get(start) ?? 0n;
    const { plus4 = String(start % 10_000).padStart(4, '0'), count = 0 } = groups.get(containing) ?? {};
    groups.set(containing, { plus4, count: count + (starts[index + 1] ?? last + 1) - start });
  }
  return [...groups.values()];
};
