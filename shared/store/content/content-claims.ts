import * as z from 'zod/mini';
import { retryThrottled } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import { queryPage, queryPages, readItem } from '../client/reads.ts';
import { listCodes, throwCanceled, type Writes, writeTogether } from '../client/writes.ts';
import { type ItemKey, importClaimKey, importClaimPrefix, releasePartition } from '../keys.ts';

// Calls on the Content table, as the commands that write releases make them.

/** Write all of these items, or none. Returns the positions of the failed conditions; none where all was written. */
export const transact = async (writes: Writes): Promise<readonly number[]> => {
  const written = await writeTogether(writes, (exception) => {
    const codes = listCodes(exception);
    const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
    return failed.length > 0 ? ({ kind: 'refused', failed } as const) : throwCanceled(exception);
  });
  return written.kind === 'refused' ? written.failed : [];
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

// The claims that imports have on release ids. A head replaces its claim.

/**
 * The state of an unfinished import. `discarding`: it can never be finished, and some of its parts may remain.
 * `discarded`: its parts were removed. The claim stays, so that the id is never used again.
 */
const Claim = z.object({
  id: z.string(),
  /** A random id of the only run that may write parts of this release. */
  run: z.string(),
  began_at: z.string(),
  stage: z.enum(['begun', 'discarding', 'discarded']),
});
type Claim = z.infer<typeof Claim>;

/** The claim of a running import: the id of its release, and its run. Only `beginImport` makes one. */
export type ImportClaim = Pick<Claim, 'id' | 'run'>;

/** An import that began and has not ended: it is running, or it was interrupted. */
export type UnfinishedImport = Pick<Claim, 'id' | 'began_at'>;

/** The item of a claim when an import begins at this instant. */
export const claimItem = ({ id, run }: ImportClaim, beganAt: string) => ({
  ...importClaimKey(id),
  ...({ id, run, began_at: beganAt, stage: 'begun' } satisfies Claim),
});

/** The condition that the import is neither finished nor discarded. */
export const whileClaimed = ({ run }: ImportClaim) => ({
  ConditionExpression: 'run = :run AND stage = :begun',
  ExpressionAttributeValues: { ':run': run, ':begun': 'begun' satisfies Claim['stage'] },
});

/** Whether the import was discarded. Throws where it was finished, because an import ends once. */
export const isDiscarded = async ({ id, run }: ImportClaim): Promise<boolean> => {
  const item = await readItem(environment.tables.content, importClaimKey(id));
  const claim = item && Claim.parse(item);
  if (claim?.run !== run) throw new Error(`${id} is finished, or is another import's.`);
  return claim.stage !== 'begun';
};

/** The items of a state's partition from a sort key on, with these attributes only. */
const itemsFrom = (state: string, from: string, ProjectionExpression: string): AsyncIterable<unknown> =>
  queryContent({
    KeyConditionExpression: 'pk = :state AND sk >= :from',
    ExpressionAttributeValues: { ':state': releasePartition(state), ':from': from },
    ProjectionExpression,
  });

const Named = z.object({ id: z.string() });

/** Every id that a state's imports (`US-MN`) have used: finished, unfinished and discarded ones. */
export const takenIds = async (state: string): Promise<readonly string[]> =>
  (await Array.fromAsync(itemsFrom(state, '0', 'id'))).map((item) => Named.parse(item).id);

/** The imports of a state that are neither finished nor completely discarded, the newest last. */
export const unfinishedImports = async (state: string): Promise<readonly UnfinishedImport[]> => {
  const items = await Array.fromAsync(itemsFrom(state, importClaimPrefix, 'id, run, began_at, stage'));
  return items
    .map((item) => Claim.parse(item))
    .filter(({ stage }) => stage !== 'discarded')
    .map(({ id, began_at }) => ({ id, began_at }));
};
