/** Built-in and imported releases by id: a head, and parts in the order of their keys. */
import { builtInReleaseById } from '../../content/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import type { Release } from '../../content/release.ts';
import { readContent } from '../../store/content/content-reads.ts';
import { findHead, readPartKeys, readParts } from '../../store/content/content-store.ts';
import { batchesOf } from '../batches.ts';
import { CommandError } from '../terminal/errors.ts';
import { builtInHead, builtInParts } from './built-in-parts.ts';
import { compareKeys } from './pairs-by-key.ts';

export type OpenRelease = {
  /** Without the local content, which is in the parts. */
  readonly head: Release;
  /** The stored head; `null` for a built-in release. */
  readonly imported: ReleaseHead | null;
  /** A new pass over the parts each time. */
  readonly parts: () => AsyncIterable<ReleasePart>;
  /** The part of one ZIP (five digits) or city. */
  readonly partOf: (key: string) => Promise<ReleasePart | undefined>;
};

const storedParts = async function* (id: string): AsyncGenerator<ReleasePart> {
  const keys = (await readPartKeys(id)).toSorted(compareKeys);
  for await (const some of batchesOf(keys)) yield* await readParts(id, some);
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

/** Open a release. Refuses ids of unfinished and unknown releases. */
export const openRelease = async (id: string): Promise<OpenRelease> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn) return openBuiltIn(builtIn);
  const head = await findHead(id);
  if (!head) throw new CommandError(`There is no release ${id}. List the releases with \`npm run content -- list\`.`);
  return openImported(head);
};
