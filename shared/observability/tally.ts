import { AsyncLocalStorage } from 'node:async_hooks';

/** What one invocation has used and found, for its line in the log. */
export type Tally = {
  /** Calls of the database, and the capacity units that it charged for those that succeeded. */
  calls: number;
  units: number;
  account?: string;
  /** Whether the caller's key and all content were at hand (1), or had to be read (0). */
  readonly kept: { KeyKept?: number; ContentKept?: number };
  /** The tax that was answered, by state. */
  taxes?: readonly (readonly [state: string, tax: number])[];
};

const tallies = new AsyncLocalStorage<Tally>();

/** That of the invocation that asks: one at a time on Lambda, many at once in the local service. */
export const tally = (): Tally | undefined => tallies.getStore();

/** Run with a tally of its own. */
export const tallied = async <Value>(run: () => Promise<Value>): Promise<readonly [Value, Tally]> => {
  const own: Tally = { calls: 0, units: 0, kept: {} };
  return [await tallies.run(own, run), own];
};

/** Note whether a cache had what it was asked for: 1 before it is asked, and 0 where it loads. */
export const noteKept = (name: keyof Tally['kept'], isKept: 0 | 1): void => {
  const kept = tally()?.kept;
  if (kept) kept[name] = isKept;
};
