/** Check an imported release: its parts, its head, and the hash over both. */
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { ContentCorrupt, missingPart, orCorrupt, unlistedPart } from '../../content/loading/content-errors.ts';
import { listedKeys } from '../../store/content/content-item.ts';
import { findStoredHead } from '../../store/content/content-store.ts';
import { walkParts } from '../../store/content/content-walk.ts';
import { counted } from '../terminal/output.ts';
import { isZip } from './zip-pieces.ts';

/** The number of parts in the table, and of problems. */
export type Verified = { readonly parts: number; readonly problems: number };

type Report = (problem: ContentCorrupt) => void;

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

/** Read the head, or report its problem. */
const readHead = async (release: string, report: Report) => {
  const stored =
    (await orCorrupt(findStoredHead(release))) ?? new ContentCorrupt(release, null, 'the table does not have it');
  if (!(stored instanceof ContentCorrupt)) return stored;
  report(stored);
  return undefined;
};

const hashProblem = ({ id, content_hash }: ReleaseHead, hash: string): ContentCorrupt =>
  new ContentCorrupt(id, null, `its content_hash is ${content_hash}, and the head and the parts have the hash ${hash}`);

/**
 * Check every part of a release against its digest, the keys of the parts against the list in the head (or its count, if
 * an older head has no list), and the hash over everything against the head's `content_hash`. The hash is compared only
 * without other problems, because it would repeat them.
 *
 * Reads the release once, with at most 16 MB in memory. `progress` gets the number of parts so far and the number in the
 * head.
 */
export const verifyRelease = async (
  release: string,
  report: Report,
  progress: (parts: number, total: number) => void,
): Promise<Verified> => {
  const found = { parts: 0, problems: 0 };
  const note = (problem: ContentCorrupt) => {
    found.problems += 1;
    report(problem);
  };
  const stored = await readHead(release, note);
  const list = stored?.partKeys ?? null;
  const missing = new Set(list === null ? [] : listedKeys(list));
  const wholeParts = async function* (): AsyncGenerator<ReleasePart> {
    for await (const { key, read } of walkParts(release)) {
      found.parts += 1;
      progress(found.parts, stored?.value.counts.parts ?? found.parts);
      if (list !== null && !missing.delete(key)) note(new ContentCorrupt(release, key, unlistedPart));
      else if (read instanceof ContentCorrupt) note(read);
      else yield read;
    }
  };
  const hash = await hashOf(stored?.value, zipsFirst(wholeParts()));
  for (const key of missing) note(new ContentCorrupt(release, key, missingPart));
  if (stored) noteTotals(stored.value, { hash, ...found }, list !== null, note);
  return found;
};

/** The hash of a head and its parts. Without a head, only read the parts. */
const hashOf = async (head: ReleaseHead | undefined, parts: AsyncIterable<ReleasePart>): Promise<string> => {
  if (head) return contentHash(head, parts);
  for await (const _ of parts);
  return '';
};

type Totals = Verified & { readonly hash: string };

const noteTotals = (head: ReleaseHead, { parts, problems, hash }: Totals, isListed: boolean, note: Report): void => {
  const expected = head.counts.parts;
  if (!isListed && parts !== expected)
    note(new ContentCorrupt(head.id, null, `it counts ${counted(expected, 'part')}, and the table has ${parts}`));
  else if (problems === 0 && hash !== head.content_hash) note(hashProblem(head, hash));
};
