import type { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../infra/local/memory-database/database.ts';
import type { Change, Lag, OnWrite } from '../../infra/local/memory-database/table.ts';
import type { Item } from '../../infra/local/memory-database/values.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import type { ItemKey } from '../../shared/store/keys.ts';
import { type TableName, tables } from '../../shared/store/table-definitions.ts';

export type { Change, Item, Lag };
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

const serviceTables = Object.fromEntries(
  Object.entries(tables).map(([name, definition]) => [environment.tables[name as TableName], definition]),
);

/** The memory database. Default: with the service's tables. */
export class MemoryDatabase extends Database {
  readonly #listener: { onWrite: OnWrite };

  constructor(definitions = serviceTables, now: () => number = Date.now) {
    const listener: { onWrite: OnWrite } = { onWrite: () => {} };
    super(definitions, now, (change) => listener.onWrite(change));
    this.#listener = listener;
  }

  /** Called after each write. */
  set onWrite(onWrite: OnWrite) {
    this.#listener.onWrite = onWrite;
  }

  override execute(command: Command, lag?: Lag): Result {
    return super.execute(command, lag);
  }
}

/** Sends any command with the service's client, whose types require a specific command. */
export const sendAny = (command: Command, send = database.send.bind(database)): Promise<Result> =>
  send(command as GetCommand);

/** Replaces the service's client with `send`. Returns a function that restores the client. */
export const answerFrom = (send: (command: Command) => Promise<unknown>): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(database, 'send');
  Object.defineProperty(database, 'send', { value: send, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(database, 'send', own);
    else Reflect.deleteProperty(database, 'send');
  };
};
