import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { type TableDefinition, tables } from '../../shared/store/table-definitions.ts';
import { noSuchTable } from './memory-database/exceptions.ts';
import type { Input } from './memory-database/parameters.ts';
import { batchGet, get, queryTable, scanTable } from './memory-database/reads.ts';
import { type Lag, Table } from './memory-database/table.ts';
import { type Tokens, transactWrite } from './memory-database/transactions.ts';
import type { Item } from './memory-database/values.ts';
import { batchWrite, writeOne } from './memory-database/writes.ts';

export type { Item, Lag };

/** A command of the document client: its class says what is asked, its input with what. */
export type Command = { readonly constructor: { readonly name: string }; readonly input: Input };

/**
 * DynamoDB in memory, as far as this service uses it: the same expressions, read from the same text, the same refusals
 * as the SDK's own exceptions, the same pages. What it does not know it throws at, so that nothing passes unseen.
 *
 * Items are those of the document client. A call is done at once, whole, and by itself; who wants others in between,
 * faults, or a late reply puts them around it. `memory-database.test.ts` holds it against the emulator.
 */
export class MemoryDatabase {
  readonly #tables = new Map<string, Table>();
  readonly #tokens: Tokens = new Map();
  readonly #now: () => number;

  /** With the tables of the service, unless others are given; `now` is for how long tokens are known. */
  constructor(definitions: Readonly<Record<string, TableDefinition>> = serviceTables, now: () => number = Date.now) {
    for (const [name, definition] of Object.entries(definitions)) this.#tables.set(name, new Table(name, definition));
    this.#now = now;
  }

  /** Do what a command asks. With a lag, a query of an index misses some of what was written last. */
  execute({ constructor: { name }, input }: Command, lag?: Lag): any {
    switch (name) {
      case 'GetCommand':
        return get(this.#tableNamed, input);
      case 'BatchGetCommand':
        return batchGet(this.#tableNamed, input);
      case 'PutCommand':
        return writeOne('Put', this.#tableNamed, input);
      case 'UpdateCommand':
        return writeOne('Update', this.#tableNamed, input);
      case 'DeleteCommand':
        return writeOne('Delete', this.#tableNamed, input);
      case 'TransactWriteCommand':
        return transactWrite(this.#tableNamed, input, this.#tokens, this.#now());
      case 'QueryCommand':
        return queryTable(this.#tableNamed, input, lag);
      case 'ScanCommand':
        return scanTable(this.#tableNamed, input);
      case 'BatchWriteCommand':
        return batchWrite(this.#tableNamed, input);
    }
    throw new Error(`The memory database does not know ${name}.`);
  }

  /** The same as the client's `send`. */
  readonly send = async (command: Command): Promise<any> => ({ ...this.execute(command), $metadata: {} });

  /** Everything in a table, in no order: for a test that looks at what really is there. Not to be changed. */
  itemsOf(table: string): readonly Item[] {
    return this.#tableNamed(table).all();
  }

  /** One item as it lies there, or nothing. Not to be changed. */
  itemAt(table: string, { pk, sk }: { readonly pk: string; readonly sk: string }): Item | undefined {
    return this.#tableNamed(table).get({ pk, sk });
  }

  clear(): void {
    for (const table of this.#tables.values()) table.clear();
    this.#tokens.clear();
  }

  readonly #tableNamed = (name: string | undefined): Table => {
    const table = this.#tables.get(name ?? '');
    if (!table) throw noSuchTable(String(name));
    return table;
  };
}

const serviceTables = Object.fromEntries(
  Object.entries(tables).map(([name, definition]) => [environment.tables[name as keyof typeof tables], definition]),
);

/**
 * Have the service's own client answered from memory, by this or by whatever stands before it. Answers how to have the
 * real client back.
 */
export const answerFrom = (send: (command: Command) => Promise<any>): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(database, 'send');
  Object.defineProperty(database, 'send', { value: send, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(database, 'send', own);
    else Reflect.deleteProperty(database, 'send');
  };
};
