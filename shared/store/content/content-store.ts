/** Releases in the Content table, for the commands that write, list and activate them. */

import type { Problem } from '../../base/problem.ts';
import { accept, type Result, refuse } from '../../base/result.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import { type ActiveReleases, withActive, withPrevious } from '../../catalog/loading/active-releases.ts';
import { ContentCorrupt, catchCorruptSync } from '../../catalog/loading/content-errors.ts';
import { environment } from '../../config/environment.ts';
import { readItem } from '../client/reads.ts';
import { absentOrAsSeen, present } from '../client/writes.ts';
import { importClaimPrefix, releaseHeadKey, releaseOfHeadKey, releasePartition, stateOfRelease } from '../keys.ts';
import { queryContent, transact } from './content-client.ts';
import { activeReleasesItem, headFrom, type StoredHead } from './content-item.ts';

export type { ActiveReleases } from '../../catalog/loading/active-releases.ts';
export { type ImportClaim, takenIds, type UnfinishedImport, unfinishedImports } from './content-claims.ts';
export { beginImport, discardImport, finishImport, importRelease } from './content-import.ts';
export { type PartDigests, readPartDigests, readPartKeys, readParts, writePart, writeParts } from './content-parts.ts';
export { readActiveReleases } from './content-reads.ts';

const TableName = environment.tables.content;

/**
 * The head of a finished release and the keys of its parts; `undefined` without one. Throws `ContentCorrupt`.
 */
export const findStoredHead = async (id: string): Promise<StoredHead | undefined> => {
  if (stateOfRelease(id) === undefined) return undefined;
  const item = await readItem(TableName, releaseHeadKey(id));
  return item && headFrom(id, item);
};

/** The head of a finished release; `undefined` without one. Throws `ContentCorrupt`. */
export const findHead = async (id: string): Promise<ReleaseHead | undefined> => (await findStoredHead(id))?.value;

/**
 * The heads of a state's imported releases by its jurisdiction code, the newest last. A corrupt one is left out and
 * reported to `onCorrupt`; by default it is thrown.
 */
export async function* listHeads(
  state: string,
  onCorrupt = (error: ContentCorrupt): void => {
    throw error;
  },
): AsyncIterable<ReleaseHead> {
  const items = queryContent({
    KeyConditionExpression: 'pk = :releases AND sk < :claims',
    ExpressionAttributeValues: { ':releases': releasePartition(state), ':claims': importClaimPrefix },
  });
  for await (const item of items) {
    const read = catchCorruptSync(() => headFrom(releaseOfHeadKey(state, item.sk), item).value);
    if (read instanceof ContentCorrupt) onCorrupt(read);
    else yield read;
  }
}

const noSuchRelease = (id: string, state: string): Problem => ({
  code: 'not_found',
  title: 'No such release',
  detail: `${state} has no finished release ${id}.`,
});

const moved: Problem = {
  code: 'precondition_failed',
  title: 'Active releases have changed',
  detail: 'Another activation changed the directory. List the active releases again, then retry.',
};

/**
 * Activate a release for a state, on the condition that the directory still has the version that was read; `null` is the
 * built-in release. Running instances follow within 60 s.
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

/** Activate a state's previous release again, on the same condition; without one, the built-in release. */
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
  ...(id === null ? [] : [{ ConditionCheck: { TableName, Key: releaseHeadKey(id), ...present } }]),
];
