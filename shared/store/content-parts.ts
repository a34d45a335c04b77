/** The parts of releases: many small items, written by an import before the head that makes them count. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../config/environment.ts';
import type { ReleasePart } from '../content/content.ts';
import { database } from './client.ts';
import { partFrom, partItem } from './content-item.ts';
import { readItems } from './content-reads.ts';
import { partKey, partPartition, partShards, releaseHeadKey } from './keys.ts';

const TableName = environment.tables.content;

// A new table takes 4,000 write units a second and doubles that while it is asked for more: an import waits for it.
const busy = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);
const tries = 8;
const pauseMs = { first: 100, most: 5000 };

const patiently = async <Value>(attempt: () => Promise<Value>): Promise<Value> => {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round === tries || !(error instanceof Error && busy.has(error.name))) throw error;
      const longest = Math.min(pauseMs.first * 2 ** round, pauseMs.most);
      await sleep(longest * (0.5 + Math.random() / 2));
    }
  }
};

/** What parts hold, by their keys: the digest tells whether another import wrote the same. */
export type PartDigests = ReadonlyMap<string, string>;

/**
 * Write a part of a release that has no head yet, and say its digest. An identical one may exist already, so that an
 * import can be repeated; a different one is left alone and throws.
 */
export const writePart = async (releaseId: string, part: ReleasePart): Promise<string> => {
  const Item = partItem(releaseId, part);
  const put = new PutCommand({
    TableName,
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR digest = :digest',
    ExpressionAttributeValues: { ':digest': Item.digest },
  });
  try {
    await patiently(() => database.send(put));
    return Item.digest;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new Error(
      `${releaseId} has other content of ${part.key} already, of another import. If none is running, remove what it left with \`npm run content -- discard ${releaseId}\`.`,
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
  releaseId: string,
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
      digests.set(value.key, await writePart(releaseId, value));
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

const digestsOfShard = async (releaseId: string, shard: number): Promise<[key: string, digest: string][]> => {
  const digests: [key: string, digest: string][] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :parts',
      ExpressionAttributeValues: { ':parts': partPartition(releaseId, shard) },
      ProjectionExpression: 'sk, digest',
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await patiently(() => database.send(query));
    for (const item of Items) {
      const { sk, digest } = Stored.parse(item);
      digests.push([sk, digest]);
    }
    start = LastEvaluatedKey;
  } while (start);
  return digests;
};

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
  const itemOf = await patiently(() => readItems(keys.map((key) => partKey(id, key))));
  return keys.map((key) => {
    const item = itemOf(partKey(id, key));
    if (!item) throw new Error(`${id} has no part ${key}.`);
    return partFrom(item).value;
  });
};

// A transaction takes a hundred actions; one of them is the condition.
const discardedTogether = 99;

/**
 * Remove the parts of an import that was broken off, so that its id is free again, and say how many they were. Throws
 * where the release has a head: a finished one stays.
 */
export const discardParts = async (id: string): Promise<number> => {
  const keys = await readPartKeys(id);
  for (let start = 0; start < keys.length; start += discardedTogether) {
    const removed = keys.slice(start, start + discardedTogether).map((key) => ({
      Delete: { TableName, Key: partKey(id, key), ConditionExpression: 'attribute_exists(pk)' },
    }));
    const unfinished = {
      ConditionCheck: { TableName, Key: releaseHeadKey(id), ConditionExpression: 'attribute_not_exists(pk)' },
    };
    await patiently(() => database.send(new TransactWriteCommand({ TransactItems: [unfinished, ...removed] })));
  }
  return keys.length;
};
