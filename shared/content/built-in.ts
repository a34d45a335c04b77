import { assert } from '../assert.ts';
import { getOrAdd } from '../get-or-add.ts';
import { jurisdictionCode } from '../jurisdiction.ts';
import { unpackLines } from '../packed/unpack.ts';
import type { ReleaseFor } from './content.ts';
import type { Release } from './release.ts';

type Bundle = 'releases' | 'older-releases';

// Unpacked on first use (2 ms) and cached: releases are immutable. The newest release of each state is in a separate file,
// because only a replay reads the older ones. A test checks the shape of each.
const bundles = new Map<Bundle, ReadonlyMap<string, string>>();
/** Releases by id, parsed on first use. */
const releases = new Map<string, Release>();

const idOf = (text: string): string => {
  const id = /^\{"id":"(?<id>[^"]+)"/.exec(text)?.groups?.['id'];
  assert(id !== undefined, 'a packed release begins with its id');
  return id;
};

const textsIn = (name: Bundle): ReadonlyMap<string, string> =>
  getOrAdd(bundles, name, () => new Map(unpackLines(name).map((text) => [idOf(text), text])));

const releaseIn = (name: Bundle, id: string): Release | undefined => {
  const known = releases.get(id);
  const text = known ? undefined : textsIn(name).get(id);
  return text === undefined ? known : getOrAdd(releases, id, () => JSON.parse(text));
};

const allIn = (name: Bundle): Release[] => [...textsIn(name).keys()].map((id) => releaseIn(name, id) as Release);

let newestIds: ReadonlyMap<string, string> | undefined;
const newestId = (state: string): string | undefined => {
  newestIds ??= new Map([...textsIn('releases').keys()].map((id) => [id.slice(0, id.indexOf('@')), id]));
  return newestIds.get(state);
};

/** The newest built-in release of every state. */
export const newestBuiltInReleases = (): readonly Release[] => allIn('releases');

/** Every built-in release, a state's older ones first. */
export const builtInReleases = (): readonly Release[] => [...allIn('older-releases'), ...allIn('releases')];

/** Find the newest built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined => {
  const id = newestId(jurisdictionCode(stateCode));
  return id === undefined ? undefined : releaseIn('releases', id);
};

/** Finds the newest built-in release for an address, for calculations without imported content. */
export const builtInReleaseFor: ReleaseFor = ({ state }) => (state === null ? undefined : builtInRelease(state));

/** Find a built-in release by its id (`US-MI@2026-10-01.1`): a transaction pins the one that it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined =>
  releaseIn('releases', id) ?? releaseIn('older-releases', id);
