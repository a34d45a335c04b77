import type { Evidence, Location } from '../../release.ts';
import type { LocalSet } from '../entry.ts';
import { dayText } from './piece.ts';
import type { Resolved } from './resolve.ts';

/** A whole ZIP is said with five digits, a part of one with nine. */
const zipRange = ({ low, high }: Resolved): readonly [string, string] => {
  const [first, last] = [String(low).padStart(9, '0'), String(high).padStart(9, '0')];
  const isWhole = first.endsWith('0000') && last.endsWith('9999') && first.slice(0, 5) === last.slice(0, 5);
  return isWhole ? [first.slice(0, 5), last.slice(0, 5)] : [first, last];
};

type Details = {
  readonly evidence: Evidence;
  readonly setOf: (set: number) => LocalSet;
};

const locationOf = (
  ranges: readonly Resolved[],
  zips: Location['zips'],
  cities: readonly string[],
  details: Details,
): Location => {
  const [{ from, to, sets }] = ranges as readonly [Resolved, ...Resolved[]];
  return {
    from: dayText(from),
    to: dayText(to),
    ...details.evidence,
    zips,
    cities,
    alternatives: sets.map(details.setOf),
  };
};

const byMeaning = (resolved: readonly Resolved[]): readonly Resolved[][] => [
  ...Map.groupBy(resolved, ({ from, to, sets }) => `${from} ${to} ${sets.join()}`).values(),
];

/** The locations of a ZIP: ranges with the same sets at the same time are one. */
export const zipLocations = (resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).map((ranges) => locationOf(ranges, ranges.map(zipRange), [], details));

/** The locations of a city, one for each time. */
export const cityLocations = (city: string, resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).map((ranges) => locationOf(ranges, [], [city], details));
