/** `content verify`: check that stored releases are unchanged since their import. */
import { builtInReleaseById, builtInReleases } from '../../catalog/built-in.ts';
import type { ReleasePart } from '../../catalog/content.ts';
import {
  ContentCorrupt,
  catchCorrupt,
  corruptionText,
  missingPart,
  unlistedPart,
} from '../../catalog/loading/content-errors.ts';
import { contentHash } from '../../importers/build.ts';
import { openRelease } from '../../importers/releases/open-release.ts';
import { isZip } from '../../importers/releases/zip-pieces.ts';
import { listedKeys } from '../../store/content/content-item.ts';
import { walkParts } from '../../store/content/content-parts.ts';
import { findHead, findStoredHead, listHeads, readActiveReleases } from '../../store/content/content-store.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { CommandError, flag, subcommand } from '../terminal/run-command.ts';

const isImported = (id: string | null): id is string => id !== null && !builtInReleaseById(id);

/** Returns the releases and their fallback releases. A corrupt head has no fallback. */
const withBelow = async (ids: readonly string[]): Promise<readonly string[]> => {
  const heads = await Promise.all(ids.map((id) => catchCorrupt(findHead(id))));
  return ids.flatMap((id, index) => {
    const head = heads[index];
    return [id, ...(head instanceof ContentCorrupt ? [] : (head?.chain ?? []))];
  });
};

/** Returns every release that has a head, corrupt or not. */
const inTable = async (): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const state of new Set(builtInReleases().map((release) => release.state)))
    for await (const { id } of listHeads(state, ({ release }) => ids.push(release))) ids.push(id);
  return ids;
};

/**
 * Returns the releases to verify. Without ids and without `--active`, these are all releases, including active and
 * previous ones whose head is missing. Refuses built-in releases and unknown ids.
 */
const readReleases = async (ids: readonly string[], onlyActive: boolean): Promise<readonly string[]> => {
  const states = Object.values((await readActiveReleases()).states);
  const active = states.map(({ release }) => release).filter(isImported);
  // A rollback can activate a previous release.
  const previous = states.flatMap((state) => state.previous.map(({ release }) => release)).filter(isImported);
  if (ids.length === 0 && !onlyActive) return [...new Set([...(await inTable()), ...active, ...previous])].sort();
  const known = new Set([...active, ...previous]);
  for (const id of ids) {
    if (builtInReleaseById(id))
      throw new CommandError(`${id} is a built-in release. Pass an imported release: only those are stored.`);
    if (!known.has(id)) await catchCorrupt(openRelease(id));
  }
  return [...new Set([...ids, ...(onlyActive ? await withBelow(active) : [])])];
};

/** Prints the problems of a release and returns their number. */
const verifyOne = (id: string): Promise<number> =>
  withProgress(`Verifying ${id}`, 1, `Interrupted: ${id}`, async ({ reach, finish }) => {
    const report = (problem: ContentCorrupt) => print(corruptionText(problem));
    const { parts, problems } = await verifyRelease(id, report, (read, total) =>
      reach(read / Math.max(1, total), counted(read, 'part')),
    );
    finish(`Verified ${id}`);
    print(`${id}: ${counted(parts, 'part')}, ${problems === 0 ? 'no problems' : counted(problems, 'problem')}.`);
    return problems;
  });

export const verify = subcommand({
  name: 'verify',
  summary: 'check that imported releases are unchanged',
  description:
    'Check every part of imported releases against its digest, the parts against the list in the head, and the content hash of the release. Prints each problem and how to fix it, and one line per release. Exits with 1 if there is a problem.',
  arguments: [['[releases...]', 'such as US-MN@2026-11-21.101; the default is every imported release']],
  options: { active: flag('check the active releases of all states, and their fallback releases') },
  examples: ['content -- verify --active'],
  run: async ({ active = false }, ids: readonly string[]) => {
    const releases = await readReleases(ids, active);
    if (releases.length === 0)
      return print(`No imported release ${active ? 'is active' : 'exists'}, so there is nothing to verify.`);
    let problems = 0;
    for (const id of releases) problems += await verifyOne(id);
    if (problems > 0) process.exitCode = 1;
  },
});

/**
 * Yields the parts in the order of the hash: ZIP codes first, then cities. The table sorts a city such as `29 PALMS`
 * among the ZIP codes, so these cities are buffered until the last ZIP code.
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
 * Checks every part of a release against its digest, the keys of the parts against the list in the head, and the hash of
 * the whole release against the head's `content_hash`. The hash is compared only if there are no other problems,
 * because it would repeat them.
 *
 * Reads the release once, with at most 16 MB in memory. Calls `progress` with the number of parts read and the number
 * in the head. Returns the number of parts in the table and the number of problems.
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
  const wholeParts = async function* (listed: Set<string> | null, total?: number): AsyncGenerator<ReleasePart> {
    for await (const { key, read } of walkParts(release)) {
      found.parts += 1;
      progress(found.parts, total ?? found.parts);
      if (listed && !listed.delete(key)) note(key, unlistedPart);
      else if (read instanceof ContentCorrupt) note(key, read);
      else yield read;
    }
  };
  const stored = (await catchCorrupt(findStoredHead(release))) ?? 'missing from the table';
  if (typeof stored === 'string' || stored instanceof ContentCorrupt) {
    note(null, stored);
    for await (const _ of wholeParts(null));
    return found;
  }
  const { value: head, partKeys } = stored;
  const missing = new Set(listedKeys(partKeys));
  const hash = await contentHash(head, zipsFirst(wholeParts(missing, head.counts.parts)));
  for (const key of missing) note(key, missingPart);
  if (found.problems === 0 && hash !== head.content_hash)
    note(null, `its content_hash is ${head.content_hash}, but its head and parts hash to ${hash}`);
  return found;
};
