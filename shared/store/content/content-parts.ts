/** The parts of releases: many small items, written by an import before the head that makes them count. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import type { ReleasePart } from '../../content/content.ts';
import { database } from '../client/client.ts';
import { partKey, partPartition, partShards } from '../keys.ts';
import type { ImportClaim } from './content-claims.ts';
import { partFrom, partItem } from './content-item.ts';
import { queryContent } from './content-query.ts';
import { readItems } from './content-reads.ts';
import { retryThrottled } from './content-throttling.ts';

const TableName = environment.tables.content;

/** What parts hold, by their keys: the digest tells whether what is stored is what was written. */
export type PartDigests = ReadonlyMap<string, string>;

/**
 * Write a part of the release that an import has begun, and say its digest. An identical one may exist already; a
 * different one is left alone and throws, since an import has one part of a key.
 *
 * That the claim is still held is not looked at: it would double the price of a part. `content-import.ts` says why parts
 * that are written too late harm nobody.
 */
export const writePart = async ({ id }: ImportClaim, part: ReleasePart): Promise<string> => {
  const Item = partItem(id, part);
  const put = new PutCommand({
    TableName,
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR digest = :digest',
    ExpressionAttributeValues: { ':digest': Item.digest },
  });
  try {
    await retryThrottled(() => database.send(put));
    return Item.digest;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new Error(
      `${id} has other content of ${part.key} already. Remove it with \`npm run content -- discard ${id}\`.`,
      { cause: error },
    );
  }
};

// As many as keep a connection each busy without a queue of their own.
const writers = 16;

/**
 * Write many parts, sixteen at a time, whatever their number: no more of them are held than are being written.
 * `written` is told after each how many there are. Says what was written, for the head to be written on.
 */
export const writeParts = async (
  claim: ImportClaim,
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
  written: (count: number) => void = () => {},
): Promise<PartDigests> => {
  const source = (async function* () {
    yield* parts;
  })();
  const digests = new Map<string, string>();
  let count = 0;
  const write = async () => {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      digests.set(value.key, await writePart(claim, value));
      written(++count);
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: writers }, async () => {
      try {
        await write();
      } catch (error) {
        // The others finish what they hold, and take nothing more.
        await source.return(undefined);
        throw error;
      }
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return digests;
};

const Stored = z.object({ sk: z.string(), digest: z.string() });

/** The items of one partition of parts in the order of their keys. */
export const partsOfShard = (
  release: string,
  shard: number,
  projection: { readonly ProjectionExpression?: string } = {},
) =>
  queryContent({
    KeyConditionExpression: 'pk = :parts',
    ExpressionAttributeValues: { ':parts': partPartition(release, shard) },
    ...projection,
  });

const digestsOfShard = (release: string, shard: number): Promise<[key: string, digest: string][]> =>
  Array.fromAsync(partsOfShard(release, shard, { ProjectionExpression: 'sk, digest' }), (item) => {
    const { sk, digest } = Stored.parse(item);
    return [sk, digest];
  });

/** All parts that are stored of a release, also of an import that is not finished. */
export const readPartDigests = async (id: string): Promise<PartDigests> => {
  const shards = Array.from({ length: partShards }, (_, shard) => digestsOfShard(id, shard));
  return new Map((await Promise.all(shards)).flat());
};

/** The keys of these parts, sorted. */
export const readPartKeys = async (id: string): Promise<readonly string[]> =>
  [...(await readPartDigests(id)).keys()].sort();

/** Parts of a release in the order of their keys. Throws where one of them is missing. */
export const readParts = async (id: string, keys: readonly string[]): Promise<readonly ReleasePart[]> => {
  const itemOf = await retryThrottled(() => readItems(keys.map((key) => partKey(id, key))));
  return keys.map((key) => {
    const item = itemOf(partKey(id, key));
    if (!item) throw new Error(`${id} has no part ${key}.`);
    return partFrom({ release: id, key }, item).value;
  });
};

const removedTogether = 100;

/** Remove all parts that are stored of a release, and say how many they were. Only for one that can never have a head. */
export const removeParts = async (id: string): Promise<number> => {
  const keys = await readPartKeys(id);
  for (let start = 0; start < keys.length; start += removedTogether) {
    const removals = keys
      .slice(start, start + removedTogether)
      .map((key) => retryThrottled(() => database.send(new DeleteCommand({ TableName, Key: partKey(id, key) }))));
    await Promise.all(removals);
  }
  return keys.length;
};
