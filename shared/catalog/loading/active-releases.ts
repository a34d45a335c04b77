/** The directory of the content: the active release of each state and the previously active ones. */

/** `null` is the built-in release of the state that the running service has. */
type Activation = { readonly release: string | null; readonly activated_at: string };

/**
 * The directory, by the state's jurisdiction code (`US-MN`). A state that it does not name has its built-in release, and
 * nothing to go back to.
 */
export type ActiveReleases = {
  /** Counts the changes; 0 is none yet. */
  readonly version: number;
  readonly states: Readonly<Record<string, Activation & { readonly previous: readonly Activation[] }>>;
};

/** How many releases before the active one a state's directory remembers. */
export const previousMax = 10;

/**
 * The directory after a release of a state was activated, at an ISO instant; `null` is the built-in one. Its predecessor
 * comes first in `previous`.
 *
 * Activating a release in `previous` is a rollback: it and later entries leave the list, so that another rollback goes
 * further back.
 */
export const withActive = (
  { version, states }: ActiveReleases,
  state: string,
  release: string | null,
  at: string,
): ActiveReleases => {
  const current = states[state];
  if (release === (current?.release ?? null)) return { version: version + 1, states };
  const before = current ? [{ release: current.release, activated_at: current.activated_at }, ...current.previous] : [];
  const back = before.findIndex((activation) => activation.release === release);
  const previous = (back < 0 ? before : before.slice(back + 1)).slice(0, previousMax);
  return { version: version + 1, states: { ...states, [state]: { release, activated_at: at, previous } } };
};

/**
 * The directory after a state has gone back to the release before its active one, at an ISO instant; without one, to the
 * built-in release.
 */
export const withPrevious = (active: ActiveReleases, state: string, at: string): ActiveReleases => {
  const { [state]: current, ...others } = active.states;
  const [last] = current?.previous ?? [];
  return last ? withActive(active, state, last.release, at) : { version: active.version + 1, states: others };
};
