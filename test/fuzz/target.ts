import type { TestFile } from '../fixtures/imports/harness.ts';
import { seeded } from '../support/seeded.ts';

/** Random choices, reproducible by seed. */

export type Random = {
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** Returns true with this probability. */
  readonly chance: (share: number) => boolean;
};

/** Creates the random choices for one input of a seed, so each input can be generated separately. */
export const createRandom = (seed: number, input: number): Random => {
  const next = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca6b));
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (share) => next() < share,
  };
};

/** The total size of an input's files, compressed if the files are. */
export const inputBytesMax = 1_000_000;

export type Input = readonly TestFile[];

/** Code that reads untrusted input. */
export type Target = {
  /** A valid input, which warms up the code before measuring. */
  readonly valid: () => Input;
  readonly make: (random: Random) => Input;
  /** Reads an input. Throws an `Error` with a message for the operator; a subclass of it indicates a bug. */
  readonly run: (input: Input) => unknown;
  /** The unpacked size of an input, which determines its time limit. Default: at most 1 MB. */
  readonly getBytes?: (input: Input) => number;
};
