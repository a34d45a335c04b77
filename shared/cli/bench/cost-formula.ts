import { isDeepStrictEqual } from 'node:util';
import { type Index, tables } from '../../store/table-definitions.ts';

/** The bytes of an item as DynamoDB counts them: the names, and text in UTF-8, binary as it is, numbers by their digits. */
export const itemSize = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

const valueSize = (value: unknown): number => {
  if (value === null || value === undefined || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + valueSize(one), 3);
  // A map: three bytes, and one for each of its elements, like a list.
  if (typeof value === 'object') return 3 + Object.keys(value).length + itemSize(value as Record<string, unknown>);
  throw new Error(`The ledger has no attributes of this kind: ${typeof value}.`);
};

type Item = Readonly<Record<string, unknown>>;

/** An item before and after a write; `null` where there is none. */
export type ItemWrite = { readonly before: Item | null; readonly after: Item | null };

const begun = (bytes: number, of: number) => Math.ceil(bytes / of);
const unitsOf = (item: Item | null): number => (item === null ? 0 : begun(itemSize(item), 1024));

/** An item's row in an index: none where it lacks one of its keys. */
export const rowOf = (item: Item | null, { partition, sort, include }: Index): Item | null => {
  if (item?.[partition.name] === undefined || item[sort.name] === undefined) return null;
  const carried = new Set(['pk', 'sk', partition.name, sort.name, ...include]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => carried.has(name)));
};

// A row that moves is removed here and written there; one that stays costs the larger of both, and one that stays as it
// is costs nothing.
const indexUnits = ({ before, after }: ItemWrite, index: Index): number => {
  const [old, row] = [rowOf(before, index), rowOf(after, index)];
  if (old === null || row === null) return unitsOf(old) + unitsOf(row);
  if (isDeepStrictEqual(old, row)) return 0;
  const isSame = [index.partition.name, index.sort.name].every((name) => old[name] === row[name]);
  return isSame ? Math.max(unitsOf(old), unitsOf(row)) : unitsOf(old) + unitsOf(row);
};

/**
 * The write units of one TransactWriteItems on the ledger: two for each KB begun of an item, of the larger of what was and
 * what is, because a transaction writes twice; and one for each KB begun of a row of an index that changes.
 */
export const transactionUnits = (writes: readonly ItemWrite[]): number =>
  writes.reduce((sum, write) => {
    const ofIndexes = tables.transactions.indexes.map((index) => indexUnits(write, index));
    return (
      sum + 2 * Math.max(unitsOf(write.before), unitsOf(write.after)) + ofIndexes.reduce((all, one) => all + one, 0)
    );
  }, 0);

/** List prices of us-east-1 since 2024-11, in dollars for a million, or for a GB second. */
const prices = {
  restRequest: 3.5,
  invocation: 0.2,
  gigabyteSecond: 13.3334,
  writeUnit: 0.625,
  readUnit: 0.125,
  logKilobyte: 0.5,
};
/** What a change takes in a function of 1 GB, mostly waiting for the transaction, and the line that Lambda logs of it. */
const assumed = { seconds: 0.03, gigabytes: 1, logKilobytes: 0.4 };

/** What a million requests cost that use so many units: of the database, and with everything that stands before it. */
export const dollarsPerMillion = ({ read, write }: { readonly read: number; readonly write: number }) => {
  const database = prices.writeUnit * write + prices.readUnit * read;
  const beside =
    prices.restRequest +
    prices.invocation +
    prices.gigabyteSecond * assumed.gigabytes * assumed.seconds +
    prices.logKilobyte * assumed.logKilobytes;
  return { database, all: database + beside };
};
