import { assert } from '../../base/assert.ts';
import { getOrAdd } from '../../base/collections.ts';
import { instanceCache } from '../../base/instance-cache.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import type { ActiveReleases, LoadContent, ReleaseHead, ReleasePart } from '../content.ts';
import type { TaxAddress } from '../location/address.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRules } from '../own-rules.ts';
import type { Release } from '../release.ts';
import { ReleaseNotFound } from './content-errors.ts';

/** A value and the length of its JSON, used as its memory cost. */
export type Measured<Value> = { readonly value: Value; readonly characters: number };

/** Identifies one part of one release. */
export type PartName = { readonly release: string; readonly key: string };

/** Reads heads and parts, each list in order; `undefined` for a missing item. */
export type ReadContent = (
  heads: readonly string[],
  parts: readonly PartName[],
) => Promise<{
  readonly heads: readonly (Measured<ReleaseHead> | undefined)[];
  readonly parts: readonly (Measured<ReleasePart> | undefined)[];
}>;

/**
 * The cache limit per instance: 48 million characters of JSON, which take up to 130 MB as objects. That is about 48,000
 * ZIPs of an import without ZIP+4, or 450 ZIPs with a thousand ZIP+4 ranges each.
 */
const keptCharactersMax = 48_000_000;

// The base cost of any entry, including a missing part.
const leastCharacters = 200;

type Kept = { readonly value: ReleaseHead | ReleasePart | null; readonly characters: number };

type Generation = { readonly entries: Map<string, Kept>; characters: number };
const newGeneration = (): Generation => ({ entries: new Map(), characters: 0 });

/**
 * Creates a cache of heads and parts, limited by characters of JSON. Entries do not expire, because releases are
 * immutable. It evicts the least recently used entries, and calls `dropped` on every eviction.
 *
 * Each of the two generations has half of the capacity. A used entry moves to the younger one; when that is full, the
 * older generation is dropped. (Reordering one Map would leave a tombstone at every use, which later iterations must
 * skip.)
 */
export const contentCache = (charactersMax: number, dropped: () => void) => {
  let young = newGeneration();
  let old = newGeneration();

  const add = (name: string, kept: Kept) => {
    if (kept.characters > charactersMax / 2) return;
    if (young.characters + kept.characters > charactersMax / 2) {
      old = young;
      young = newGeneration();
      dropped();
    }
    young.entries.set(name, kept);
    young.characters += kept.characters;
  };
  const find = (name: string) => {
    const used = young.entries.get(name);
    if (used) return used.value;
    const kept = old.entries.get(name);
    if (!kept) return undefined;
    old.entries.delete(name);
    old.characters -= kept.characters;
    add(name, kept);
    return kept.value;
  };
  const keep = <Value extends Kept['value']>(name: string, value: Value, length: number): Value => {
    // A concurrent request may have read it already. Keep its object, because it is in use.
    const known = find(name);
    if (known !== undefined) return known as Value;
    add(name, { value, characters: name.length + leastCharacters + length });
    return value;
  };
  // Release ids contain no spaces.
  const getName = ({ release, key }: PartName) => `${release} ${key}`;

  return {
    head: (release: string) => find(release) as ReleaseHead | undefined,
    /** `null`: the release has no such part; `undefined`: not cached. */
    part: (name: PartName) => find(getName(name)) as ReleasePart | null | undefined,
    keepHead: ({ value, characters }: Measured<ReleaseHead>) => keep(value.id, value, characters),
    keepPart: (name: PartName, part: Measured<ReleasePart> | undefined): ReleasePart | null =>
      keep(getName(name), part?.value ?? null, part?.characters ?? 0),
    size: () => ({ entries: young.entries.size + old.entries.size, characters: young.characters + old.characters }),
  };
};

type ContentCache = ReturnType<typeof contentCache>;

/** The maximum number of pointers to places, rates and locations in an instance's views: 8 MB. */
export const viewedMax = 1_000_000;

/** One imported release with the parts that an address needs. */
type Level = { readonly head: ReleaseHead; readonly parts: readonly ReleasePart[] };

/**
 * Creates and caches views of imported releases. The same levels return the same object, because caches are keyed by
 * the release object.
 */
const releaseViews = (isCached: (level: Level) => boolean, builtInById: (id: string) => Release | undefined) => {
  const views = new Map<string, Release>();
  const bottoms = new Map<string, Release>();
  let viewed = 0;
  /** Evicts all views. A view must not outlive its parts in the cache, or memory would exceed the cache limit. */
  const clear = (): void => {
    views.clear();
    viewed = 0;
  };

  // The built-in fallback of an import pins the import's id, so there is one object per import.
  const getBottom = ({ id, bottom, own }: ReleaseHead): Release =>
    getOrAdd(bottoms, id, () => {
      const builtIn = builtInById(bottom);
      if (!builtIn) throw new ReleaseNotFound(bottom);
      return withOwnRules({ ...builtIn, pinnedBy: id }, own);
    });

  const view = (level: Level, top: ReleaseHead, fallback: Release): Release => {
    const { head, parts } = level;
    const name = `${top.id} ${head.id} ${parts.map(({ key }) => key).join('|')}`;
    // A view contains its fallback, so a cached view is valid only for the same fallback object.
    const known = views.get(name);
    if (known && known.fallback === fallback) return known;
    const made = {
      ...withOwnRules(parts.length === 0 ? head : releaseWith(head, parts), top.own),
      fallback,
      ...(head.id === top.id ? {} : { pinnedBy: top.id }),
    };
    if (!isCached(level)) return made;
    const pointers = made.jurisdictions.length + made.rates.length + made.locations.length;
    if (viewed + pointers > viewedMax) clear();
    viewed += pointers;
    views.set(name, made);
    return made;
  };

  /**
   * Returns a view of the active release and its fallback releases, with the parts that an address needs. The active
   * release's custom rules apply to all of them.
   */
  const overlay = (levels: readonly [Level, ...Level[]]): Release => {
    const [{ head: top }] = levels;
    return levels.reduceRight((fallback: Release, level) => view(level, top, fallback), getBottom(top));
  };

  return { overlay, clear, size: (): number => viewed };
};

/** Dependencies of the content loader. */
export type ContentPorts = {
  readonly readActive: () => Promise<ActiveReleases>;
  readonly readContent: ReadContent;
  /** Returns a built-in release by the state's two-letter code, or by release id. */
  readonly builtIn: (state: string) => Release | undefined;
  readonly builtInById: (id: string) => Release | undefined;
  /** The current time in milliseconds. */
  readonly now: () => number;
};

/** The imported release that could cover an address, and the keys of the parts that the address needs. */
type Local = { readonly release: string; readonly keys: readonly string[] };

// The longest ZIP or city key in a release. The city in an address may be longer.
const keyLengthMax = 100;

const listKeys = ({ zip5, city }: TaxAddress): string[] =>
  [zip5, city].filter((key): key is string => key !== null && key.length <= keyLengthMax);

const cacheName = ({ release, keys }: Local) => `${release} ${keys.join('|')}`;

// Every instance uses an activated release within this time.
const lifetimeMs = 60_000;

/**
 * Creates an instance's content loader. Releases are immutable; only the directory of active releases changes. The
 * loader caches the directory for 60 seconds, heads and parts of imported releases up to `charactersMax` of JSON text,
 * and built-in releases without limit. On a cache miss it reads the directory, then all missing heads and parts at
 * once, then the heads and parts of their fallback releases.
 *
 * Throws if the directory cannot be read, and `ReleaseNotFound` for a missing release.
 */
export const contentLoader = (ports: ContentPorts, charactersMax = keptCharactersMax) => {
  // Never use a stale directory after a failed read: it could name a release that was rolled back.
  const directories = instanceCache<ActiveReleases>({ lifetimeMs, capacity: 1, now: ports.now });
  const cache: ContentCache = contentCache(charactersMax, () => views.clear());
  const isCached = ({ head, parts }: Level) =>
    cache.head(head.id) === head && parts.every((part) => cache.part({ release: head.id, key: part.key }) === part);
  const views = releaseViews(isCached, ports.builtInById);

  const readViews = async (locals: readonly Local[], from: string): Promise<ReadonlyMap<string, Release>> => {
    const active = await readLevels(locals, cache, ports.readContent);
    const getChain = (local: Local): Local[] => {
      const { chain, chain_until } = active(local).head;
      return chain.filter((_, at) => (chain_until[at] ?? from) >= from).map((release) => ({ ...local, release }));
    };
    const below = await readLevels(locals.flatMap(getChain), cache, ports.readContent);
    const view = (local: Local) => views.overlay([active(local), ...getChain(local).map(below)]);
    return new Map(locals.map((local) => [cacheName(local), view(local)]));
  };

  const loadContent: LoadContent = async (addresses, settingsSnapshot = {}, from = '') => {
    const isPinned = addresses.every(
      ({ state }) => state === null || settingsSnapshot[jurisdictionCode(state)] !== undefined,
    );
    const { states } = isPinned ? { states: {} as ActiveReleases['states'] } : await directories('', ports.readActive);
    const getLocal = (address: TaxAddress): Local | undefined => {
      if (address.state === null) return undefined;
      const code = jurisdictionCode(address.state);
      const release = settingsSnapshot[code] ?? states[code]?.release ?? null;
      return release === null || ports.builtInById(release) ? undefined : { release, keys: listKeys(address) };
    };
    const locals = addresses.flatMap((address) => getLocal(address) ?? []);
    const found = locals.length === 0 ? new Map<string, Release>() : await readViews(locals, from);
    return (address) => {
      if (address.state === null) return undefined;
      const local = getLocal(address);
      if (!local)
        return (
          ports.builtInById(settingsSnapshot[jurisdictionCode(address.state)] ?? '') ?? ports.builtIn(address.state)
        );
      const release = found.get(cacheName(local));
      assert(release !== undefined, `Content was not loaded for an address in ${address.state}.`);
      return release;
    };
  };

  // The size of the cache, and the number of pointers in its views.
  return { loadContent, size: () => ({ ...cache.size(), viewed: views.size() }) };
};

/**
 * Takes heads and parts from the cache, or reads them in one call. Returns a look-up of the level of each `Local`,
 * because the cache may be too small to keep all levels.
 */
const readLevels = async (
  locals: readonly Local[],
  cache: ContentCache,
  readContent: ReadContent,
): Promise<(local: Local) => Level> => {
  const heads = new Map(locals.map(({ release }) => [release, cache.head(release)]));
  const names = new Map(
    locals.flatMap(({ release, keys }) =>
      keys.map((key): [string, PartName] => [`${release} ${key}`, { release, key }]),
    ),
  );
  const parts = new Map([...names].map(([name, partName]) => [name, cache.part(partName)]));
  const missingHeads = [...heads].flatMap(([release, head]) => (head ? [] : [release]));
  const missingParts = [...names].filter(([name]) => parts.get(name) === undefined);
  const getLevel = ({ release, keys }: Local): Level => ({
    head: heads.get(release) as ReleaseHead,
    parts: keys.flatMap((key) => parts.get(`${release} ${key}`) ?? []),
  });
  if (missingHeads.length + missingParts.length === 0) return getLevel;
  const read = await readContent(
    missingHeads,
    missingParts.map(([, name]) => name),
  );
  for (const [index, release] of missingHeads.entries()) {
    const head = read.heads[index];
    if (!head) throw new ReleaseNotFound(release);
    heads.set(release, cache.keepHead(head));
  }
  for (const [index, [name, partName]] of missingParts.entries())
    parts.set(name, cache.keepPart(partName, read.parts[index]));
  return getLevel;
};
