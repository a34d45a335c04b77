import { canonicalJson } from '../../canonical-json.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { orCorrupt } from '../../content/loading/content-corrupt.ts';
import { listHeads } from '../../store/content/content-store.ts';
import { pairsByKey } from './pairs-by-key.ts';
import { openRelease } from './releases.ts';

/** The head without what every import makes anew: its name, its time, its files, and where it lies. */
const lasting = (head: ReleaseHead): string => {
  const { id: _id, content_hash: _hash, imported_at: _at, sources: _sources, ...others } = head;
  const { base: _base, below: _below, chain: _chain, bottom: _bottom, ...lasts } = others;
  return canonicalJson(lasts);
};

/** Whether both lie over the same release. An import over the release that has its content already adds nothing. */
const liesOver = (head: ReleaseHead, other: ReleaseHead): boolean =>
  head.below === other.below || head.below === other.id;

const haveSameParts = async (
  ones: AsyncIterable<ReleasePart>,
  others: AsyncIterable<ReleasePart>,
): Promise<boolean> => {
  for await (const { one, other } of pairsByKey(ones, others))
    if (!one || !other || canonicalJson(one) !== canonicalJson(other)) return false;
  return true;
};

/**
 * Find the finished release of the state that has the same content already, rules and settings included, and lies over the
 * same release, or is itself the one below; `null` where there is none.
 *
 * Hashes do not tell: they cover the id and the day too, which differ from import to import.
 */
export const sameRelease = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
): Promise<string | null> => {
  for await (const other of listHeads(head.state, () => {})) {
    if (!liesOver(head, other) || lasting(other) !== lasting(head)) continue;
    const { parts: stored } = await openRelease(other.id);
    // A corrupt release has not the same content.
    if ((await orCorrupt(haveSameParts(parts(), stored()))) === true) return other.id;
  }
  return null;
};
