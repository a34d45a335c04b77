import type { ReleaseHead } from '../catalog/content.ts';
import type { ActiveReleases } from '../catalog/loading/active-releases.ts';
import type { ReadContent } from '../catalog/loading/content-cache.ts';
import { ReleaseNotFound } from '../catalog/loading/content-errors.ts';
import { isOwnOnly, withOwnRules } from '../catalog/own-rules.ts';
import type { Release } from '../catalog/release.ts';

/** Reads the active releases, imported and built-in. */
export type ReleasePorts = {
  readonly readActive: () => Promise<ActiveReleases>;
  readonly readContent: ReadContent;
  /** The built-in release of every state. */
  readonly builtIn: () => readonly Release[];
  readonly builtInById: (id: string) => Release | undefined;
};

/**
 * An imported release with its own rules and its built-in fallback. A release of own rules
 * covers what the release covers that it lies over: `listed`, or the built-in one.
 */
export const withFallback = (
  head: ReleaseHead,
  builtInById: ReleasePorts['builtInById'],
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

/** The release with the places of an imported one, if that has only own rules. */
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
 * The release that each state's calculations use, without local content of imports: of one state by its jurisdiction code,
 * or of all (`null`). Not cached, so that an activation is visible at once.
 */
export const activeReleases = async (state: string | null, ports: ReleasePorts): Promise<readonly Release[]> => {
  const isRequested = (code: string) => state === null || code === state;
  const { states } = await ports.readActive();
  const releases = new Map(ports.builtIn().map((release) => [release.state, release]));
  const active = Object.entries(states).flatMap(([code, { release }]) =>
    release !== null && isRequested(code) ? [{ code, release }] : [],
  );
  const imported = active.flatMap(({ release }) => (ports.builtInById(release) ? [] : [release]));
  const heads = await readHeads(imported, ports);
  const listed = await readHeads([...heads.values()].flatMap(listedBelow), ports);
  const headOf = (id: string): Release => {
    const head = heads.get(id) as ReleaseHead;
    return withFallback(head, ports.builtInById, listed.get(listedBelow(head)[0] ?? '') ?? null);
  };
  for (const { code, release } of active) releases.set(code, ports.builtInById(release) ?? headOf(release));
  return [...releases.values()].filter((release) => isRequested(release.state));
};
