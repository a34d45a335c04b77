import { seeded } from '../support/seeded.ts';

/** Random choices. The same seed gives the same choices on every run. */
export type Draw = {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly of: <Value>(values: readonly Value[]) => Value;
  /** True with this probability in percent. */
  readonly chance: (percent: number) => boolean;
  /** One of the names, in proportion to their weights. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
  /** An independent series: what it draws does not depend on what this one draws afterwards. */
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
