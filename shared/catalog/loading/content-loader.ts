import { assert } from '../../base/assert.ts';
import { instanceCache } from '../../base/instance-cache.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import type { LoadContent, ReleaseHead, ReleasePart } from '../content.ts';
import type { TaxAddress } from '../location/address.ts';
import type { Release } from '../release.ts';
import type { ActiveReleases } from './active-releases.ts';
import {
  type ContentCache,
  contentCache,
  keptCharactersMax,
  type PartName,
  type ReadContent,
} from './content-cache.ts';
import { ReleaseNotFound } from './content-errors.ts';
import { type Level, releaseViews } from './release-views.ts';

/** Dependencies of the content loader. */
export type ContentPorts = {
  readonly readActive: () => Promise<ActiveReleases>;
  readonly readContent: ReadContent;
  /** The built-in release of a state by its two letters, and any by its id. */
  readonly builtIn: (state: string) => Release | undefined;
  readonly builtInById: (id: string) => Release | undefined;
  /** The service's time in milliseconds. */
  readonly now: () => number;
};

/** The imported release that covers an address, and the keys of the parts that the address needs. */
type Local = { readonly release: string; readonly keys: readonly string[] };

// The longest name of a ZIP or city in a release; the city in an address may be longer.
const keyLengthMax = 100;

const listKeys = ({ zip5, city }: TaxAddress): string[] =>
  [zip5, city].filter((key): key is string => key !== null && key.length <= keyLengthMax);

const cacheName = ({ release, keys }: Local) => `${release} ${keys.join('|')}`;

// Every instance notices an activation within this time.
const lifetimeMs = 60_000;

/**
 * Make an instance's content loader. Releases are immutable, and only the directory of active releases changes. It caches
 * the directory for 60 seconds, heads and parts of imported releases up to `charactersMax` of JSON text, and built-in
 * releases without limit. On a cache miss it reads the directory, then all missing heads and parts at once, then those of
 * their fallback releases.
 *
 * Throws if the directory cannot be read, and `ReleaseNotFound` if it or a transaction names a missing release.
 */
export const contentLoader = (ports: ContentPorts, charactersMax = keptCharactersMax) => {
  // A stale directory is never used after a failed read: it could name a release that was rolled back.
  const directories = instanceCache<ActiveReleases>({ lifetimeMs, capacity: 1, now: ports.now });
  const cache: ContentCache = contentCache(charactersMax, () => views.clear());
  const isCached = ({ head, parts }: Level) =>
    cache.head(head.id) === head && parts.every((part) => cache.part({ release: head.id, key: part.key }) === part);
  const views = releaseViews(isCached, ports.builtInById);

  const viewsOf = async (locals: readonly Local[], from: string): Promise<ReadonlyMap<string, Release>> => {
    const active = await readMissing(locals, cache, ports.readContent);
    const levelOf = ({ release, keys }: Local, { heads, parts }: Found): Level => ({
      head: heads.get(release) as ReleaseHead,
      parts: keys.flatMap((key) => parts.get(`${release} ${key}`) ?? []),
    });
    const chainOf = ({ release, keys }: Local): Local[] => {
      const { chain, chain_until } = active.heads.get(release) as ReleaseHead;
      return chain.filter((_, at) => (chain_until[at] ?? from) >= from).map((id) => ({ release: id, keys }));
    };
    const under = locals.flatMap(chainOf);
    const below = under.length === 0 ? active : await readMissing(under, cache, ports.readContent);
    return new Map(
      locals.map((local) => {
        const levels = chainOf(local).map((one) => levelOf(one, below));
        return [cacheName(local), views.overlay([levelOf(local, active), ...levels])];
      }),
    );
  };

  const loadContent: LoadContent = async (addresses, settingsSnapshot = {}, from = '') => {
    const isPinned = addresses.every(
      ({ state }) => state === null || settingsSnapshot[jurisdictionCode(state)] !== undefined,
    );
    const { states } = isPinned ? { states: {} as ActiveReleases['states'] } : await directories('', ports.readActive);
    const localOf = (address: TaxAddress): Local | undefined => {
      if (address.state === null) return undefined;
      const code = jurisdictionCode(address.state);
      const release = settingsSnapshot[code] ?? states[code]?.release ?? null;
      return release === null || ports.builtInById(release) ? undefined : { release, keys: listKeys(address) };
    };
    const locals = addresses.flatMap((address) => localOf(address) ?? []);
    const found = locals.length === 0 ? new Map<string, Release>() : await viewsOf(locals, from);
    return (address) => {
      if (address.state === null) return undefined;
      const local = localOf(address);
      if (!local)
        return (
          ports.builtInById(settingsSnapshot[jurisdictionCode(address.state)] ?? '') ?? ports.builtIn(address.state)
        );
      const release = found.get(cacheName(local));
      assert(release !== undefined, `Content was not loaded for an address in ${address.state}.`);
      return release;
    };
  };

  // The size of the cache, and the number of pointers in the views of it.
  return { loadContent, size: () => ({ ...cache.size(), viewed: views.size() }) };
};

type Found = {
  readonly heads: ReadonlyMap<string, ReleaseHead | undefined>;
  readonly parts: ReadonlyMap<string, ReleasePart | null | undefined>;
};

/** Heads and parts, from the cache or read at once. The cache may be too small for all of them. */
const readMissing = async (locals: readonly Local[], cache: ContentCache, readContent: ReadContent): Promise<Found> => {
  const heads = new Map(locals.map(({ release }) => [release, cache.head(release)]));
  const names = new Map(
    locals.flatMap(({ release, keys }) =>
      keys.map((key): [string, PartName] => [`${release} ${key}`, { release, key }]),
    ),
  );
  const parts = new Map([...names].map(([name, partName]) => [name, cache.part(partName)]));
  const missingHeads = [...heads].flatMap(([release, head]) => (head ? [] : [release]));
  const missingParts = [...names].filter(([name]) => parts.get(name) === undefined);
  if (missingHeads.length + missingParts.length === 0) return { heads, parts };
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
  return { heads, parts };
};
