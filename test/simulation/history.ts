import { AsyncLocalStorage } from 'node:async_hooks';
import { Account } from '../../shared/accounts/account.ts';
import { environment } from '../../shared/config/environment.ts';
import {
  type Change,
  type Command,
  getInput,
  type Item,
  type Lag,
  type MemoryDatabase,
  type Result,
} from '../support/memory-database.ts';
import { type Scheduler, world } from './world.ts';

/** An invocation that crashed or timed out: its client gets no response. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** The time limit of a request. */
const timeoutMs = 29_000;

/** One run of a function, which can crash at any database call. */
export class Invocation {
  readonly #died = Promise.withResolvers<never>();
  readonly #endsMs = world.nowMs + timeoutMs;
  /** An id such as `c1.2.1`: the first attempt of the second request of client c1. */
  readonly id: string;
  readonly account: string;
  /** The account of a request, as cached by the running instance. */
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
    this.#died.reject(new Died('The invocation ended without an response.'));
  }

  /** Runs a function as this invocation. Nothing continues after the invocation crashes. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const begin = async () => {
      await world.dawdle?.(this.id);
      return work();
    };
    return Promise.race([current.run(this, begin), this.#died.promise]);
  }
}

const current = new AsyncLocalStorage<Invocation>();

/** The invocation of the current database call. */
export const currentInvocation = (): Invocation => {
  const invocation = current.getStore();
  if (!invocation) throw new Error('A database call outside of an invocation.');
  return invocation;
};

/** An item after a write; `undefined` if it was deleted. */
export type Version = {
  readonly step: number;
  readonly nowMs: number;
  readonly invocation: Invocation;
  readonly item: Item | undefined;
};

/** All writes of a schedule: the table at every step, for the checks. */
export class History {
  readonly #memory: MemoryDatabase;
  readonly #scheduler: Scheduler;
  readonly #tokens = new Set<string>();
  #invocation: Invocation | undefined;
  readonly #steps: number[] = [];
  /** The versions by key, oldest first. */
  readonly versions = new Map<string, Version[]>();
  /** The versions of all accounts, oldest first. */
  readonly accounts: Version[] = [];
  readonly #lacks: { readonly at: number; readonly since: number }[] = [];

  constructor(memory: MemoryDatabase, scheduler: Scheduler) {
    this.#memory = memory;
    this.#scheduler = scheduler;
    memory.onWrite = this.#record;
  }

  /** Executes a command of an invocation, and records its writes. A repeated client token writes nothing. */
  execute(command: Command, invocation: Invocation, lag?: Lag): Result {
    this.#invocation = invocation;
    const result = this.#memory.execute(command, lag);
    const token = getInput(command).ClientRequestToken;
    if (token !== undefined) this.#tokens.add(token);
    return result;
  }

  readonly #record = ({ table, before, after: item }: Change): void => {
    const { pk, sk } = (item ?? before) as Item;
    const version = {
      step: this.#scheduler.steps,
      nowMs: world.nowMs,
      invocation: this.#invocation as Invocation,
      item,
    };
    if (table.name === environment.tables.accounts && sk === 'ACCOUNT') this.accounts.push(version);
    if (table.name !== environment.tables.transactions) return;
    const name = `${pk} ${sk}`;
    const versions = this.versions.get(name);
    if (versions) versions.push(version);
    else this.versions.set(name, [version]);
    this.#steps.push(version.step);
  };

  /** Whether a transaction with this client token was written. */
  isDone(token: string | undefined): boolean {
    return token !== undefined && this.#tokens.has(token);
  }

  /** Returns the account after the last write for which `isThen` returns true, if any. */
  accountAfter(id: string, isThen: (version: Version) => boolean): Account | undefined {
    const version = this.accounts.findLast((one) => one.item?.['id'] === id && isThen(one));
    return version && Account.parse(version.item);
  }

  /** Records the read of an index that lacks up to `writes` writes. */
  recordStaleRead(writes: number): void {
    const since = this.#steps[Math.max(0, this.#steps.length - writes)] ?? 0;
    this.#lacks.push({ at: this.#scheduler.steps, since });
  }

  /** The first step whose writes a read from `step` to `last` may have missed. */
  lackedSince(step: number, last = Number.POSITIVE_INFINITY): number {
    return Math.min(step, ...this.#lacks.filter(({ at }) => at >= step && at <= last).map(({ since }) => since));
  }
}
