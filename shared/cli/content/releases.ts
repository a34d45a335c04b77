/** Any release by its id, built-in or imported, as the commands read it: a head, and parts in the order of their keys. */
import { builtInReleaseById } from '../../content/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import type { Release } from '../../content/release.ts';
import { readContent } from '../../store/content/content-reads.ts';
import { findHead, readPartKeys, readParts } from '../../store/content/content-store.ts';
import { CommandError } from '../terminal/errors.ts';
import { builtInHead, builtInParts } from './built-in-parts.ts';
import { compareKeys } from './pairs-by-key.ts';

export type OpenRelease = {
  /** Without the local content, which lies in the parts. */
  readonly head: Release;
  /** What an import found out about it; `null` for a built-in release. */
  readonly imported: ReleaseHead | null;
  /** A new pass over the parts each time. */
  readonly parts: () => AsyncIterable<ReleasePart>;
  /** What it knows of one ZIP (five digits) or city. */
  readonly partOf: (key: string) => Promise<ReleasePart | undefined>;
};

// One BatchGetItem, and some 100 KB of parts in memory.
const readAtOnce = 100;

const storedParts = async function* (id: string): AsyncGenerator<ReleasePart> {
  const keys = (await readPartKeys(id)).toSorted(compareKeys);
  for (let start = 0; start < keys.length; start += readAtOnce)
    yield* await readParts(id, keys.slice(start, start + readAtOnce));
};

const openBuiltIn = (release: Release): OpenRelease => ({
  head: builtInHead(release),
  imported: null,
  parts: async function* () {
    yield* builtInParts(release);
  },
  partOf: async (key) => builtInParts(release).find((part) => part.key === key),
});

const openImported = (head: ReleaseHead): OpenRelease => ({
  head,
  imported: head,
  parts: () => storedParts(head.id),
  partOf: async (key) => (await readContent([], [{ release: head.id, key }])).parts[0]?.value,
});

/** Open a release. Refused is an id that no finished release has. */
export const openRelease = async (id: string): Promise<OpenRelease> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn) return openBuiltIn(builtIn);
  const head = await findHead(id);
  if (!head)
    throw new CommandError(
      `There is no release ${id}. Ids are such as US-MN@2026-11-21.1: see them with \`npm run content -- list\`.`,
    );
  return openImported(head);
};
