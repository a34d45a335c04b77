import { assert } from '../assert.ts';
import { jurisdictionCode } from '../jurisdiction.ts';
import { type PackedName, unpackLines } from '../packed/unpack.ts';
import type { ReleaseFor } from './content.ts';
import type { Release } from './release.ts';

/** Releases that ship with the service, by their ids: as text until one is asked for. */
type Shelf = { readonly texts: ReadonlyMap<string, string>; readonly releases: Map<string, Release> };

// Unpacked on first use, in two milliseconds, and kept: releases are immutable. The newest of each state lie apart from
// the older ones, which only a replay asks for. A test checks the shape of each.
const shelves = new Map<PackedName, Shelf>();

const idPattern = /^\{"id":"(?<id>[^"]+)"/;
const idOf = (text: string): string => {
  const id = idPattern.exec(text)?.groups?.['id'];
  assert(id !== undefined, 'a packed release begins with its id');
  return id;
};

const shelf = (name: 'releases' | 'older-releases'): Shelf => {
  const known = shelves.get(name);
  if (known) return known;
  const made = { texts: new Map(unpackLines(name).map((text) => [idOf(text), text])), releases: new Map() };
  shelves.set(name, made);
  return made;
};

const releaseOn = ({ texts, releases }: Shelf, id: string): Release | undefined => {
  const known = releases.get(id);
  if (known) return known;
  const text = texts.get(id);
  if (text === undefined) return undefined;
  const release: Release = JSON.parse(text);
  releases.set(id, release);
  return release;
};

const allOn = (name: 'releases' | 'older-releases'): Release[] =>
  [...shelf(name).texts.keys()].map((id) => releaseOn(shelf(name), id) as Release);

let newestIds: ReadonlyMap<string, string> | undefined;
const newestId = (state: string): string | undefined => {
  newestIds ??= new Map([...shelf('releases').texts.keys()].map((id) => [id.slice(0, id.indexOf('@')), id]));
  return newestIds.get(state);
};

/** The newest built-in release of every state. */
export const newestBuiltInReleases = (): readonly Release[] => allOn('releases');

/** Every built-in release, a state's older ones first. */
export const builtInReleases = (): readonly Release[] => [...allOn('older-releases'), ...allOn('releases')];

/** Find the newest built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined => {
  const id = newestId(jurisdictionCode(stateCode));
  return id === undefined ? undefined : releaseOn(shelf('releases'), id);
};

/** Finds the newest built-in release for an address: all that a calculation rests on where nothing was imported. */
export const builtInReleaseFor: ReleaseFor = ({ state }) => (state === null ? undefined : builtInRelease(state));

/** Find a built-in release by its id (`US-MI@2026-10-01.1`): a transaction pins the one that it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined =>
  releaseOn(shelf('releases'), id) ?? releaseOn(shelf('older-releases'), id);
