import { batchesOf } from '../batches.ts';
import { builtInRelease } from '../content/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../content/content.ts';
import { zipsOfState } from '../content/imports/zips.ts';
import { loadLocalTable } from '../content/local/load.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { releaseWith } from '../content/merge-releases.ts';
import type { Release } from '../content/release.ts';
import { stateOfJurisdiction } from '../jurisdiction.ts';
import { readPartKeys } from '../store/content/content-store.ts';
import { loadContent } from '../store/content/load-content.ts';
import { chainOf } from './active-release.ts';
import { type Impact, impactOf, type LoadRelease } from './impact.ts';
import type { OpenRelease } from './open-release.ts';

/** Load a release by its id, with those below it. */
export const loadStored =
  ({ id, state }: Pick<Release, 'id' | 'state'>): LoadRelease =>
  (addresses) =>
    loadContent(addresses, { [state]: id });

const lettersOf = ({ state }: Pick<Release, 'state'>): string => stateOfJurisdiction(state);

/** The impact of a release that is not stored yet, over the release below it. */
export const impactOfImport = (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
  below: string,
  today: string,
): Promise<Impact> => {
  const before = loadStored({ id: below, state: head.state });
  let current: ReadonlyMap<string, ReleasePart> = new Map();
  async function* blocks(): AsyncGenerator<readonly string[]> {
    for await (const block of batchesOf(parts())) {
      current = new Map(block.map((part) => [part.key, part]));
      yield block.map(({ key }) => key);
    }
  }
  const after: LoadRelease = async (addresses) => {
    const fallbackFor = await before(addresses);
    const views = new Map<TaxAddress, Release>();
    for (const address of addresses) {
      const part = current.get(address.zip5 ?? address.city ?? '');
      const fallback = fallbackFor(address);
      views.set(address, { ...releaseWith(head, part ? [part] : []), ...(fallback ? { fallback } : {}) });
    }
    return (address) => views.get(address);
  };
  return impactOf({ state: lettersOf(head), blocks: blocks(), before, after, today });
};

const bottomOf = ({ imported, head }: OpenRelease): string | null =>
  imported === null ? head.id : (imported.bottom ?? null);

/** The ZIPs in the built-in tables of a state. */
const knownZips = (state: string): readonly string[] => {
  const local = builtInRelease(state)?.local;
  if (!local) return [];
  const table = loadLocalTable(local);
  return zipsOfState(state).filter((zip) => table.zip(zip) !== undefined);
};

/** The ZIPs and cities that any of the imported releases names. */
export const keysOfAll = async (ids: Iterable<string>): Promise<Set<string>> =>
  new Set((await Array.fromAsync(ids, readPartKeys)).flat());

/**
 * The ZIPs and cities that may differ between two releases: those of imported releases that are in only one of the two
 * chains, and every ZIP if the built-in releases below them differ.
 */
const keysOf = async (before: OpenRelease, after: OpenRelease): Promise<ReadonlySet<string>> => {
  const [left, right] = [new Set(chainOf(before.imported)), new Set(chainOf(after.imported))];
  const keys = await keysOfAll(left.symmetricDifference(right));
  if (bottomOf(before) === bottomOf(after)) return keys;
  for (const { imported, parts } of [before, after])
    if (imported === null) for await (const { key } of parts()) keys.add(key);
  return keys.union(new Set(knownZips(lettersOf(after.head))));
};

/** The impact of a stored or built-in release that replaces another. */
export const impactOfChange = async (before: OpenRelease, after: OpenRelease, today: string): Promise<Impact> =>
  impactOf({
    state: lettersOf(after.head),
    blocks: batchesOf([...(await keysOf(before, after))].sort()),
    before: loadStored(before.head),
    after: loadStored(after.head),
    today,
  });
