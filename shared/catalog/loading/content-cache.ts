import type { ReleaseHead, ReleasePart } from '../content.ts';

/** A value and the length of its JSON text, the measure of its memory. */
export type Measured<Value> = { readonly value: Value; readonly characters: number };

/** Which part of which release. */
export type PartName = { readonly release: string; readonly key: string };

/** Reads heads and parts, each list in its order; `undefined` for a missing one. */
export type ReadContent = (
  heads: readonly string[],
  parts: readonly PartName[],
) => Promise<{
  readonly heads: readonly (Measured<ReleaseHead> | undefined)[];
  readonly parts: readonly (Measured<ReleasePart> | undefined)[];
}>;

/**
 * How much content an instance keeps: 48 million characters of JSON, which take up to 130 MB as objects. That is some
 * 48,000 ZIPs of an import without ZIP+4, or 450 with a thousand ZIP+4 ranges each.
 */
export const keptCharactersMax = 48_000_000;

// The cost of any entry, including a missing part.
const leastCharacters = 200;

type Kept = { readonly value: ReleaseHead | ReleasePart | null; readonly characters: number };

type Generation = { readonly entries: Map<string, Kept>; characters: number };
const newGeneration = (): Generation => ({ entries: new Map(), characters: 0 });

/**
 * A cache of heads and parts with a limit in characters of JSON. It has no expiry, because releases are immutable. It
 * evicts the least recently used entries, and calls `dropped` on every eviction.
 *
 * Two generations have half of the room each. A used entry moves to the younger one; when that is full, the older one is
 * dropped. (Reordering one Map would leave a deleted entry behind at every use, which the next use walks past.)
 */
export const contentCache = (charactersMax: number, dropped: () => void) => {
  let young = newGeneration();
  let old = newGeneration();

  const add = (name: string, kept: Kept) => {
    if (kept.characters > charactersMax / 2) return;
    if (young.characters + kept.characters > charactersMax / 2) {
      old = young;
      young = newGeneration();
      dropped();
    }
    young.entries.set(name, kept);
    young.characters += kept.characters;
  };
  const find = (name: string) => {
    const used = young.entries.get(name);
    if (used) return used.value;
    const kept = old.entries.get(name);
    if (!kept) return undefined;
    old.entries.delete(name);
    old.characters -= kept.characters;
    add(name, kept);
    return kept.value;
  };
  const keep = <Value extends Kept['value']>(name: string, value: Value, length: number): Value => {
    // Another request may have read it meanwhile; its object is in use already.
    const known = find(name);
    if (known !== undefined) return known as Value;
    add(name, { value, characters: name.length + leastCharacters + length });
    return value;
  };
  // No id of a release has a space.
  const nameOf = ({ release, key }: PartName) => `${release} ${key}`;

  return {
    head: (release: string) => find(release) as ReleaseHead | undefined,
    /** `null`: the release has no such part; `undefined`: not cached. */
    part: (name: PartName) => find(nameOf(name)) as ReleasePart | null | undefined,
    keepHead: ({ value, characters }: Measured<ReleaseHead>) => keep(value.id, value, characters),
    keepPart: (name: PartName, part: Measured<ReleasePart> | undefined): ReleasePart | null =>
      keep(nameOf(name), part?.value ?? null, part?.characters ?? 0),
    size: () => ({
      entries: young.entries.size + old.entries.size,
      characters: young.characters + old.characters,
    }),
  };
};

export type ContentCache = ReturnType<typeof contentCache>;
