import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { headKey, type ItemKey } from '../../store/keys.ts';
import { tables } from '../../store/table-definitions.ts';
import { rowOf, transactionUnits } from '../bench/cost-formula.ts';
import { itemSize } from '../bench/item-size.ts';

type Item = Readonly<Record<string, unknown>>;
export type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** Bytes at rest, with the hundred that DynamoDB adds to each item and to each row of an index. */
export type AtRest = { readonly table: number; readonly indexes: number; readonly records: number };

/** What one transaction of the database wrote: its units, and by how much it changed what lies in the ledger. */
export type Written = { readonly writes: Writes; readonly units: number; readonly bytes: AtRest };

const overheadBytes = 100;
const placeOf = ({ pk, sk }: Item | ItemKey): string => `${pk} ${sk}`;
const stored = (item: Item | null): number => (item === null ? 0 : itemSize(item) + overheadBytes);

// What is kept for a day, so that a request may be sent again, is no part of what piles up.
const isRecord = ({ pk }: Item): boolean => String(pk).startsWith('I#');

const atRest = (items: Iterable<Item>): AtRest => {
  const sum = { table: 0, indexes: 0, records: 0 };
  for (const item of items) {
    sum[isRecord(item) ? 'records' : 'table'] += stored(item);
    for (const index of tables.transactions.indexes) sum.indexes += stored(rowOf(item, index));
  }
  return sum;
};

const less = (one: AtRest, other: AtRest): AtRest => ({
  table: one.table - other.table,
  indexes: one.indexes - other.indexes,
  records: one.records - other.records,
});

/** The items of a ledger on paper, and what writing them takes. */
export const paperItems = () => {
  const items = new Map<string, Item>();

  const write = (writes: Writes): Written => {
    const before = atRest(items.values());
    const changes = writes.map(({ Put, Delete }) => {
      const place = placeOf(Put?.Item ?? Delete?.Key ?? {});
      return { place, before: items.get(place) ?? null, after: Put?.Item ?? null };
    });
    for (const { place, after } of changes) {
      if (after === null) items.delete(place);
      else items.set(place, after);
    }
    return { writes, units: transactionUnits(changes), bytes: less(atRest(items.values()), before) };
  };

  /** The bytes of a transaction's head, and of its row in the index that lists the account; 0 where there is none. */
  const sizesOf = (account: string, id: string) => {
    const head = items.get(placeOf(headKey(account, id))) ?? null;
    const row = rowOf(head, tables.transactions.indexes[0]);
    return { head: head ? itemSize(head) : 0, row: row ? itemSize(row) : 0 };
  };

  return { write, sizesOf };
};
