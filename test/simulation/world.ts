import { setImmediate as nextTurn } from 'node:timers/promises';
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
export const pickOne = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
export const pickOneOrNone = <Value>(values: readonly Value[]): Value | undefined =>
  values.length > 0 ? pickOne(values) : undefined;

/** Returns one of several values by weight. */
export const weighted = <Value>(choices: readonly (readonly [number, Value])[]): Value => {
  let left = world.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  return (choices.at(-1) as readonly [number, Value])[1];
};

type Waiting = { readonly resume: () => Promise<void> };
type Sleeping = { readonly wakesMs: number; readonly resume: () => void };

/** A schedule with more steps is considered endless. */
const stepsMax = 20_000;

/** A sleep of this length is as likely to end next as any call. */
const quickMs = 100;

/**
 * Runs concurrent tasks, one step at a time. A step starts at a database call of one task and ends when all tasks wait
 * again. The next task is random.
 */
export class Scheduler {
  #waiting: Waiting[] = [];
  #sleeping: Sleeping[] = [];
  steps = 0;

  constructor() {
    world.sleep = (ms, signal) => this.sleep(ms, signal);
  }

  /** Waits for a turn and runs a function in it. */
  turn<Value>(run: () => Value | Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        resume: async () => {
          try {
            resolve(await run());
          } catch (error) {
            reject(error);
          }
        },
      });
    });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resume) => {
      const sleeping = { wakesMs: world.nowMs + ms, resume };
      this.#sleeping.push(sleeping);
      signal?.addEventListener('abort', () => {
        this.#sleeping = this.#sleeping.filter((one) => one !== sleeping);
      });
    });
  }

  /** Runs until all tasks are done. Drops pending calls and sleeps. */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    let left = tasks.length;
    const failures: unknown[] = [];
    for (const task of tasks)
      task()
        .catch((error: unknown) => failures.push(error))
        .finally(() => left--);
    for (;;) {
      // All consequences of a step happen before the next one.
      await nextTurn();
      if (failures.length > 0) throw failures[0];
      if (left === 0) break;
      if (++this.steps > stepsMax) throw new Error('The schedule does not end.');
      await this.#step();
    }
    this.#waiting = [];
    this.#sleeping = [];
  }

  async #step(): Promise<void> {
    const sleeper = this.#sleeping.toSorted((a, b) => a.wakesMs - b.wakesMs)[0];
    const next = sleeper && this.#isDue(sleeper) ? sleeper : pickOne<Waiting | Sleeping>(this.#waiting);
    if (!next) throw new Error('All tasks wait without a call or a sleep.');
    if ('wakesMs' in next) {
      this.#sleeping = this.#sleeping.filter((one) => one !== next);
      world.nowMs = Math.max(world.nowMs, Math.ceil(next.wakesMs));
      return next.resume();
    }
    this.#waiting = this.#waiting.filter((one) => one !== next);
    world.nowMs += between(0, 12);
    return next.resume();
  }

  // A sleeper can wake while calls wait. The longer its sleep, the less likely.
  #isDue({ wakesMs }: Sleeping): boolean {
    const likely = Math.min(1, quickMs / Math.max(1, wakesMs - world.nowMs)) / (this.#waiting.length + 1);
    return this.#waiting.length === 0 || chance(likely);
  }
}
