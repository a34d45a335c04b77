import { assert } from '../assert.ts';
import { jurisdictionCode } from '../jurisdiction.ts';
import { type PackedName, unpackLines } from '../packed/unpack.ts';
import type { ReleaseFor } from './content.ts';
import type { Release } from './release.ts';

/** A packed file of built-in releases by id. A release is parsed on first use. */
type ReleaseBundle = { readonly texts: ReadonlyMap<string, string>; readonly releases: Map<string, Release> };

// Unpacked on first use (2 ms) and cached: releases are immutable. The newest release of each state is in a file of its
// own, because only a replay reads the older ones. A test checks the shape of each.
const bundles = new Map<PackedName, ReleaseBundle>();

const idPattern = /^\{"id":"(?<id>[^"]+)"/;
const idOf = (text: string): string => {
  const id = idPattern.exec(text)?.groups?.['id'];
  assert(id !== undefined, 'a packed release begins with its id');
  return id;
};

const bundle = (name: 'releases' | 'older-releases'): ReleaseBundle => {
  const known = bundles.get(name);
  if (known) return known;
  const made = { texts: new Map(unpackLines(name).map((text) => [idOf(text), text])), releases: new Map() };
  bundles.set(name, made);
  return made;
};

const releaseIn = ({ texts, releases }: ReleaseBundle, id: string): Release | undefined => {
  const known = releases.get(id);
  if (known) return known;
  const text = texts.get(id);
  if (text === undefined) return undefined;
  const release: Release = JSON.parse(text);
  releases.set(id, release);
  return release;
};

const allIn = (name: 'releases' | 'older-releases'): Release[] =>
  [...bundle(name).texts.keys()].map((id) => releaseIn(bundle(name), id) as Release);

let newestIds: ReadonlyMap<string, string> | undefined;
const newestId = (state: string): string | undefined => {
  newestIds ??= new Map([...bundle('releases').texts.keys()].map((id) => [id.slice(0, id.indexOf('@')), id]));
  return newestIds.get(state);
};

/** The newest built-in release of every state. */
export const newestBuiltInReleases = (): readonly Release[] => allIn('releases');

/** Every built-in release, a state's older ones first. */
export const builtInReleases = (): readonly Release[] => [...allIn('older-releases'), ...allIn('releases')];

/** Find the newest built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined => {
  const id = newestId(jurisdictionCode(stateCode));
  return id === undefined ? undefined : releaseIn(bundle('releases'), id);
};

/** Finds the newest built-in release for an address, for calculations without imported content. */
export const builtInReleaseFor: ReleaseFor = ({ state }) => (state === null ? undefined : builtInRelease(state));

/** Find a built-in release by its id (`US-MI@2026-10-01.1`): a transaction pins the one that it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined =>
  releaseIn(bundle('releases'), id) ?? releaseIn(bundle('older-releases'), id);
