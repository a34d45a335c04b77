/** `content verify`: check that the table still has what imports wrote. */
import type { Command } from 'commander';
import { builtInReleaseById, builtInReleases } from '../../content/built-in.ts';
import { ContentCorrupt, orCorrupt } from '../../content/loading/content-errors.ts';
import { findHead, listHeads, readActiveReleases } from '../../store/content/content-store.ts';
import { CommandError, corruptionText } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { openRelease } from './releases.ts';
import { type Verified, verifyRelease } from './verify-release.ts';

const isImported = (id: string | null): id is string => id !== null && !builtInReleaseById(id);

/** The imported releases that are active, and those that a rollback can activate. */
const inDirectory = async (): Promise<{ readonly active: readonly string[]; readonly previous: readonly string[] }> => {
  const states = Object.values((await readActiveReleases()).states);
  return {
    active: states.map(({ release }) => release).filter(isImported),
    previous: states.flatMap(({ previous }) => previous.map(({ release }) => release)).filter(isImported),
  };
};

/** Releases and the releases below them. A corrupt head has none. */
const withBelow = async (ids: readonly string[]): Promise<readonly string[]> => {
  const heads = await Promise.all(ids.map((id) => orCorrupt(findHead(id))));
  return ids.flatMap((id, index) => {
    const head = heads[index];
    return [id, ...(head instanceof ContentCorrupt ? [] : (head?.chain ?? []))];
  });
};

/** Every release that has a head, corrupt or not. */
const inTable = async (): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const state of new Set(builtInReleases().map((release) => release.state)))
    for await (const { id } of listHeads(state, ({ release }) => ids.push(release))) ids.push(id);
  return ids;
};

/** Refuse built-in releases, and ids that are neither in the table nor in the directory. */
const requireImported = async (id: string, known: ReadonlySet<string>): Promise<void> => {
  if (builtInReleaseById(id))
    throw new CommandError(
      `${id} is a built-in release. Send an imported release: the Content table stores only those.`,
    );
  if (!known.has(id)) await orCorrupt(openRelease(id));
};

/** Without ids and `--active`: all releases, including those of the directory whose head is missing. */
const releasesOf = async (ids: readonly string[], onlyActive: boolean): Promise<readonly string[]> => {
  const { active, previous } = await inDirectory();
  if (ids.length === 0 && !onlyActive) return [...new Set([...(await inTable()), ...active, ...previous])].sort();
  const known = new Set([...active, ...previous]);
  for (const id of ids) await requireImported(id, known);
  return [...new Set([...ids, ...(onlyActive ? await withBelow(active) : [])])];
};

const verifyOne = async (id: string): Promise<Verified> => {
  const progress = startProgress(`Verifying ${id}`, 1);
  const report = (problem: ContentCorrupt) => print(corruptionText(problem));
  try {
    const verified = await verifyRelease(id, report, (parts, total) =>
      progress.reach(parts / Math.max(1, total), counted(parts, 'part')),
    );
    progress.finish(`Verified ${id}`);
    print(
      `${id}: ${counted(verified.parts, 'part')}, ${verified.problems === 0 ? 'no problems' : counted(verified.problems, 'problem')}.`,
    );
    return verified;
  } catch (error) {
    progress.fail(`Interrupted: ${id}`);
    throw error;
  }
};

const verify = async (ids: readonly string[], { active = false }: { readonly active?: boolean }): Promise<void> => {
  const releases = await releasesOf(ids, active);
  if (releases.length === 0)
    return print(`No imported release ${active ? 'is active' : 'exists'}: there is nothing to verify.`);
  let problems = 0;
  for (const id of releases) problems += (await verifyOne(id)).problems;
  if (problems > 0) process.exitCode = 1;
};

export const addVerify = (program: Command): void => {
  program
    .command('verify')
    .summary('check that imported releases are unchanged')
    .description(
      'Check every part of imported releases against its digest, the parts against the list in the head, and the content hash over all of it. Prints each problem with the remedy, and one line per release. Exits with 1 if there is a problem.',
    )
    .argument('[releases...]', 'such as US-MN@2026-11-21.101; the default is every imported release')
    .option('--active', 'check the active releases of all states, and the releases below them')
    .addHelpText('after', '\nExample:\n  npm run content -- verify --active')
    .action(verify);
};
