import { assert } from '../../../shared/base/assert.ts';
import type { TableDefinition } from '../../../shared/store/table-definitions.ts';
import { noSuchTable } from './exceptions.ts';
import type { Input, TableNamed } from './parameters.ts';
import { batchGet, get, queryTable, scanTable } from './reads.ts';
import { type Lag, Table } from './table.ts';
import { type Tokens, transactWrite } from './transactions.ts';
import type { Item } from './values.ts';
import { batchWrite, writeOne } from './writes.ts';

type Call = (tableNamed: TableNamed, input: Input, lag?: Lag) => object;
const calls: Readonly<Record<string, Call>> = {
  GetCommand: get,
  BatchGetCommand: batchGet,
  PutCommand: (tableNamed, input) => writeOne('Put', tableNamed, input),
  UpdateCommand: (tableNamed, input) => writeOne('Update', tableNamed, input),
  DeleteCommand: (tableNamed, input) => writeOne('Delete', tableNamed, input),
  QueryCommand: queryTable,
  ScanCommand: scanTable,
  BatchWriteCommand: batchWrite,
};

/** A command of the document client. The name of its class is the operation. */
export type Command = { readonly constructor: { readonly name: string }; readonly input: Input };

/**
 * DynamoDB in memory, limited to what this service uses: the same expressions, refusals, limits and pages.
 * An unknown operation or parameter throws.
 *
 * Items have the shape of the document client. Each call runs synchronously and atomically.
 * `test/integration/memory-database.test.ts` compares it with the emulators.
 */
export class Database {
  readonly tables = new Map<string, Table>();
  readonly #tokens: Tokens = new Map();
  readonly #now: () => number;

  /** `now` decides how long client request tokens are valid. */
  constructor(definitions: Readonly<Record<string, TableDefinition>>, now: () => number = Date.now) {
    for (const [name, definition] of Object.entries(definitions)) this.tables.set(name, new Table(name, definition));
    this.#now = now;
  }

  /** Run one command. With a lag, a query of an index misses some of the latest writes. */
  execute({ constructor: { name }, input }: Command, lag?: Lag): object {
    if (name === 'TransactWriteCommand') return transactWrite(this.#tableNamed, input, this.#tokens, this.#now());
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    assert(call !== undefined, `The memory database does not implement ${name}.`);
    return call(this.#tableNamed, input, lag);
  }

  /** The same as the client's `send`. */
  readonly send = async (command: Command) => ({ ...this.execute(command), $metadata: {} });

  /** All items of a table, in no particular order. Read-only. */
  itemsOf(table: string): readonly Item[] {
    return this.#tableNamed(table).all();
  }

  /** One stored item, or nothing. Read-only. */
  itemAt(table: string, { pk, sk }: { readonly pk: string; readonly sk: string }): Item | undefined {
    return this.#tableNamed(table).get({ pk, sk });
  }

  clear(): void {
    for (const table of this.tables.values()) table.clear();
    this.#tokens.clear();
  }

  readonly #tableNamed = (name: string | undefined): Table => {
    const table = this.tables.get(name ?? '');
    if (!table) throw noSuchTable(String(name));
    return table;
  };
}
