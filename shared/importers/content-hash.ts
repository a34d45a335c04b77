import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { ReleaseHead, ReleasePart } from '../catalog/content.ts';

/**
 * Returns the hash of an imported release: SHA-256, in hexadecimal, over the head without its hash and all parts, each
 * as a line of JSON with sorted keys. The parts must be in the order in which imports write them: ZIP codes first, then
 * cities, both sorted. The order of keys in an object does not matter.
 */
export const contentHash = async (
  { content_hash: _, ...head }: Omit<ReleaseHead, 'content_hash'> & { readonly content_hash?: string },
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
): Promise<string> => {
  const hash = createHash('sha256').update(`${canonicalJson(head)}\n`);
  for await (const part of parts) hash.update(`${canonicalJson(part)}\n`);
  return hash.digest('hex');
};
