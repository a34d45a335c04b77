import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { beginImport, type ImportClaim, takenIds } from '../../store/content/content-store.ts';

/** The first counter of an import. Lower counters belong to built-in releases, which a later version may add. */
export const firstCounter = 101;

/** The next free id of the day, after those of finished and unfinished imports, such as `US-MN@2026-11-21.101`. */
export const nextReleaseId = async (state: string, day: string): Promise<string> => {
  const prefix = `${state}@${day}.`;
  const ids = await takenIds(state);
  const counters = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
  return `${prefix}${Math.max(firstCounter - 1, ...counters) + 1}`;
};

type Begun = { readonly claim: ImportClaim; readonly head: ReleaseHead };

/**
 * Begin to write a release under its id, or under the next free one if another import took it while the files were read.
 * The hash covers the id, so it is computed again.
 */
export const beginWriting = async (head: ReleaseHead, parts: () => AsyncIterable<ReleasePart>): Promise<Begun> => {
  const begun = await beginImport(head.id, head.imported_at);
  if (begun.ok) return { claim: begun.value, head };
  const id = await nextReleaseId(head.state, head.imported_at.slice(0, 10));
  const renamed = { ...head, id };
  return beginWriting({ ...renamed, content_hash: await contentHash(renamed, parts()) }, parts);
};
