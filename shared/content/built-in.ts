import { unpack } from '../packed/unpack.ts';
import type { Release } from './release.ts';

/** The releases that ship with the service, so that a fresh clone calculates without any import. */
type BuiltIn = {
  readonly releases: readonly Release[];
  readonly byId: ReadonlyMap<string, Release>;
  readonly newestByState: ReadonlyMap<string, Release>;
};

let unpacked: BuiltIn | undefined;

// Unpacked on first use, in two milliseconds, and kept: releases are immutable. A test checks the shape of each.
const builtIn = (): BuiltIn => {
  unpacked ??= index(unpack<readonly Release[]>('releases'));
  return unpacked;
};

const index = (releases: readonly Release[]): BuiltIn => {
  return {
    releases,
    byId: new Map(releases.map((release) => [release.id, release])),
    // In the order of their names, so that a state's newest comes last.
    newestByState: new Map(releases.map((release) => [release.state, release])),
  };
};

/** Every built-in release, a state's older ones first. */
export const builtInReleases = (): readonly Release[] => builtIn().releases;

/** Find the newest built-in release of a state by its two-letter code (`MI`). */
export const builtInRelease = (stateCode: string): Release | undefined =>
  builtIn().newestByState.get(`US-${stateCode}`);

/** Find a built-in release by its id (`US-MI@2026-10-01.1`): a transaction pins the one that it was calculated with. */
export const builtInReleaseById = (id: string): Release | undefined => builtIn().byId.get(id);
