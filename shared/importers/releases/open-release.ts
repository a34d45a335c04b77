/** Built-in and imported releases by id: a head, and parts in the order of their keys, so that commands can compare both. */

import { batchesOf } from '../../base/collections.ts';
import { CommandError } from '../../base/command-error.ts';
import { builtInReleaseById } from '../../catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { statesOfZip } from '../../catalog/location/zip-states.ts';
import { isOwnOnly, withOwnRules } from '../../catalog/own-rules.ts';
import type { Location, Release } from '../../catalog/release.ts';
import { readContent } from '../../store/content/content-reads.ts';
import { findHead, readPartKeys, readParts } from '../../store/content/content-store.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { compareKeys } from './pairs-by-key.ts';

/** The release without its local content. */
const builtInHead = (release: Release): Release => {
  const [state] = release.jurisdictions;
  return {
    ...release,
    jurisdictions: [state],
    rates: release.rates.filter(({ jurisdiction }) => jurisdiction === state.code),
    locations: [],
  };
};

const zipsOf = ({ zips }: Location, state: string): readonly string[] =>
  zips.flatMap(([low, high]) => {
    const first = Number(low.slice(0, 5));
    const count = Number(high.slice(0, 5)) - first + 1;
    return Array.from({ length: count }, (_, index) => String(first + index).padStart(5, '0')).filter((zip) =>
      statesOfZip(zip).includes(state),
    );
  });

const byKey = ({ locations, state }: Release): ReadonlyMap<string, readonly Location[]> => {
  const found = new Map<string, Location[]>();
  for (const location of locations)
    for (const key of new Set([...zipsOf(location, stateOfJurisdiction(state)), ...location.cities])) {
      const list = found.get(key) ?? [];
      if (list.push(location) === 1) found.set(key, list);
    }
  return found;
};

/** The parts of the release by ZIP and city, in the order of the keys. */
function* builtInParts(release: Release): Generator<ReleasePart> {
  const locationsOf = byKey(release);
  for (const key of [...locationsOf.keys()].sort(compareKeys)) {
    const locations = locationsOf.get(key) ?? [];
    const codes = new Set(locations.flatMap(({ alternatives }) => alternatives.flat()));
    yield {
      key,
      jurisdictions: release.jurisdictions.filter(({ code }) => codes.has(code)),
      rates: release.rates.filter(({ jurisdiction }) => codes.has(jurisdiction)),
      locations,
    };
  }
}

export type OpenRelease = {
  /** Without the local content, which is in the parts; with own rules. */
  readonly head: Release;
  /** The stored head; `null` for a built-in release. */
  readonly imported: ReleaseHead | null;
  /** A new pass over the parts each time. */
  readonly parts: () => AsyncIterable<ReleasePart>;
  /** The part of one ZIP (five digits) or city. */
  readonly partOf: (key: string) => Promise<ReleasePart | undefined>;
};

async function* storedParts(id: string): AsyncGenerator<ReleasePart> {
  const keys = (await readPartKeys(id)).toSorted(compareKeys);
  for await (const some of batchesOf(keys)) yield* await readParts(id, some);
}

/** Open a release. Refuses ids of unfinished and unknown releases. */
export const openRelease = async (id: string): Promise<OpenRelease> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn)
    return {
      head: builtInHead(builtIn),
      imported: null,
      parts: async function* () {
        yield* builtInParts(builtIn);
      },
      partOf: async (key) => builtInParts(builtIn).find((part) => part.key === key),
    };
  const head = await findHead(id);
  if (!head) throw new CommandError(`There is no release ${id}. List the releases with \`npm run content -- list\`.`);
  const partOf = async (key: string) => (await readContent([], [{ release: id, key }])).parts[0]?.value;
  return { head: withOwnRules(head, head.own), imported: head, parts: () => storedParts(id), partOf };
};

/**
 * Open a release for a comparison of its content: a release of own rules has the parts of the release that it lies over,
 * which is a built-in one if no other import is below.
 */
export const openCompared = async (id: string): Promise<OpenRelease> => {
  const opened = await openRelease(id);
  const { imported } = opened;
  const under = imported && isOwnOnly(imported) ? (imported.chain[0] ?? imported.bottom) : undefined;
  if (!imported || under === undefined) return opened;
  const { imported: listed, head, parts, partOf } = await openRelease(under);
  const own = withOwnRules(listed ?? head, imported.own);
  return { head: { ...own, id }, imported, parts, partOf };
};
