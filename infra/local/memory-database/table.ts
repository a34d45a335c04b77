import type { Index, TableDefinition } from '../../../shared/store/table-definitions.ts';
import { invalid } from './exceptions.ts';
import { compare, type Item, isEqual, itemBytes, pick, type Value } from './values.ts';

type Keys = { readonly partition: { readonly name: string }; readonly sort: { readonly name: string } };

const itemBytesMax = 400 * 1024;
const keyBytesMax = { partition: 2048, sort: 1024 };
// Maximum number of writes that a stale index can lack.
const journalMax = 64;

const separator = '\u0000';

/** A stale index: it lacks the latest `writes` of the items for which `isBehind` returns true. */
export type Lag = { readonly writes: number; readonly isBehind: (key: string) => boolean };

/** Capacity units by index; the empty name is the table itself. */
type Units = Map<string, number>;

/** Orders the rows of a partition by its sort key, then by the table's keys. Needs only these attributes. */
type Order = (left: Item, right: Item) => number;

const orderBy =
  (sortName: string, { partition, sort }: Keys): Order =>
  (left, right) => {
    const by = (name: string) => compare(left[name] as Value, right[name] as Value) as number;
    return by(sortName) || by(partition.name) || by(sort.name);
  };

/**
 * Returns the first position at or after `from` whose row satisfies `isTrueFor`, which must then be true for all later
 * rows.
 */
export const firstWhere = <Row>(rows: readonly Row[], isTrueFor: (row: Row) => boolean, from = 0): number => {
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isTrueFor(rows[middle] as Row)) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** The rows of the table or of an index: sorted partitions. */
class Rows {
  readonly order: Order;
  readonly #partitions = new Map<string, Item[]>();
  #names: string[] | null = null;

  constructor(order: Order) {
    this.order = order;
  }

  partition(value: string): readonly Item[] {
    return this.#partitions.get(value) ?? [];
  }

  /** The partition names, sorted. */
  names(): readonly string[] {
    this.#names ??= [...this.#partitions.keys()].sort((left, right) => compare(left, right) as number);
    return this.#names;
  }

  put(value: string, row: Item): void {
    const rows = this.#partitions.get(value);
    if (!rows) {
      this.#partitions.set(value, [row]);
      this.#names = null;
      return;
    }
    const last = rows.at(-1) as Item;
    // Most rows are newer than all others.
    const at = this.order(last, row) < 0 ? rows.length : firstWhere(rows, (other) => this.order(other, row) >= 0);
    const replaced = rows[at] && this.order(rows[at], row) === 0 ? 1 : 0;
    rows.splice(at, replaced, row);
  }

  delete(value: string, row: Item): void {
    const rows = this.#partitions.get(value) ?? [];
    const at = firstWhere(rows, (other) => this.order(other, row) >= 0);
    if (!rows[at] || this.order(rows[at], row) !== 0) return;
    rows.splice(at, 1);
    if (rows.length > 0) return;
    this.#partitions.delete(value);
    this.#names = null;
  }

  clear(): void {
    this.#partitions.clear();
    this.#names = null;
  }
}

/** A written item; without `after`, a deleted one. */
export type Change = { readonly table: string; readonly before: Item | undefined; readonly after: Item | undefined };
/** Called after each write. */
export type OnWrite = (change: Change) => void;

export type TableNamed = (name: string | undefined) => Table;

/** One table with its indexes. Items are never changed, only replaced. */
export class Table {
  readonly name: string;
  readonly definition: TableDefinition;
  readonly #items: Rows;
  readonly #indexes = new Map<string, { readonly index: Index; readonly rows: Rows }>();
  readonly #sizes = new WeakMap<Item, number>();
  #journal: { readonly key: string; readonly before: Item | undefined }[] = [];
  /** Consumed capacity units; counted only if this is set. */
  units: Units | undefined;
  readonly #onWrite: OnWrite;

  constructor(name: string, definition: TableDefinition, onWrite: OnWrite) {
    this.name = name;
    this.definition = definition;
    this.#onWrite = onWrite;
    this.#items = new Rows(orderBy(definition.sort.name, definition));
    for (const index of definition.indexes ?? [])
      this.#indexes.set(index.name, { index, rows: new Rows(orderBy(index.sort.name, definition)) });
  }

  clear(): void {
    this.#items.clear();
    for (const { rows } of this.#indexes.values()) rows.clear();
    this.#journal = [];
  }

  /** Returns an item's validated key; with `exactly`, other attributes are rejected. */
  getKey(item: Item, exactly: boolean): readonly [string, string] {
    const { partition, sort } = this.definition;
    const [pk, sk] = [item[partition.name], item[sort.name]];
    if (typeof pk !== 'string' || typeof sk !== 'string' || (exactly && Object.keys(item).length !== 2))
      throw invalid('The provided key element does not match the schema');
    if (pk === '' || sk === '') throw invalid('One or more parameter values are not valid: an empty string as a key');
    if (Buffer.byteLength(pk) > keyBytesMax.partition || Buffer.byteLength(sk) > keyBytesMax.sort)
      throw invalid('One or more parameter values were invalid: a key has exceeded its size limit');
    return [pk, sk];
  }

  getId(item: Item): string {
    return this.getKey(item, false).join(separator);
  }

  /** The names of the key attributes. */
  get keyNames(): readonly [string, string] {
    return [this.definition.partition.name, this.definition.sort.name];
  }

  get(key: Item): Item | undefined {
    const [pk] = this.getKey(key, true);
    const rows = this.#items.partition(pk);
    const found = rows[firstWhere(rows, (row) => this.#items.order(row, key) >= 0)];
    return found && this.#items.order(found, key) === 0 ? found : undefined;
  }

  /** Throws if DynamoDB would reject the item itself. */
  check(item: Item): void {
    this.getKey(item, false);
    for (const { index } of this.#indexes.values())
      for (const { name } of [index.partition, index.sort]) {
        const value = item[name];
        if (value !== undefined && (typeof value !== 'string' || value === ''))
          throw invalid(`One or more parameter values were invalid: Type mismatch for Index Key ${name}`);
      }
    if (this.getSize(item) > itemBytesMax) throw invalid('Item size has exceeded the maximum allowed size');
  }

  getSize(item: Item): number {
    const known = this.#sizes.get(item);
    if (known !== undefined) return known;
    const size = itemBytes(item);
    this.#sizes.set(item, size);
    return size;
  }

  /** Replaces or deletes an item. */
  replace(key: readonly [string, string], before: Item | undefined, after: Item | undefined): void {
    if (after) this.#items.put(key[0], after);
    else if (before) this.#items.delete(key[0], before);
    for (const { index, rows } of this.#indexes.values()) {
      const [left, joined] = [partitionKey(index, before), partitionKey(index, after)];
      if (left !== undefined && (left !== joined || rows.order(before as Item, after as Item) !== 0))
        rows.delete(left, before as Item);
      if (joined !== undefined) rows.put(joined, after as Item);
    }
    if (before || after) this.#onWrite({ table: this.name, before, after });
    this.#journal.push({ key: key.join(separator), before });
    if (this.#journal.length > 2 * journalMax) this.#journal = this.#journal.slice(-journalMax);
  }

  #indexNamed(name: string) {
    const found = this.#indexes.get(name);
    if (!found) throw invalid(`The table does not have the specified index: ${name}`);
    return found;
  }

  index(name: string): Index {
    return this.#indexNamed(name).index;
  }

  /** The attributes in an index. */
  carriedBy(indexName: string): ReadonlySet<string> {
    const { partition, sort, include } = this.index(indexName);
    return new Set([...this.keyNames, partition.name, sort.name, ...include]);
  }

  /** Returns an item's row in an index, or `undefined` if it has none. */
  getRow(indexName: string, item: Item | undefined): Item | undefined {
    return item && partitionKey(this.index(indexName), item) !== undefined
      ? pick(item, this.carriedBy(indexName))
      : undefined;
  }

  /**
   * Returns the sorted items of a partition of the table or of an index, with their order. A stale index returns
   * earlier items.
   */
  partition(indexName: string | undefined, value: string, lag?: Lag): { rows: readonly Item[]; order: Order } {
    if (indexName === undefined) return { rows: this.#items.partition(value), order: this.#items.order };
    const { index, rows: all } = this.#indexNamed(indexName);
    const rows = all.partition(value);
    return { rows: lag ? this.#behind(index, value, rows, lag).sort(all.order) : rows, order: all.order };
  }

  #behind(index: Index, value: string, current: readonly Item[], { writes, isBehind }: Lag): Item[] {
    const rows = new Map(current.map((row) => [this.getId(row), row]));
    const late = new Map<string, boolean>();
    for (const { key, before } of this.#journal.slice(-writes).reverse()) {
      if (!late.has(key)) late.set(key, isBehind(key));
      if (!late.get(key)) continue;
      if (before && partitionKey(index, before) === value) rows.set(key, before);
      else rows.delete(key);
    }
    return [...rows.values()];
  }

  /** Returns the items after a key, or all, in key order. */
  *itemsAfter(start?: Item): Generator<Item> {
    const names = this.#items.names();
    const first = start?.[this.definition.partition.name] ?? '';
    for (let at = firstWhere(names, (name) => (compare(name, first) as number) >= 0); at < names.length; at++) {
      const rows = this.#items.partition(names[at] as string);
      const isFirst = start && names[at] === first;
      for (
        let row = isFirst ? firstWhere(rows, (item) => this.#items.order(item, start) > 0) : 0;
        row < rows.length;
        row++
      )
        yield rows[row] as Item;
    }
  }

  /** All items, in key order. */
  all(): Item[] {
    return [...this.itemsAfter()];
  }
}

/** Returns the index partition of an item. An item without both index keys has none. */
const partitionKey = ({ partition, sort }: Index, item: Item | undefined): string | undefined =>
  item?.[sort.name] === undefined ? undefined : (item[partition.name] as string | undefined);

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
  const sizes = [before, after].map((item) => (item ? table.getSize(item) : 0));
  add(table.units, '', factor * countUnits(Math.max(...sizes), writeBytes));
  if (before === after) return;
  for (const { name, partition, sort } of table.definition.indexes ?? []) {
    const [left, right] = [table.getRow(name, before), table.getRow(name, after)];
    const cost = (row: Item | undefined) => (row ? countUnits(itemBytes(row), writeBytes) : 0);
    const stays =
      left && right && left[partition.name] === right[partition.name] && left[sort.name] === right[sort.name];
    const inPlace = () => (left && right && isEqual(left, right) ? 0 : Math.max(cost(left), cost(right)));
    add(table.units, name, stays ? inPlace() : cost(left) + cost(right));
  }
};

type Consumed = {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly Table: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes: Readonly<Record<string, { readonly CapacityUnits: number }>>;
};

/** Runs a call and returns the capacity units that it consumed per table. */
export const metered = (tables: ReadonlyMap<string, Table>, call: () => object) => {
  for (const table of tables.values()) table.units = new Map();
  try {
    const answer = call();
    const consumed = [...tables].flatMap(([TableName, { units = new Map<string, number>() }]): Consumed[] => {
      const CapacityUnits = [...units.values()].reduce((sum, used) => sum + used, 0);
      const indexes = [...units].filter(([name, used]) => name !== '' && used > 0);
      const GlobalSecondaryIndexes = Object.fromEntries(indexes.map(([name, used]) => [name, { CapacityUnits: used }]));
      if (CapacityUnits === 0) return [];
      return [{ TableName, CapacityUnits, Table: { CapacityUnits: units.get('') ?? 0 }, GlobalSecondaryIndexes }];
    });
    return { answer, consumed };
  } finally {
    for (const table of tables.values()) table.units = undefined;
  }
};
