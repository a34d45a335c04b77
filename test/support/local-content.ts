import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { listStates } from '../../shared/catalog/local/text-tables.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';

type Local = readonly [code: string, type: JurisdictionType, rate: string];

/** Returns the built-in release of a state. Throws if there is none. */
export const builtIn = (state: string): Release => {
  const release = builtInRelease(state);
  if (!release) throw new Error(`there is no built-in release of ${state}`);
  return release;
};

const evidence = { from: '2020-01-01', to: null, source: 'test', confidence: 'high' } as const;

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
    rates: [...release.rates, ...locals.map(([code, , rate]) => ({ ...evidence, jurisdiction: code, rate }))],
    locations: [{ ...evidence, zips: [], cities: ['TOWN'], alternatives: [codes] }],
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
