/** The claims that imports have on release ids. A head replaces its claim. */
import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import { readItem } from '../client/reads.ts';
import { importClaimKey, importClaimPrefix, releasePartition } from '../keys.ts';
import { queryContent } from './content-client.ts';

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
