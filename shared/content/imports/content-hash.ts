import { createHash } from 'node:crypto';
import type { ReleaseHead, ReleasePart } from '../content.ts';

/** JSON with the keys of every object in their order, so that equal values are equal texts. */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
};

/**
 * The hash of a release that was imported: SHA-256, in hexadecimal, over the head without its hash and all parts in the
 * order of their keys, each as a line of JSON with sorted keys. The order of keys in what is hashed does not matter.
 */
export const contentHash = async (
  { content_hash: _, ...head }: Omit<ReleaseHead, 'content_hash'> & { readonly content_hash?: string },
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
): Promise<string> => {
  const hash = createHash('sha256').update(`${canonicalJson(head)}\n`);
  for await (const part of parts) hash.update(`${canonicalJson(part)}\n`);
  return hash.digest('hex');
};
