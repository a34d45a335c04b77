import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../canonical-json.ts';
import type { ReleaseHead, ReleasePart } from '../content/content.ts';
import type { ActiveReleases } from '../content/loading/active-releases.ts';
import type { Measured } from '../content/loading/content-cache.ts';
import { compressText, decompressText } from './compressed.ts';
import { activeReleasesKey, partKey, releaseHeadKey } from './keys.ts';

// An item ends at 400 KB, its keys and names included.
const contentBytesMax = 390_000;

const contentOf = (what: string, value: unknown) => {
  const content = compressText(JSON.stringify(value));
  if (content.byteLength > contentBytesMax)
    throw new Error(`${what} takes ${content.byteLength} bytes compressed; ${contentBytesMax} fit into an item.`);
  return content;
};

/** The head of a release as the table holds it: compressed, beside what conditions and operators look at. */
export const headItem = (head: ReleaseHead): Record<string, unknown> => ({
  ...releaseHeadKey(head.id),
  id: head.id,
  content_hash: head.content_hash,
  imported_at: head.imported_at,
  content: contentOf(head.id, head),
});

/** A part of a release as the table holds it. `digest` tells whether it is what an import wrote. */
export const partItem = (release: string, part: ReleasePart) => ({
  ...partKey(release, part.key),
  digest: createHash('sha256').update(canonicalJson(part)).digest('hex'),
  content: contentOf(`${part.key} of ${release}`, part),
});

/** The directory as the table holds it: its states as text, which an operator can read and a function reads fast. */
export const activeReleasesItem = ({ version, states }: ActiveReleases): Record<string, unknown> => ({
  ...activeReleasesKey,
  version,
  states: JSON.stringify(states),
});

// Gzip's checksum says that it is what was written; that it is content is looked at, not its every field.
const Content = z.object({ pk: z.string(), sk: z.string(), content: z.instanceof(Uint8Array) });
const list = z.array(z.custom<never>((value) => typeof value === 'object' && value !== null));
const Part = z.looseObject({ key: z.string(), jurisdictions: list, rates: list, locations: list });
const Head = z.looseObject({ id: z.string(), state: z.string(), content_hash: z.string(), jurisdictions: list });
const Active = z.object({ version: z.int(), states: z.string() });
const activation = { release: z.nullable(z.string()), activated_at: z.string() };
const States = z.record(z.string(), z.object({ ...activation, previous: z.array(z.object(activation)) }));

const read = <Value>(item: unknown, schema: z.ZodMiniType): Measured<Value> => {
  const text = decompressText(Content.parse(item).content);
  return { value: schema.parse(JSON.parse(text)) as Value, characters: text.length };
};

/** The head of an item. Throws where the item is not what `headItem` makes. */
export const headFrom = (item: unknown): Measured<ReleaseHead> => {
  const head = read<ReleaseHead>(item, Head);
  if (releaseHeadKey(head.value.id).sk !== Content.parse(item).sk)
    throw new Error('The head of a release lies where another one should.');
  return head;
};

/** The part of an item. Throws where the item is not what `partItem` makes. */
export const partFrom = (item: unknown): Measured<ReleasePart> => {
  const part = read<ReleasePart>(item, Part);
  if (part.value.key !== Content.parse(item).sk) throw new Error('A part of a release lies where another one should.');
  return part;
};

/** The directory of an item; none yet is version 0. Throws where the item is not what `activeReleasesItem` makes. */
export const activeReleasesFrom = (item: unknown): ActiveReleases => {
  if (item === undefined) return { version: 0, states: {} };
  const { version, states } = Active.parse(item);
  return { version, states: States.parse(JSON.parse(states)) };
};
