/** Returns a seeded generator of numbers from 0 (inclusive) to 1 (exclusive), using mulberry32. */
export const seeded = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/** Returns the number of a command-line option. For any other text, prints what to pass and exits with code 2. */
export const readNumber = (name: string, text: string, { least = 1, isWhole = true } = {}): number => {
  const number = Number(text);
  if (Number.isFinite(number) && number >= least && (!isWhole || Number.isSafeInteger(number))) return number;
  console.error(`--${name} takes a ${isWhole ? 'whole ' : ''}number from ${least}.`);
  process.exit(2);
};

/** Random choices, reproducible by seed. */
export type Random = {
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  readonly below: (end: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** Returns true with this probability. */
  readonly chance: (share: number) => boolean;
};

/** Creates random choices from a generator of numbers. */
export const choicesFrom = (next: () => number): Random => {
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (share) => next() < share,
  };
};

/** Creates the random choices for one input of a seed, so each input can be generated separately. */
export const createRandom = (seed: number, input: number): Random =>
  choicesFrom(seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca6b)));
