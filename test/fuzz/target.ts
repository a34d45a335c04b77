import type { TestFile } from '../fixtures/imports/harness.ts';
import { seeded } from '../support/seeded.ts';

/** Random choices that a seed repeats. */

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

/** The files of an input together, as they are given: packed, if they are packed. */
export const inputBytesMax = 1_000_000;

export type Input = readonly TestFile[];

/** Code that reads untrusted input. */
export type Target = {
  /** An input that is read without a refusal, to compile the code before it is measured. */
  readonly valid: () => Input;
  readonly make: (random: Random) => Input;
  /** Reads an input. It throws an `Error` with a message for the operator, and no subclass of it that a bug throws. */
  readonly run: (input: Input) => unknown;
  /** The unpacked bytes of an input: its time is limited by them. Default: at most 1 MB. */
  readonly bytesOf?: (input: Input) => number;
};
