import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { accepted, CommandError } from '../../base/command-error.ts';
import type { GateResult } from '../../catalog/content.ts';
import { ContentCorrupt, catchCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { now } from '../../config/clock.ts';
import { type ContentEvent, contentEvent } from '../../events/content-events.ts';
import {
  type ContentSource,
  readContentSource,
  type SourceFile,
  writeContentSource,
} from '../../store/content/content-sources.ts';
import { findHead, readActiveReleases } from '../../store/content/content-store.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import { matchesBase } from '../build.ts';
import { importers } from '../importers.ts';
import { localName } from '../updates/file-names.ts';
import { type CurrentFile, currentFiles } from '../updates/find-file.ts';
import { type PublisherClient, PublisherFailure } from '../updates/publisher-client.ts';
import type { Importable } from '../updates/publishers.ts';
import { activate } from './activate.ts';
import { compareReleases, type RateChange } from './compare-rates.ts';
import { failedGates, measureGates } from './gates.ts';
import { type Imported, importFiles, megabytes } from './import-files.ts';
import { type ActiveRelease, getChain, openRelease, positionOver, readActiveRelease } from './open-release.ts';
import type { Reporter } from './report.ts';

// Imports the official files of one state as a release, and activates it if it passes the gates.

type UpdateOptions = {
  readonly client: PublisherClient;
  /** The folder for downloads; the caller removes it. */
  readonly folder: string;
  readonly reporter: Reporter;
  readonly activate: boolean;
  /** Gates that the operator overrides. */
  readonly overridden: ReadonlySet<string>;
};

const instant = (): string => new Date(now()).toISOString();

const getKnown = (known: readonly SourceFile[], { option, url }: CurrentFile): SourceFile | undefined =>
  known.find((file) => file.option === option && file.url === url);

/** Returns the path of a download. File names are kept because a release cites them as its sources. */
const getPath = (folder: string, state: string, { option, name }: Pick<SourceFile, 'option' | 'name'>): string =>
  join(folder, state, option, localName(name));

/**
 * Compares the publisher's files with the files of the last update, without a download. `unknown`: the publisher sends
 * neither ETag nor Last-Modified. `outdated`: the active release or the built-in release has changed since, so an
 * update imports the files again.
 */
export const compareVersions = async (publisher: Importable, client: PublisherClient) => {
  const { files: known, release } = await readContentSource(publisher.state);
  if (release !== null && !(await isCurrent(release, await readActiveRelease(publisher.state), publisher)))
    return 'outdated';
  let result: 'current' | 'unknown' = 'current';
  for (const current of await currentFiles(publisher.files, client)) {
    const file = getKnown(known, current);
    if (!file) return 'newer';
    const { etag, last_modified } = await client.readVersion(current.url);
    if (etag !== file.etag || last_modified !== file.last_modified) return 'newer';
    if (etag === null && last_modified === null) result = 'unknown';
  }
  return result;
};

/** Downloads a file; returns `null` if the publisher still has the known version. */
const fetchFile = async (
  current: CurrentFile,
  known: SourceFile | undefined,
  path: string,
  { client, reporter }: UpdateOptions,
): Promise<SourceFile | null> => {
  await mkdir(dirname(path), { recursive: true });
  const { name, url } = current;
  const title = `Downloading ${name}`;
  const downloaded = await reporter.withProgress(title, 1, 'The download failed.', async ({ reach, finish }) => {
    const found = await client.download(url, {
      path,
      known: known ?? null,
      onProgress: (bytes, total) => reach(bytes / Math.max(1, total ?? bytes), megabytes(bytes)),
    });
    finish(found ? `Downloaded ${name} (${megabytes(found.bytes)})` : `${name} is unchanged`);
    return found;
  });
  return downloaded && { ...current, ...downloaded };
};

/** Downloads the current files; returns `null` if the publisher still has the known version of each. */
const fetchFiles = async (
  { files: known }: ContentSource,
  { state, files }: Importable,
  options: UpdateOptions,
): Promise<readonly SourceFile[] | null> => {
  const current = await currentFiles(files, options.client);
  const fetch = (file: CurrentFile, version: SourceFile | undefined) =>
    fetchFile(file, version, getPath(options.folder, state, file), options);
  const fetched: (SourceFile | null)[] = [];
  for (const file of current) fetched.push(await fetch(file, getKnown(known, file)));
  if (fetched.every((file) => file === null)) return null;
  // An import needs both files of a pair, even if only one is new.
  for (const [index, file] of current.entries()) fetched[index] ??= await fetch(file, undefined);
  return fetched.filter((file) => file !== null);
};

/** An import, and the release that was active before it. */
type Made = Imported & { readonly over: string };

const importState = async (
  { state, format }: Importable,
  files: readonly SourceFile[],
  { folder, reporter }: UpdateOptions,
): Promise<Made> => {
  const active = await readActiveRelease(state);
  const tempFolder = await mkdtemp(join(folder, 'import-'));
  try {
    const imported = await importFiles({
      importer: importers[format],
      files: files.map((file) => getPath(folder, state, file)),
      state,
      active,
      from: null,
      skipBadRows: false,
      dryRun: false,
      tempFolder,
      reporter,
    });
    assert(imported !== null, 'An import did not return its release.');
    return { ...imported, over: active.id };
  } finally {
    await rm(tempFolder, { recursive: true, force: true });
  }
};

/** Returns why a release must not be activated; `null` if it can be. */
const heldReason = (
  { layout, name }: Importable,
  { activated }: ContentSource,
  gates: readonly GateResult[],
  overridden: ReadonlySet<string>,
): string | null => {
  if (layout === 'unverified') return `The layout of the files of ${name} is not verified.`;
  if (activated) return 'A release of these files was active before, and was rolled back or replaced.';
  const failed = failedGates(gates, overridden);
  return failed.length === 0 ? null : `These gates failed: ${failed.join(', ')}.`;
};

/** The maximum number of rate changes that a state's record keeps. */
const keptChanges = 100;

const buildFirst = (changes: readonly RateChange[]) => ({
  count: changes.length,
  rates: changes.slice(0, keptChanges).map(({ old: before, new: after, ...change }) => ({ ...change, before, after })),
});

/**
 * Applies the gates to a release that is not active, and activates it if requested and allowed. `examples` are
 * sentences that list changes which fail a gate; `held` is why a release that should be active was not activated.
 */
const activateIfAllowed = async (
  source: ContentSource,
  release: string,
  publisher: Importable,
  options: UpdateOptions,
  made: Made | null,
) => {
  const { id, builtIn } = await readActiveRelease(publisher.state);
  const impact = made?.over === id ? made.impact : null;
  const [candidate, active] = [await openRelease(release), await openRelease(id)];
  const { gates, examples } = await measureGates(candidate, active, builtIn, impact);
  const held = heldReason(publisher, source, gates, options.overridden);
  const isActivated = options.activate && held === null;
  // Computed before the activation, so that its event has the changes even if this run ends between the two.
  const changes = { against: id, ...buildFirst(await compareReleases(active, candidate)) };
  const proposed = accepted(await writeContentSource({ ...source, proposal: { gates: [...gates], held, changes } }));
  if (isActivated) {
    await activate(release, options.reporter, { isMeasured: true });
    accepted(await writeContentSource({ ...proposed, activated: true }));
  }
  const outcome = 'imported' as const;
  return { outcome, release, gates, examples, active: isActivated, held: options.activate ? held : null };
};

/**
 * Returns whether a release need not be imported again. Its values must match the built-in release. An inactive release
 * must also overlay the active release, which another import or a change of custom rules can replace. A release below
 * another import is kept, because a repeated import would replace the rates of the import above it.
 */
const isCurrent = async (release: string, active: ActiveRelease, { format }: Importable): Promise<boolean> => {
  const { below, chain } = positionOver(active);
  const isInUse = getChain(active.head).includes(release);
  if (isInUse && chain[0] !== release) return true;
  const head = await catchCorrupt(findHead(release));
  if (!head || head instanceof ContentCorrupt) return isInUse;
  return (isInUse || head.below === below) && matchesBase(head, active.builtIn, importers[format]);
};

/**
 * - `current`: the publisher still has the files of `release`, and it is active.
 * - `imported`: the files were imported as `release`, whether or not it passed the gates.
 * - `failed`: the publisher failed, or its files cannot be imported. Nothing changed.
 */
export type StateUpdate =
  | { readonly outcome: 'current'; readonly release: string }
  | Awaited<ReturnType<typeof activateIfAllowed>>
  | { readonly outcome: 'failed'; readonly reason: string };

const updateFiles = async (
  source: ContentSource,
  publisher: Importable,
  options: UpdateOptions,
): Promise<StateUpdate> => {
  const active = await readActiveRelease(publisher.state);
  const isOutdated = source.release !== null && !(await isCurrent(source.release, active, publisher));
  const files = await fetchFiles(isOutdated ? { ...source, files: [] } : source, publisher, options);
  const at = instant();
  // A publisher can send the same file under a different name or version.
  const isKnown = ({ option, sha256 }: SourceFile) =>
    source.files.some((file) => file.option === option && file.sha256 === sha256);
  const isSame = files === null || files.every(isKnown);
  const isNew = !isSame || isOutdated;
  const made = isNew && files !== null ? await importState(publisher, files, options) : null;
  const release = made ? made.id : source.release;
  assert(release !== null, 'A publisher has known files, but no release of them.');
  const { id, head } = await readActiveRelease(publisher.state);
  const isActive = id === release || head?.chain.includes(release) === true;
  const proposal = release === source.release ? source.proposal : null;
  const imported = isNew && { release, imported_at: at, proposal };
  const fetched = { ...(files && { files: [...files] }), ...imported };
  // A replacement of a release in use may be activated, but not a release that an operator rolled back.
  const isReplacement = isOutdated && source.release !== null && getChain(active.head).includes(source.release);
  const activated = isActive || (source.activated && isSame && !isReplacement);
  const next = accepted(await writeContentSource({ ...source, ...fetched, activated, checked_at: at, failure: null }));
  if (isActive) return { outcome: 'current', release };
  return activateIfAllowed(next, release, publisher, options, made);
};

/** Records the failure, and the time of the first of consecutive failures. */
const recordFailure = async (state: string, message: string): Promise<void> => {
  const at = instant();
  const source = await readContentSource(state);
  const failure = { since: source.failure?.since ?? at, message };
  // If the write is refused, a concurrent update of the state has recorded its result.
  await writeContentSource({ ...source, checked_at: at, failure });
};

/**
 * Imports the official files of a state as a release: finds, downloads and imports them, applies the gates, and
 * activates the release if requested.
 *
 * Every step can be interrupted. A file appears in the folder only when it is complete, a release exists only after its
 * last write, and the record of the source is written after the release. The next run continues from there.
 */
export const updateState = async (publisher: Importable, options: UpdateOptions): Promise<StateUpdate> => {
  const source = await readContentSource(publisher.state);
  try {
    return await updateFiles(source, publisher, options);
  } catch (error) {
    const isExpected = error instanceof PublisherFailure || error instanceof CommandError;
    if (!isExpected && !(error instanceof ContentCorrupt)) {
      // A bug or an outage. Records that the state was not updated, if the database accepts the write.
      await recordFailure(publisher.state, `The update ended with an internal error: ${String(error)}.`).catch(
        () => {},
      );
      throw error;
    }
    const reason = isExpected ? error.message : corruptionText(error);
    await recordFailure(publisher.state, reason);
    return { outcome: 'failed', reason };
  }
};

/** Returns when a state's release was last activated; `undefined` if the directory no longer lists it. */
const activatedAt = async ({ state, release }: ContentSource): Promise<string | undefined> => {
  const current = (await readActiveReleases()).states[jurisdictionCode(state)];
  const activations = current ? [current, ...current.previous] : [];
  return activations.find((activation) => activation.release === release)?.activated_at;
};

/**
 * Publishes the event of a state's latest official release, unless it was published, and returns its type.
 *
 * The state's record stores which event is due, so the next run publishes it if this run ends first. The event is
 * published at least once: if a run ends before recording it, the next run repeats it with the same id.
 */
export const announceRelease = async (publisher: Importable, publish: (event: ContentEvent) => Promise<void>) => {
  const source = await readContentSource(publisher.state);
  const at = (await activatedAt(source)) ?? (source.activated ? undefined : null);
  const event = at === undefined ? null : contentEvent(publisher, source, at);
  if (event === null || event.event_id === source.announced) return null;
  await publish(event);
  // If the write is refused, a concurrent update of the state is running.
  await writeContentSource({ ...source, announced: event.event_id });
  return event.event_type;
};
