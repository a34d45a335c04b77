import { seededRandom } from './random.ts';

/**
 * What a schedule has instead of chance and time: one source of numbers and one clock, both begun anew from its seed.
 * The modules in virtual/ and the patched globals read it; there is one in a process, because a schedule has it to itself.
 */
export const world = {
  /** Milliseconds since 1970, by the clock of the service. */
  nowMs: 0,
  random: seededRandom(0),
  /** Goes up with every schedule: what was made in one is not remembered in the next. */
  epoch: 0,
  /** Sleeps by the schedule's clock; the scheduler sets it. */
  sleep: (_ms: number, _signal?: AbortSignal): Promise<void> =>
    Promise.reject(new Error('There is no schedule to sleep in.')),
};

/** When every schedule begins. */
export const beginningMs = Date.parse('2026-11-20T12:00:00.000Z');

export const beginWorld = (seed: number): void => {
  world.nowMs = beginningMs;
  world.random = seededRandom(seed);
  world.epoch++;
};

export const chance = (probability: number): boolean => world.random() < probability;
export const below = (limit: number): number => Math.floor(world.random() * limit);
export const between = (least: number, most: number): number => least + below(most - least + 1);
export const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
export const oneOrNone = <Value>(values: readonly Value[]): Value | undefined =>
  values.length > 0 ? oneOf(values) : undefined;

/** One of several, some likelier than others. */
export const weighted = <Value>(choices: readonly (readonly [number, Value])[]): Value => {
  let left = world.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  return (choices.at(-1) as readonly [number, Value])[1];
};
