import type { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../infra/local/memory-database/database.ts';
import type { Change, OnWrite } from '../../infra/local/memory-database/table.ts';
import type { Item } from '../../infra/local/memory-database/values.ts';
import { AssertionError } from '../../shared/base/assert.ts';
import { getOrAdd } from '../../shared/base/collections.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { createTableInput } from '../../shared/store/client/create-table.ts';
import type { ItemKey } from '../../shared/store/keys.ts';
import { type TableName, tables } from '../../shared/store/table-definitions.ts';

export type { Change, Item };
/** A command of the document client. Its class name is the operation. */
export type Command = { readonly constructor: { readonly name: string }; readonly input: object };
type Action = { readonly Item?: ItemKey; readonly Key?: ItemKey };
export type Input = Action & {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly ClientRequestToken?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  readonly ExclusiveStartKey?: ItemKey;
  readonly TransactItems?: readonly Readonly<Record<string, Action>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly ItemKey[] }>>;
};
/** The command parameters that tests read. */
export const getInput = ({ input }: Command): Input => input;
/** The command output fields that tests read. */
export type Result = {
  readonly Item?: Item | undefined;
  readonly Items?: readonly Item[] | undefined;
  readonly LastEvaluatedKey?: ItemKey | undefined;
  readonly Responses?: Readonly<Record<string, readonly Item[]>> | undefined;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly ItemKey[] }>> | undefined;
  readonly $metadata?: unknown;
  readonly ConsumedCapacity?: unknown;
};

/** Copies a value as the document client does: without `undefined`. Bytes are shared, because no code changes them. */
export const copied = <Value>(value: Value): Value => {
  if (typeof value === 'number' && !Number.isSafeInteger(Math.trunc(value)))
    throw new AssertionError(`${value} is no number for DynamoDB.`);
  if (Buffer.isBuffer(value)) return new Uint8Array(value.buffer, value.byteOffset, value.length) as Value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(copied) as Value;
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new AssertionError(`The memory database has no attributes such as ${String(value)}.`);
  const item: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) item[name] = copied(inner);
  return item as Value;
};

const serviceTables = Object.fromEntries(
  Object.entries(tables).map(([name, definition]) => [environment.tables[name as TableName], definition]),
);

/** A stale index: it lacks the latest `writes` of the items for which `isBehind` returns true. */
export type Lag = { readonly writes: number; readonly isBehind: (key: string) => boolean };
/** The maximum number of writes that a stale index can lack. */
const lagMax = 64;

/** The memory database, as the document client calls it. Default: with the service's tables. */
export class MemoryDatabase extends Database {
  readonly #definitions: typeof serviceTables;
  #latest: Change[] = [];
  /** Called after each write. */
  onWrite: OnWrite = () => {};

  constructor(definitions = serviceTables, now: () => number = Date.now) {
    super(now, (change) => {
      this.#latest = [...this.#latest.slice(1 - lagMax), change];
      this.onWrite(change);
    });
    this.#definitions = definitions;
    this.clear();
  }

  /** Runs one command. With a lag, an index query misses some of the latest writes. */
  override execute(command: Command, lag?: Lag): Result {
    const run = (): Result => copied(super.execute({ constructor: command.constructor, input: copied(command.input) }));
    return lag ? this.#readStale(getInput(command).TableName, lag, run) : run();
  }

  /** Undoes the latest writes of some items of a table during a read. */
  #readStale(name: string | undefined, { writes, isBehind }: Lag, read: () => Result): Result {
    const table = this.tableNamed(name);
    const behind = new Map<string, boolean>();
    const isLate = ({ before, after }: Change) => {
      const key = table.getKey(after ?? before ?? {}, false).join('\u0000');
      return getOrAdd(behind, key, () => isBehind(key));
    };
    const late = this.#latest
      .filter((change) => change.table === table)
      .slice(-writes)
      .reverse()
      .filter(isLate);
    const [latest, { onWrite }] = [this.#latest, this];
    this.onWrite = () => {};
    for (const { before, after } of late) table.replace(after, before);
    try {
      return read();
    } finally {
      for (const { before, after } of late.reverse()) table.replace(before, after);
      this.onWrite = onWrite;
      this.#latest = latest;
    }
  }

  /** Same as the client's `send`. */
  readonly send = async (command: Command) => ({ ...this.execute(command), $metadata: {} });

  /** Returns all items of a table, in no particular order. Read-only. */
  listItems(table: string): readonly Item[] {
    return this.tableNamed(table).rows().all();
  }

  /** Returns one stored item or `undefined`. Read-only. */
  itemAt(table: string, { pk, sk }: ItemKey): Item | undefined {
    return this.tableNamed(table).get([pk, sk]);
  }

  clear(): void {
    this.tables.clear();
    this.tokens.clear();
    for (const [name, definition] of Object.entries(this.#definitions)) this.create(createTableInput(name, definition));
  }
}

/** Sends any command with the service's client, whose types require a specific command. */
export const sendAny = (command: Command, send = database.send.bind(database)): Promise<Result> =>
  send(command as GetCommand);

/** Replaces the service's client with `send`. Returns a function that restores the client. */
export const responseFrom = (send: (command: Command) => Promise<unknown>): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(database, 'send');
  Object.defineProperty(database, 'send', { value: send, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(database, 'send', own);
    else Reflect.deleteProperty(database, 'send');
  };
};
