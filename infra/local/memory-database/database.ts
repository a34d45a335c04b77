import { type CreateTableCommandInput, type KeySchemaElement, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { assert } from '../../../shared/base/assert.ts';
import type { Key, TableDefinition } from '../../../shared/store/table-definitions.ts';
import { type Input, invalid, noSuchTable } from './exceptions.ts';
import { batchGet, get, queryTable, scanTable } from './reads.ts';
import { type Lag, Table, type TableNamed } from './table.ts';
import type { Item } from './values.ts';
import { batchWrite, type Tokens, transactWrite, writeOne } from './writes.ts';

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

/** A command of the document client. Its class name is the operation. */
export type Command = { readonly constructor: { readonly name: string }; readonly input: Input };

/**
 * DynamoDB in memory, limited to what this service uses: the same expressions, errors, limits and pages. An unknown
 * operation or parameter throws.
 *
 * Items have the shape of the document client. Each call runs synchronously and atomically.
 * `test/integration/memory-database.test.ts` compares it with the emulators.
 */
export class Database {
  readonly tables = new Map<string, Table>();
  readonly #tokens: Tokens = new Map();
  readonly #now: () => number;

  /** `now` determines how long client request tokens are valid. */
  constructor(definitions: Readonly<Record<string, TableDefinition>>, now: () => number = Date.now) {
    for (const [name, definition] of Object.entries(definitions)) this.tables.set(name, new Table(name, definition));
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
  itemsOf(table: string): readonly Item[] {
    return this.#tableNamed(table).all();
  }

  /** Returns one stored item or `undefined`. Read-only. */
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

const key = (schema: readonly KeySchemaElement[] | undefined, type: 'HASH' | 'RANGE'): Key => {
  const name = schema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  if (name === undefined) throw invalid('Every table and index must have a partition key and a sort key.');
  return { name, type: 'S' };
};
const readKeys = (schema: readonly KeySchemaElement[] | undefined) => ({
  partition: key(schema, 'HASH'),
  sort: key(schema, 'RANGE'),
});

/** Builds the empty table of a CreateTable call. */
export const tableFrom = (input: CreateTableCommandInput): Table => {
  const { TableName, KeySchema, AttributeDefinitions = [], GlobalSecondaryIndexes = [] } = input;
  if (!TableName) throw invalid('The parameter TableName is required but was not present in the request');
  if (AttributeDefinitions.some(({ AttributeType }) => AttributeType !== 'S')) throw invalid('Keys must be strings.');
  return new Table(TableName, {
    ...readKeys(KeySchema),
    keep: false,
    indexes: GlobalSecondaryIndexes.map((index) => ({
      name: index.IndexName ?? '',
      ...readKeys(index.KeySchema),
      include: index.Projection?.NonKeyAttributes ?? [],
    })),
  });
};

/** Handles CreateTable, DescribeTable and ListTables; returns `undefined` for any other operation. */
export const tableCall = (
  database: Database,
  descriptions: Map<string, CreateTableCommandInput>,
  operation: string,
  input: Partial<CreateTableCommandInput>,
): object | undefined => {
  const { TableName = '' } = input;
  if (operation === 'ListTables') return { TableNames: [...database.tables.keys()].sort() };
  if (operation === 'CreateTable') {
    if (database.tables.has(TableName))
      throw new ResourceInUseException({ message: `Table already exists: ${TableName}`, $metadata: {} });
    database.tables.set(TableName, tableFrom(input as CreateTableCommandInput));
    descriptions.set(TableName, input as CreateTableCommandInput);
    return { TableDescription: { ...input, TableStatus: 'ACTIVE' } };
  }
  if (operation !== 'DescribeTable') return undefined;
  if (!descriptions.has(TableName)) throw noSuchTable(TableName);
  return { Table: { ...descriptions.get(TableName), TableStatus: 'ACTIVE' } };
};
