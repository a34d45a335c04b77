import { type CreateTableCommandInput, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { assert } from '../../../shared/base/assert.ts';
import { type Input, invalid, noSuchTable } from './exceptions.ts';
import { batchGet, get, queryTable, scanTable } from './reads.ts';
import { type OnWrite, Table, type TableNamed } from './table.ts';
import { type Tokens, transactWrite, writeOne } from './writes.ts';

const calls: Readonly<Record<string, (tableNamed: TableNamed, input: Input) => object>> = {
  GetCommand: get,
  BatchGetCommand: batchGet,
  PutCommand: (tableNamed, input) => writeOne('Put', tableNamed, input),
  UpdateCommand: (tableNamed, input) => writeOne('Update', tableNamed, input),
  DeleteCommand: (tableNamed, input) => writeOne('Delete', tableNamed, input),
  QueryCommand: queryTable,
  ScanCommand: scanTable,
};

/** A command of the document client. Its class name is the operation. */
type Command = { readonly constructor: { readonly name: string }; readonly input: Input };

/**
 * DynamoDB in memory, limited to what this service uses: the same expressions, errors, limits and pages. An unknown
 * operation or parameter throws.
 *
 * Items have the shape of the document client. A caller must not change an item that it passed or received. Each call
 * runs synchronously and atomically. `test/integration/memory-database.test.ts` compares it with the emulators.
 */
export class Database {
  readonly tables = new Map<string, Table>();
  readonly tokens: Tokens = new Map();
  readonly #now: () => number;
  readonly #onWrite: OnWrite;

  /** `now` determines how long client request tokens are valid. */
  constructor(now: () => number, onWrite: OnWrite) {
    this.#now = now;
    this.#onWrite = onWrite;
  }

  /** Runs one command. */
  execute({ constructor: { name }, input }: Command): object {
    if (name === 'TransactWriteCommand') return transactWrite(this.tableNamed, input, this.tokens, this.#now());
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    assert(call !== undefined, `The memory database does not implement ${name}.`);
    return call(this.tableNamed, input);
  }

  /** Creates the empty table of a CreateTable call. */
  create(input: CreateTableCommandInput): void {
    const { TableName } = input;
    if (!TableName) throw invalid('The parameter TableName is required but was not present in the request');
    if (this.tables.has(TableName))
      throw new ResourceInUseException({ message: `Table already exists: ${TableName}`, $metadata: {} });
    this.tables.set(TableName, new Table(TableName, input, this.#onWrite));
  }

  /** Handles CreateTable, DescribeTable and ListTables; returns `undefined` for any other operation. */
  tableCall(operation: string, input: Partial<CreateTableCommandInput>): object | undefined {
    if (operation === 'ListTables') return { TableNames: [...this.tables.keys()].sort() };
    if (operation !== 'CreateTable' && operation !== 'DescribeTable') return undefined;
    if (operation === 'CreateTable') this.create(input as CreateTableCommandInput);
    const { description } = this.tableNamed(input.TableName);
    return { [operation === 'CreateTable' ? 'TableDescription' : 'Table']: { ...description, TableStatus: 'ACTIVE' } };
  }

  readonly tableNamed: TableNamed = (name) => {
    const table = this.tables.get(name ?? '');
    if (!table) throw noSuchTable(String(name));
    return table;
  };
}
