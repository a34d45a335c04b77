import { CommandError } from '../../base/command-error.ts';
import { builtInRelease } from '../../catalog/built-in.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import { ContentCorrupt } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import type { Release } from '../../catalog/release.ts';
import { findHead, readActiveReleases } from '../../store/content/content-store.ts';
import { jurisdictionCode, stateCode } from '../../vocabulary/jurisdiction.ts';
import type { Position } from '../build.ts';

/** Read `--state`: two letters or a name. Refuses states without content. */
export const stateOf = (text: string) => {
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
  /** Releases that were active before, latest first; `null` for the built-in release. */
  readonly previous: readonly (string | null)[];
};

/** Read which release of a state (two letters) is active. */
export const readActiveRelease = async (letters: string): Promise<ActiveRelease> => {
  const { code, builtIn } = stateOf(letters);
  const current = (await readActiveReleases()).states[code];
  const previous = (current?.previous ?? []).map(({ release }) => release);
  if (!current || current.release === null) return { id: builtIn.id, head: null, builtIn, previous };
  const id = current.release;
  try {
    const head = await findHead(id);
    if (!head) throw new CommandError(`${id} is active for ${code}, but the Content table does not have it.`);
    return { id, head, builtIn, previous };
  } catch (error) {
    if (!(error instanceof ContentCorrupt)) throw error;
    return { id, head: null, corrupt: error, builtIn, previous };
  }
};

/** The ids of an imported release and of its imported fallback releases. */
export const chainOf = (head: ReleaseHead | null): readonly string[] => (head === null ? [] : [head.id, ...head.chain]);

/**
 * The position of an import while this release is active: over it, or over the built-in one if it is corrupt. A release of
 * own rules leaves the chain, because it covers no address and its rules are taken over.
 */
export const positionOver = ({ id, head, builtIn, corrupt }: ActiveRelease): Position => ({
  below: corrupt ? builtIn.id : id,
  chain: head && isOwnOnly(head) ? head.chain : chainOf(head),
  bottom: builtIn.id,
  ...(head?.own && { own: head.own }),
});

/**
 * The release whose rules, settings and state rate an import uses without `--base`: the active import, or the built-in
 * release if that is newer than the one below the active import.
 */
export const defaultBase = ({ head, builtIn }: ActiveRelease): Release =>
  head?.bottom === builtIn.id ? head : builtIn;
