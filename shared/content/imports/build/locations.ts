import type { Evidence, Location } from '../../release.ts';
import type { LocationFlags } from '../entry.ts';
import { dayText } from './piece.ts';
import type { Resolved } from './resolve.ts';
import type { SpanMeaning } from './span-sets.ts';

/** Five digits for a whole ZIP, nine for a part of one. */
const zipRange = ({ low, high }: Resolved): readonly [string, string] => {
  const [first, last] = [String(low).padStart(9, '0'), String(high).padStart(9, '0')];
  const isWhole = first.endsWith('0000') && last.endsWith('9999') && first.slice(0, 5) === last.slice(0, 5);
  return isWhole ? [first.slice(0, 5), last.slice(0, 5)] : [first, last];
};

type Details = {
  readonly evidence: Evidence;
  readonly meaningOf: (set: number) => SpanMeaning;
};

const allFlags = (meanings: readonly SpanMeaning[]): LocationFlags =>
  Object.assign({}, ...meanings.map(({ flags }) => flags));

/** One location for all addresses, and one for each city with taxes of its own. */
const locationsOf = (
  ranges: readonly Resolved[],
  zips: Location['zips'],
  cities: readonly string[],
  { evidence, meaningOf }: Details,
): readonly Location[] => {
  const [{ from, to, sets }] = ranges as readonly [Resolved, ...Resolved[]];
  return [...Map.groupBy(sets.map(meaningOf), ({ flags }) => flags.within_city).values()].map((meanings) => ({
    from: dayText(from),
    to: dayText(to),
    ...evidence,
    zips,
    cities,
    ...allFlags(meanings),
    alternatives: [...new Map(meanings.map(({ locals }) => [locals.join(), locals])).values()],
  }));
};

const byMeaning = (resolved: readonly Resolved[]): readonly Resolved[][] => [
  ...Map.groupBy(resolved, ({ from, to, sets }) => `${from} ${to} ${sets.join()}`).values(),
];

/** The locations of a ZIP: ranges with the same sets at the same time are one. */
export const zipLocations = (resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).flatMap((ranges) => locationsOf(ranges, ranges.map(zipRange), [], details));

/** The locations of a city, one for each time. */
export const cityLocations = (city: string, resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).flatMap((ranges) => locationsOf(ranges, [], [city], details));
