import { AsyncLocalStorage } from 'node:async_hooks';
import type { Account } from '../../shared/accounts/account.ts';
import { world } from './world.ts';

/** An invocation that crashed or timed out: its client gets no response. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** The time limit of a request. */
const timeoutMs = 29_000;

/** One run of a function, which can die at any database call. */
export class Invocation {
  readonly #died = Promise.withResolvers<never>();
  readonly #endsMs = world.nowMs + timeoutMs;
  /** Such as `c1.2.1`: the first attempt of the second request of client c1. */
  readonly id: string;
  readonly account: string;
  /** For a request: its account as cached by the running instance. */
  readonly caller: Account | null;
  readonly beganMs = world.nowMs;
  isDead = false;

  constructor(id: string, account: string, caller: Account | null = null) {
    this.id = id;
    this.account = account;
    this.caller = caller;
    // Prevents an unhandled rejection.
    this.#died.promise.catch(() => {});
  }

  readonly remainingMs = (): number => this.#endsMs - world.nowMs;

  die(): void {
    this.isDead = true;
    this.#died.reject(new Died('The invocation ended without an answer.'));
  }

  /** Runs a function as this invocation. Nothing continues after it dies. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    return Promise.race([current.run(this, work), this.#died.promise]);
  }
}

const current = new AsyncLocalStorage<Invocation>();

/** The invocation of the current database call. */
export const currentInvocation = (): Invocation => {
  const invocation = current.getStore();
  if (!invocation) throw new Error('A database call outside of an invocation.');
  return invocation;
};
