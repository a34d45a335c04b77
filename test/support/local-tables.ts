import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { listStates } from '../../shared/catalog/local/text-tables.ts';
import type { Release } from '../../shared/catalog/release.ts';

const states = new Set(listStates());
const known = new Map<string, Release | undefined>();

/**
 * The built-in release of a state with its local tables and nothing local of its own; `undefined` where there is none.
 * The same object each time, as the service has it.
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

/** Finds the release of a state with its local tables. */
export const withTables: ReleaseFor = ({ state }) => (state === null ? undefined : tabledRelease(state));
