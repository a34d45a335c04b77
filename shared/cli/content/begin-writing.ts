import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { beginImport, type ImportClaim } from '../../store/content/content-store.ts';
import { nextReleaseId } from './next-release-id.ts';

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
