import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { retryThrottled } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import { partitionQuery, queryPage, queryPages, readItem } from '../client/reads.ts';
import { listCodes, throwCanceled, type Writes, writeTogether } from '../client/writes.ts';
import { type Item, importClaimKey, importClaimPrefix, releasePartition } from '../keys.ts';

// Database calls on the Content table, used by the commands that write releases.

/** Writes all of these items, or none. Returns the positions of the failed conditions; empty if all were written. */
export const transact = async (writes: Writes): Promise<readonly number[]> => {
  const written = await writeTogether(writes, (exception) => {
    const codes = listCodes(exception);
    const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
    return failed.length > 0 ? ({ kind: 'refused', failed } as const) : throwCanceled(exception);
  });
  return written.kind === 'refused' ? written.failed : [];
};

/** Yields the items of a query, ordered by sort key. Keeps one page of at most 1 MB in memory. */
export async function* queryContent(query: QueryCommandInput): AsyncGenerator<Item> {
  for await (const items of queryPages(query, (page) => retryThrottled(() => queryPage(page)))) yield* items;
}

// The claims of imports on release ids. The head replaces the claim when an import finishes.

/**
 * The state of an unfinished import. `discarding`: it can never finish, and some of its parts may remain. `discarded`:
 * its parts were removed. The claim is kept, so the id is never reused.
 */
const Claim = z.object({
  id: z.string(),
  /** A random id of the only run that can write parts of this release. */
  run: z.string(),
  began_at: z.string(),
  stage: z.enum(['begun', 'discarding', 'discarded']),
});
type Claim = z.infer<typeof Claim>;

/** The claim of a running import: the id of its release, and its run. Created only by `beginImport`. */
export type ImportClaim = Pick<Claim, 'id' | 'run'>;

/** An import that has begun but not ended: it is running, or was interrupted. */
export type UnfinishedImport = Pick<Claim, 'id' | 'began_at'>;

/** Builds the claim item of an import that begins at this time. */
export const claimItem = ({ id, run }: ImportClaim, beganAt: string) => ({
  ...importClaimKey(id),
  ...({ id, run, began_at: beganAt, stage: 'begun' } satisfies Claim),
});

/** Returns the condition that the import is neither finished nor discarded. */
export const whileClaimed = ({ run }: ImportClaim) => ({
  ConditionExpression: 'run = :run AND stage = :begun',
  ExpressionAttributeValues: { ':run': run, ':begun': 'begun' satisfies Claim['stage'] },
});

/** Whether the import was discarded. Throws if it was finished, because an import ends only once. */
export const isDiscarded = async ({ id, run }: ImportClaim): Promise<boolean> => {
  const item = await readItem(environment.tables.content, importClaimKey(id));
  const claim = item && Claim.parse(item);
  if (claim?.run !== run) throw new Error(`${id} is already finished, or a different import holds its claim.`);
  return claim.stage !== 'begun';
};

/** Yields the items of a state's partition, starting at a sort key, with only these attributes. */
const itemsFrom = (state: string, from: string, ProjectionExpression: string): AsyncIterable<unknown> =>
  queryContent({
    ...partitionQuery(environment.tables.content, releasePartition(state), 'sk >= :from', { ':from': from }),
    ProjectionExpression,
  });

const Named = z.object({ id: z.string() });

/** Returns every id that a state's imports (`US-MN`) have used, whether finished, unfinished or discarded. */
export const takenIds = async (state: string): Promise<readonly string[]> =>
  (await Array.fromAsync(itemsFrom(state, '0', 'id'))).map((item) => Named.parse(item).id);

/** Returns a state's imports that are neither finished nor completely discarded, newest last. */
export const unfinishedImports = async (state: string): Promise<readonly UnfinishedImport[]> => {
  const items = await Array.fromAsync(itemsFrom(state, importClaimPrefix, 'id, run, began_at, stage'));
  const claims = z.array(Claim).parse(items);
  return claims.flatMap(({ id, began_at, stage }) => (stage === 'discarded' ? [] : [{ id, began_at }]));
};
