import type { ReleaseHead } from '../../content/content.ts';
import type { Position } from '../../content/imports/build.ts';
import { ContentCorrupt } from '../../content/loading/content-errors.ts';
import type { Release } from '../../content/release.ts';
import { findHead, readActiveReleases } from '../../store/content/content-store.ts';
import { CommandError, explainError } from '../terminal/errors.ts';
import { print } from '../terminal/output.ts';
import { stateOf } from './state-option.ts';

/** The release that calculations of a state use. */
export type ActiveRelease = {
  readonly id: string;
  /** `null` for the built-in release, and for one whose head is corrupt. */
  readonly head: ReleaseHead | null;
  readonly corrupt?: ContentCorrupt;
  /** The newest built-in release of the state. */
  readonly builtIn: Release;
  /** Releases that were active before it, the latest first; `null` for the built-in release. */
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
    if (!head) throw new CommandError(`${id} is active for ${code}, and it is not in the Content table.`);
    return { id, head, builtIn, previous };
  } catch (error) {
    if (!(error instanceof ContentCorrupt)) throw error;
    return { id, head: null, corrupt: error, builtIn, previous };
  }
};

/** As `readActiveRelease`, or the built-in release where no database answers, with a line that says so. */
export const activeReleaseOrBuiltIn = async (letters: string): Promise<ActiveRelease> => {
  try {
    return await readActiveRelease(letters);
  } catch (error) {
    if (error instanceof CommandError || explainError(error) === null) throw error;
    const { builtIn } = stateOf(letters);
    print(`No database answers, so the built-in release ${builtIn.id} is taken for the active one.`);
    return { id: builtIn.id, head: null, builtIn, previous: [] };
  }
};

/** Where a release lies that is imported while this one is active: over it, or over the built-in one if it is corrupt. */
export const positionOver = ({ id, head, builtIn, corrupt }: ActiveRelease): Position => ({
  below: corrupt ? builtIn.id : id,
  chain: head === null ? [] : [head.id, ...(head.chain ?? [])],
  bottom: builtIn.id,
});

/**
 * The release whose rules, settings and state rate an import takes over unless the operator names one: the active
 * import, or the newest built-in release where that is newer than the one below the active import.
 */
export const defaultBase = ({ head, builtIn }: ActiveRelease): Release =>
  head?.bottom === builtIn.id ? head : builtIn;
