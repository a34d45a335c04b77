import { AsyncLocalStorage } from 'node:async_hooks';
import { world } from './world.ts';

/** What the client sees of an invocation that crashed or ran out of time: no answer. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** How long the platform lets a request run, in milliseconds. */
const timeoutMs = 29_000;

/** One run of a function, which may die at any call. */
export class Invocation {
  readonly #died = Promise.withResolvers<never>();
  readonly #endsMs = world.nowMs + timeoutMs;
  /** Whose request it is: `c1.2.1`, the first attempt of the second request of a client. */
  readonly id: string;
  readonly account: string;
  isDead = false;

  constructor(id: string, account: string) {
    this.id = id;
    this.account = account;
    // Nobody may be waiting for it.
    this.#died.promise.catch(() => {});
  }

  readonly remainingMs = (): number => this.#endsMs - world.nowMs;

  die(): void {
    this.isDead = true;
    this.#died.reject(new Died('The invocation ended without an answer.'));
  }

  /** Run something as this invocation. Once it has died, nothing that it had begun goes on. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    return Promise.race([current.run(this, work), this.#died.promise]);
  }
}

const current = new AsyncLocalStorage<Invocation>();

/** Which invocation asks. */
export const currentInvocation = (): Invocation => {
  const invocation = current.getStore();
  if (!invocation) throw new Error('The database was asked outside of any invocation.');
  return invocation;
};
