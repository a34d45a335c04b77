import type { CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/config/environment.ts';
import type { Command, Lag, MemoryDatabase } from '../support/memory-database.ts';
import {
  contended,
  drawFault,
  type Fault,
  faultShare,
  inProgress,
  serverError,
  throttled,
  timedOut,
} from './faults.ts';
import type { History } from './history.ts';
import { currentInvocation, type Invocation } from './invocation.ts';
import type { Scheduler } from './scheduler.ts';
import { placesOf, targetOf } from './target.ts';
import { between, chance, world } from './world.ts';

const attempts = 3;

// An index that is behind lacks at most so many writes.
const lagMax = 12;
const lagShare = 0.25;

// What a call of an invocation that has ended comes to: nothing, ever. Each waits for a promise of its own: what waits for
// one that lives as long as the process is never collected.
const ended = Symbol('ended');
const never = () => new Promise<never>(() => {});

class Retried extends Error {
  readonly last: Error;
  constructor(last: Error) {
    super();
    this.last = last;
  }
}

/** An action that never holds: with it, a transaction says what stands in the way of the others, and writes nothing. */
const impossible = {
  ConditionCheck: {
    TableName: environment.tables.transactions,
    Key: { pk: 'nothing is here', sk: 'ever' },
    ConditionExpression: 'attribute_exists(pk)',
  },
};

/**
 * What stands between the service and the database: the network, the SDK's retries and the database's moods.
 *
 * The SDK tries three times what may come right by itself, and a transaction under one token, which is given here as the
 * SDK would (measured facts, finding 4).
 */
export class Transport {
  readonly #scheduler: Scheduler;
  readonly #memory: MemoryDatabase;
  readonly #history: History;
  /** The transactions that are under way, by token, with the items that they hold until then. */
  readonly #slow = new Map<string, ReadonlySet<string>>();
  readonly trace: string[] = [];
  readonly faults = new Map<Fault | 'stale index', number>();
  calls = 0;
  faultShare = faultShare;

  constructor(scheduler: Scheduler, memory: MemoryDatabase, history: History) {
    this.#scheduler = scheduler;
    this.#memory = memory;
    this.#history = history;
  }

  readonly send = async (asked: Command): Promise<any> => {
    const invocation = currentInvocation();
    // Content is no part of this: it is there at once, and always the same.
    if (asked.input['TableName'] === environment.tables.content) return this.#memory.send(asked);
    const command = asked instanceof TransactWriteCommand ? this.#withToken(asked) : asked;
    for (let attempt = 1; ; attempt++) {
      if (invocation.isDead) return never();
      try {
        const answer = await this.#scheduler.turn(() => this.#attempt(command, invocation));
        return answer === ended ? never() : answer;
      } catch (error) {
        if (!(error instanceof Retried)) throw error;
        if (attempt === attempts) throw error.last;
        await this.#scheduler.sleep(between(50, 500) * attempt);
      }
    }
  };

  #withToken({ input }: TransactWriteCommand): Command {
    return new TransactWriteCommand({ ClientRequestToken: `${world.epoch} ${++this.calls}`, ...input });
  }

  async #attempt(command: Command, invocation: Invocation): Promise<any> {
    if (invocation.isDead) return ended;
    if (invocation.remainingMs() <= 0) return this.#crash(invocation, command, 'out of time');
    this.calls++;
    const token = command.input['ClientRequestToken'];
    if (this.#slow.has(token)) return this.#retried(command, invocation, 'in progress', inProgress());
    if (this.#isHeld(command)) return this.#contend(command, invocation, 'conflict');
    // What is done already under its token is found to be, and meets nobody any more.
    const isDone = this.#history.isDone(token);
    const fault = drawFault(this.faultShare, command instanceof TransactWriteCommand && !isDone);
    this.#count(fault);
    switch (fault) {
      case 'none':
        return this.#execute(command, invocation);
      case 'throttled':
        return this.#retried(command, invocation, fault, throttled());
      case 'lost before':
        return this.#retried(command, invocation, fault, timedOut());
      case 'server error before':
        return this.#retried(command, invocation, fault, serverError());
      case 'lost after':
        await this.#quietly(command, invocation);
        return this.#retried(command, invocation, fault, timedOut());
      case 'server error after':
        await this.#quietly(command, invocation);
        return this.#retried(command, invocation, fault, serverError());
      case 'slow':
        await this.#later(command, invocation, token);
        return this.#retried(command, invocation, fault, timedOut());
      case 'crash before':
        return this.#crash(invocation, command, fault);
      case 'crash after':
        await this.#quietly(command, invocation);
        return this.#crash(invocation, command, fault);
      default:
        return this.#contend(command, invocation, fault);
    }
  }

  async #execute(command: Command, invocation: Invocation): Promise<any> {
    const lag = this.#lagOf(command);
    try {
      const answer = this.#memory.execute(command, lag);
      this.#history.record(command, invocation);
      this.#tell(command, invocation, 'ok');
      return { ...answer, $metadata: {} };
    } catch (error) {
      const { name, CancellationReasons } = error as TransactionCanceledException;
      this.#tell(command, invocation, `${name} ${CancellationReasons?.map(({ Code }) => Code).join(',') ?? ''}`);
      throw error;
    }
  }

  /** Whatever is under way never comes about: nobody is left who could wait for it. */
  forgetSlow(): void {
    this.#slow.clear();
  }

  // It is under way, and done some time after nobody waits for it any more. What fails, fails at once.
  async #later(command: Command, invocation: Invocation, token: string): Promise<void> {
    const reasons = this.#reasonsOf(command);
    if (reasons.some(({ Code }) => Code !== 'None')) return this.#quietly(command, invocation);
    this.#slow.set(token, new Set(placesOf(command)));
    this.#scheduler.sleep(between(300, 6000)).then(() =>
      this.#scheduler.turn(async () => {
        this.#slow.delete(token);
        await this.#quietly(command, invocation);
      }),
    );
  }

  // Whether a transaction that is under way holds an item that this one is about.
  #isHeld(command: Command): boolean {
    if (this.#slow.size === 0 || !command.input['TransactItems']) return false;
    const places = placesOf(command);
    return [...this.#slow.values()].some((held) => places.some((place) => held.has(place)));
  }

  // The answer is lost, whatever it was.
  async #quietly(command: Command, invocation: Invocation): Promise<void> {
    await this.#execute(command, invocation).catch(() => {});
  }

  #retried(command: Command, invocation: Invocation, told: string, last: Error): never {
    this.#tell(command, invocation, told);
    throw new Retried(last);
  }

  #crash(invocation: Invocation, command: Command, told: string): typeof ended {
    this.#tell(command, invocation, told);
    invocation.die();
    return ended;
  }

  async #contend(command: Command, invocation: Invocation, fault: Fault): Promise<never> {
    const reasons = this.#reasonsOf(command);
    this.#tell(command, invocation, fault);
    const places = placesOf(command);
    const held = places.map((place) => [...this.#slow.values()].some((others) => others.has(place)));
    throw contended(fault === 'conflict' ? 'TransactionConflict' : 'ThrottlingError', reasons, held);
  }

  // What each action of a transaction would say by itself, without anything being written.
  #reasonsOf({ input }: Command): readonly CancellationReason[] {
    const probe = new TransactWriteCommand({ TransactItems: [...input['TransactItems'], impossible] });
    try {
      this.#memory.execute(probe);
      return [];
    } catch (error) {
      return ((error as TransactionCanceledException).CancellationReasons ?? []).slice(0, -1);
    }
  }

  #lagOf({ input }: Command): Lag | undefined {
    if (input['IndexName'] === undefined || this.faultShare === 0 || !chance(lagShare)) return undefined;
    this.#count('stale index');
    const writes = between(1, lagMax);
    this.#history.isBehind(writes);
    return { writes, isBehind: () => chance(0.5) };
  }

  #count(fault: Fault | 'stale index'): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  #tell(command: Command, { id }: Invocation, outcome: string): void {
    this.trace.push(`${this.#scheduler.steps} +${world.nowMs % 100_000_000} ${id} ${targetOf(command)}: ${outcome}`);
  }
}
