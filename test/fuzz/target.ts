import type { TestFile } from '../fixtures/imports/harness.ts';
import type { Random } from './random.ts';

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
