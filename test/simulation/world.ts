import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
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
  /** Delays an invocation or a call by turns of the event loop. Only the test of independence from such turns sets it. */
  dawdle: null as ((name: string) => Promise<void>) | null,
};

/**
 * Before each invocation and call, takes up to seven turns of the event loop or of its microtasks. The name determines
 * the number. Equal calls that an invocation begins in one step keep their order, because they cannot be distinguished.
 */
export const dawdleBySeed = (seed: number): void => {
  world.dawdle = async (name) => {
    const random = seededRandom(seed ^ crc32(name));
    for (let left = Math.floor(random() * 8); left > 0; left--) await (random() < 0.3 ? nextTurn() : undefined);
  };
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

/** A call that waits for its turn. `name` orders the calls that begin in the same step. */
type Waiting = { readonly name: () => string; readonly resume: () => Promise<void> };
type Sleeping = { readonly wakesMs: number; readonly resume: () => void };

const sortByName = (calls: readonly Waiting[]): readonly Waiting[] =>
  calls
    .map((call) => ({ call, name: call.name() }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ call }) => call);

/** A schedule with more steps is considered endless. */
const stepsMax = 20_000;

/** A sleep of this length is as likely to end next as any call. */
const quickMs = 100;

/** Whether code waits for the event loop: an immediate, a timer or a file. */
const isBusy = (): boolean => process.getActiveResourcesInfo().some((name) => /^(Immediate|Timeout|FSReq)/.test(name));

/**
 * Runs concurrent tasks, one step at a time. A step starts at a database call of one task and ends when all tasks wait
 * again, regardless of the number of turns of the event loop until then. The next task is random.
 */
export class Scheduler {
  /** Calls of the present step. */
  #begun: Waiting[] = [];
  #waiting: Waiting[] = [];
  #sleeping: Sleeping[] = [];
  steps = 0;

  constructor() {
    world.sleep = (ms, signal) => this.sleep(ms, signal);
  }

  /** Waits for a turn and runs a function in it. */
  turn<Value>(name: () => string, run: () => Value | Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#begun.push({
        name,
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
    // A task begins when all earlier tasks wait, so its random numbers do not depend on their speed.
    for (const task of tasks) {
      task()
        .catch((error: unknown) => failures.push(error))
        .finally(() => left--);
      await this.#rest();
    }
    while (failures.length === 0 && left > 0) {
      if (++this.steps > stepsMax) throw new Error('The schedule does not end.');
      await this.#step();
      await this.#rest();
    }
    if (failures.length > 0) throw failures[0];
    this.#waiting = [];
    this.#sleeping = [];
  }

  /**
   * Waits until no task can run, and sorts the calls that began since then, so the order does not depend on their
   * speed.
   */
  async #rest(): Promise<void> {
    do await nextTurn();
    while (isBusy());
    const calls = this.#begun.length > 1 ? sortByName(this.#begun) : this.#begun;
    this.#waiting.push(...calls);
    this.#begun = [];
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

  // A sleep can end while calls wait. The probability decreases with the remaining time of the sleep.
  #isDue({ wakesMs }: Sleeping): boolean {
    const likely = Math.min(1, quickMs / Math.max(1, wakesMs - world.nowMs)) / (this.#waiting.length + 1);
    return this.#waiting.length === 0 || chance(likely);
  }
}
