import {
  type CancellationReason,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/config/environment.ts';
import type { ItemKey } from '../../shared/store/keys.ts';
import { type Command, getInput, type Lag, type MemoryDatabase } from '../support/memory-database.ts';
import { currentInvocation, type History, type Invocation } from './history.ts';
import { below, between, chance, pickOne, type Scheduler, weighted, world } from './world.ts';

/** A fault of one attempt of a database call. */
type Fault =
  | 'none'
  | 'throttled'
  | 'lost before'
  | 'lost after'
  | 'server error before'
  | 'server error after'
  | 'crash before'
  | 'crash after'
  | 'conflict'
  | 'slow'
  | 'throttled transaction';

/** The share of calls with a fault. */
const faultShare = 0.25;

const ofAll: readonly (readonly [number, Fault])[] = [
  [20, 'throttled'],
  [15, 'lost before'],
  [25, 'lost after'],
  [3, 'server error before'],
  [3, 'server error after'],
  [8, 'crash before'],
  [14, 'crash after'],
];
const ofTransactions: readonly (readonly [number, Fault])[] = [
  ...ofAll,
  [22, 'conflict'],
  [22, 'slow'],
  [8, 'throttled transaction'],
];

const drawFault = (share: number, isTransaction: boolean): Fault =>
  chance(share) ? weighted(isTransaction ? ofTransactions : ofAll) : 'none';

const exception = (name: string, $fault: 'client' | 'server') =>
  new DynamoDBServiceException({ name, $fault, message: `${name}, by the simulation`, $metadata: {} });

/** The error of a call with this fault, if its invocation survives. */
const getError = (fault: Fault): Error => {
  if (fault === 'throttled')
    return exception(
      pickOne(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']),
      'client',
    );
  if (fault.startsWith('server error')) return exception('InternalServerError', 'server');
  return Object.assign(new Error('The simulation keeps the response.'), { name: 'TimeoutError' });
};

const inProgress = () =>
  new TransactionInProgressException({ message: 'In progress, by the simulation', $metadata: {} });

/**
 * Builds the error of a transaction that contention canceled. As in DynamoDB, contention replaces the other reason of
 * an item; the other actions keep theirs. Random items are contended in addition to the locked items.
 */
const contended = (
  code: 'TransactionConflict' | 'ThrottlingError',
  reasons: readonly CancellationReason[],
  held: readonly boolean[],
): TransactionCanceledException => {
  const busy = held.includes(true) ? -1 : below(reasons.length);
  return new TransactionCanceledException({
    message: 'Transaction cancelled, by the simulation',
    $metadata: {},
    CancellationReasons: reasons.map((reason, at) =>
      at === busy || held[at] || chance(0.3) ? { Code: code } : reason,
    ),
  });
};

const getPlace = ({ pk = '', sk = '' }: Partial<ItemKey> = {}) => `${pk}/${sk}`;

/** The items of a transaction's actions, in order. */
const listPlaces = (command: Command): readonly string[] =>
  (getInput(command).TransactItems ?? []).flatMap((action) =>
    Object.values(action).map(({ Item, Key }) => getPlace(Item ?? Key)),
  );

/** What a command reads or writes, as text for the trace. */
const getTarget = (command: Command): string => {
  const { TransactItems, RequestItems, IndexName, ExpressionAttributeValues, ExclusiveStartKey, Item, Key } =
    getInput(command);
  const what = command.constructor.name.replace('Command', '');
  const places = listPlaces(command);
  if (TransactItems)
    return `${what} [${TransactItems.map((action, at) => `${Object.keys(action)} ${places[at]}`).join(', ')}]`;
  if (RequestItems) {
    const keys = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys.map(getPlace));
    return `${what} [${keys.join(', ')}]`;
  }
  if (ExpressionAttributeValues && !Item && !Key)
    return `${what} ${IndexName ?? ''} ${Object.values(ExpressionAttributeValues).join(' ')}${ExclusiveStartKey ? ` after ${getPlace(ExclusiveStartKey)}` : ''}`;
  return `${what} ${getPlace(Item ?? Key)}`;
};

const attempts = 3;

// The maximum number of writes that a stale index lacks.
const lagMax = 12;
const lagShare = 0.25;

// A call of a crashed invocation never settles. Each has a separate promise, because waiters of a shared promise would
// never be garbage-collected.
const ended = Symbol('ended');
const never = () => new Promise<never>(() => {});

class Retried extends Error {
  readonly last: Error;
  constructor(last: Error) {
    super();
    this.last = last;
  }
}

/**
 * An action that always fails, so a transaction with it returns the reasons of the other actions and writes nothing.
 */
const impossible = {
  ConditionCheck: {
    TableName: environment.tables.transactions,
    Key: { pk: 'nothing is here', sk: 'ever' },
    ConditionExpression: 'attribute_exists(pk)',
  },
};

/**
 * The network and the SDK between service and database, with faults.
 *
 * Like the SDK, it makes three attempts at retryable errors, and gives all attempts of a transaction one client token.
 */
export class Transport {
  readonly #scheduler: Scheduler;
  readonly #memory: MemoryDatabase;
  readonly #history: History;
  /** Transactions in progress, by client token, with the items that they lock. */
  readonly #slow = new Map<string, ReadonlySet<string>>();
  readonly trace: string[] = [];
  readonly faults = new Map<Fault | 'stale index', number>();
  calls = 0;
  faultShare = faultShare;
  /** Runs before each call, and can decide its fault. */
  interrupt: ((invocation: Invocation) => Promise<Fault | undefined>) | null = null;

  constructor(scheduler: Scheduler, memory: MemoryDatabase, history: History) {
    this.#scheduler = scheduler;
    this.#memory = memory;
    this.#history = history;
  }

  readonly send = async (requested: Command): Promise<unknown> => {
    const invocation = currentInvocation();
    const name = () => `${invocation.id} ${getTarget(requested)}`;
    if (world.dawdle) await world.dawdle(`${this.#scheduler.steps} ${name()}`);
    // Reads of content have no faults.
    if (getInput(requested).TableName === environment.tables.content) return this.#memory.send(requested);
    const command = requested instanceof TransactWriteCommand ? this.#withToken(requested) : requested;
    for (let attempt = 1; ; attempt++) {
      if (invocation.isDead) return never();
      const fault = this.interrupt ? await this.interrupt(invocation) : undefined;
      try {
        const response = await this.#scheduler.turn(name, () => this.#attempt(command, invocation, fault));
        return response === ended ? never() : response;
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

  async #attempt(command: Command, invocation: Invocation, decided: Fault | undefined): Promise<unknown> {
    if (invocation.isDead) return ended;
    if (invocation.remainingMs() <= 0) return this.#crash(invocation, command, 'out of time');
    this.calls++;
    const { ClientRequestToken: token = '' } = getInput(command);
    if (this.#slow.has(token)) return this.#retried(command, invocation, 'in progress', inProgress());
    if (this.#isHeld(command)) return this.#contend(command, invocation, 'conflict');
    // A written transaction with the same token has no contention.
    const isDone = this.#history.isDone(token);
    const fault = decided ?? drawFault(this.faultShare, command instanceof TransactWriteCommand && !isDone);
    this.#count(fault);
    if (fault === 'none') return this.#execute(command, invocation);
    if (fault === 'conflict' || fault === 'throttled transaction') return this.#contend(command, invocation, fault);
    if (fault === 'slow') await this.#later(command, invocation, token);
    if (fault.endsWith(' after')) await this.#quietly(command, invocation);
    if (fault.startsWith('crash')) return this.#crash(invocation, command, fault);
    return this.#retried(command, invocation, fault, getError(fault));
  }

  async #execute(command: Command, invocation: Invocation): Promise<unknown> {
    const lag = this.#getLag(command);
    try {
      const response = this.#history.execute(command, invocation, lag);
      this.#record(command, invocation, 'ok');
      return { ...response, $metadata: {} };
    } catch (error) {
      const { name, CancellationReasons } = error as TransactionCanceledException;
      this.#record(command, invocation, `${name} ${CancellationReasons?.map(({ Code }) => Code).join(',') ?? ''}`);
      throw error;
    }
  }

  /** Drops the transactions in progress, for which no task waits any longer. */
  forgetSlow(): void {
    this.#slow.clear();
  }

  // The transaction is written after its caller's timeout. A failing transaction fails immediately.
  async #later(command: Command, invocation: Invocation, token: string): Promise<void> {
    const reasons = this.#listReasons(command);
    if (reasons.some(({ Code }) => Code !== 'None')) return this.#quietly(command, invocation);
    this.#slow.set(token, new Set(listPlaces(command)));
    this.#scheduler.sleep(between(300, 6000)).then(() =>
      this.#scheduler.turn(
        () => token,
        async () => {
          this.#slow.delete(token);
          await this.#quietly(command, invocation);
        },
      ),
    );
  }

  // Whether a transaction in progress locks an item of this one.
  #isHeld(command: Command): boolean {
    if (this.#slow.size === 0 || !getInput(command).TransactItems) return false;
    const places = listPlaces(command);
    return [...this.#slow.values()].some((held) => places.some((place) => held.has(place)));
  }

  // Executes the call and drops the response.
  async #quietly(command: Command, invocation: Invocation): Promise<void> {
    await this.#execute(command, invocation).catch(() => {});
  }

  #retried(command: Command, invocation: Invocation, outcome: string, last: Error): never {
    this.#record(command, invocation, outcome);
    throw new Retried(last);
  }

  #crash(invocation: Invocation, command: Command, outcome: string): typeof ended {
    this.#record(command, invocation, outcome);
    invocation.die();
    return ended;
  }

  async #contend(command: Command, invocation: Invocation, fault: Fault): Promise<never> {
    const reasons = this.#listReasons(command);
    this.#record(command, invocation, fault);
    const places = listPlaces(command);
    const held = places.map((place) => [...this.#slow.values()].some((others) => others.has(place)));
    throw contended(fault === 'conflict' ? 'TransactionConflict' : 'ThrottlingError', reasons, held);
  }

  // The cancellation reasons of a transaction, without writing it.
  #listReasons(command: Command): readonly CancellationReason[] {
    const probe = new TransactWriteCommand({ TransactItems: [...(getInput(command).TransactItems ?? []), impossible] });
    try {
      this.#memory.execute(probe);
      return [];
    } catch (error) {
      return ((error as TransactionCanceledException).CancellationReasons ?? []).slice(0, -1);
    }
  }

  #getLag(command: Command): Lag | undefined {
    if (getInput(command).IndexName === undefined || this.faultShare === 0 || !chance(lagShare)) return undefined;
    this.#count('stale index');
    const writes = between(1, lagMax);
    this.#history.recordStaleRead(writes);
    return { writes, isBehind: () => chance(0.5) };
  }

  #count(fault: Fault | 'stale index'): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  #record(command: Command, { id }: Invocation, outcome: string): void {
    this.trace.push(`${this.#scheduler.steps} +${world.nowMs % 100_000_000} ${id} ${getTarget(command)}: ${outcome}`);
  }
}
