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

/**
 * Write a part of a release that has no head yet. An identical one may exist already, so that an import can be repeated;
 * a different one is left alone and throws.
 */
export const writePart = async (releaseId: string, part: ReleasePart): Promise<void> => {
  const Item = partItem(releaseId, part);
  const put = new PutCommand({
    TableName,
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR digest = :digest',
    ExpressionAttributeValues: { ':digest': Item.digest },
  });
  try {
    await patiently(() => database.send(put));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new Error(
      `${releaseId} has other content of ${part.key} already, such as of an import that was broken off. Discard it, or import under a new id.`,
      { cause: error },
    );
  }
};

// As many as keep a connection each busy without a queue of their own.
const writers = 16;

/**
 * Write many parts, sixteen at a time, whatever their number: no more of them are held than are being written.
 * `written` is told after each how many there are.
 */
export const writeParts = async (
  releaseId: string,
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
  written: (count: number) => void = () => {},
): Promise<void> => {
  const source = (async function* () {
    yield* parts;
  })();
  let count = 0;
  const write = async () => {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      await writePart(releaseId, value);
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
};

const Key = z.object({ sk: z.string() });

const keysOfShard = async (releaseId: string, shard: number): Promise<string[]> => {
  const keys: string[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :parts',
      ExpressionAttributeValues: { ':parts': partPartition(releaseId, shard) },
      ProjectionExpression: 'sk',
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await patiently(() => database.send(query));
    keys.push(...Items.map((item) => Key.parse(item).sk));
    start = LastEvaluatedKey;
  } while (start);
  return keys;
};

/** The keys of all parts that are stored of a release, sorted, also of an import that is not finished. */
export const readPartKeys = async (id: string): Promise<readonly string[]> => {
  const shards = Array.from({ length: partShards }, (_, shard) => keysOfShard(id, shard));
  return (await Promise.all(shards)).flat().sort();
};

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
