import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { listEditions } from '../../shared/catalog/local/text-tables.ts';
import type { Release } from '../../shared/catalog/release.ts';

const edition = '2026-11-22';
const editions = new Set(listEditions('rates'));
const known = new Map<string, Release | undefined>();

/**
 * The built-in release of a state with its local tables and nothing local of its own; `undefined` where there is none.
 * The same object each time, as the service has it.
 */
export const tabledRelease = (state: string): Release | undefined => {
  if (known.has(state)) return known.get(state);
  const release = builtInRelease(state);
  const [own, ...others] = release?.jurisdictions ?? [];
  const name = `${state}@${edition}`;
  const made: Release | undefined = release &&
    own && {
      ...release,
      coverage: 'complete',
      jurisdictions: [own, ...others.filter(({ type }) => type === 'state')],
      locations: [],
      ...(editions.has(name) && { local: { rates: name, zips: name, established_from: '2026-10-01' } }),
    };
  known.set(state, made);
  return made;
};

/** Finds the release of a state with its local tables. */
export const withTables: ReleaseFor = ({ state }) => (state === null ? undefined : tabledRelease(state));
