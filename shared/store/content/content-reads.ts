import { toBatches } from '../../base/collections.ts';
import type { ActiveReleases, ReleasePart } from '../../catalog/content.ts';
import { ContentCorrupt, missingPart, unlistedPart } from '../../catalog/loading/content-errors.ts';
import type { Measured, PartName, ReadContent } from '../../catalog/loading/content-loader.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { countMetric } from '../../observability/metric.ts';
import { requestLines } from '../../observability/tally.ts';
import { batchGet, type Items, readItem } from '../client/reads.ts';
import { activeReleasesKey, type ItemKey, itemPlace, partKey, releaseHeadKey } from '../keys.ts';
import { activeReleasesFrom, headFrom, isListed, partFrom, type StoredHead } from './content-item.ts';

const TableName = environment.tables.content;

/** Returns the directory of active releases; version 0 if no release was ever activated. */
export const readActiveReleases = async (): Promise<ActiveReleases> =>
  activeReleasesFrom(await readItem(TableName, activeReleasesKey));

type GetItem = (key: ItemKey) => Items[number] | undefined;

/** Reads items by key in concurrent batches of 100. Missing items are `undefined`. */
export const readItems = async (keys: readonly ItemKey[]): Promise<GetItem> => {
  const distinct = [...new Map(keys.map((key) => [itemPlace(key), key])).values()];
  const blocks = await Array.fromAsync(toBatches(distinct));
  const items = (await Promise.all(blocks.map((block) => batchGet(TableName, block)))).flat();
  const found = new Map(items.map((item) => [itemPlace(item), item]));
  return (key) => found.get(itemPlace(key));
};

/**
 * Caches the list of part keys of each release, so parts can be read without the head. A state's ZIP code list is 20
 * KB. The oldest list is evicted first.
 */
const lists = new Map<string, string>();
const listsMax = 100;

const readHeads = (releases: readonly string[], getItem: GetItem): ReadonlyMap<string, StoredHead> => {
  const found = new Map<string, StoredHead>();
  for (const release of releases) {
    const item = getItem(releaseHeadKey(release));
    if (!item) continue;
    const head = headFrom(release, item);
    found.set(release, head);
    lists.set(release, head.partKeys);
    if (lists.size > listsMax) lists.delete(lists.keys().next().value as string);
  }
  return found;
};

/** Parses a part. Throws `ContentCorrupt` if the part exists but is not listed, or is listed but missing. */
const readPart = (name: PartName, list: string | null, item: unknown): Measured<ReleasePart> | undefined => {
  if (list !== null && isListed(list, name.key) !== Boolean(item))
    throw new ContentCorrupt(name.release, name.key, item ? unlistedPart : missingPart);
  return item ? partFrom(name, item) : undefined;
};

/** Counts a corrupt item, but only in functions. The key may be a buyer's ZIP code, so it must not be logged. */
const countCorrupt = (error: unknown): void => {
  if (error instanceof ContentCorrupt && requestLines.areOn)
    countMetric('ContentCorrupt', { release: error.release }, now());
};

/**
 * Reads heads and parts of releases in one round trip per 100 items. Also reads the heads of releases whose list of
 * part keys is not cached.
 *
 * Strongly consistent, because the absence of a part is cached for the lifetime of the instance. Throws and counts
 * `ContentCorrupt` if an item does not match what its import wrote.
 */
export const readContent: ReadContent = async (heads, parts) => {
  // Read before the database call, because a concurrent call may evict a list.
  const known = new Map(parts.map(({ release }) => [release, lists.get(release)]));
  const unlisted = [...known].flatMap(([release, list]) => (list === undefined ? [release] : []));
  const wanted = [...new Set([...heads, ...unlisted])];
  const getItem = await readItems([
    ...wanted.map(releaseHeadKey),
    ...parts.map(({ release, key }) => partKey(release, key)),
  ]);
  try {
    const found = readHeads(wanted, getItem);
    const getList = (release: string) => found.get(release)?.partKeys ?? known.get(release) ?? null;
    return {
      heads: heads.map((release) => found.get(release)),
      parts: parts.map((name) => readPart(name, getList(name.release), getItem(partKey(name.release, name.key)))),
    };
  } catch (error) {
    countCorrupt(error);
    throw error;
  }
};
