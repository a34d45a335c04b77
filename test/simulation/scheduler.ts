import { setImmediate as nextTurn } from 'node:timers/promises';
import { between, chance, oneOf, world } from './world.ts';

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
    const next = sleeper && this.#isDue(sleeper) ? sleeper : oneOf<Waiting | Sleeping>(this.#waiting);
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
