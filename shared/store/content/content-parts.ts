/** The parts of releases: many small items, which an import writes before the head. */
import * as z from 'zod/mini';
import { concurrently } from '../../base/collections.ts';
import { retryThrottled } from '../../base/contention.ts';
import type { ReleasePart } from '../../catalog/content.ts';
import { ContentCorrupt, catchCorruptSync } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';
import { partitionQuery } from '../client/reads.ts';
import { deleteItem, putItem } from '../client/writes.ts';
import { type ItemKey, partKey, partPartition, partShards } from '../keys.ts';
import { type ImportClaim, queryContent } from './content-claims.ts';
import { partFrom, partItem } from './content-item.ts';
import { readItems } from './content-reads.ts';

const TableName = environment.tables.content;

/** The digests of parts by key, to compare stored parts with written ones. */
export type PartDigests = ReadonlyMap<string, string>;

/**
 * Writes a part of a claimed release and returns its digest. Writing an identical part again succeeds. Throws if the
 * key already has a different part.
 *
 * Does not check the claim, which would double the cost. `content-store.ts` explains why late parts are harmless.
 */
export const writePart = async ({ id }: ImportClaim, part: ReleasePart): Promise<string> => {
  const Item = partItem(id, part);
  const put = {
    TableName,
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR digest = :digest',
    ExpressionAttributeValues: { ':digest': Item.digest },
  };
  if (await retryThrottled(() => putItem(put))) return Item.digest;
  throw new Error(
    `${id} already has a different part ${part.key}. Remove it with \`npm run content -- discard ${id}\`.`,
  );
};

// One writer for each connection of the client.
const writers = 16;

/**
 * Writes parts, sixteen at a time, and returns their digests for `finishImport`. Keeps only the parts being written in
 * memory. Calls `written` with the count after each part.
 */
export const writeParts = async (
  claim: ImportClaim,
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
  written: (count: number) => void = () => {},
): Promise<PartDigests> => {
  const digests = new Map<string, string>();
  let count = 0;
  const write = async (part: ReleasePart) => {
    digests.set(part.key, await writePart(claim, part));
    written(++count);
  };
  await concurrently(parts, write, writers);
  return digests;
};

const Stored = z.object({ sk: z.string(), digest: z.string() });

/** Yields the items of one partition of parts, ordered by key. */
const partsOfShard = (release: string, shard: number, projection: { readonly ProjectionExpression?: string } = {}) =>
  queryContent({ ...partitionQuery(TableName, partPartition(release, shard)), ...projection });

const digestsOfShard = (release: string, shard: number): Promise<[key: string, digest: string][]> =>
  Array.fromAsync(partsOfShard(release, shard, { ProjectionExpression: 'sk, digest' }), (item) => {
    const { sk, digest } = Stored.parse(item);
    return [sk, digest];
  });

/** Returns the digests of all stored parts of a release, finished or not. */
export const readPartDigests = async (id: string): Promise<PartDigests> => {
  const shards = Array.from({ length: partShards }, (_, shard) => digestsOfShard(id, shard));
  return new Map((await Promise.all(shards)).flat());
};

export const readPartKeys = async (id: string): Promise<readonly string[]> =>
  [...(await readPartDigests(id)).keys()].sort();

/** Returns the parts of a release with these keys, in this order. Throws if one is missing. */
export const readParts = async (id: string, keys: readonly string[]): Promise<readonly ReleasePart[]> => {
  const getItem = await retryThrottled(() => readItems(keys.map((key) => partKey(id, key))));
  return keys.map((key) => {
    const item = getItem(partKey(id, key));
    if (!item) throw new Error(`${id} has no part ${key}.`);
    return partFrom({ release: id, key }, item).value;
  });
};

const removedTogether = 100;

/** Removes all stored parts of a release and returns their number. Only for a release that can never have a head. */
export const removeParts = async (id: string): Promise<number> => {
  const keys = await readPartKeys(id);
  const remove = (key: string) => retryThrottled(() => deleteItem({ TableName, Key: partKey(id, key) }));
  await concurrently(keys, remove, removedTogether);
  return keys.length;
};

/** A stored part, or the error from reading it. */
type StoredPart = { readonly key: string; readonly read: ReleasePart | ContentCorrupt };

const storedPart = (release: string, item: ItemKey): StoredPart => {
  const key = item.sk;
  if (partKey(release, key).pk !== item.pk)
    return { key, read: new ContentCorrupt(release, key, `it is in the wrong partition, ${item.pk}`) };
  return { key, read: catchCorruptSync(() => partFrom({ release, key }, item).value) };
};

/**
 * Yields every stored part of a release, ordered by key. Keeps one page of each of the 16 partitions in memory: at most
 * 16 MB of items.
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
