/** Random choices that a seed repeats. */
import { seeded } from '../support/seeded.ts';

export type Random = {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** Whether an event with this probability happens. */
  readonly chance: (share: number) => boolean;
};

/** The choices for one input of a seed: every input can be made alone. */
export const randomOf = (seed: number, input: number): Random => {
  const next = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca6b));
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (share) => next() < share,
  };
};
