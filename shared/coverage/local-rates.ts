import type { ReleaseHead } from '../content/content.ts';
import type { LocalTables, Release } from '../content/release.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { countsOf, knowsLocals } from './decisions.ts';
import { rateSummaryOf } from './rate-summary.ts';
import type { LocalCoverage, LocalRates } from './response.ts';

const headOf = (release: Release): Partial<ReleaseHead> => release;

/** The last day that an import lists anything for; `null` where it goes on. */
export const lastDayOf = (release: Release): string | null => headOf(release).last_day ?? null;

/** Whether all that an import lists ended before a day. */
export const hasEnded = (release: Release, day: string): boolean => (lastDayOf(release) ?? day) < day;

/**
 * Whether a release covers all local taxes on a day, those of the ZIPs that its files list, some, or none (also after its
 * last location has ended). An import leaves other places to its fallback.
 */
export const localRatesOn = (release: Release, day: string): LocalRates => {
  const { fallback, local } = release;
  if (fallback) {
    const below = localRatesOn(fallback, day);
    return below === 'complete' || hasEnded(release, day) ? below : 'partial';
  }
  if (hasEnded(release, day)) return 'none';
  if (release.locals === 'listed') return 'listed';
  if (local) {
    const { is_untaxed, places_missing, counties_missing } = rateSummaryOf(local);
    const isWhole = local.established_from <= day && places_missing + counties_missing === 0;
    return is_untaxed || isWhole ? 'complete' : 'partial';
  }
  if (release.coverage === 'complete') return 'complete';
  return knowsLocals(release) ? 'partial' : 'none';
};

const shareOf = (part: number, whole: number): string => {
  const units = whole === 0 ? 0n : divideHalfUp(BigInt(part) * 10_000n, BigInt(whole));
  const digits = units.toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
};

/** The day in a release's id. */
export const releaseDay = ({ id }: Release): string => id.slice(id.indexOf('@') + 1, id.lastIndexOf('.'));

const unknownCounts = { areas: null, places_missing: null, share_missing: null } as const;
const notLevied = { basis: 'not_levied', areas: 0, places_missing: 0, share_missing: shareOf(0, 0) } as const;

const unknown: LocalCoverage = { basis: 'none', as_of: null, ...unknownCounts };

const importCoverage = (release: Release, importedAt: string): LocalCoverage => ({
  basis: 'by_file',
  as_of: importedAt.slice(0, 10),
  ...unknownCounts,
  areas: countsOf(release)?.parts ?? null,
});

const tableCoverage = (local: LocalTables): LocalCoverage => {
  const { as_of, is_untaxed, areas, places, places_missing } = rateSummaryOf(local);
  if (is_untaxed) return { ...notLevied, as_of };
  return { basis: 'by_place', as_of, areas, places_missing, share_missing: shareOf(places_missing, places) };
};

/** The coverage of local taxes by a release on a day. */
export const localCoverageOn = (release: Release, day: string): LocalCoverage => {
  const { local, fallback, locations, coverage } = release;
  const { imported_at } = headOf(release);
  if (hasEnded(release, day)) return fallback ? localCoverageOn(fallback, day) : unknown;
  if (imported_at !== undefined) return importCoverage(release, imported_at);
  if (local) return tableCoverage(local);
  // Releases from before the local tables list some places themselves.
  if (locations.length > 0) return { ...unknown, basis: 'by_place', as_of: releaseDay(release) };
  return coverage === 'complete' ? { ...notLevied, as_of: releaseDay(release) } : unknown;
};
