import { dayMs, toDay } from '../../base/calendar.ts';
import { accepted, CommandError } from '../../base/command-error.ts';
import { canonicalJson } from '../../base/json.ts';
import { counted, instantText } from '../../base/texts.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { catchCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import { now } from '../../config/clock.ts';
import {
  beginImport,
  discardImport,
  finishImport,
  type ImportClaim,
  listHeads,
  takenIds,
  type UnfinishedImport,
  unfinishedImports,
  writeParts,
} from '../../store/content/content-store.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import { type Built, buildRelease, contentHash, type Parts } from '../build.ts';
import type { Importer } from '../importer.ts';
import { readNameTables } from '../own-codes.ts';
import { ownCounts } from '../rules/describe.ts';
import type { Impact } from './impact.ts';
import { impactOfImport } from './measure-impact.ts';
import { withNeededChain } from './needed-chain.ts';
import { type ActiveRelease, openRelease, positionOver } from './open-release.ts';
import { impactLines, impactOrCorruption, type Printer, type Reporter, summaryLines } from './report.ts';

/** The first counter of an import. Lower counters are reserved for built-in releases, which a later version may add. */
const firstCounter = 101;

/** Returns the next free id of the day, after finished and unfinished imports, such as `US-MN@2026-11-21.101`. */
const nextReleaseId = async (state: string, day: string): Promise<string> => {
  const prefix = `${state}@${day}.`;
  const ids = await takenIds(state);
  const counters = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
  return `${prefix}${Math.max(firstCounter - 1, ...counters) + 1}`;
};

type Begun = { readonly claim: ImportClaim; readonly head: ReleaseHead };

/**
 * Begins to write a release under its id, or under the next free id if another import took it while the files were
 * read. The hash covers the id, so it is recomputed.
 */
export const beginWriting = async (head: ReleaseHead, parts: Parts): Promise<Begun> => {
  const begun = await beginImport(head.id, head.imported_at);
  if (begun.ok) return { claim: begun.value, head };
  const id = await nextReleaseId(head.state, head.imported_at.slice(0, 10));
  const renamed = { ...head, id };
  return beginWriting({ ...renamed, content_hash: await contentHash(renamed, parts()) }, parts);
};

/**
 * Returns the head as a string, without the fields that differ in every import: id, time, sources and its place in the
 * chain. The same file is a new release if newer rates were due, because its rates were confirmed.
 */
const comparable = (head: ReleaseHead): string => {
  const { id: _id, content_hash: _hash, imported_at: _at, sources: _sources, published, ...content } = head;
  const { below: _below, chain: _chain, chain_until: _until, bottom: _bottom, ...compared } = content;
  return canonicalJson({ ...compared, due: published?.due });
};

/**
 * Returns whether both releases have the same base: both are overlays of the same release, or `head` is an overlay of
 * `stored`, over the same built-in release.
 */
const isSameBase = (head: ReleaseHead, stored: ReleaseHead): boolean =>
  head.bottom === stored.bottom && (head.below === stored.below || head.below === stored.id);

/** Returns a part as a string. If the rates of its file begin with the import, their first day is left out. */
const partText = (part: ReleasePart, { imported_at }: ReleaseHead, isUndated: boolean): string => {
  const first = `"from":"${imported_at.slice(0, 10)}"`;
  return isUndated ? canonicalJson(part).replaceAll(first, '"from":null') : canonicalJson(part);
};

type Content = { readonly head: ReleaseHead; readonly parts: Parts };

/** Compares the parts one by one: both releases list them in the order of their keys. */
const haveSameParts = async (left: Content, right: Content, isUndated: boolean): Promise<boolean> => {
  const others = right.parts()[Symbol.asyncIterator]();
  for await (const part of left.parts()) {
    const { value: other } = await others.next();
    if (!other || partText(part, left.head, isUndated) !== partText(other, right.head, isUndated)) return false;
  }
  return (await others.next()).done === true;
};

/**
 * Finds a finished release of the state with the same content, rules and settings, on the same base; `null` if there is
 * none.
 *
 * Content hashes cannot be compared, because they cover the id and the date of the import. If the fallback release was
 * imported from the same undated file, its rates began earlier, so the first day is not compared.
 */
const sameRelease = async (head: ReleaseHead, parts: Parts): Promise<string | null> => {
  for await (const finished of listHeads(head.state, () => {})) {
    if (!isSameBase(head, finished) || comparable(finished) !== comparable(head)) continue;
    const stored = { head: finished, parts: (await openRelease(finished.id)).parts };
    // A corrupt release never has the same content.
    for (const isUndated of head.below === finished.id ? [false, true] : [false])
      if ((await catchCorrupt(haveSameParts({ head, parts }, stored, isUndated))) === true) return finished.id;
  }
  return null;
};

/** Returns the command that removes the parts of an unfinished import. */
export const discardCommand = (id: string): string => `npm run content -- discard ${id}`;

/** Lists the unfinished imports, running or interrupted, each with the command that removes it. */
export const unfinishedLines = (imports: readonly UnfinishedImport[]): readonly string[] =>
  imports.map(
    ({ id, began_at }) =>
      `${id} is not finished. Its import began at ${instantText(began_at)} UTC. If it no longer runs, remove its parts with \`${discardCommand(id)}\`.`,
  );

/** Discards the interrupted imports of a state (`US-MN`). Returns the others, which may still run. */
const discardAbandoned = async (state: string, { print }: Printer): Promise<readonly UnfinishedImport[]> => {
  const imports = await unfinishedImports(state);
  // No import takes a day, so an older one was interrupted.
  const isAbandoned = ({ began_at }: UnfinishedImport) => now() - Date.parse(began_at) > dayMs;
  for (const { id } of imports.filter(isAbandoned)) {
    const discarded = await discardImport(id);
    // `discarded` is an error if another process discarded the import first.
    if (discarded.ok) print(`Discarded ${counted(discarded.value, 'part')} of ${id}, whose import was interrupted.`);
  }
  return imports.filter((one) => !isAbandoned(one));
};

// Reads files, prints a report, then writes the parts and last the head.

export type ImportJob = {
  readonly importer: Importer;
  readonly files: readonly string[];
  /** The two-letter code of the state. */
  readonly state: string;
  /** The active release of the state, which the import overlays. */
  readonly active: ActiveRelease;
  /** The first day of rates in a file without dates; `null` is today, so that no past day changes. */
  readonly from: string | null;
  readonly skipBadRows: boolean;
  readonly dryRun: boolean;
  /** An empty folder, which the caller removes. */
  readonly tempFolder: string;
  readonly reporter: Reporter;
};

type Complete = Extract<Built, { readonly outcome: 'built' }>;

/**
 * Appends advice to a plain `Error` (a bad file, a conflicting import). Other classes are bugs and keep their stack.
 */
const withAdvice =
  (advice: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    throw new CommandError(`${error.message}${/[.?!]$/.test(error.message) ? '' : '.'} ${advice}`);
  };

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const read = async (job: ImportJob, id: string): Promise<Built> => {
  const { importer, files, state, active, tempFolder } = job;
  const { builtIn: base } = active;
  const { withProgress } = job.reporter;
  const names = readNameTables(state);
  const undatedFrom = job.from ?? toDay(now());
  const reading = withProgress('Reading the files', 1, 'The files could not be read.', async ({ reach, finish }) => {
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
  });
  return reading.catch(withAdvice(`Nothing was written. The files are ${files.join(' and ')}.`));
};

/** Writes the release, with its head last. Returns its id. */
const write = async (built: Complete, reporter: Reporter): Promise<string> => {
  const { claim, head } = await beginWriting(await withNeededChain(built.head, built.parts, reporter), built.parts);
  const total = head.counts.parts;
  const { withProgress } = reporter;
  const writing = withProgress('Writing parts', total, 'Not all parts were written.', async ({ reach, finish }) => {
    const written = await writeParts(claim, built.parts(), (count) => reach(count, `${count} of ${total}`));
    finish(`Wrote ${counted(written.size, 'part')}`);
    return written;
  });
  accepted(await finishImport(claim, head, await writing.catch(withAdvice('Run the import again.'))));
  return head.id;
};

const refuseBad = ({ bad }: Built['summary'], importer: Importer): never => {
  if (isOwnOnly(importer))
    throw new CommandError(`${counted(bad.count, 'problem')} in the file. Nothing was written. Correct the file.`);
  const what =
    bad.rows > 0 ? `${counted(bad.rows, 'row')} cannot be read` : 'The files are incomplete or do not belong together';
  throw new CommandError(`${what}, and nothing was written. Correct the files, or pass --skip-bad-rows.`);
};

const reportImpact = async ({ head, parts }: Complete, { active, reporter }: ImportJob): Promise<Impact | null> => {
  const [position, today] = [positionOver(active), toDay(now())];
  const { below: against } = position;
  const impact = await impactOrCorruption(() => impactOfImport(head, parts, position, today), reporter);
  for (const line of impactLines(head, impact, { subject: 'The files name', against, today })) reporter.print(line);
  return impact;
};

/** Describes what a release adds to its fallback releases: `889 ZIPs and cities`, `2 rules and 1 rate`. */
const contentText = (head: ReleaseHead): string => {
  if (isOwnOnly(head)) return ownCounts(head.own) || 'no custom rules';
  return counted(head.counts.parts, 'ZIP or city', 'ZIPs and cities');
};

/** Stores the release unless one with the same content exists. Returns its id. */
const keep = async (built: Complete, reporter: Reporter): Promise<string> => {
  const same = await sameRelease(built.head, built.parts);
  const id = same ?? (await write(built, reporter));
  if (same === null) reporter.print(`Imported ${id} with ${contentText(built.head)}.`);
  else reporter.print(`${same} already has the same content: no release was created.`);
  return id;
};

/** An import, and its effect on the rates of the previously active release; `null` if that release is corrupt. */
export type Imported = { readonly id: string; readonly impact: Impact | null };

/**
 * Imports files as a release; returns `null` for a dry run. Refuses bad rows before anything is written, unless the job
 * skips them.
 */
export const importFiles = async (job: ImportJob): Promise<Imported | null> => {
  const { active, reporter, skipBadRows } = job;
  const today = toDay(now());
  const state = jurisdictionCode(job.state);
  if (active.corrupt)
    reporter.print(
      `The active release is corrupt, so the import is an overlay on the built-in release, without custom rules: import the file of custom rules again. ${corruptionText(active.corrupt)}`,
    );
  // A dry run does not read the database, so its id is an assumption.
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
