import { seeded } from '../support/seeded.ts';

/** Random choices, reproducible by seed. */
export type Draw = {
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  readonly below: (end: number) => number;
  readonly of: <Value>(values: readonly Value[]) => Value;
  /** Returns true with this probability in percent. */
  readonly chance: (percent: number) => boolean;
  /** Returns one of the names, in proportion to their weights. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
  /** Creates an independent series, which does not depend on later draws of this one. */
  readonly fork: () => Draw;
};

export const drawFrom = (seed: number): Draw => {
  const random = seeded(seed);
  const below = (end: number) => Math.floor(random() * end);
  return {
    below,
    of: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (percent) => below(100) < percent,
    weighted: (weights) => {
      const names = Object.keys(weights) as (keyof typeof weights)[];
      let left = below(names.reduce((sum, name) => sum + weights[name], 0));
      return names.find((name) => {
        left -= weights[name];
        return left < 0;
      }) as (typeof names)[number];
    },
    fork: () => drawFrom(below(2 ** 31)),
  };
};
