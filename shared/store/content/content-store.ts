export type { ActiveReleases } from '../../catalog/content.ts';
export { type ImportClaim, takenIds, type UnfinishedImport, unfinishedImports } from './content-claims.ts';
export { type PartDigests, readPartDigests, readPartKeys, readParts, writePart, writeParts } from './content-parts.ts';
export { readActiveReleases } from './content-reads.ts';

import { randomUUID } from 'node:crypto';
import { AssertionError, assert } from '../../base/assert.ts';
import { accept, type Problem, type Result, refuse } from '../../base/result.ts';
import { builtInReleaseById } from '../../catalog/built-in.ts';
import { type ActiveReleases, type ReleaseHead, withActive, withPrevious } from '../../catalog/content.ts';
import { ContentCorrupt, catchCorruptSync } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';
import { findItem, partitionQuery } from '../client/reads.ts';
import { absent, absentOrAsSeen, present, updateItem } from '../client/writes.ts';
import * as keys from '../keys.ts';
import { claimItem, type ImportClaim, isDiscarded, queryContent, transact, whileClaimed } from './content-claims.ts';
import { activeReleasesItem, headFrom, headItem, type StoredHead } from './content-item.ts';
import { type PartDigests, readPartDigests, removeParts } from './content-parts.ts';

// Releases in the Content table, for the commands that write, list and activate them.

const TableName = environment.tables.content;

/**
 * Returns the head of a finished release and the keys of its parts; `undefined` if it does not exist. Throws
 * `ContentCorrupt`.
 */
export const findStoredHead = async (id: string): Promise<StoredHead | undefined> => {
  if (keys.stateOfRelease(id) === undefined) return undefined;
  return findItem(TableName, keys.releaseHeadKey(id), (item) => headFrom(id, item));
};

/** Returns the head of a finished release; `undefined` if it does not exist. Throws `ContentCorrupt`. */
export const findHead = async (id: string): Promise<ReleaseHead | undefined> => (await findStoredHead(id))?.value;

/**
 * Yields the heads of a state's imported releases, newest last. `state` is a jurisdiction code. A corrupt head is
 * passed to `onCorrupt`, which throws by default, and left out.
 */
export async function* listHeads(
  state: string,
  onCorrupt = (error: ContentCorrupt): void => {
    throw error;
  },
): AsyncIterable<ReleaseHead> {
  const end = { ':claims': keys.importClaimPrefix };
  const query = partitionQuery(TableName, keys.releasePartition(state), 'sk < :claims', end);
  for await (const item of queryContent(query)) {
    const read = catchCorruptSync(() => headFrom(keys.releaseOfHeadKey(state, item.sk), item).value);
    if (read instanceof ContentCorrupt) onCorrupt(read);
    else yield read;
  }
}

const noSuchRelease = (id: string, state: string): Problem => ({
  code: 'not_found',
  title: 'Release not found',
  detail: `${state} has no finished release ${id}.`,
});

const moved: Problem = {
  code: 'precondition_failed',
  title: 'Active releases have changed',
  detail: 'Another activation changed the directory. List the active releases again, then retry.',
};

/**
 * Activates a release for a state, if the directory still has the version that was read; `null` is the built-in
 * release. Running instances use it within 60 s.
 *
 * Rejects a release that does not exist, is not finished or belongs to a different state, and a directory that has
 * changed since.
 */
export const activateRelease = async (
  state: string,
  id: string | null,
  seen: ActiveReleases,
  at: string,
): Promise<Result<ActiveReleases>> =>
  id !== null && keys.stateOfRelease(id) !== state
    ? refuse(noSuchRelease(id, state))
    : writeDirectory(state, seen, withActive(seen, state, id, at));

/** Activates a state's previous release, or the built-in release if there is none, like `activateRelease`. */
export const rollBackRelease = (state: string, seen: ActiveReleases, at: string): Promise<Result<ActiveReleases>> =>
  writeDirectory(state, seen, withPrevious(seen, state, at));

const writeDirectory = async (
  state: string,
  seen: ActiveReleases,
  next: ActiveReleases,
): Promise<Result<ActiveReleases>> => {
  const id = next.states[state]?.release ?? null;
  const failed = await transact(activation(id, seen, next));
  if (failed.includes(0)) return refuse(moved);
  if (failed.includes(1) && id !== null) return refuse(noSuchRelease(id, state));
  return accept(next);
};

const activation = (id: string | null, seen: ActiveReleases, next: ActiveReleases) => [
  { Put: { TableName, Item: activeReleasesItem(next), ...absentOrAsSeen(seen.version) } },
  ...(id === null ? [] : [{ ConditionCheck: { TableName, Key: keys.releaseHeadKey(id), ...present } }]),
];

/**
 * The life cycle of an import: a claim on the id, the parts, then the head that makes the release readable.
 *
 * A finished release never changes, because two imports never write under the same id. An import claims its id on the
 * condition that it has neither a head nor a claim. The head replaces the claim, or a discard marks the claim
 * permanently, so the id is never free again. Sixteen writers write the parts without checking the claim. All parts are
 * stored before the head, because `writeParts` awaits its last writer. Parts written after a discard belong to an id
 * that can never have a head, and parts are only read through a head. The import removes them when `finishImport` is
 * rejected; after a crash, a second discard removes them.
 */

const problem = (title: string, detail: string, code: Problem['code'] = 'precondition_failed'): Problem => ({
  code,
  title,
  detail,
});

/**
 * Claims the id of a release (`US-MN@2026-11-21.101`) for this import. `at` is an ISO 8601 time.
 *
 * Rejects an id that any import has used, and the id of a built-in release.
 */
export const beginImport = async (id: string, at: string): Promise<Result<ImportClaim>> => {
  const taken = (detail: string) => refuse(problem('Release id already in use', detail));
  if (builtInReleaseById(id)) return taken(`${id} is a built-in release. An import cannot use its id.`);
  const claim = { id, run: randomUUID() };
  const failed = await transact([
    { ConditionCheck: { TableName, Key: keys.releaseHeadKey(id), ...absent } },
    { Put: { TableName, Item: claimItem(claim, at), ...absent } },
  ]);
  return failed.length > 0
    ? taken(`Another import uses ${id}. Run this import again; it gets a new id.`)
    : accept(claim);
};

const unfinished = (detail: string) => problem('Release cannot be finished', detail);

/** Describes how the stored parts differ from the written parts, and what to do; `null` if they are equal. */
const foreignParts = (id: string, written: PartDigests, stored: PartDigests): string | null => {
  const missing = [...written.keys()].filter((key) => !stored.has(key)).length;
  const unknown = [...stored.keys()].filter((key) => !written.has(key)).length;
  const other = [...stored].filter(([key, digest]) => written.has(key) && written.get(key) !== digest).length;
  if (missing + unknown + other === 0) return null;
  return `${id} should have ${written.size} parts: ${missing} are missing, ${unknown} are unexpected, and ${other} have different content. Remove them with \`npm run content -- discard ${id}\`, and run the import again: it gets a new id.`;
};

/** Rejects finishing an import that was discarded while it ran, and removes the parts it wrote since. */
const refuseDiscarded = async ({ id }: ImportClaim): Promise<Result<void>> => {
  await removeParts(id);
  return refuse(
    unfinished(
      `${id} was discarded while this import ran, and its parts are removed. Run the import again; it gets a new id.`,
    ),
  );
};

/**
 * Finishes an import: the head replaces the claim, and the release becomes immutable.
 *
 * `written` has the digests of the parts that the import wrote (`writeParts`). Rejects a release whose stored parts
 * differ from them, and a release that has been discarded since, whose parts are then removed.
 */
export const finishImport = async (
  claim: ImportClaim,
  head: ReleaseHead,
  written: PartDigests,
): Promise<Result<void>> => {
  assert(head.id === claim.id, 'The release id must match the claim.');
  assert(keys.stateOfRelease(head.id) === head.state, 'The release id must begin with the state.');
  const foreign = foreignParts(head.id, written, await readPartDigests(head.id));
  if (foreign !== null) return (await isDiscarded(claim)) ? refuseDiscarded(claim) : refuse(unfinished(foreign));
  // A release with a claim has no head. The condition on the head is a second safeguard.
  const failed = await transact([
    { Put: { TableName, Item: headItem(head, written.keys()), ...absent } },
    { Delete: { TableName, Key: keys.importClaimKey(head.id), ...whileClaimed(claim) } },
  ]);
  if (failed.length === 0) return accept(undefined);
  if (await isDiscarded(claim)) return refuseDiscarded(claim);
  throw new AssertionError(`${head.id} has both a head and a claim. An import must never write both.`);
};

/** Sets the stage of a claim; `false` if the id has no claim. */
const setStage = (id: string, stage: 'discarding' | 'discarded'): Promise<boolean> =>
  updateItem({
    TableName,
    Key: keys.importClaimKey(id),
    ...present,
    UpdateExpression: 'SET stage = :stage',
    ExpressionAttributeValues: { ':stage': stage },
  });

const noImport = (id: string) =>
  problem(
    'Import cannot be discarded',
    `${id} is not an unfinished import. To list unfinished imports, run \`npm run content -- list\`.`,
    'not_found',
  );

/**
 * Removes the parts of an unfinished import and returns their number. The claim is marked before and after: from the
 * first mark on, the import cannot finish, and until the second, it is listed as unfinished. The claim is kept, so the
 * id is never reused.
 *
 * Rejects an id without an unfinished import, such as a finished release's.
 */
export const discardImport = async (id: string): Promise<Result<number>> => {
  if (keys.stateOfRelease(id) === undefined || !(await setStage(id, 'discarding'))) return refuse(noImport(id));
  const count = await removeParts(id);
  assert(await setStage(id, 'discarded'), `The claim of ${id} is missing. An import must not finish after a discard.`);
  return accept(count);
};
