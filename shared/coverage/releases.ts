import { builtInRelease, builtInReleaseById, builtInReleases } from '../catalog/built-in.ts';
import type { ActiveReleases, ReleaseHead } from '../catalog/content.ts';
import { type ContentCorrupt, ReleaseNotFound } from '../catalog/loading/content-errors.ts';
import type { ContentPorts } from '../catalog/loading/content-loader.ts';
import { isOwnOnly, withOwnRules } from '../catalog/own-rules.ts';
import type { Release } from '../catalog/release.ts';
import { publishers } from '../importers/updates/publishers.ts';
import { coverageOfAll, type SourceRecords } from './coverage.ts';
import { localRatesOn } from './local-rates.ts';
import type { StateCoverage, StateRelease } from './response.ts';

/** Reads active releases and imports. */
type ReleasePorts = Pick<ContentPorts, 'readActive' | 'readContent'>;

/**
 * Returns the built-in release of one state (by jurisdiction code) or of all states (`null`). Parsing all of them takes
 * longer than the rest of a request.
 */
const listBuiltIn = (state: string | null): readonly Release[] => {
  if (state === null) return builtInReleases();
  const release = builtInRelease(state.slice('US-'.length));
  return release ? [release] : [];
};

/**
 * Returns an imported release with its custom rules and its built-in fallback. A release with only custom rules has the
 * coverage of the release that it overlays: `listed`, or the built-in release.
 */
export const withFallback = (
  head: ReleaseHead,
  builtInById: (id: string) => Release | undefined,
  listed: ReleaseHead | null = null,
): Release => {
  const { id, bottom, own } = head;
  const builtIn = builtInById(bottom);
  if (!builtIn) throw new ReleaseNotFound(bottom);
  const fallback = withOwnRules(builtIn, own);
  if (!isOwnOnly(head)) return { ...withOwnRules(head, own), fallback };
  if (!listed) return { ...fallback, id };
  const chained: ReleaseHead = { ...listed, id, chain: [listed.id, ...listed.chain] };
  return { ...withOwnRules(chained, own), fallback };
};

/** Returns the id of the imported release below `head`, if `head` has only custom rules. */
const listedBelow = (head: ReleaseHead): readonly string[] => (isOwnOnly(head) ? head.chain.slice(0, 1) : []);

const readHeads = async (
  ids: readonly string[],
  { readContent }: ReleasePorts,
): Promise<ReadonlyMap<string, ReleaseHead>> => {
  const { heads } = ids.length > 0 ? await readContent(ids, []) : { heads: [] };
  return new Map(
    ids.map((id, index) => {
      const head = heads[index]?.value;
      if (!head) throw new ReleaseNotFound(id);
      return [id, head];
    }),
  );
};

/**
 * Returns the release that calculations use, without the local content of imports, for one state (by jurisdiction code)
 * or for all states (`null`). Not cached, so an activation is visible immediately.
 */
export const activeReleases = async (state: string | null, ports: ReleasePorts): Promise<readonly Release[]> => {
  const isRequested = (code: string) => state === null || code === state;
  const { states } = await ports.readActive();
  const releases = new Map(listBuiltIn(state).map((release) => [release.state, release]));
  const active = Object.entries(states).flatMap(([code, { release }]) =>
    release !== null && isRequested(code) ? [{ code, release }] : [],
  );
  const imported = active.flatMap(({ release }) => (builtInReleaseById(release) ? [] : [release]));
  const heads = await readHeads(imported, ports);
  const listed = await readHeads([...heads.values()].flatMap(listedBelow), ports);
  const getHead = (id: string): Release => {
    const head = heads.get(id) as ReleaseHead;
    return withFallback(head, builtInReleaseById, listed.get(listedBelow(head)[0] ?? '') ?? null);
  };
  for (const { code, release } of active) releases.set(code, builtInReleaseById(release) ?? getHead(release));
  return [...releases.values()];
};

/**
 * Returns the coverage on a day by the active releases, for one state (by jurisdiction code) or for all states
 * (`null`).
 */
export const activeCoverage = async (
  state: string | null,
  day: string,
  /** `readSources` reads the update records of states (two-letter codes). */
  ports: ReleasePorts & { readonly readSources: (states: readonly string[]) => Promise<SourceRecords> },
): Promise<readonly StateCoverage[]> => {
  const states = state === null ? publishers.map((publisher) => publisher.state) : [state.slice('US-'.length)];
  const [releases, records] = await Promise.all([activeReleases(state, ports), ports.readSources(states)]);
  return coverageOfAll(releases, day, records);
};

/** A release with its head; `null` for a built-in release. */
export type ListedRelease = { readonly row: StateRelease; readonly head: ReleaseHead | null };
export type ListedCorrupt = { readonly isActive: boolean; readonly error: ContentCorrupt };

const describeOrigin = (head: ReleaseHead | null): string => {
  if (!head) return 'built_in';
  return isOwnOnly(head) ? 'own' : head.format;
};

/** Returns the content of a release. A release with only custom rules contains only its jurisdictions and rates. */
export const headCounts = ({ own, counts, format }: ReleaseHead): ReleaseHead['counts'] =>
  own && isOwnOnly({ format })
    ? { ...counts, jurisdictions: own.jurisdictions.length, rates: own.rates.length }
    : counts;

/**
 * Returns all releases of a state by jurisdiction code, oldest first: built-in releases, then imports. `listHeads`
 * yields the heads of a state's imports, oldest first.
 */
export const listReleases = async (
  state: string,
  { states }: ActiveReleases,
  day: string,
  listHeads: (state: string, onCorrupt: (error: ContentCorrupt) => void) => AsyncIterable<ReleaseHead>,
): Promise<{ readonly releases: readonly ListedRelease[]; readonly corrupt: readonly ListedCorrupt[] }> => {
  const own = listBuiltIn(state);
  const pointer = states[state];
  // Without an entry in the directory, the built-in release is active.
  const activeId = pointer?.release ?? own.at(-1)?.id;
  const listed = (release: Release, head: ReleaseHead | null): ListedRelease => ({
    row: {
      id: release.id,
      active: release.id === activeId,
      origin: describeOrigin(head),
      own_rules: head?.own !== undefined,
      local_rates: localRatesOn(head ? withFallback(head, builtInReleaseById) : release, day),
      last_day: head?.last_day ?? null,
      imported_at: head?.imported_at ?? null,
      activated_at: release.id === activeId ? (pointer?.activated_at ?? null) : null,
      jurisdictions: head && headCounts(head).jurisdictions,
      rates: head && headCounts(head).rates,
    },
    head,
  });
  const releases = own.map((release) => listed(release, null));
  const corrupt: ListedCorrupt[] = [];
  const onCorrupt = (error: ContentCorrupt) => void corrupt.push({ isActive: error.release === activeId, error });
  for await (const head of listHeads(state, onCorrupt)) releases.push(listed(head, head));
  return { releases, corrupt };
};
