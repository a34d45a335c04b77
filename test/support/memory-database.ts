import { Database } from '../../infra/local/memory-database/database.ts';
import type { Lag } from '../../infra/local/memory-database/table.ts';
import type { Item } from '../../infra/local/memory-database/values.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { type TableName, tables } from '../../shared/store/table-definitions.ts';

export type { Item, Lag };
/** A command of the document client. The name of its class is the operation. */
export type Command = {
  readonly constructor: { readonly name: string };
  readonly input: Readonly<Record<string, any>>;
};

const serviceTables = Object.fromEntries(
  Object.entries(tables).map(([name, definition]) => [environment.tables[name as TableName], definition]),
);

/** The memory database with the tables of the service, unless others are given. */
export class MemoryDatabase extends Database {
  constructor(definitions = serviceTables, now: () => number = Date.now) {
    super(definitions, now);
  }

  override execute(command: Command, lag?: Lag): any {
    return super.execute(command, lag);
  }
}

/** Replace the service's client by `send`. Returns a function that restores the client. */
export const answerFrom = (send: (command: Command) => Promise<unknown>): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(database, 'send');
  Object.defineProperty(database, 'send', { value: send, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(database, 'send', own);
    else Reflect.deleteProperty(database, 'send');
  };
};
