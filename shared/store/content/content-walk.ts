/** All stored parts of a release in one pass, for `content verify`. */
import type { ReleasePart } from '../../content/content.ts';
import { ContentCorrupt, wholeOrCorrupt } from '../../content/loading/content-errors.ts';
import { type ItemKey, partKey, partShards } from '../keys.ts';
import { partFrom } from './content-item.ts';
import { partsOfShard } from './content-parts.ts';

/** A stored part, or the error that reading it gave. */
export type StoredPart = { readonly key: string; readonly read: ReleasePart | ContentCorrupt };

const storedPart = (release: string, item: ItemKey): StoredPart => {
  const key = item.sk;
  if (partKey(release, key).pk !== item.pk)
    return { key, read: new ContentCorrupt(release, key, `it is in the wrong partition, ${item.pk}`) };
  return { key, read: wholeOrCorrupt(() => partFrom({ release, key }, item).value) };
};

/**
 * Every stored part of a release, ordered by key. Holds one page of each of the 16 partitions: at most 16 MB of items.
 */
export async function* walkParts(release: string): AsyncGenerator<StoredPart> {
  const shards = Array.from({ length: partShards }, (_, shard) => partsOfShard(release, shard));
  const fronts = await Promise.all(shards.map((shard) => shard.next()));
  for (;;) {
    let first: { readonly shard: number; readonly item: ItemKey } | undefined;
    for (const [shard, { done, value }] of fronts.entries())
      if (!done && (!first || value.sk < first.item.sk)) first = { shard, item: value };
    if (!first) return;
    yield storedPart(release, first.item);
    fronts[first.shard] = (await shards[first.shard]?.next()) ?? { done: true, value: undefined };
  }
}
