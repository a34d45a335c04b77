import { type CreateTableCommandInput, type KeySchemaElement, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { assert } from '../../../shared/base/assert.ts';
import type { Key, TableDefinition } from '../../../shared/store/table-definitions.ts';
import { type Input, invalid, noSuchTable } from './exceptions.ts';
import { batchGet, get, queryTable, scanTable } from './reads.ts';
import { type Lag, type OnWrite, Table, type TableNamed } from './table.ts';
import type { Item } from './values.ts';
import { type Tokens, transactWrite, writeOne } from './writes.ts';

type Call = (tableNamed: TableNamed, input: Input, lag?: Lag) => object;
const calls: Readonly<Record<string, Call>> = {
  GetCommand: get,
  BatchGetCommand: batchGet,
  PutCommand: (tableNamed, input) => writeOne('Put', tableNamed, input),
  UpdateCommand: (tableNamed, input) => writeOne('Update', tableNamed, input),
  DeleteCommand: (tableNamed, input) => writeOne('Delete', tableNamed, input),
  QueryCommand: queryTable,
  ScanCommand: scanTable,
};

const key = (schema: readonly KeySchemaElement[] | undefined, type: 'HASH' | 'RANGE'): Key => {
  const name = schema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  if (name === undefined) throw invalid('Every table and index must have a partition key and a sort key.');
  return { name, type: 'S' };
};
const readKeys = (schema: readonly KeySchemaElement[] | undefined) => ({
  partition: key(schema, 'HASH'),
  sort: key(schema, 'RANGE'),
});

/** A command of the document client. Its class name is the operation. */
type Command = { readonly constructor: { readonly name: string }; readonly input: Input };

/**
 * DynamoDB in memory, limited to what this service uses: the same expressions, errors, limits and pages. An unknown
 * operation or parameter throws.
 *
 * Items have the shape of the document client. Each call runs synchronously and atomically.
 * `test/integration/memory-database.test.ts` compares it with the emulators.
 */
export class Database {
  readonly tables = new Map<string, Table>();
  /** The calls that created tables. */
  readonly descriptions = new Map<string, CreateTableCommandInput>();
  readonly #tokens: Tokens = new Map();
  readonly #now: () => number;
  readonly #onWrite: OnWrite;

  /** `now` determines how long client request tokens are valid. */
  constructor(
    definitions: Readonly<Record<string, TableDefinition>>,
    now: () => number = Date.now,
    onWrite: OnWrite = () => {},
  ) {
    this.#onWrite = onWrite;
    for (const [name, definition] of Object.entries(definitions))
      this.tables.set(name, new Table(name, definition, onWrite));
    this.#now = now;
  }

  /** Runs one command. With a lag, an index query misses some of the latest writes. */
  execute({ constructor: { name }, input }: Command, lag?: Lag): object {
    if (name === 'TransactWriteCommand') return transactWrite(this.#tableNamed, input, this.#tokens, this.#now());
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    assert(call !== undefined, `The memory database does not implement ${name}.`);
    return call(this.#tableNamed, input, lag);
  }

  /** Same as the client's `send`. */
  readonly send = async (command: Command) => ({ ...this.execute(command), $metadata: {} });

  /** Returns all items of a table, in no particular order. Read-only. */
  listItems(table: string): readonly Item[] {
    return this.#tableNamed(table).all();
  }

  /** Returns one stored item or `undefined`. Read-only. */
  itemAt(table: string, { pk, sk }: { readonly pk: string; readonly sk: string }): Item | undefined {
    return this.#tableNamed(table).get({ pk, sk });
  }

  /** Creates the empty table of a CreateTable call. */
  create(input: CreateTableCommandInput): void {
    const { TableName, KeySchema, AttributeDefinitions = [], GlobalSecondaryIndexes = [] } = input;
    if (!TableName) throw invalid('The parameter TableName is required but was not present in the request');
    if (this.tables.has(TableName))
      throw new ResourceInUseException({ message: `Table already exists: ${TableName}`, $metadata: {} });
    if (AttributeDefinitions.some(({ AttributeType }) => AttributeType !== 'S')) throw invalid('Keys must be strings.');
    const indexes = GlobalSecondaryIndexes.map((index) => ({
      name: index.IndexName ?? '',
      ...readKeys(index.KeySchema),
      include: index.Projection?.NonKeyAttributes ?? [],
    }));
    this.tables.set(TableName, new Table(TableName, { ...readKeys(KeySchema), keep: false, indexes }, this.#onWrite));
    this.descriptions.set(TableName, input);
  }

  /** Handles CreateTable, DescribeTable and ListTables; returns `undefined` for any other operation. */
  tableCall(operation: string, input: Partial<CreateTableCommandInput>): object | undefined {
    if (operation === 'ListTables') return { TableNames: [...this.tables.keys()].sort() };
    if (operation !== 'CreateTable' && operation !== 'DescribeTable') return undefined;
    if (operation === 'CreateTable') this.create(input as CreateTableCommandInput);
    const description = this.descriptions.get(input.TableName ?? '');
    if (!description) throw noSuchTable(String(input.TableName));
    return { [operation === 'CreateTable' ? 'TableDescription' : 'Table']: { ...description, TableStatus: 'ACTIVE' } };
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
