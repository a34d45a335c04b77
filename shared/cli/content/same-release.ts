import { canonicalJson } from '../../canonical-json.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { orCorrupt } from '../../content/loading/content-corrupt.ts';
import { listHeads } from '../../store/content-store.ts';
import { pairsByKey } from './pairs-by-key.ts';
import { openRelease } from './releases.ts';

/** The head without what every import makes anew: its name, its time, and the files that it came from. */
const lasting = ({ id: _id, content_hash: _hash, imported_at: _at, sources: _sources, ...head }: ReleaseHead): string =>
  canonicalJson(head);

const haveSameParts = async (
  ones: AsyncIterable<ReleasePart>,
  others: AsyncIterable<ReleasePart>,
): Promise<boolean> => {
  for await (const { one, other } of pairsByKey(ones, others))
    if (!one || !other || canonicalJson(one) !== canonicalJson(other)) return false;
  return true;
};

/**
 * Find the finished release of the state that has the same content already, on the same base; `null` where there is none.
 *
 * Hashes do not tell: they cover the id and the day too, which differ from import to import.
 */
export const sameRelease = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
): Promise<string | null> => {
  for await (const other of listHeads(head.state, () => {})) {
    if (lasting(other) !== lasting(head)) continue;
    const { parts: stored } = await openRelease(other.id);
    // A corrupt release has not the same content.
    if ((await orCorrupt(haveSameParts(parts(), stored()))) === true) return other.id;
  }
  return null;
};
