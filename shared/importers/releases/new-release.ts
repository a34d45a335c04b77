import { dayMs } from '../../base/calendar.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { counted, instantText } from '../../base/texts.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { catchCorrupt } from '../../catalog/loading/content-errors.ts';
import { now } from '../../config/clock.ts';
import {
  beginImport,
  discardImport,
  type ImportClaim,
  listHeads,
  takenIds,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { contentHash } from '../content-hash.ts';
import { openRelease } from './open-release.ts';
import { pairsByKey } from './pairs-by-key.ts';
import type { Reporter } from './reporter.ts';

/** The first counter of an import. Lower counters belong to built-in releases, which a later version may add. */
export const firstCounter = 101;

/** The next free id of the day, after finished and unfinished imports, such as `US-MN@2026-11-21.101`. */
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
  const { base: _base, below: _below, chain: _chain, chain_until: _until, bottom: _bottom, ...compared } = content;
  return canonicalJson(compared);
};

/** Whether both are overlays of the same release, or `head` is an overlay of `stored`, over the same built-in release. */
const isSameBase = (head: ReleaseHead, stored: ReleaseHead): boolean =>
  head.bottom === stored.bottom && (head.below === stored.below || head.below === stored.id);

/** A part as text. If the rates of its file begin with the import, their first day is left out. */
const partText = (part: ReleasePart, { imported_at }: ReleaseHead, isUndated: boolean): string => {
  const first = `"from":"${imported_at.slice(0, 10)}"`;
  return isUndated ? canonicalJson(part).replaceAll(first, '"from":null') : canonicalJson(part);
};

type Content = { readonly head: ReleaseHead; readonly parts: () => AsyncIterable<ReleasePart> };

const haveSameParts = async (left: Content, right: Content, isUndated: boolean): Promise<boolean> => {
  for await (const pair of pairsByKey(left.parts(), right.parts())) {
    const [one, other] = [pair.left, pair.right];
    if (!one || !other || partText(one, left.head, isUndated) !== partText(other, right.head, isUndated)) return false;
  }
  return true;
};

/**
 * Find a finished release of the state with the same content, rules and settings, on the same base; `null` if there is
 * none.
 *
 * Content hashes cannot be compared, because they cover the id and the date of the import. A file without days has begun
 * already if it is the fallback release, so that its first day is not compared.
 */
export const sameRelease = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
): Promise<string | null> => {
  for await (const finished of listHeads(head.state, () => {})) {
    if (!isSameBase(head, finished) || comparable(finished) !== comparable(head)) continue;
    const stored = { head: finished, parts: (await openRelease(finished.id)).parts };
    // A corrupt release never has the same content.
    for (const isUndated of head.below === finished.id ? [false, true] : [false])
      if ((await catchCorrupt(haveSameParts({ head, parts }, stored, isUndated))) === true) return finished.id;
  }
  return null;
};

/** The command that removes the parts of an unfinished import. */
export const remedyOf = ({ id }: UnfinishedImport): string => `npm run content -- discard ${id}`;

/** The unfinished imports, which run or were interrupted, with the remedy. */
export const unfinishedLines = (imports: readonly UnfinishedImport[]): readonly string[] =>
  imports.map(
    (unfinished) =>
      `${unfinished.id} is not finished. Its import began at ${instantText(unfinished.began_at)} UTC. If it no longer runs, remove its parts with \`${remedyOf(unfinished)}\`.`,
  );

/** No import takes this long: one that began earlier was interrupted. */
const abandonedMs = dayMs;

/** Discard the interrupted imports of a state (`US-MN`). Returns the others, which may run. */
export const discardAbandoned = async (
  state: string,
  { print }: Pick<Reporter, 'print'>,
): Promise<readonly UnfinishedImport[]> => {
  const imports = await unfinishedImports(state);
  const isAbandoned = ({ began_at }: UnfinishedImport) => now() - Date.parse(began_at) > abandonedMs;
  for (const { id } of imports.filter(isAbandoned)) {
    const discarded = await discardImport(id);
    // It is refused if another process discarded it meanwhile.
    if (discarded.ok) print(`Discarded ${counted(discarded.value, 'part')} of ${id}, whose import was interrupted.`);
  }
  return imports.filter((one) => !isAbandoned(one));
};
