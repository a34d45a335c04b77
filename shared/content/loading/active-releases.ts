/** Which imported release each state's calculations rest on, and which did before: the directory of the content. */

type Activation = { readonly release: string; readonly activated_at: string };

/** The directory, by the state's jurisdiction code (`US-MN`). A state that it does not name has its built-in release. */
export type ActiveReleases = {
  /** Counts the changes; 0 is none yet. */
  readonly version: number;
  readonly states: Readonly<Record<string, Activation & { readonly previous: readonly Activation[] }>>;
};

/** How many releases before the active one a state's directory remembers. */
export const previousMax = 10;

/**
 * The directory after a release of a state was activated, at an ISO instant. Its predecessor comes first in `previous`.
 *
 * A release that is in `previous` is gone back to: it and what came after it leave the list, so that going back again
 * leads further back. `null` is back to the built-in release, which leaves nothing to go back to.
 */
export const withActive = (
  { version, states }: ActiveReleases,
  state: string,
  release: string | null,
  at: string,
): ActiveReleases => {
  const { [state]: current, ...others } = states;
  const next = { version: version + 1, states: others };
  if (release === null) return next;
  if (current?.release === release) return { version: version + 1, states };
  const before = current ? [{ release: current.release, activated_at: current.activated_at }, ...current.previous] : [];
  const back = before.findIndex((activation) => activation.release === release);
  const previous = back < 0 ? before : before.slice(back + 1);
  return {
    ...next,
    states: { ...others, [state]: { release, activated_at: at, previous: previous.slice(0, previousMax) } },
  };
};
