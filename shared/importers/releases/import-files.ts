/** An import: read, report, and only then write, with the head last. */

import { toDay } from '../../base/calendar.ts';
import { accepted, CommandError } from '../../base/command-error.ts';
import { counted } from '../../base/texts.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import { corruptionText } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import type { Release } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { finishImport, writeParts } from '../../store/content/content-store.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import { type Built, buildRelease } from '../build.ts';
import type { Importer } from '../importer.ts';
import { ownCounts } from '../rules/describe.ts';
import { type ActiveRelease, defaultBase, positionOver } from './active-release.ts';
import type { Impact } from './impact.ts';
import { impactLines, impactOrCorruption } from './impact-lines.ts';
import { readNameTables } from './local-names.ts';
import { impactOfImport } from './measure-impact.ts';
import { withNeededChain } from './needed-chain.ts';
import {
  beginWriting,
  discardAbandoned,
  firstCounter,
  nextReleaseId,
  sameRelease,
  unfinishedLines,
} from './new-release.ts';
import type { Reporter } from './reporter.ts';
import { summaryLines } from './summary-lines.ts';

export type ImportJob = {
  readonly importer: Importer;
  readonly files: readonly string[];
  /** Two letters. */
  readonly state: string;
  /** The active release of the state, over which the import lies. */
  readonly active: ActiveRelease;
  /** `null`: the active import, or the built-in release. */
  readonly base: Release | null;
  /** The first day of rates in a file that gives none; `null` is today, so that no past day changes. */
  readonly from: string | null;
  readonly skipBadRows: boolean;
  readonly dryRun: boolean;
  /** An empty folder, which the caller removes. */
  readonly tempFolder: string;
  readonly reporter: Reporter;
};

type Complete = Extract<Built, { readonly outcome: 'built' }>;

/** Throw a plain `Error` (a bad file, a conflicting import) with advice. Other classes are bugs and keep their stack. */
const withAdvice =
  (advice: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new CommandError(`${error.message}${/[.?!]$/.test(error.message) ? '' : '.'} ${advice}`);
  };

const read = async (job: ImportJob, id: string): Promise<Built> => {
  const base = job.base ?? defaultBase(job.active);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const { importer, files, state, active, tempFolder, reporter } = job;
  const names = readNameTables(state);
  const undatedFrom = job.from ?? toDay(now());
  const reading = reporter.withProgress(
    'Reading the files',
    1,
    'The files could not be read.',
    async ({ reach, finish }) => {
      const onProgress = (done: number, total: number) =>
        reach(done / Math.max(1, total), `${megabytes(done)} of ${megabytes(total)}`);
      const built = await buildRelease({
        entries: importer.read(files, { state, base, undatedFrom, names, onProgress }),
        base,
        position: positionOver(active),
        id,
        importer,
        importedAt: new Date(now()).toISOString(),
        tempFolder,
      });
      finish(`Read ${counted(built.summary.rowsRead, 'row')}`);
      return built;
    },
  );
  return reading.catch(withAdvice(`Nothing was written. The files are ${files.join(' and ')}.`));
};

/** Write the release, with its head last. Returns its id. */
const write = async (built: Complete, reporter: Reporter): Promise<string> => {
  const { claim, head } = await beginWriting(await withNeededChain(built.head, built.parts, reporter), built.parts);
  const total = head.counts.parts;
  const writing = reporter.withProgress(
    'Writing parts',
    total,
    'Not all parts were written.',
    async ({ reach, finish }) => {
      const written = await writeParts(claim, built.parts(), (count) => reach(count, `${count} of ${total}`));
      finish(`Wrote ${counted(written.size, 'part')}`);
      return written;
    },
  );
  accepted(await finishImport(claim, head, await writing.catch(withAdvice('Run the import again.'))));
  return head.id;
};

const refuseBad = ({ bad }: Built['summary'], importer: Importer): never => {
  if (isOwnOnly(importer))
    throw new CommandError(`${counted(bad.count, 'problem')} in the file, and nothing was written. Correct the file.`);
  const what =
    bad.rows > 0 ? `${counted(bad.rows, 'row')} cannot be read` : 'The files are incomplete or do not belong together';
  throw new CommandError(
    `${what}, and nothing was written. Correct the files, or skip the bad rows with --skip-bad-rows.`,
  );
};

const reportImpact = async ({ head, parts }: Complete, { active, reporter }: ImportJob): Promise<Impact | null> => {
  const [position, today] = [positionOver(active), toDay(now())];
  const { below: against } = position;
  const impact = await impactOrCorruption(() => impactOfImport(head, parts, position, today), reporter);
  for (const line of impactLines(head, impact, { subject: 'The files name', against, today })) reporter.print(line);
  return impact;
};

/** The additions of a release to its fallback releases: `889 ZIPs and cities`, `2 rules and 1 rate`. */
const contentText = (head: ReleaseHead): string => {
  if (isOwnOnly(head)) return ownCounts(head.own) || 'no own rules';
  return counted(head.counts.parts, 'ZIP or city', 'ZIPs and cities');
};

/** Store the release unless one with the same content exists, and return its id. */
const keep = async (built: Complete, reporter: Reporter): Promise<string> => {
  const same = await sameRelease(built.head, built.parts);
  const id = same ?? (await write(built, reporter));
  if (same === null) reporter.print(`Imported ${id} with ${contentText(built.head)}.`);
  else reporter.print(`${same} already has the same content: no release was made.`);
  return id;
};

/** An import, and its effect on the rates of the release that was active; `null` if that release is corrupt. */
export type Imported = { readonly id: string; readonly impact: Impact | null };

/**
 * Import files as a release; `null` for a dry run. Refuses bad rows before anything is written, unless the job skips them.
 */
export const importFiles = async (job: ImportJob): Promise<Imported | null> => {
  const { active, reporter, skipBadRows } = job;
  const today = toDay(now());
  const state = jurisdictionCode(job.state);
  if (active.corrupt)
    reporter.print(
      `The import lies over the built-in release, without own rules: import their file again. ${corruptionText(active.corrupt)}`,
    );
  // A dry run needs no database, so its id is a guess.
  const id = job.dryRun ? `${state}@${today}.${firstCounter}` : await nextReleaseId(state, today);
  const built = await read(job, id);
  for (const line of summaryLines(built.summary, skipBadRows)) reporter.print(line);
  if (built.summary.bad.count > 0 && !skipBadRows) refuseBad(built.summary, job.importer);
  if (built.outcome === 'nothing') throw new CommandError(`${built.reason} Nothing was written.`);
  const impact = await reportImpact(built, job);
  if (job.dryRun) {
    reporter.print(`Dry run: a release with ${contentText(built.head)} was not written.`);
    return null;
  }
  for (const line of unfinishedLines(await discardAbandoned(state, reporter))) reporter.print(line);
  return { id: await keep(built, reporter), impact };
};
