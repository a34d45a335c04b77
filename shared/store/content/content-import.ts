/**
 * An import from its beginning to its end: a claim on the id, the parts, and the head that makes them count.
 *
 * A finished release never changes, because no two imports ever write under one id. An import takes its id by a claim, on
 * the condition that there is neither a head nor a claim of it. The head takes the claim's place, or a discard turns the
 * claim into one that stays for ever: either way the id is never free again. Parts, tens of thousands of them by sixteen
 * writers, are written without a look at the claim; they are the import's own all the same, and all there before its
 * head, since `writeParts` ends when its last writer has. Parts that are written after a discard belong to an id that can
 * never have a head, and nobody reads parts without one. The import removes them itself when its end is refused; if it is
 * killed before that, they are in nobody's way, and a second discard removes them.
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { builtInReleaseById } from '../../content/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import type { Problem } from '../../problem.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { database } from '../client/client.ts';
import { importClaimKey, releaseHeadKey, stateOfRelease } from '../keys.ts';
import { claimItem, type ImportClaim, isDiscarded, stillHeld } from './content-claims.ts';
import { headItem } from './content-item.ts';
import { type PartDigests, readPartDigests, removeParts, writeParts } from './content-parts.ts';
import { transact } from './content-transaction.ts';

const TableName = environment.tables.content;

const absent = 'attribute_not_exists(pk)';

const problem = (title: string, detail: string, code: Problem['code'] = 'precondition_failed'): Problem => ({
  code,
  title,
  detail,
});

/**
 * Begin to write a release: from now on its id (`US-MN@2026-11-21.101`) is this import's for ever. `at` is an ISO instant.
 *
 * Refused: an id that any import has had, be it finished, running, broken off or discarded; and a built-in release's.
 */
export const beginImport = async (id: string, at: string): Promise<Result<ImportClaim>> => {
  const taken = (detail: string) => refuse(problem('Id of a release is taken', detail));
  if (builtInReleaseById(id)) return taken(`${id} is a built-in release: no import can have its id.`);
  const claim = { id, run: randomUUID() };
  const { failed } = await transact([
    { ConditionCheck: { TableName, Key: releaseHeadKey(id), ConditionExpression: absent } },
    { Put: { TableName, Item: claimItem(claim, at), ConditionExpression: absent } },
  ]);
  return failed.length > 0 ? taken(`Another import has ${id}. Run this one again: it gets another id.`) : accept(claim);
};

const unfinished = (detail: string) => problem('Release cannot be finished', detail);

/** What is wrong with the parts that are stored, and what to do; `null` where they are what was written. */
const foreignParts = (id: string, written: PartDigests, stored: PartDigests): string | null => {
  const missing = [...written.keys()].filter((key) => !stored.has(key)).length;
  const unknown = [...stored.keys()].filter((key) => !written.has(key)).length;
  const other = [...stored].filter(([key, digest]) => written.has(key) && written.get(key) !== digest).length;
  if (missing + unknown + other === 0) return null;
  return `${id} should have ${written.size} parts: ${missing} are missing, ${unknown} more are there, and ${other} have other content. Remove them with \`npm run content -- discard ${id}\`, and run the import again: it gets another id.`;
};

/** The import's end where it was discarded while it ran: what it wrote since then goes too. */
const refuseDiscarded = async ({ id }: ImportClaim): Promise<Result<void>> => {
  await removeParts(id);
  return refuse(
    unfinished(
      `${id} was discarded while this import was running, and all that it wrote is removed. Run the import again: it gets another id.`,
    ),
  );
};

/**
 * Finish an import: from now on the release exists, for ever as it is, and the claim is gone.
 *
 * `written` is what the import wrote (`writeParts`). Refused: a release whose parts are not exactly these, and one that
 * was discarded meanwhile, whose parts are removed.
 */
export const finishImport = async (
  claim: ImportClaim,
  head: ReleaseHead,
  written: PartDigests,
): Promise<Result<void>> => {
  if (head.id !== claim.id) throw new Error('An import finishes the release that it has begun.');
  if (stateOfRelease(head.id) !== head.state) throw new Error('The id of a release begins with its state.');
  const foreign = foreignParts(head.id, written, await readPartDigests(head.id));
  if (foreign !== null) return (await isDiscarded(claim)) ? refuseDiscarded(claim) : refuse(unfinished(foreign));
  // The head is looked at too, although no claim is ever made beside one: it is what must not change.
  const { failed } = await transact([
    { Put: { TableName, Item: headItem(head, written.keys()), ConditionExpression: absent } },
    { Delete: { TableName, Key: importClaimKey(head.id), ...stillHeld(claim) } },
  ]);
  if (failed.length === 0) return accept(undefined);
  if (await isDiscarded(claim)) return refuseDiscarded(claim);
  throw new Error(`${head.id} has a head and a claim: one of them is none of an import's.`);
};

/** Import content that is at hand, from the beginning to the end. */
export const importRelease = async (
  head: ReleaseHead,
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
): Promise<Result<void>> => {
  const begun = await beginImport(head.id, head.imported_at);
  return begun.ok ? finishImport(begun.value, head, await writeParts(begun.value, parts)) : begun;
};

const setStage = async (id: string, stage: 'discarding' | 'discarded'): Promise<void> => {
  const update = new UpdateCommand({
    TableName,
    Key: importClaimKey(id),
    ConditionExpression: 'attribute_exists(pk)',
    UpdateExpression: 'SET stage = :stage',
    ExpressionAttributeValues: { ':stage': stage },
  });
  await database.send(update);
};

const noImport = (id: string) =>
  problem(
    'Import cannot be discarded',
    `Nothing is there of ${id}. See the imports that are not finished with \`npm run content -- list\`.`,
    'not_found',
  );

/**
 * Remove the parts of an import that was not finished, and say how many they were. The claim comes first and last: from
 * the beginning on the import cannot be finished, and it is listed as unfinished until all its parts are removed. The
 * claim stays, so that the id is never taken again.
 *
 * Refused: an id that no unfinished import has had, such as a finished release's.
 */
export const discardImport = async (id: string): Promise<Result<number>> => {
  const nothing = () => refuse(noImport(id));
  if (stateOfRelease(id) === undefined) return nothing();
  try {
    await setStage(id, 'discarding');
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return nothing();
    throw error;
  }
  const count = await removeParts(id);
  await setStage(id, 'discarded');
  return accept(count);
};
