import { environment } from '../config/environment.ts';
import type { ActiveReleases } from '../content/loading/active-releases.ts';
import type { ReadContent } from '../content/loading/content-cache.ts';
import { activeReleasesFrom, headFrom, partFrom } from './content-item.ts';
import { activeReleasesKey, type ItemKey, partKey, releaseHeadKey } from './keys.ts';
import { readItem } from './read-item.ts';
import { type Items, keysMax, readTogether } from './read-together.ts';

const TableName = environment.tables.content;

/** Which release is active for each state; version 0 where none ever was. */
export const readActiveReleases = async (): Promise<ActiveReleases> =>
  activeReleasesFrom(await readItem(TableName, activeReleasesKey));

const nameOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;

/** Those of the items that there are, by their keys: a hundred in a round trip, and the round trips side by side. */
export const readItems = async (asked: readonly ItemKey[]): Promise<(key: ItemKey) => Items[number] | undefined> => {
  const keys = [...new Map(asked.map((key) => [nameOf(key), key])).values()];
  const blocks = Array.from({ length: Math.ceil(keys.length / keysMax) }, (_, block) =>
    keys.slice(block * keysMax, (block + 1) * keysMax),
  );
  const items = (await Promise.all(blocks.map((block) => readTogether(TableName, block)))).flat();
  const found = new Map(items.map((item) => [`${item['pk']} ${item['sk']}`, item]));
  return (key) => found.get(nameOf(key));
};

/**
 * Heads and parts of releases in one round trip, a hundred of them together.
 *
 * Strongly consistent: that a release knows nothing of a ZIP is kept for as long as the instance lives.
 */
export const readContent: ReadContent = async (heads, parts) => {
  const headKeys = heads.map(releaseHeadKey);
  const partKeys = parts.map(({ release, key }) => partKey(release, key));
  const itemOf = await readItems([...headKeys, ...partKeys]);
  const measured = <Value>(keys: readonly ItemKey[], from: (item: unknown) => Value) =>
    keys.map((key) => {
      const item = itemOf(key);
      return item && from(item);
    });
  return { heads: measured(headKeys, headFrom), parts: measured(partKeys, partFrom) };
};
