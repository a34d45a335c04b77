/** Which imports have taken an id, finished or not: a claim lies beside the heads of the state until there is a head. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { importClaimKey, importClaimPrefix, releasePartition } from '../keys.ts';
import { queryContent } from './content-query.ts';

const TableName = environment.tables.content;

/**
 * How far an import is that is not finished. `discarding`: it can never be finished, and parts of it may be left.
 * `discarded`: those were removed; the claim stays, so that nobody takes the id again.
 */
const Claim = z.object({
  id: z.string(),
  /** A random id of the run that may write parts under the release's id, and nobody else. */
  run: z.string(),
  began_at: z.string(),
  stage: z.enum(['begun', 'discarding', 'discarded']),
});
type Claim = z.infer<typeof Claim>;

/** What an import holds while it writes: the id of its release, and who it is. Made by `beginImport` alone. */
export type ImportClaim = Pick<Claim, 'id' | 'run'>;

/** An import that has begun to write and has not ended, be it that it is running or was broken off. */
export type UnfinishedImport = Pick<Claim, 'id' | 'began_at'>;

/** The claim as the table holds it when an import begins at this instant. */
export const claimItem = ({ id, run }: ImportClaim, beganAt: string) => ({
  ...importClaimKey(id),
  ...({ id, run, began_at: beganAt, stage: 'begun' } satisfies Claim),
});

/** The condition that the import is neither finished nor discarded. */
export const stillHeld = ({ run }: ImportClaim) => ({
  ConditionExpression: 'run = :run AND stage = :begun',
  ExpressionAttributeValues: { ':run': run, ':begun': 'begun' satisfies Claim['stage'] },
});

/** Whether the import was discarded. Throws where it was finished: its end comes once. */
export const isDiscarded = async ({ id, run }: ImportClaim): Promise<boolean> => {
  const { Item } = await database.send(new GetCommand({ TableName, Key: importClaimKey(id), ConsistentRead: true }));
  const claim = Item && Claim.parse(Item);
  if (claim?.run !== run) throw new Error(`${id} is finished, or is another import's.`);
  return claim.stage !== 'begun';
};

/** The items of a state's partition from a sort key on, with these attributes alone. */
const beside = (state: string, from: string, ProjectionExpression: string): AsyncIterable<unknown> =>
  queryContent({
    KeyConditionExpression: 'pk = :state AND sk >= :from',
    ExpressionAttributeValues: { ':state': releasePartition(state), ':from': from },
    ProjectionExpression,
  });

const Named = z.object({ id: z.string() });

/** Every id of a state's imports (`US-MN`) that no other may have: of those finished, not finished and discarded. */
export const takenIds = async (state: string): Promise<readonly string[]> =>
  (await Array.fromAsync(beside(state, '0', 'id'))).map((item) => Named.parse(item).id);

/** The imports of a state that have neither been finished nor discarded to the end, the newest last. */
export const unfinishedImports = async (state: string): Promise<readonly UnfinishedImport[]> => {
  const items = await Array.fromAsync(beside(state, importClaimPrefix, 'id, run, began_at, stage'));
  return items
    .map((item) => Claim.parse(item))
    .filter(({ stage }) => stage !== 'discarded')
    .map(({ id, began_at }) => ({ id, began_at }));
};
