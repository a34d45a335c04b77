import { toBatches } from '../../base/collections.ts';
import { canonicalJson } from '../../base/json.ts';
import { builtInRelease, builtInReleaseById } from '../../catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { contentLoader } from '../../catalog/loading/content-loader.ts';
import { loadLocalTable } from '../../catalog/local/local-table.ts';
import { isOwnCode, isOwnOnly } from '../../catalog/own-rules.ts';
import type { OwnRules, Release } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { readContent } from '../../store/content/content-reads.ts';
import { readActiveReleases, readPartKeys } from '../../store/content/content-store.ts';
import { loadContent } from '../../store/content/load-content.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Parts, Position } from '../build.ts';
import { zipsOfState } from '../zips.ts';
import { computeImpact, type Impact, type LoadRelease, type OnChanges } from './impact.ts';
import { getChain, type OpenRelease } from './open-release.ts';

/** Loads a release by its id, with its fallback releases. */
export const loadStored =
  ({ id, state }: Pick<Release, 'id' | 'state'>): LoadRelease =>
  (addresses) =>
    loadContent(addresses, { [state]: id });

const getStateLetters = ({ state }: Pick<Release, 'state'>): string => stateOfJurisdiction(state);

/**
 * Loads a release that is not stored yet, with its fallback releases. `findPart` returns its part of a ZIP or city. Each
 * call has a new loader, because a cached part would stay in memory.
 */
const loadUnstored =
  (head: ReleaseHead, findPart: (key: string) => ReleasePart | undefined): LoadRelease =>
  (addresses) => {
    const measure = <Value>(value: Value | undefined) => value && { value, characters: 0 };
    const { loadContent: load } = contentLoader({
      readActive: readActiveReleases,
      readContent: async (heads, parts) => {
        const isStored = (id: string) => id !== head.id;
        const names = parts.filter(({ release }) => isStored(release));
        const ids = heads.filter(isStored);
        const read = ids.length + names.length === 0 ? { heads: [], parts: [] } : await readContent(ids, names);
        return {
          heads: heads.map((id) => (isStored(id) ? read.heads[ids.indexOf(id)] : measure(head))),
          parts: parts.map((name) =>
            isStored(name.release) ? read.parts[names.indexOf(name)] : measure(findPart(name.key)),
          ),
        };
      },
      builtIn: builtInRelease,
      builtInById: builtInReleaseById,
      now,
    });
    return load(addresses, { [head.state]: head.id });
  };

/**
 * Returns the ZIPs and cities whose combined rates can differ between two sets of custom rules. `below`: the ids of
 * their imported fallback releases.
 */
const keysOfOwn = async (
  state: string,
  own: readonly (OwnRules | undefined)[],
  below: readonly string[],
): Promise<ReadonlySet<string>> => {
  const [first, second] = own.map((one) => canonicalJson([one?.jurisdictions ?? [], one?.rates ?? []]));
  if (first === second) return new Set();
  const rates = own.flatMap((one) => one?.rates ?? []);
  if (rates.some(({ jurisdiction }) => !isOwnCode(jurisdiction)))
    return (await keysOfAll(below)).union(new Set(knownZips(state)));
  const ranges = own.flatMap((one) => one?.jurisdictions ?? []).flatMap(({ zips }) => zips);
  return new Set(zipsOfState(state).filter((zip) => ranges.some(([low, high]) => low <= zip && zip <= high)));
};

/**
 * Returns the impact of a release that is not stored yet, over its fallback release, whose custom rules are
 * `ownBefore`.
 */
export const impactOfImport = async (
  head: ReleaseHead,
  parts: Parts,
  { below, own: ownBefore }: Pick<Position, 'below' | 'own'>,
  today: string,
): Promise<Impact> => {
  const state = getStateLetters(head);
  let current: ReadonlyMap<string, ReleasePart> = new Map();
  async function* blocks(): AsyncGenerator<readonly string[]> {
    for await (const block of toBatches(parts())) {
      current = new Map(block.map((part) => [part.key, part]));
      yield [...current.keys()];
    }
    // A release of custom rules has no parts.
    if (isOwnOnly(head)) yield* toBatches([...(await keysOfOwn(state, [ownBefore, head.own], head.chain))].sort());
  }
  const before = loadStored({ id: below, state: head.state });
  const after = loadUnstored(head, (key) => current.get(key));
  return computeImpact({ state, blocks: blocks(), before, after, today });
};

const getBottom = ({ imported, head }: OpenRelease): string => imported?.bottom ?? head.id;

/** Returns the ZIPs in the built-in tables of a state. */
const knownZips = (state: string): readonly string[] => {
  const builtIn = builtInRelease(state);
  if (!builtIn?.local) return [];
  const table = loadLocalTable(builtIn);
  return zipsOfState(state).filter((zip) => table.zip(zip) !== undefined);
};

/** Returns the ZIPs and cities in any of the imported releases. */
export const keysOfAll = async (ids: Iterable<string>): Promise<Set<string>> =>
  new Set((await Array.fromAsync(ids, readPartKeys)).flat());

/**
 * Returns the ZIPs and cities that can differ between two releases: places of imported releases in only one of the two
 * chains, and every ZIP if their built-in fallback releases differ.
 */
const readKeys = async (before: OpenRelease, after: OpenRelease): Promise<ReadonlySet<string>> => {
  const [left, right] = [new Set(getChain(before.imported)), new Set(getChain(after.imported))];
  const own = [before.imported?.own, after.imported?.own];
  const ofOwn = await keysOfOwn(getStateLetters(after.head), own, [...left.union(right)]);
  const keys = (await keysOfAll(left.symmetricDifference(right))).union(ofOwn);
  if (getBottom(before) === getBottom(after)) return keys;
  for (const { imported, parts } of [before, after])
    if (imported === null) for await (const { key } of parts()) keys.add(key);
  return keys.union(new Set(knownZips(getStateLetters(after.head))));
};

/** Returns the impact of replacing one stored or built-in release with another. */
export const impactOfChange = async (
  before: OpenRelease,
  after: OpenRelease,
  today: string,
  onChanges?: OnChanges,
): Promise<Impact> =>
  computeImpact({
    state: getStateLetters(after.head),
    blocks: toBatches([...(await readKeys(before, after))].sort()),
    before: loadStored(before.head),
    after: loadStored(after.head),
    today,
    onChanges,
  });
