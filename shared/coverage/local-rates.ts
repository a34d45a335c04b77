import { assert } from '../base/assert.ts';
import { lazy } from '../base/collections.ts';
import { counted, zipsAndCities } from '../base/texts.ts';
import type { ReleaseHead } from '../catalog/content.ts';
import type { RateSummary } from '../catalog/local/packed-table.ts';
import type { Release } from '../catalog/release.ts';
import { formatPercent } from '../catalog/release-values.ts';
import { hasBoundaryFile } from '../catalog/streamlined.ts';
import { formatAmount } from '../money/currency.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { unpack } from '../packed/unpack.ts';
import type { LocalCoverage, LocalRates } from './response.ts';

const summaries = lazy(() => unpack<Readonly<Record<string, RateSummary>>>('rate-summaries'));

const findSummary = (state: string): RateSummary | undefined => summaries()[state];

/** Returns the mean local rate of a state (`US-MI`) over its ZIP codes, from the built-in tables; `0` without a table. */
export const averageLocalRate = (state: string): string => findSummary(state)?.average_rate ?? '0';

/**
 * Returns the summary of the rate table of a release's state. The bundles that report coverage do not contain the
 * tables.
 */
const summarizeTables = ({ state }: Pick<Release, 'state'>): RateSummary => {
  const summary = findSummary(state);
  assert(summary !== undefined, `the rate table of ${state} has no summary: run npm run pack`);
  return summary;
};

/** Returns the metadata of an import, with the counts of its parts. A built-in release has none. */
export const asHead = (release: Release): Partial<ReleaseHead> => release;

/** Returns whether a release or any of its fallbacks has local jurisdictions. */
export const knowsLocals = (release: Release): boolean =>
  release.jurisdictions.length > 1 ||
  (asHead(release).counts?.locations ?? 0) > 0 ||
  (release.local !== undefined && !summarizeTables(release).is_untaxed) ||
  (release.fallback !== undefined && knowsLocals(release.fallback));

/** Returns the last day for which an import lists anything; `null` if open-ended. */
const findLastDay = (release: Release): string | null => asHead(release).last_day ?? null;

/** Returns whether everything that an import lists ended before a day. */
const hasEnded = (release: Release, day: string): boolean => (findLastDay(release) ?? day) < day;

/**
 * Returns whether a release covers all, some or no local taxes on a day. Places that an import does not list use its
 * fallback.
 */
export const localRatesOn = (release: Release, day: string): LocalRates => {
  const { fallback, local } = release;
  if (fallback) {
    const below = localRatesOn(fallback, day);
    return below === 'complete' || hasEnded(release, day) ? below : 'partial';
  }
  if (local) {
    const { is_untaxed, places_missing, counties_missing } = summarizeTables(release);
    const isWhole = local.established_from <= day && places_missing + counties_missing === 0;
    return is_untaxed || isWhole ? 'complete' : 'partial';
  }
  if (release.coverage === 'complete') return 'complete';
  return knowsLocals(release) ? 'partial' : 'none';
};

const formatShare = (part: number, whole: number): string => {
  const units = whole === 0 ? 0n : divideHalfUp(BigInt(part) * 10_000n, BigInt(whole));
  return formatAmount(units, 4);
};

/** Returns the day in a release's id. */
export const releaseDay = ({ id }: Release): string => id.slice(id.indexOf('@') + 1, id.lastIndexOf('.'));

const unknownCounts = { share_outdated: null, areas: null, places_missing: null, share_missing: null } as const;
const none = formatShare(0, 0);
const notLevied = {
  basis: 'not_levied',
  share_outdated: none,
  areas: 0,
  places_missing: 0,
  share_missing: none,
} as const;

const unknown: LocalCoverage = { basis: 'none', as_of: null, oldest_as_of: null, ...unknownCounts };

/** Returns the as-of fields for rates that all have the same date. */
const toAsOf = (day: string) => ({ as_of: day, oldest_as_of: day });

const importCoverage = (release: Release, importedAt: string): LocalCoverage => ({
  basis: 'by_file',
  ...toAsOf(importedAt.slice(0, 10)),
  ...unknownCounts,
  areas: asHead(release).counts?.parts ?? null,
});

const tableCoverage = (release: Release, day: string): LocalCoverage => {
  const { ages, is_untaxed, areas, places, places_missing } = summarizeTables(release);
  const days = ages.flatMap(({ as_of }) => as_of || []);
  const asOfDays = { as_of: days.at(-1) ?? null, oldest_as_of: days[0] ?? null };
  if (is_untaxed) return { ...notLevied, ...asOfDays };
  const outdated = ages.filter(({ due }) => due < day).reduce((sum, age) => sum + age.areas, 0);
  return {
    basis: 'by_place',
    ...asOfDays,
    share_outdated: formatShare(outdated, areas),
    areas,
    places_missing,
    share_missing: formatShare(places_missing, places),
  };
};

/** Returns the coverage of local taxes by a release on a day. */
export const localCoverageOn = (release: Release, day: string): LocalCoverage => {
  const { local, fallback, locations, coverage } = release;
  const { imported_at } = asHead(release);
  if (fallback && hasEnded(release, day)) return localCoverageOn(fallback, day);
  if (imported_at !== undefined) return importCoverage(release, imported_at);
  if (local) return tableCoverage(release, day);
  if (locations.length > 0) return { ...unknown, basis: 'by_place', ...toAsOf(releaseDay(release)) };
  return coverage === 'complete' ? { ...notLevied, ...toAsOf(releaseDay(release)) } : unknown;
};

/** Formats counts as ` (3 ZIPs, the last of them to 2019-03-31)`. Empty without counts. */
const extent = (release: Release): string => {
  const { parts = 0, zips = 0 } = asHead(release).counts ?? {};
  const [places, lastDay] = [zipsAndCities(zips, parts - zips), findLastDay(release)];
  return places === '' ? '' : ` (${places}${lastDay === null ? '' : `, the last of them to ${lastDay}`})`;
};

/** Describes the age of the rates by place. */
const outdatedNotes = (release: Release, day: string): readonly string[] => {
  const { as_of, oldest_as_of, share_outdated } = tableCoverage(release, day);
  if (share_outdated === null || share_outdated === none) return [];
  return [
    `The sources of the local rates are from ${oldest_as_of} to ${as_of}. ${formatPercent(share_outdated)} of the areas have a rate that is older than its publisher's update interval. A response with such a rate has the warning \`local_rates_outdated\`.`,
  ];
};

/** Describes approximate and missing rates by place. */
const tableNotes = (release: Release, day: string): readonly string[] => {
  const { is_untaxed, places, places_missing, counties_missing } = summarizeTables(release);
  if (is_untaxed) return [];
  const ofPlaces = `The local rates of ${places_missing.toLocaleString('en-US')} of ${counted(places, 'place')} are not established: an address there gets the rate of its county or state and has coverage partial.`;
  const ofCounties = `The local rate outside the cities of ${counted(counties_missing, 'county is', 'counties is')} not established: an address there gets the state rate and has coverage partial.`;
  return [
    `Local rates come from the ZIP code and the name of the city. An address outside the limits of its postal city or in a special district may be taxed differently${hasBoundaryFile(release.state) ? ': import the rate and boundary files of the state' : ''}.`,
    ...outdatedNotes(release, day),
    `Local rates without a first day are established from ${release.local?.established_from}. On earlier days they are approximate: coverage is partial, with the warning \`local_rates_approximate\`.`,
    ...(places_missing > 0 ? [ofPlaces] : []),
    ...(counties_missing > 0 ? [ofCounties] : []),
  ];
};

/** Describes the missing local rates in sentences. */
export const localNotes = (release: Release, day: string): readonly string[] => {
  if (release.fallback) {
    const found = extent(release);
    const ended = `Everything that its files list${found} has ended.`;
    const named = `Addresses that its files do not name${found} fall back to ${release.fallback.id}.`;
    return [hasEnded(release, day) ? ended : named, ...localNotes(release.fallback, day)];
  }
  if (release.local) return tableNotes(release, day);
  const rates = localRatesOn(release, day);
  if (rates === 'complete') return [];
  return rates === 'partial'
    ? ['Some local rates are missing: responses for these places have coverage partial.']
    : ['Local rates are missing: responses have only the state rate and coverage partial.'];
};
