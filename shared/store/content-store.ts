/** Releases in the Content table, as an operator's commands write, list and activate them. */
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';
import { builtInReleaseById } from '../content/built-in.ts';
import type { ReleaseHead } from '../content/content.ts';
import { type ActiveReleases, withActive, withPrevious } from '../content/loading/active-releases.ts';
import type { Problem } from '../problem.ts';
import { accept, type Result, refuse } from '../result.ts';
import { database } from './client.ts';
import { activeReleasesItem, headFrom, headItem } from './content-item.ts';
import { type PartDigests, readPartDigests } from './content-parts.ts';
import { Contention, retryContention } from './contention.ts';
import { releaseHeadKey, releasePartition, stateOfRelease } from './keys.ts';

export type { ActiveReleases } from '../content/loading/active-releases.ts';
export {
  discardParts,
  type PartDigests,
  readPartDigests,
  readPartKeys,
  readParts,
  writePart,
  writeParts,
} from './content-parts.ts';
export { readActiveReleases } from './content-reads.ts';

const TableName = environment.tables.content;

/** The head of the release with this id; `undefined` where there is none, also of an import that is not finished. */
export const findHead = async (id: string): Promise<ReleaseHead | undefined> => {
  if (stateOfRelease(id) === undefined) return undefined;
  const { Item } = await database.send(new GetCommand({ TableName, Key: releaseHeadKey(id), ConsistentRead: true }));
  return Item && headFrom(Item).value;
};

/** The heads of a state's imported releases by its jurisdiction code, the newest last. */
export async function* listHeads(state: string): AsyncIterable<ReleaseHead> {
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :releases',
        ExpressionAttributeValues: { ':releases': releasePartition(state) },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    for (const item of Items) yield headFrom(item).value;
    start = LastEvaluatedKey;
  } while (start);
}

const unfinished = (detail: string): Problem => ({
  code: 'precondition_failed',
  title: 'Release cannot be finished',
  detail,
});

/** What is wrong with the parts that are stored, and what to do; `null` where they are what was written. */
const foreignParts = (id: string, written: PartDigests, stored: PartDigests): string | null => {
  const missing = [...written.keys()].filter((key) => !stored.has(key)).length;
  const unknown = [...stored.keys()].filter((key) => !written.has(key)).length;
  const other = [...stored].filter(([key, digest]) => written.has(key) && written.get(key) !== digest).length;
  if (missing + unknown + other === 0) return null;
  return `${id} should have ${written.size} parts: ${missing} are missing, ${unknown} more are there, and ${other} have other content, all by another import of the same id. When none is running, remove them with \`npm run content -- discard ${id}\`, and run the import again.`;
};

/**
 * Finish an import: from now on the release exists, for ever as it is. An identical one may exist already.
 *
 * `written` is what the import wrote (`writeParts`). Refused: a release whose parts are not exactly these, such as where
 * another import wrote under the same id meanwhile; and an id that another release has, or a built-in one.
 */
export const writeHead = async (head: ReleaseHead, written: PartDigests): Promise<Result<void>> => {
  if (builtInReleaseById(head.id))
    return refuse(unfinished(`${head.id} is a built-in release: no import can have its id.`));
  if (stateOfRelease(head.id) !== head.state) throw new Error('The id of a release begins with its state.');
  const foreign = foreignParts(head.id, written, await readPartDigests(head.id));
  if (foreign !== null) return refuse(unfinished(foreign));
  try {
    await database.send(
      new PutCommand({
        TableName,
        Item: headItem(head),
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    return accept(undefined);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const existing = await findHead(head.id);
    if (existing?.content_hash === head.content_hash) return accept(undefined);
    return refuse(
      unfinished(`${head.id} exists already, with other content. Run the import again: it gets another id.`),
    );
  }
};

const noSuchRelease = (id: string, state: string): Problem => ({
  code: 'not_found',
  title: 'No such release',
  detail: `${state} has no finished release ${id}.`,
});

const moved: Problem = {
  code: 'precondition_failed',
  title: 'Active releases have changed',
  detail: 'Somebody else activated a release in the meantime. Look at the active releases again and decide anew.',
};

/**
 * Make a release the one that a state's calculations rest on, on the condition that the directory is as it was seen;
 * `null` is back to the built-in one. Instances notice within 60 s.
 *
 * Refused: a release that does not exist, that is not finished, or that is another state's; and a directory that has
 * changed since.
 */
export const activateRelease = async (
  state: string,
  id: string | null,
  seen: ActiveReleases,
  at: string,
): Promise<Result<ActiveReleases>> =>
  id !== null && stateOfRelease(id) !== state
    ? refuse(noSuchRelease(id, state))
    : writeDirectory(state, seen, withActive(seen, state, id, at));

/** Make the release before the active one of a state active again, on the same conditions; without one, the built-in one. */
export const goBack = (state: string, seen: ActiveReleases, at: string): Promise<Result<ActiveReleases>> =>
  writeDirectory(state, seen, withPrevious(seen, state, at));

const writeDirectory = (state: string, seen: ActiveReleases, next: ActiveReleases): Promise<Result<ActiveReleases>> =>
  retryContention(async () => {
    const id = next.states[state]?.release ?? null;
    try {
      await database.send(new TransactWriteCommand({ TransactItems: activation(id, seen, next) }));
      return accept(next);
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const [directory, head] = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      if (directory === 'ConditionalCheckFailed') return refuse(moved);
      if (head === 'ConditionalCheckFailed' && id !== null) return refuse(noSuchRelease(id, state));
      if ([directory, head].includes('TransactionConflict'))
        throw new Contention('Others are writing the directory.', { cause: error });
      throw error;
    }
  });

const activation = (id: string | null, seen: ActiveReleases, next: ActiveReleases) => [
  {
    Put: {
      TableName,
      Item: activeReleasesItem(next),
      ...(seen.version === 0
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seen.version } }),
    },
  },
  ...(id === null
    ? []
    : [{ ConditionCheck: { TableName, Key: releaseHeadKey(id), ConditionExpression: 'attribute_exists(pk)' } }]),
];
