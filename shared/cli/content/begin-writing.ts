import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { beginImport, type ImportClaim, takenIds } from '../../store/content/content-store.ts';

/** The first counter of an import. Those below are the built-in releases': a later version of the service may ship one of the same day. */
export const firstCounter = 101;

/** The first id of the day that no import of the state has had, finished or not, such as `US-MN@2026-11-21.101`. */
export const nextReleaseId = async (state: string, day: string): Promise<string> => {
  const prefix = `${state}@${day}.`;
  const ids = await takenIds(state);
  const counters = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
  return `${prefix}${Math.max(firstCounter - 1, ...counters) + 1}`;
};

type Begun = { readonly claim: ImportClaim; readonly head: ReleaseHead };

/**
 * Begin to write a release that was read, under its id, or under the next one that is free where another import has
 * taken it meanwhile: files take minutes to read. The hash covers the id, and is made anew with it.
 */
export const beginWriting = async (head: ReleaseHead, parts: () => AsyncIterable<ReleasePart>): Promise<Begun> => {
  const begun = await beginImport(head.id, head.imported_at);
  if (begun.ok) return { claim: begun.value, head };
  const id = await nextReleaseId(head.state, head.imported_at.slice(0, 10));
  const renamed = { ...head, id };
  return beginWriting({ ...renamed, content_hash: await contentHash(renamed, parts()) }, parts);
};
