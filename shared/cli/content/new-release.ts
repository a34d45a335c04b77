import { canonicalJson } from '../../canonical-json.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { orCorrupt } from '../../content/loading/content-errors.ts';
import { beginImport, type ImportClaim, listHeads, takenIds } from '../../store/content/content-store.ts';
import { pairsByKey } from './pairs-by-key.ts';
import { openRelease } from './releases.ts';

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

/** The head without the fields that differ in every import: id, time, sources and its place in the chain. */
const comparable = (head: ReleaseHead): string => {
  const { id: _id, content_hash: _hash, imported_at: _at, sources: _sources, ...content } = head;
  const { base: _base, below: _below, chain: _chain, bottom: _bottom, ...compared } = content;
  return canonicalJson(compared);
};

/** Whether both are overlays of the same release, or `head` is an overlay of `stored`, over the same built-in release. */
const isSameBase = (head: ReleaseHead, stored: ReleaseHead): boolean =>
  head.bottom === stored.bottom && (head.below === stored.below || head.below === stored.id);

const haveSameParts = async (
  lefts: AsyncIterable<ReleasePart>,
  rights: AsyncIterable<ReleasePart>,
): Promise<boolean> => {
  for await (const { left, right } of pairsByKey(lefts, rights))
    if (!left || !right || canonicalJson(left) !== canonicalJson(right)) return false;
  return true;
};

/**
 * Find a finished release of the state with the same content, rules and settings, on the same base; `null` if there is none.
 *
 * Content hashes cannot be compared, because they cover the id and the date of the import.
 */
export const sameRelease = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
): Promise<string | null> => {
  for await (const finished of listHeads(head.state, () => {})) {
    if (!isSameBase(head, finished) || comparable(finished) !== comparable(head)) continue;
    const { parts: stored } = await openRelease(finished.id);
    // A corrupt release never has the same content.
    if ((await orCorrupt(haveSameParts(parts(), stored()))) === true) return finished.id;
  }
  return null;
};
