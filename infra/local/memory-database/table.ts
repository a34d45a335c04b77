import type { Index, TableDefinition } from '../../../shared/store/table-definitions.ts';
import { invalid } from './exceptions.ts';
import { compare, type Item, itemBytes, pick, type Value } from './values.ts';

type Keys = { readonly partition: { readonly name: string }; readonly sort: { readonly name: string } };

const itemBytesMax = 400 * 1024;
const keyBytesMax = { partition: 2048, sort: 1024 };
// The number of writes that a stale index can lack.
const journalMax = 64;

const separator = '\u0000';

/** A stale index: of the latest `writes`, it lacks those of the items for which `isBehind` is true. */
export type Lag = { readonly writes: number; readonly isBehind: (key: string) => boolean };

/** Capacity units by index; those of the table itself are under the empty name. */
export type Units = Map<string, number>;

/** Rows in the order of the index: by its sort key, then by the table's own keys. */
const order =
  (sortName: string, { partition, sort }: Keys) =>
  (left: Item, right: Item): number => {
    const by = (name: string) => compare(left[name] as Value, right[name] as Value) as number;
    return by(sortName) || by(partition.name) || by(sort.name);
  };

/** One table with its indexes. Items are never changed, only replaced. */
export class Table {
  readonly name: string;
  readonly definition: TableDefinition;
  readonly #items = new Map<string, Map<string, Item>>();
  readonly #indexes = new Map<string, { readonly index: Index; readonly rows: Map<string, Map<string, Item>> }>();
  readonly #sizes = new WeakMap<Item, number>();
  #journal: { readonly key: string; readonly before: Item | undefined }[] = [];
  readonly #sorted = new Map<string, Item[]>();
  /** Capacity units that were used; counted only where this is set. */
  units: Units | undefined;
  /** Called after each write. */
  onWrite: ((before: Item | undefined, after: Item | undefined) => void) | undefined;

  constructor(name: string, definition: TableDefinition) {
    this.name = name;
    this.definition = definition;
    for (const index of definition.indexes ?? []) this.#indexes.set(index.name, { index, rows: new Map() });
  }

  clear(): void {
    this.#items.clear();
    for (const { rows } of this.#indexes.values()) rows.clear();
    this.#journal = [];
    this.#sorted.clear();
  }

  /** The key of an item, validated; with `exactly`, other attributes are refused. */
  keyOf(item: Item, exactly: boolean): readonly [string, string] {
    const { partition, sort } = this.definition;
    const [pk, sk] = [item[partition.name], item[sort.name]];
    if (typeof pk !== 'string' || typeof sk !== 'string' || (exactly && Object.keys(item).length !== 2))
      throw invalid('The provided key element does not match the schema');
    if (pk === '' || sk === '') throw invalid('One or more parameter values are not valid: an empty string as a key');
    if (Buffer.byteLength(pk) > keyBytesMax.partition || Buffer.byteLength(sk) > keyBytesMax.sort)
      throw invalid('One or more parameter values were invalid: a key has exceeded its size limit');
    return [pk, sk];
  }

  idOf(item: Item): string {
    return this.keyOf(item, false).join(separator);
  }

  get(key: Item): Item | undefined {
    const [pk, sk] = this.keyOf(key, true);
    return this.#items.get(pk)?.get(sk);
  }

  /** Throws if DynamoDB would refuse the item itself. */
  check(item: Item): void {
    this.keyOf(item, false);
    for (const { index } of this.#indexes.values())
      for (const { name } of [index.partition, index.sort]) {
        const value = item[name];
        if (value !== undefined && (typeof value !== 'string' || value === ''))
          throw invalid(`One or more parameter values were invalid: Type mismatch for Index Key ${name}`);
      }
    if (this.sizeOf(item) > itemBytesMax) throw invalid('Item size has exceeded the maximum allowed size');
  }

  sizeOf(item: Item): number {
    const known = this.#sizes.get(item);
    if (known !== undefined) return known;
    const size = itemBytes(item);
    this.#sizes.set(item, size);
    return size;
  }

  /** Replace an item, or delete it. */
  replace(key: readonly [string, string], before: Item | undefined, after: Item | undefined): void {
    const [pk, sk] = key;
    const partition = this.#items.get(pk);
    if (after) {
      if (partition) partition.set(sk, after);
      else this.#items.set(pk, new Map([[sk, after]]));
    } else if (partition?.delete(sk) && partition.size === 0) this.#items.delete(pk);
    const id = key.join(separator);
    this.#sorted.delete(separator + pk);
    for (const { index, rows } of this.#indexes.values()) {
      const [left, joined] = [rowsOf(index, before), rowsOf(index, after)];
      for (const value of [left, joined]) this.#sorted.delete(index.name + separator + value);
      if (left !== undefined && left !== joined) rows.get(left)?.delete(id);
      if (joined === undefined) continue;
      const row = rows.get(joined);
      if (row) row.set(id, after as Item);
      else rows.set(joined, new Map([[id, after as Item]]));
    }
    this.onWrite?.(before, after);
    this.#journal.push({ key: id, before });
    if (this.#journal.length > 2 * journalMax) this.#journal = this.#journal.slice(-journalMax);
  }

  index(name: string): Index {
    const found = this.#indexes.get(name);
    if (!found) throw invalid(`The table does not have the specified index: ${name}`);
    return found.index;
  }

  /** The attributes in an index. */
  carriedBy(indexName: string): ReadonlySet<string> {
    const { partition, sort, include } = this.index(indexName);
    return new Set([this.definition.partition.name, this.definition.sort.name, partition.name, sort.name, ...include]);
  }

  /** The row of an item in an index, if it has one. */
  rowOf(indexName: string, item: Item | undefined): Item | undefined {
    return item && rowsOf(this.index(indexName), item) !== undefined
      ? pick(item, this.carriedBy(indexName))
      : undefined;
  }

  /**
   * The items of a partition of the table or of an index, in order and read-only. A stale index returns earlier items.
   */
  partition(indexName: string | undefined, value: string, lag?: Lag): readonly Item[] {
    const sort = indexName === undefined ? this.definition.sort : this.index(indexName).sort;
    const found = indexName === undefined ? this.#items.get(value) : this.#indexes.get(indexName)?.rows.get(value);
    if (indexName !== undefined && lag)
      return this.#behind(this.index(indexName), value, found, lag).sort(order(sort.name, this.definition));
    const key = (indexName ?? '') + separator + value;
    const known = this.#sorted.get(key);
    if (known) return known;
    const rows = [...(found?.values() ?? [])].sort(order(sort.name, this.definition));
    this.#sorted.set(key, rows);
    return rows;
  }

  #behind(
    index: Index,
    value: string,
    found: ReadonlyMap<string, Item> | undefined,
    { writes, isBehind }: Lag,
  ): Item[] {
    const rows = new Map(found);
    const late = new Map<string, boolean>();
    for (const { key, before } of this.#journal.slice(-writes).reverse()) {
      if (!late.has(key)) late.set(key, isBehind(key));
      if (!late.get(key)) continue;
      if (before && rowsOf(index, before) === value) rows.set(key, before);
      else rows.delete(key);
    }
    return [...rows.values()];
  }

  all(): Item[] {
    return [...this.#items.values()].flatMap((partition) => [...partition.values()]);
  }
}

/** The partition of an index that an item is in. Without both of its keys it is in none. */
const rowsOf = ({ partition, sort }: Index, item: Item | undefined): string | undefined =>
  item?.[sort.name] === undefined ? undefined : (item[partition.name] as string | undefined);
