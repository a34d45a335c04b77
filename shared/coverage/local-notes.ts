import type { LocalTables, Release } from '../content/release.ts';
import { countsOf } from './decisions.ts';
import { hasEnded, lastDayOf, localRatesOn } from './local-rates.ts';
import { rateSummaryOf } from './rate-summary.ts';

const of = (count: number, singular: string, plural: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`;

/** `2 ZIPs and 1 city`, or `3 ZIPs and cities` for older heads without separate counts. Empty without counts. */
const placesOf = (release: Release): string => {
  const { parts = 0, zips } = countsOf(release) ?? {};
  if (zips === undefined) return parts > 0 ? of(parts, 'ZIP or city', 'ZIPs and cities') : '';
  const cities = parts - zips;
  return [...(zips > 0 ? [of(zips, 'ZIP', 'ZIPs')] : []), ...(cities > 0 ? [of(cities, 'city', 'cities')] : [])].join(
    ' and ',
  );
};

/** ` (3 ZIPs, the last of them to 2019-03-31)`. Empty without counts. */
const extent = (release: Release): string => {
  const [places, lastDay] = [placesOf(release), lastDayOf(release)];
  return places === '' ? '' : ` (${places}${lastDay === null ? '' : `, the last of them to ${lastDay}`})`;
};

/** What is approximate or missing of rates by place. */
const tableNotes = (local: LocalTables, day: string): readonly string[] => {
  const { is_untaxed, places, places_missing, counties_missing } = rateSummaryOf(local);
  if (is_untaxed) return [];
  return [
    'Local rates come from the ZIP code and the name of the city. An address outside the limits of its postal city may be taxed differently: import the rate and boundary files of the state.',
    ...(local.established_from > day
      ? [`Local rates without a first day of their own are established from ${local.established_from} on.`]
      : []),
    ...(places_missing > 0
      ? [
          `The local rates of ${places_missing.toLocaleString('en-US')} of ${of(places, 'place', 'places')} are not established: an address there gets the rate of its county or state, and coverage partial.`,
        ]
      : []),
    ...(counties_missing > 0
      ? [
          `The local rate outside the cities of ${of(counties_missing, 'county is', 'counties is')} not established: an address there gets the rate of the state, and coverage partial.`,
        ]
      : []),
  ];
};

/** What is missing of the local rates, as sentences. */
export const localNotes = (release: Release, day: string): readonly string[] => {
  const found = extent(release);
  if (release.fallback) {
    const ended = `All that its files list${found} has ended.`;
    const named = `Addresses that its files do not name${found} fall back to ${release.fallback.id}.`;
    return [hasEnded(release, day) ? ended : named, ...localNotes(release.fallback, day)];
  }
  if (release.local) return tableNotes(release.local, day);
  switch (localRatesOn(release, day)) {
    case 'complete':
      return [];
    case 'listed':
      return [`Local rates are known only of the ZIPs that its files list${found}; any other is not covered.`];
    case 'partial':
      return [`Some local rates are missing${found}: where they are, answers say coverage partial.`];
    case 'none':
      return hasEnded(release, day)
        ? [`Local rates are missing: all that its files list${found} has ended, and is not covered.`]
        : ['Local rates are missing: answers have the state rate only and say coverage partial.'];
  }
};
