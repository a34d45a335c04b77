import { canonicalJson } from '../../canonical-json.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { orCorrupt } from '../../content/loading/content-errors.ts';
import { listHeads } from '../../store/content/content-store.ts';
import { pairsByKey } from './pairs-by-key.ts';
import { openRelease } from './releases.ts';

/** The head without the fields that differ in every import: id, time, sources and its place in the chain. */
const comparable = (head: ReleaseHead): string => {
  const { id: _id, content_hash: _hash, imported_at: _at, sources: _sources, ...content } = head;
  const { base: _base, below: _below, chain: _chain, bottom: _bottom, ...compared } = content;
  return canonicalJson(compared);
};

/** Whether both are overlays of the same release, or `head` is an overlay of `stored`. */
const isSameBase = (head: ReleaseHead, stored: ReleaseHead): boolean =>
  head.below === stored.below || head.below === stored.id;

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
