/** Calls on the Content table, as the commands that write releases make them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Contention } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import { contentionCodes } from '../client/contention.ts';
import { queryPage, queryPages } from '../client/reads.ts';
import { type Writes, writeTogether } from '../client/write-together.ts';
import type { ItemKey } from '../keys.ts';

/** Write all of these items, or none. Returns the positions of the failed conditions; none where all was written. */
export const transact = async (writes: Writes): Promise<readonly number[]> => {
  const written = await writeTogether(writes, (exception) => {
    const codes = (exception.CancellationReasons ?? []).map(({ Code = 'None' }) => Code);
    const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
    if (failed.length > 0) return { kind: 'refused', failed } as const;
    if (codes.some((code) => contentionCodes.has(code)))
      throw new Contention('Another command is writing the same content.', { cause: exception });
    throw exception;
  });
  return written.kind === 'refused' ? written.failed : [];
};

const throttlingNames = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);
const tries = 8;
const pauseMs = { first: 100, most: 5000 };

/**
 * Retry a throttled call with exponential backoff, up to 8 times. A new on-demand table takes 4,000 write units a second
 * and scales up under load, so that a large import is throttled at first.
 */
export const retryThrottled = async <Value>(attempt: () => Promise<Value>): Promise<Value> => {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round === tries || !(error instanceof Error && throttlingNames.has(error.name))) throw error;
      const longest = Math.min(pauseMs.first * 2 ** round, pauseMs.most);
      await sleep(longest * (0.5 + Math.random() / 2));
    }
  }
};

type PartitionQuery = {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, string>;
  readonly ProjectionExpression?: string;
};

/** The items of a partition of the Content table, ordered by sort key. Holds one page of at most 1 MB. */
export async function* queryContent(
  query: PartitionQuery,
): AsyncGenerator<ItemKey & Readonly<Record<string, unknown>>> {
  const pages = queryPages({ TableName: environment.tables.content, ...query }, (page) =>
    retryThrottled(() => queryPage(page)),
  );
  for await (const items of pages) yield* items as readonly (ItemKey & Record<string, unknown>)[];
}
