import { getOrAdd } from '../base/collections.ts';
import { unpack } from '../packed/unpack.ts';
import { jurisdictionCode, taxStates } from '../vocabulary/jurisdiction.ts';
import type { ReleaseFor } from './content.ts';
import type { Release } from './release.ts';

/** The codes of the states with a built-in release, such as `US-MI`. */
const codes: ReadonlySet<string> = new Set(taxStates.map(jurisdictionCode));

/** Built-in releases by state jurisdiction code, unpacked on first use. A test validates each release. */
const releases = new Map<string, Release>();

const findRelease = (state: string): Release | undefined =>
  codes.has(state) ? getOrAdd(releases, state, () => unpack<Release>(`release-${state}`)) : undefined;

/** Returns the built-in release of every state. */
export const builtInReleases = (): readonly Release[] => [...codes].map((state) => findRelease(state) as Release);

/** Finds the built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined => findRelease(jurisdictionCode(stateCode));

/** Finds the built-in release for an address. Used by calculations without imported content. */
export const builtInReleaseFor: ReleaseFor = ({ state }) => (state === null ? undefined : builtInRelease(state));

/** Finds a built-in release by its id (`US-MI@2026-11-22.1`). A transaction pins the release it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined => {
  const release = findRelease(id.slice(0, id.indexOf('@')));
  return release?.id === id ? release : undefined;
};
