/** Releases in the Content table, for the commands that write, list and activate them. */
import { environment } from '../../config/environment.ts';
import type { ReleaseHead } from '../../content/content.ts';
import { ContentCorrupt, wholeOrCorrupt } from '../../content/loading/content-errors.ts';
import { readItem } from '../client/read-item.ts';
import { importClaimPrefix, releaseHeadKey, releaseOfHeadKey, releasePartition, stateOfRelease } from '../keys.ts';
import { headFrom, type StoredHead } from './content-item.ts';
import { queryContent } from './content-query.ts';

export type { ActiveReleases } from '../../content/loading/active-releases.ts';
export { activateRelease, rollBackRelease } from './content-activation.ts';
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
    const read = wholeOrCorrupt(() => headFrom(releaseOfHeadKey(state, item.sk), item).value);
    if (read instanceof ContentCorrupt) onCorrupt(read);
    else yield read;
  }
}
