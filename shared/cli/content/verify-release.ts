/** Check an imported release: its parts, its head, and the hash over both. */
import type { ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { ContentCorrupt, missingPart, orCorrupt, unlistedPart } from '../../content/loading/content-errors.ts';
import { listedKeys } from '../../store/content/content-item.ts';
import { walkParts } from '../../store/content/content-parts.ts';
import { findStoredHead } from '../../store/content/content-store.ts';
import { counted } from '../terminal/output.ts';
import { isZip } from './zip-pieces.ts';

/**
 * Parts in the order of the hash: ZIP codes first, then cities. The table sorts a city such as `29 PALMS` among the ZIP
 * codes, so these cities wait in memory until the last ZIP code.
 */
async function* zipsFirst(parts: AsyncIterable<ReleasePart>): AsyncGenerator<ReleasePart> {
  const held: ReleasePart[] = [];
  for await (const part of parts) {
    const isAmongZips = part.key < ':';
    if (isAmongZips && !isZip(part.key)) held.push(part);
    else {
      if (!isAmongZips) yield* held.splice(0);
      yield part;
    }
  }
  yield* held;
}

/**
 * Check every part of a release against its digest, the keys of the parts against the list in the head (or its count, if
 * an older head has no list), and the hash over everything against the head's `content_hash`. The hash is compared only
 * without other problems, because it would repeat them.
 *
 * Reads the release once, with at most 16 MB in memory. `progress` gets the number of parts so far and the number in the
 * head. Returns the number of parts in the table, and of problems.
 */
export const verifyRelease = async (
  release: string,
  report: (problem: ContentCorrupt) => void,
  progress: (parts: number, total: number) => void,
) => {
  const found = { parts: 0, problems: 0 };
  const note = (key: string | null, problem: ContentCorrupt | string) => {
    found.problems += 1;
    report(typeof problem === 'string' ? new ContentCorrupt(release, key, problem) : problem);
  };
  const stored = (await orCorrupt(findStoredHead(release))) ?? 'the table does not have it';
  const isReadable = typeof stored !== 'string' && !(stored instanceof ContentCorrupt);
  if (!isReadable) note(null, stored);
  const head = isReadable ? stored.value : null;
  const list = isReadable ? stored.partKeys : null;
  const missing = new Set(list === null ? [] : listedKeys(list));
  const wholeParts = async function* (): AsyncGenerator<ReleasePart> {
    for await (const { key, read } of walkParts(release)) {
      found.parts += 1;
      progress(found.parts, head?.counts.parts ?? found.parts);
      if (list !== null && !missing.delete(key)) note(key, unlistedPart);
      else if (read instanceof ContentCorrupt) note(key, read);
      else yield read;
    }
  };
  const parts = zipsFirst(wholeParts());
  const hash = head && (await contentHash(head, parts));
  // Without a head, only read the parts.
  for await (const _ of parts);
  for (const key of missing) note(key, missingPart);
  if (head && list === null && found.parts !== head.counts.parts)
    note(null, `it counts ${counted(head.counts.parts, 'part')}, and the table has ${found.parts}`);
  else if (head && found.problems === 0 && hash !== head.content_hash)
    note(null, `its content_hash is ${head.content_hash}, and the head and the parts have the hash ${hash}`);
  return found;
};
