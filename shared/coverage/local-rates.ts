import type { ReleaseHead } from '../content/content.ts';
import type { Release } from '../content/release.ts';
import { countsOf, knowsLocals } from './decisions.ts';

/** What a release knows of the taxes below its state. */
export const localRates = ['complete', 'listed', 'partial', 'none'] as const;
export type LocalRates = (typeof localRates)[number];

const lastDayOf = (release: Release): string | null => (release as Partial<ReleaseHead>).last_day ?? null;

/**
 * Of the taxes below the state, whether a release knows all of them on a day, those of the ZIPs that its files list, some,
 * or none: also where the last of its locations has ended.
 */
export const localRatesOn = (release: Release, day: string): LocalRates => {
  const lastDay = lastDayOf(release);
  if (lastDay !== null && lastDay < day) return 'none';
  if (release.locals === 'listed') return 'listed';
  if (release.coverage === 'complete') return 'complete';
  return knowsLocals(release) ? 'partial' : 'none';
};

const of = (count: number, one: string, many: string) => `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** `2 ZIPs and 1 city`; of heads that do not tell them apart `3 ZIPs and cities`; nothing where nothing was counted. */
const placesOf = (release: Release): string => {
  const { parts = 0, zips } = countsOf(release) ?? {};
  if (zips === undefined) return parts > 0 ? of(parts, 'ZIP or city', 'ZIPs and cities') : '';
  const cities = parts - zips;
  return [...(zips > 0 ? [of(zips, 'ZIP', 'ZIPs')] : []), ...(cities > 0 ? [of(cities, 'city', 'cities')] : [])].join(
    ' and ',
  );
};

/** ` (3 ZIPs, the last of them to 2019-03-31)`; nothing of a release that no import has counted. */
const extent = (release: Release): string => {
  const [places, lastDay] = [placesOf(release), lastDayOf(release)];
  return places === '' ? '' : ` (${places}${lastDay === null ? '' : `, the last of them to ${lastDay}`})`;
};

/** What is missing of the local rates, as sentences. */
export const localNotes = (release: Release, day: string): readonly string[] => {
  const lastDay = lastDayOf(release);
  const found = extent(release);
  switch (localRatesOn(release, day)) {
    case 'complete':
      return [];
    case 'listed':
      return [`Local rates are known only of the ZIPs that its files list${found}; any other is not covered.`];
    case 'partial':
      return [`Some local rates are missing${found}: where they are, answers say coverage partial.`];
    case 'none':
      return lastDay !== null && lastDay < day
        ? [`Local rates are missing: all that its files list${found} has ended, and is not covered.`]
        : ['Local rates are missing: answers have the state rate only and say coverage partial.'];
  }
};
