/** One ZIP, cut into pieces so that all addresses of a piece are in the same ranges. Nine-digit ZIPs are numbers. */
import type { Location, Release } from '../../catalog/release.ts';

/** Nine-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

/** Both ends are inclusive. */
export type Piece = { readonly low: number; readonly high: number };

/** The part of a location's range in the ZIP. The width is the whole range's, or infinite for street addresses. */
export type Zone = Piece & { readonly width: number; readonly location: Location };

/** Whether the key of a part is a ZIP and not a city. */
export const isZip = (key: string): boolean => /^\d{5}$/.test(key);

export const zipText = (value: number): string => String(value).padStart(9, '0');

const bound = (digits: string, fill: '0' | '9'): number => Number(digits.padEnd(9, fill));

/** The zones of a location in the ZIP. A city is one place. */
export const zipRangesOf = (key: string, location: Location): readonly Zone[] => {
  if (!isZip(key)) return location.cities.includes(key) ? [{ low: 0, high: 0, width: 0, location }] : [];
  const [low, high] = [bound(key, '0'), bound(key, '9')];
  return location.zips
    .map(([from, to]) => ({
      low: Math.max(low, bound(from, '0')),
      high: Math.min(high, bound(to, '9')),
      // A look-up uses street addresses only if no other range has the address.
      width: location.of_streets ? Number.POSITIVE_INFINITY : bound(to, '9') - bound(from, '0'),
      location,
    }))
    .filter((zone) => zone.low <= zone.high);
};

/** Cut the ZIP at the begin and end of each zone. */
export const splitPieces = (key: string, zones: readonly Piece[]): readonly Piece[] => {
  if (!isZip(key)) return [{ low: 0, high: 0 }];
  const [low, high] = [bound(key, '0'), bound(key, '9')];
  const starts = [...new Set([low, ...zones.flatMap((zone) => [zone.low, zone.high + 1])])]
    .filter((start) => start <= high)
    .sort((a, b) => a - b);
  return starts.map((start, index) => ({ low: start, high: (starts[index + 1] ?? high + 1) - 1 }));
};

const nothing: readonly Location[] = [];

/** The locations of the narrowest zones of each piece, as a look-up uses them. The zones are sorted by width. */
export const overlayLocations = (
  pieces: readonly Piece[],
  zones: readonly Zone[],
): readonly (readonly Location[])[] => {
  const overlaid: { width: number; locations: Location[] }[] = [];
  const positions = new Map(pieces.map(({ low }, index) => [low, index]));
  for (const { low, high, width, location } of zones)
    for (let index = positions.get(low) ?? pieces.length; (pieces[index]?.low ?? Infinity) <= high; index += 1) {
      const found = overlaid[index];
      if (!found) overlaid[index] = { width, locations: [location] };
      else if (found.width === width) found.locations.push(location);
    }
  return pieces.map((_, index) => overlaid[index]?.locations ?? nothing);
};

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
