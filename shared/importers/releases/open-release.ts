import { toBatches } from '../../base/collections.ts';
import { CommandError } from '../../base/command-error.ts';
import { builtInRelease, builtInReleaseById } from '../../catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { ContentCorrupt, catchCorrupt } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly, withOwnRules } from '../../catalog/own-rules.ts';
import type { Release } from '../../catalog/release.ts';
import { readContent } from '../../store/content/content-reads.ts';
import { findHead, readActiveReleases, readPartKeys, readParts } from '../../store/content/content-store.ts';
import { jurisdictionCode, stateCode, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Parts, Position } from '../build.ts';
import { zipsOfState } from '../zips.ts';
import { isZip, listZipRanges } from './zip-pieces.ts';

// Opens built-in and imported releases by id. Both have a head and parts sorted by key, so that commands can compare
// them.

/** Returns the release without its local content. */
const builtInHead = (release: Release): Release => {
  const [state] = release.jurisdictions;
  return {
    ...release,
    jurisdictions: [state],
    rates: release.rates.filter(({ jurisdiction }) => jurisdiction === state.code),
    locations: [],
  };
};

/** Compares keys in the order of the parts: ZIP codes first, then cities, so `29 PALMS` comes after 90001. */
const compareKeys = (a: string, b: string): number =>
  Number(isZip(b)) - Number(isZip(a)) || Number(a > b) - Number(a < b);

/** Yields the parts of the release by ZIP and city, sorted by key. */
function* builtInParts({ state, locations: all, ...release }: Release): Generator<ReleasePart> {
  const zips = all.length === 0 ? [] : zipsOfState(stateOfJurisdiction(state));
  for (const key of [...zips, ...new Set(all.flatMap(({ cities }) => cities))].toSorted(compareKeys)) {
    const locations = all.filter((location) => listZipRanges(key, location).length > 0);
    if (locations.length === 0) continue;
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
  /** The release without its local content, which is in the parts, and with its custom rules. */
  readonly head: Release;
  /** The stored head; `null` for a built-in release. */
  readonly imported: ReleaseHead | null;
  readonly parts: Parts;
  /** Returns the part of one ZIP (five digits) or city. */
  readonly readPart: (key: string) => Promise<ReleasePart | undefined>;
};

async function* storedParts(id: string): AsyncGenerator<ReleasePart> {
  const keys = (await readPartKeys(id)).toSorted(compareKeys);
  for await (const some of toBatches(keys)) yield* await readParts(id, some);
}

/** Opens a release. Refuses ids of unfinished and unknown releases. */
export const openRelease = async (id: string): Promise<OpenRelease> => {
  const builtIn = builtInReleaseById(id);
  if (builtIn)
    return {
      head: builtInHead(builtIn),
      imported: null,
      parts: async function* () {
        yield* builtInParts(builtIn);
      },
      readPart: async (key) => builtInParts(builtIn).find((part) => part.key === key),
    };
  const head = await findHead(id);
  if (!head)
    throw new CommandError(`The release ${id} does not exist. List the releases with \`npm run content -- list\`.`);
  const readPart = async (key: string) => (await readContent([], [{ release: id, key }])).parts[0]?.value;
  return { head: withOwnRules(head, head.own), imported: head, parts: () => storedParts(id), readPart };
};

/**
 * Opens a release to compare its content. A release of custom rules has the parts of the release that it overlays,
 * which is a built-in one if no other import is below.
 */
export const openCompared = async (id: string): Promise<OpenRelease> => {
  const opened = await openRelease(id);
  const { imported } = opened;
  const under = imported && isOwnOnly(imported) ? (imported.chain[0] ?? imported.bottom) : undefined;
  if (!imported || under === undefined) return opened;
  const { imported: listed, head, parts, readPart } = await openRelease(under);
  const own = withOwnRules(listed ?? head, imported.own);
  return { head: { ...own, id }, imported, parts, readPart };
};

/** Reads `--state`, two letters or a name. Refuses states without content. */
export const getState = (text: string) => {
  const letters = stateCode(text);
  const builtIn = letters === null ? undefined : builtInRelease(letters);
  if (letters === null || !builtIn)
    throw new CommandError(`Levy has no content for a state "${text}". Pass a two-letter state code, such as MN.`);
  return { letters, code: jurisdictionCode(letters), builtIn };
};

/** The release that calculations of a state use. */
export type ActiveRelease = {
  readonly id: string;
  /** `null` for the built-in release, and for a release with a corrupt head. */
  readonly head: ReleaseHead | null;
  readonly corrupt?: ContentCorrupt;
  /** The built-in release of the state. */
  readonly builtIn: Release;
  /** Previously active releases, latest first; `null` for the built-in release. */
  readonly previous: readonly (string | null)[];
};

/** Reads which release of a state (two letters) is active. */
export const readActiveRelease = async (letters: string): Promise<ActiveRelease> => {
  const { code, builtIn } = getState(letters);
  const current = (await readActiveReleases()).states[code];
  const previous = (current?.previous ?? []).map(({ release }) => release);
  if (!current || current.release === null) return { id: builtIn.id, head: null, builtIn, previous };
  const id = current.release;
  const head = await catchCorrupt(findHead(id));
  if (!head) throw new CommandError(`${id} is active for ${code}, but it is missing from the Content table.`);
  return { id, builtIn, previous, ...(head instanceof ContentCorrupt ? { head: null, corrupt: head } : { head }) };
};

/** Returns the ids of an imported release and of its imported fallback releases. */
export const getChain = (head: ReleaseHead | null): readonly string[] =>
  head === null ? [] : [head.id, ...head.chain];

/**
 * Returns the position of an import while this release is active: over it, or over the built-in release if it is
 * corrupt. The chain omits a release of custom rules, because it covers no address and the import copies its rules.
 */
export const positionOver = ({ id, head, builtIn, corrupt }: ActiveRelease): Position => ({
  below: corrupt ? builtIn.id : id,
  chain: head && isOwnOnly(head) ? head.chain : getChain(head),
  bottom: builtIn.id,
  ...(head?.own && { own: head.own }),
});
