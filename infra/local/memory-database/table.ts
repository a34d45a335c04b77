import type { CreateTableCommandInput, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { firstWhere, getOrAdd } from '../../../shared/base/collections.ts';
import { invalid } from './exceptions.ts';
import { compare, type Item, isEqual, itemBytes, pick, type Value } from './values.ts';

/** The names of the key attributes of a table or of an index. */
type Keys = { readonly partition: string; readonly sort: string };
/** The values of a table's key attributes. */
export type PrimaryKey = readonly [partition: string, sort: string];

const itemBytesMax = 400 * 1024;
const keyBytesMax = { partition: 2048, sort: 1024 };

/** Capacity units by index; the empty name is the table itself. */
type Units = Map<string, number>;

/** The rows of a table or of an index: sorted partitions. */
export class Rows {
  /** The name of the index; empty for the table itself. */
  readonly name: string;
  readonly keys: Keys;
  /** The attributes that identify a row: the keys of the index and of the table. */
  readonly keyNames: readonly string[];
  /** The attributes in an index; `null` for the table, which has all. */
  readonly carried: ReadonlySet<string> | null;
  readonly #partitions = new Map<string, Item[]>();

  constructor(name: string, keys: Keys, table: Keys, include: readonly string[] | null) {
    this.name = name;
    this.keys = keys;
    this.keyNames = [...new Set([keys.partition, keys.sort, table.partition, table.sort])];
    this.carried = include && new Set([...this.keyNames, ...include]);
  }

  /** Orders rows by the sort key, then by the other keys. Needs only these attributes. */
  readonly order = (left: Item, right: Item): number => {
    const [partition, ...others] = this.keyNames as [string, ...string[]];
    for (const name of [...others, partition]) {
      const order = compare(left[name] as Value, right[name] as Value) as number;
      if (order !== 0) return order;
    }
    return 0;
  };

  partition(value: string): readonly Item[] {
    return this.#partitions.get(value) ?? [];
  }

  all(): Item[] {
    return [...this.#partitions.values()].flat();
  }

  /** Returns the partition of an item. An item without both keys has no row. */
  getPartition(item: Item | undefined): string | undefined {
    return item?.[this.keys.sort] === undefined ? undefined : (item[this.keys.partition] as string | undefined);
  }

  /** Returns the row of an item, or `undefined` if it has none. */
  getRow(item: Item | undefined): Item | undefined {
    if (!item || this.getPartition(item) === undefined) return undefined;
    return this.carried ? pick(item, this.carried) : item;
  }

  replace(before: Item | undefined, after: Item | undefined): void {
    const [left, joined] = [this.getPartition(before), this.getPartition(after)];
    const isMoved = left !== joined || (before && after && this.order(before, after) !== 0);
    if (before && left !== undefined && isMoved) this.#splice(left, before);
    if (after && joined !== undefined) this.#splice(joined, after, after);
  }

  #splice(value: string, row: Item, ...replacement: readonly Item[]): void {
    const rows = getOrAdd(this.#partitions, value, () => []);
    const at = firstWhere(rows, (other) => this.order(other, row) >= 0);
    const found = rows[at];
    rows.splice(at, found && this.order(found, row) === 0 ? 1 : 0, ...replacement);
    if (rows.length === 0) this.#partitions.delete(value);
  }
}

/** A written item; without `after`, a deleted one. */
export type Change = { readonly table: Table; readonly before: Item | undefined; readonly after: Item | undefined };
/** Called after each write. */
export type OnWrite = (change: Change) => void;

export type TableNamed = (name: string | undefined) => Table;

const readKeys = (schema: readonly KeySchemaElement[] = []): Keys => {
  const named = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const [partition, sort] = [named('HASH'), named('RANGE')];
  if (!partition || !sort) throw invalid('Every table and index must have a partition key and a sort key.');
  return { partition, sort };
};

/** One table with its indexes. Items are never changed, only replaced. */
export class Table {
  readonly name: string;
  /** The call that created the table. */
  readonly description: CreateTableCommandInput;
  readonly keys: Keys;
  readonly #items: Rows;
  readonly indexes: readonly Rows[];
  /** The consumed capacity units. They are counted only if this is set. */
  units: Units | undefined;
  readonly #onWrite: OnWrite;

  constructor(name: string, description: CreateTableCommandInput, onWrite: OnWrite) {
    const { KeySchema, AttributeDefinitions = [], GlobalSecondaryIndexes = [] } = description;
    if (AttributeDefinitions.some(({ AttributeType }) => AttributeType !== 'S')) throw invalid('Keys must be strings.');
    this.name = name;
    this.description = description;
    this.#onWrite = onWrite;
    this.keys = readKeys(KeySchema);
    this.#items = new Rows('', this.keys, this.keys, null);
    this.indexes = GlobalSecondaryIndexes.map(
      ({ IndexName = '', KeySchema, Projection }) =>
        new Rows(IndexName, readKeys(KeySchema), this.keys, Projection?.NonKeyAttributes ?? []),
    );
  }

  /** Returns an item's validated key; with `exactly`, other attributes are rejected. */
  getKey(item: Item, exactly: boolean): PrimaryKey {
    const [pk, sk] = [item[this.keys.partition], item[this.keys.sort]];
    if (typeof pk !== 'string' || typeof sk !== 'string' || (exactly && Object.keys(item).length !== 2))
      throw invalid('The provided key element does not match the schema');
    if (pk === '' || sk === '') throw invalid('One or more parameter values are not valid: an empty string as a key');
    if (Buffer.byteLength(pk) > keyBytesMax.partition || Buffer.byteLength(sk) > keyBytesMax.sort)
      throw invalid('One or more parameter values were invalid: a key has exceeded its size limit');
    return [pk, sk];
  }

  /** Returns the key attributes of an item. */
  pickKey(item: Item | undefined): Item {
    return pick(item ?? {}, this.#items.keyNames);
  }

  get([partition, sort]: PrimaryKey): Item | undefined {
    const rows = this.#items.partition(partition);
    const found = rows[firstWhere(rows, (row) => (compare(row[this.keys.sort] as Value, sort) as number) >= 0)];
    return found?.[this.keys.sort] === sort ? found : undefined;
  }

  /** Throws if DynamoDB would reject the item itself. */
  check(item: Item): void {
    this.getKey(item, false);
    for (const { keys } of this.indexes)
      for (const name of [keys.partition, keys.sort]) {
        const value = item[name];
        if (value !== undefined && (typeof value !== 'string' || value === ''))
          throw invalid(`One or more parameter values were invalid: Type mismatch for Index Key ${name}`);
      }
    if (itemBytes(item) > itemBytesMax) throw invalid('Item size has exceeded the maximum allowed size');
  }

  /** Replaces or deletes an item. */
  replace(before: Item | undefined, after: Item | undefined): void {
    for (const rows of [this.#items, ...this.indexes]) rows.replace(before, after);
    if (before || after) this.#onWrite({ table: this, before, after });
  }

  /** Returns the rows of an index; without a name, the items of the table. */
  rows(indexName?: string): Rows {
    const found = indexName === undefined ? this.#items : this.indexes.find(({ name }) => name === indexName);
    if (!found) throw invalid(`The table does not have the specified index: ${indexName}`);
    return found;
  }
}

const readBytes = 4096;
const writeBytes = 1024;

const add = (units: Units, name: string, more: number): void => void units.set(name, (units.get(name) ?? 0) + more);

const countUnits = (bytes: number, perUnit: number): number => Math.max(1, Math.ceil(bytes / perUnit));

/** Counts the read units of one item, or of the rows of one page. An eventually consistent read costs half. */
export const chargeRead = (table: Table, bytes: number, isConsistent: boolean | undefined, index = ''): void => {
  if (table.units) add(table.units, index, countUnits(bytes, readBytes) / (isConsistent ? 1 : 2));
};

/**
 * Counts the write units of one item: the larger of its old and new size, twice in a transaction, and once per index
 * whose row changes.
 *
 * A row that moves within its index is deleted and written.
 */
export const chargeWrite = (table: Table, before: Item | undefined, after: Item | undefined, factor = 1): void => {
  if (!table.units) return;
  const sizes = [before, after].map((item) => (item ? itemBytes(item) : 0));
  add(table.units, '', factor * countUnits(Math.max(...sizes), writeBytes));
  const cost = (row: Item | undefined) => (row ? countUnits(itemBytes(row), writeBytes) : 0);
  for (const rows of table.indexes) {
    const [left, right] = [rows.getRow(before), rows.getRow(after)];
    const stays =
      left && right && rows.getPartition(left) === rows.getPartition(right) && rows.order(left, right) === 0;
    const inPlace = () => (left && right && isEqual(left, right) ? 0 : Math.max(cost(left), cost(right)));
    add(table.units, rows.name, stays ? inPlace() : cost(left) + cost(right));
  }
};

/** Runs a call and returns the capacity units that it consumed per table. */
export const metered = (tables: ReadonlyMap<string, Table>, call: () => object) => {
  for (const table of tables.values()) table.units = new Map();
  try {
    const response = call();
    const consumed = [...tables].flatMap(([TableName, { units = new Map<string, number>() }]) => {
      const CapacityUnits = [...units.values()].reduce((sum, used) => sum + used, 0);
      const indexes = [...units].filter(([name, used]) => name !== '' && used > 0);
      const GlobalSecondaryIndexes = Object.fromEntries(indexes.map(([name, used]) => [name, { CapacityUnits: used }]));
      if (CapacityUnits === 0) return [];
      return [{ TableName, CapacityUnits, Table: { CapacityUnits: units.get('') ?? 0 }, GlobalSecondaryIndexes }];
    });
    return { response, consumed };
  } finally {
    for (const table of tables.values()) table.units = undefined;
  }
};
