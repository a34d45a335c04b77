import { assert } from '../base/assert.ts';
import { getOrAdd } from '../base/collections.ts';
import { unpackLines } from '../packed/unpack.ts';
import { jurisdictionCode } from '../vocabulary/jurisdiction.ts';
import type { ReleaseFor } from './content.ts';
import type { Release } from './release.ts';

// Unpacked on first use (2 ms) and cached, because releases are immutable. A test validates each release.
let texts: ReadonlyMap<string, string> | undefined;
/** Built-in releases by state jurisdiction code, parsed on first use. */
const releases = new Map<string, Release>();

const readState = (text: string): string => {
  const state = /^\{"id":"(?<state>[^"@]+)@/.exec(text)?.groups?.['state'];
  assert(state !== undefined, 'a packed release begins with its id');
  return state;
};

const textsByState = (): ReadonlyMap<string, string> => {
  texts ??= new Map(unpackLines('releases').map((text) => [readState(text), text]));
  return texts;
};

const findRelease = (state: string): Release | undefined => {
  const known = releases.get(state);
  const text = known ? undefined : textsByState().get(state);
  return text === undefined ? known : getOrAdd(releases, state, () => JSON.parse(text));
};

/** Returns the built-in release of every state. */
export const builtInReleases = (): readonly Release[] =>
  [...textsByState().keys()].map((state) => findRelease(state) as Release);

/** Finds the built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined => findRelease(jurisdictionCode(stateCode));

/** Finds the built-in release for an address. Used by calculations without imported content. */
export const builtInReleaseFor: ReleaseFor = ({ state }) => (state === null ? undefined : builtInRelease(state));

/** Finds a built-in release by its id (`US-MI@2026-11-22.1`). A transaction pins the release it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined => {
  const release = findRelease(id.slice(0, id.indexOf('@')));
  return release?.id === id ? release : undefined;
};
