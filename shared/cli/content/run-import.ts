/** An import: read, report, and only then write, with the head last. */

import { dayOf } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import type { ReleaseHead } from '../../content/content.ts';
import { type Built, buildRelease, type Position } from '../../content/imports/build.ts';
import type { Importer } from '../../content/imports/importer.ts';
import { ownCounts } from '../../content/imports/rules/describe.ts';
import { isOwnOnly } from '../../content/own-rules.ts';
import type { Release } from '../../content/release.ts';
import { jurisdictionCode } from '../../jurisdiction.ts';
import { finishImport, unfinishedImports, writeParts } from '../../store/content/content-store.ts';
import { accepted, CommandError, corruptionText } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { temporaryFolder } from '../terminal/temporary-folder.ts';
import { activate } from './activate.ts';
import {
  type ActiveRelease,
  activeReleaseOrBuiltIn,
  defaultBase,
  positionOver,
  readActiveRelease,
} from './active-release.ts';
import { printUnfinished } from './discard.ts';
import { readNameTables } from './local-names.ts';
import { withNeededChain } from './needed-chain.ts';
import { beginWriting, firstCounter, nextReleaseId, sameRelease } from './new-release.ts';
import { impactOrCorruption, printImpact } from './print-impact.ts';
import { printSummary } from './print-summary.ts';
import { impactOfImport } from './report-impact.ts';

export type ImportJob = {
  readonly importer: Importer;
  readonly files: readonly string[];
  /** Two letters. */
  readonly state: string;
  /** `null`: the active import, or the built-in release. */
  readonly base: Release | null;
  readonly skipBadRows: boolean;
  readonly dryRun: boolean;
};

type Complete = Extract<Built, { readonly outcome: 'built' }>;

/** Throw a plain `Error` (a bad file, a conflicting import) with advice. Other classes are bugs and keep their stack. */
const withAdvice =
  (advice: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new CommandError(`${error.message}${/[.?!]$/.test(error.message) ? '' : '.'} ${advice}`);
  };

const read = async (job: ImportJob, active: ActiveRelease, id: string): Promise<Built> => {
  const base = job.base ?? defaultBase(active);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const { importer, files, state } = job;
  const names = await readNameTables(state);
  const reading = withProgress('Reading the files', 1, 'The files could not be read.', async ({ reach, finish }) => {
    const onProgress = (done: number, total: number) =>
      reach(done / Math.max(1, total), `${megabytes(done)} of ${megabytes(total)}`);
    const built = await buildRelease({
      ...{ entries: importer.read(files, { state, base, names, onProgress }), base, position: positionOver(active) },
      ...{ id, importer, importedAt: new Date(now()).toISOString(), tempFolder: temporaryFolder() },
    });
    finish(`Read ${counted(built.summary.rowsRead, 'row')}`);
    return built;
  });
  return reading.catch(withAdvice(`Nothing was written. The files are ${files.join(' and ')}.`));
};

/** Write the release, with its head last. Returns its id. */
const write = async (built: Complete): Promise<string> => {
  const { claim, head } = await beginWriting(await withNeededChain(built.head, built.parts), built.parts);
  const total = head.counts.parts;
  const writing = withProgress('Writing parts', total, 'Not all parts were written.', async ({ reach, finish }) => {
    const written = await writeParts(claim, built.parts(), (count) => reach(count, `${count} of ${total}`));
    finish(`Wrote ${counted(written.size, 'part')}`);
    return written;
  });
  accepted(await finishImport(claim, head, await writing.catch(withAdvice('Run the import again.'))));
  return head.id;
};

const refuseBad = ({ bad }: Built['summary'], { match }: Importer): never => {
  if (match === 'none')
    throw new CommandError(`${counted(bad.count, 'problem')} in the file, and nothing was written. Correct the file.`);
  const what =
    bad.rows > 0 ? `${counted(bad.rows, 'row')} cannot be read` : 'The files are incomplete or do not belong together';
  throw new CommandError(
    `${what}, and nothing was written. Correct the files, or skip the bad rows with --skip-bad-rows.`,
  );
};

const reportImpact = async ({ head, parts }: Complete, position: Position, today: string): Promise<void> => {
  const { below } = position;
  const impact = await impactOrCorruption(() => impactOfImport(head, parts, position, today));
  printImpact(head, impact, { subject: 'The files name', against: below, today });
};

/** What a release adds to those below it: `889 ZIPs and cities`, `2 rules and 1 rate`. */
const contentText = (head: ReleaseHead): string => {
  if (isOwnOnly(head)) return ownCounts(head.own) || 'no own rules';
  return counted(head.counts.parts, 'ZIP or city', 'ZIPs and cities');
};

/** Store the release unless one with the same content exists, and return its id. */
const keep = async (built: Complete): Promise<string> => {
  const same = await sameRelease(built.head, built.parts);
  const id = same ?? (await write(built));
  if (same === null) print(`Imported ${id} with ${contentText(built.head)}.`);
  else print(`${same} already has the same content: no release was made.`);
  return id;
};

/**
 * Import files as a release and return its id; `null` for a dry run. Refuses bad rows before anything is written, unless
 * the job skips them.
 */
export const importFiles = async (job: ImportJob): Promise<string | null> => {
  const today = dayOf(now());
  const state = jurisdictionCode(job.state);
  const active = await (job.dryRun ? activeReleaseOrBuiltIn : readActiveRelease)(job.state);
  if (active.corrupt)
    print(
      `The import lies over the built-in release, without own rules: import their file again. ${corruptionText(active.corrupt)}`,
    );
  // A dry run needs no database, so its id is a guess.
  const id = job.dryRun ? `${state}@${today}.${firstCounter}` : await nextReleaseId(state, today);
  const built = await read(job, active, id);
  printSummary(built.summary, job.skipBadRows);
  if (built.summary.bad.count > 0 && !job.skipBadRows) refuseBad(built.summary, job.importer);
  if (built.outcome === 'nothing') throw new CommandError(`${built.reason} Nothing was written.`);
  await reportImpact(built, positionOver(active), today);
  if (job.dryRun) {
    print(`Dry run: a release with ${contentText(built.head)} was not written.`);
    return null;
  }
  printUnfinished(await unfinishedImports(state));
  return keep(built);
};

/** `content import`: import files, then activate the release or say how to. */
export const runImport = async (job: ImportJob & { readonly activate: boolean }): Promise<void> => {
  const id = await importFiles(job);
  if (id === null) return;
  if (job.activate) return activate(id);
  print(`Check it:    npm run content -- check --release ${id} --against cases.json`);
  print(`Activate it: npm run content -- activate ${id}`);
};
