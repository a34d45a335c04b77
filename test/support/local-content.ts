import { toBatches } from '../../shared/base/collections.ts';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor, ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import { listStates } from '../../shared/catalog/local/text-tables.ts';
import type { Location, OwnRules, Release } from '../../shared/catalog/release.ts';
import type { JurisdictionType, Rate } from '../../shared/catalog/release-values.ts';
import { computeImpact, type PlaceChange } from '../../shared/importers/releases/impact.ts';
import { always, buildLocation, getRelease, jurisdiction } from './builders.ts';

/** Imported releases that a test builds without an importer. */

type NewHead = Partial<ReleaseHead> & { readonly rate?: string };

/** The head of a release for the state in its id, taxed at 6.875 % by default. */
export const buildHead = (id: string, { rate = '0.06875', ...others }: NewHead = {}): ReleaseHead => ({
  ...getRelease({ id, of: [{ code: id.slice(0, 5), type: 'state', rate }] }),
  content_hash: `hash of ${id}`,
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

type Local = readonly [code: string, type: JurisdictionType, rate: string];

/** Returns the built-in release of a state. Throws if there is none. */
export const builtIn = (state: string): Release => {
  const release = builtInRelease(state);
  if (!release) throw new Error(`there is no built-in release of ${state}`);
  return release;
};

/** An operator's own rules, by default none. */
export const buildOwnRules = (others: Partial<OwnRules>): OwnRules => ({
  sources: { 'own:ruling': 'A ruling' },
  jurisdictions: [],
  rates: [],
  rules: [],
  settings: { sourcing: [], shipping: [], rounding: [], coupons: [] },
  ...others,
});

/** Returns the built-in release of a state with custom local taxes, all in the city of Town. */
export const withLocals = (state: string, ...locals: readonly Local[]): { readonly releaseFor: ReleaseFor } => {
  const release = builtIn(state);
  const everywhere = release.jurisdictions.slice(1).filter(({ type }) => type === 'state');
  const codes = [...everywhere.map(({ code }) => code), ...locals.map(([code]) => code)];
  const known: Release = {
    ...release,
    jurisdictions: [
      release.jurisdictions[0],
      ...everywhere,
      ...locals.map(([code, type]) => ({ code, name: code, type, tax_type: 'sales' as const })),
    ],
    rates: [...release.rates, ...locals.map(([code, , rate]) => buildRate(code, rate))],
    locations: [buildLocation({ cities: ['TOWN'], alternatives: [codes] })],
  };
  return { releaseFor: () => known };
};

/** An address in the city of Town. */
export const town = (state: string) => ({ state, city: 'Town' });

const states = new Set(listStates());
const known = new Map<string, Release | undefined>();

/**
 * Returns the built-in release of a state with only its built-in local tables; `undefined` if there is none. Returns
 * the same object each time, as the service does.
 */
export const tabledRelease = (state: string): Release | undefined => {
  if (known.has(state)) return known.get(state);
  const release = builtInRelease(state);
  const [own, ...others] = release?.jurisdictions ?? [];
  const made: Release | undefined = release &&
    own && {
      ...release,
      coverage: 'complete',
      jurisdictions: [own, ...others.filter(({ type }) => type === 'state')],
      locations: [],
      ...(states.has(state) && { local: { established_from: '2026-10-01' } }),
    };
  known.set(state, made);
  return made;
};

/** Finds the release of a state together with its local tables. */
export const withTables: ReleaseFor = ({ state }) => (state === null ? undefined : tabledRelease(state));

type Compared = { readonly before: Release | undefined; readonly after: Release | undefined };

/** Returns the changes of the general combined rate in ZIPs or cities of a state (two letters). */
export const changesAt = async (state: string, keys: readonly string[], { before, after }: Compared, today: string) => {
  const changes: PlaceChange[] = [];
  await computeImpact({
    state,
    blocks: toBatches(keys),
    before: async () => () => before,
    after: async () => () => after,
    today,
    onChanges: (found) => changes.push(...found),
  });
  return changes;
};
