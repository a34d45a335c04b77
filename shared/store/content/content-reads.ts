import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { ReleasePart } from '../../content/content.ts';
import type { ActiveReleases } from '../../content/loading/active-releases.ts';
import type { Measured, PartName, ReadContent } from '../../content/loading/content-cache.ts';
import { ContentCorrupt, missingPart, unlistedPart } from '../../content/loading/content-corrupt.ts';
import { countMetric } from '../../observability/metric.ts';
import { requestLines } from '../../observability/request-lines.ts';
import { batchGet, type Items, keysMax } from '../client/batch-get.ts';
import { readItem } from '../client/read-item.ts';
import { activeReleasesKey, type ItemKey, partKey, releaseHeadKey } from '../keys.ts';
import { activeReleasesFrom, headFrom, isListed, partFrom, type StoredHead } from './content-item.ts';

const TableName = environment.tables.content;

/** Which release is active for each state; version 0 where none ever was. */
export const readActiveReleases = async (): Promise<ActiveReleases> =>
  activeReleasesFrom(await readItem(TableName, activeReleasesKey));

const nameOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;

type ItemOf = (key: ItemKey) => Items[number] | undefined;

/** Those of the items that there are, by their keys: a hundred in a round trip, and the round trips side by side. */
export const readItems = async (asked: readonly ItemKey[]): Promise<ItemOf> => {
  const keys = [...new Map(asked.map((key) => [nameOf(key), key])).values()];
  const blocks = Array.from({ length: Math.ceil(keys.length / keysMax) }, (_, block) =>
    keys.slice(block * keysMax, (block + 1) * keysMax),
  );
  const items = (await Promise.all(blocks.map((block) => batchGet(TableName, block)))).flat();
  const found = new Map(items.map((item) => [`${item['pk']} ${item['sk']}`, item]));
  return (key) => found.get(nameOf(key));
};

/**
 * The lists of part keys by release (`null`: an older head has none), so that parts are read without their head. A list
 * takes 20 KB for a state's ZIP codes. The oldest goes first.
 */
const lists = new Map<string, string | null>();
const listsMax = 100;

/** Read the heads that there are, and keep their lists. */
const readHeads = (releases: readonly string[], itemOf: ItemOf): ReadonlyMap<string, StoredHead> => {
  const found = new Map<string, StoredHead>();
  for (const release of releases) {
    const item = itemOf(releaseHeadKey(release));
    if (!item) continue;
    const head = headFrom(release, item);
    found.set(release, head);
    lists.set(release, head.partKeys);
    if (lists.size > listsMax) lists.delete(lists.keys().next().value as string);
  }
  return found;
};

/** A part that the table has and the list has not, or the other way round, is corrupt. */
const readPart = (name: PartName, list: string | null, item: unknown): Measured<ReleasePart> | undefined => {
  if (list !== null && isListed(list, name.key) !== Boolean(item))
    throw new ContentCorrupt(name.release, name.key, item ? unlistedPart : missingPart);
  return item ? partFrom(name, item) : undefined;
};

/** Commands of an operator print the error instead: their output is no log. The key may be a buyer's ZIP code. */
const countCorrupt = (error: unknown): void => {
  if (error instanceof ContentCorrupt && requestLines.areOn)
    countMetric('ContentCorrupt', { release: error.release }, now());
};

/**
 * Heads and parts of releases in one round trip, a hundred of them together; beside parts, also the heads of releases
 * whose part keys are not known here.
 *
 * Strongly consistent: that a release knows nothing of a ZIP is kept for as long as the instance lives. Throws
 * `ContentCorrupt`, which is counted, where an item is not what its import wrote.
 */
export const readContent: ReadContent = async (heads, parts) => {
  // Known before the reading: meanwhile, others may make a list go.
  const known = new Map(parts.map(({ release }) => [release, lists.get(release)]));
  const unlisted = [...known].flatMap(([release, list]) => (list === undefined ? [release] : []));
  const asked = [...new Set([...heads, ...unlisted])];
  const itemOf = await readItems([
    ...asked.map(releaseHeadKey),
    ...parts.map(({ release, key }) => partKey(release, key)),
  ]);
  try {
    const found = readHeads(asked, itemOf);
    const listOf = (release: string) => found.get(release)?.partKeys ?? known.get(release) ?? null;
    return {
      heads: heads.map((release) => found.get(release)),
      parts: parts.map((name) => readPart(name, listOf(name.release), itemOf(partKey(name.release, name.key)))),
    };
  } catch (error) {
    countCorrupt(error);
    throw error;
  }
};
