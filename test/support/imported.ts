import type { ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import type { Location } from '../../shared/catalog/release.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { buildLocation, getRelease, jurisdiction } from './builders.ts';

/** Imported releases that a test builds without an importer. */

type NewHead = Partial<ReleaseHead> & { readonly rate?: string };

/** The head of a release for the state in its id, taxed at 6.875 % by default. */
export const buildHead = (id: string, { rate = '0.06875', ...others }: NewHead = {}): ReleaseHead => ({
  ...getRelease({ id, of: [{ code: id.slice(0, 5), type: 'state', rate }] }),
  content_hash: `hash of ${id}`,
  base: `${id.slice(0, 5)}@2026-11-22.1`,
  format: 'zip-rates',
  imported_at: '2026-11-20T12:00:00.000Z',
  counts: { parts: 0, zips: 0, jurisdictions: 0, rates: 0, locations: 0, streets: 0 },
  below: `${id.slice(0, 5)}@2026-11-22.1`,
  chain: [],
  chain_until: [],
  bottom: `${id.slice(0, 5)}@2026-11-22.1`,
  last_day: null,
  ...others,
});

const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;
const buildRate = (code: string, rate: string): Rate => ({ ...always, jurisdiction: code, rate });

/**
 * A part with one location in these jurisdictions; cities are passed by code and rate (`{ 'US-MN-MPLS': '0.005' }`).
 */
export const buildPart = (
  key: string,
  locals: Readonly<Record<string, string>>,
  location: Partial<Location> = {},
): ReleasePart => ({
  key,
  jurisdictions: Object.keys(locals).map((code) => jurisdiction(code, 'city')),
  rates: Object.entries(locals).map(([code, rate]) => buildRate(code, rate)),
  locations: [
    buildLocation({
      ...(/^\d{5}$/.test(key) ? { zips: [[`${key}0000`, `${key}9999`]] } : { cities: [key] }),
      alternatives: [Object.keys(locals)],
      ...location,
    }),
  ],
});
