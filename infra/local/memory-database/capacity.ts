import type { Table, Units } from './table.ts';
import { type Item, isEqual, itemBytes } from './values.ts';

const readBytes = 4096;
const writeBytes = 1024;

const add = (units: Units, name: string, more: number): void => void units.set(name, (units.get(name) ?? 0) + more);

const countUnits = (bytes: number, perUnit: number): number => Math.max(1, Math.ceil(bytes / perUnit));

/** Count the read units of one item, or of the rows of one page. An eventually consistent read costs half. */
export const chargeRead = (table: Table, bytes: number, isConsistent: boolean | undefined, index = ''): void => {
  if (table.units) add(table.units, index, countUnits(bytes, readBytes) / (isConsistent ? 1 : 2));
};

/**
 * Count the write units of one item: the larger of its two sizes, twice in a transaction, and once per index whose row changes.
 *
 * A row that moves within its index is deleted and written.
 */
export const chargeWrite = (table: Table, before: Item | undefined, after: Item | undefined, factor = 1): void => {
  if (!table.units) return;
  const sizes = [before, after].map((item) => (item ? table.sizeOf(item) : 0));
  add(table.units, '', factor * countUnits(Math.max(...sizes), writeBytes));
  if (before === after) return;
  for (const { name, partition, sort } of table.definition.indexes ?? []) {
    const [left, right] = [table.rowOf(name, before), table.rowOf(name, after)];
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

/** Run a call and return the capacity units that it used of each table. */
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
