import { seeded } from '../support/seeded.ts';

/**
 * Returns a seeded generator of numbers from 0 (inclusive) to 1 (exclusive). Seeds are mixed, because runs use
 * consecutive seeds.
 */
export const seededRandom = (seed: number): (() => number) => seeded(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0);

/** The random numbers and the clock of a schedule, reset by its seed. A process runs one schedule at a time. */
export const world = {
  /** Milliseconds since 1970, by the clock of the service. */
  nowMs: 0,
  random: seededRandom(0),
  /** Number of the schedule, to reset state that depends on it. */
  epoch: 0,
  /** Sleeps by the clock of the schedule. Set by the scheduler. */
  sleep: (_ms: number, _signal?: AbortSignal): Promise<void> =>
    Promise.reject(new Error('There is no schedule to sleep in.')),
};

/** The start of every schedule. */
const beginningMs = Date.parse('2026-11-20T12:00:00.000Z');

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

/** Returns one of several values by weight. */
export const weighted = <Value>(choices: readonly (readonly [number, Value])[]): Value => {
  let left = world.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  return (choices.at(-1) as readonly [number, Value])[1];
};
