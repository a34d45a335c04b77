import { type RemainingMs, retryWhileStale } from '../base/contention.ts';
import { noTotals, withEntries } from '../filings/totals.ts';
import { entriesOfEachState } from '../ledger/entries/entries.ts';
import { grossAmount, type LiabilityEntry, plus, type Sum, zeroSum } from '../ledger/entries/entry.ts';
import type { StoredTransaction, Transaction } from '../ledger/transaction.ts';

/** The row in which a report counts an amount. `month` is the `YYYY-MM` of the tax day, `state` a jurisdiction code. */
export type Place = { readonly month: string; readonly state: string; readonly currency: string };

/** The counted amounts of a transaction in one state. Amounts of credits are positive. */
export type Counted = Place & { readonly type: Transaction['type']; readonly sum: Sum };

/** The counted amounts of one version of a transaction. */
export type CountedVersion = {
  readonly account: string;
  readonly id: string;
  readonly version: number;
  readonly counted: readonly Counted[];
};

/** A report row: the sums of sales and credits in one month, state and currency. */
export type ReportRow = Place & { readonly sales: Sum; readonly credits: Sum };

/** Negates a sum. */
const negated = (sum: Sum): Sum =>
  Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value && -value])) as Sum;

const sumEntry = (entry: LiabilityEntry): Sum => {
  const { credit: _, credits: __, ...sum } = withEntries(noTotals, [entry]).summary.get(entry.currency) ?? zeroSum;
  return sum;
};

const isCounted = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/**
 * Returns the counted amounts of a transaction in each state of the document, even where the account is not registered.
 * Drafts and voided transactions are not counted. Pure.
 */
export const countTransaction = (stored: StoredTransaction): Counted[] => {
  const { transaction } = stored;
  if (!isCounted(transaction)) return [];
  const { type } = transaction;
  return entriesOfEachState(stored).map((entry) => {
    const { month, state, currency } = entry;
    const sum = sumEntry(entry);
    if (type === 'credit') return { month, state, currency, type, sum: { ...negated(sum), count: 1 } };
    const isOfMarketplace = sum.marketplace !== undefined && sum.marketplace === grossAmount(sum);
    return { month, state, currency, type, sum: { ...sum, ...(isOfMarketplace && { marketplace_count: 1 }) } };
  });
};

export const placeText = ({ month, state, currency }: Place): string => `${month} ${state} ${currency}`;

const isNothing = ({ sum }: { readonly sum: Sum }): boolean => Object.values(sum).every((value) => !value);

/** Returns the differences, by place and type, that replace the counted amounts `before` with `after`. */
const subtractCounted = (before: readonly Counted[], after: readonly Counted[]): Counted[] => {
  const removed = before.map((one) => ({ ...one, sum: negated(one.sum) }));
  const sums = new Map<string, Counted>();
  for (const one of [...removed, ...after]) {
    const key = `${placeText(one)} ${one.type}`;
    sums.set(key, { ...one, sum: plus(sums.get(key)?.sum ?? zeroSum, one.sum) });
  }
  return [...sums.values()].filter((difference) => !isNothing(difference));
};

/** Returns the row after adding the counted amounts. */
export const withCounted = (row: ReportRow | undefined, { type, sum, month, state, currency }: Counted): ReportRow => {
  const { sales, credits } = row ?? { sales: zeroSum, credits: zeroSum };
  return {
    month,
    state,
    currency,
    sales: type === 'sale' ? plus(sales, sum) : sales,
    credits: type === 'credit' ? plus(credits, sum) : credits,
  };
};

/** A row or mark as read, with the version that its write is conditional on. */
type Seen<Value> = Value & { readonly seen: number };

/** The mark of a transaction: the counted amounts and the transaction's version. */
export type Mark = CountedVersion & Seen<object>;
export type SeenRow = ReportRow & Seen<object>;

/** Marks and rows that are written together. `seen` is 0 for a new item. */
type CountWrite = {
  readonly account: string;
  readonly marks: readonly Mark[];
  readonly rows: readonly SeenRow[];
};

export type CountStore = {
  /** Returns the marks that exist, by transaction id. At most 100 ids. */
  readonly marks: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Mark>>;
  /** Returns the rows that exist, by `placeText`. At most 100 places. */
  readonly rows: (account: string, places: readonly Counted[]) => Promise<ReadonlyMap<string, SeenRow>>;
  /** Writes all or nothing. Returns `stale` if another writer changed one of the items. */
  readonly write: (write: CountWrite) => Promise<'committed' | 'stale'>;
};

/** The limit of a DynamoDB transaction. */
const writesMax = 100;

const keepNewest = (versions: readonly CountedVersion[]): CountedVersion[] => {
  const newest = new Map<string, CountedVersion>();
  for (const one of versions) if (!((newest.get(one.id)?.version ?? 0) > one.version)) newest.set(one.id, one);
  return [...newest.values()];
};

type Change = { readonly mark: Mark; readonly difference: readonly Counted[]; readonly isLast: boolean };

/**
 * Returns the next change needed to count a version; `null` if this version or a newer one is already counted. A
 * version that changes no sum still updates the mark, so an earlier version that arrives later is not counted.
 */
const findChange = (to: CountedVersion, mark: Mark | undefined): Change | null => {
  if (mark && mark.version >= to.version) return null;
  const difference = subtractCounted(mark?.counted ?? [], to.counted);
  // Moving all states from one month to another exceeds one write, so first remove the old amounts.
  if (mark && difference.length >= writesMax)
    return { mark: { ...mark, counted: [] }, difference: subtractCounted(mark.counted, []), isLast: false };
  return { mark: { ...to, seen: mark?.seen ?? 0 }, difference, isLast: true };
};

/** Returns the leading changes that fit into one DynamoDB transaction: a mark for each, and a row for each place. */
const fitting = (changes: readonly Change[]): readonly Change[] => {
  const places = new Set<string>();
  for (const [index, { difference }] of changes.entries()) {
    for (const counted of difference) places.add(placeText(counted));
    if (index > 0 && index + 1 + places.size > writesMax) return changes.slice(0, index);
  }
  return changes;
};

const rowsAfter = (changes: readonly Change[], before: ReadonlyMap<string, SeenRow>): SeenRow[] => {
  const rows = new Map<string, SeenRow>();
  for (const { difference } of changes)
    for (const counted of difference) {
      const key = placeText(counted);
      const row = rows.get(key) ?? before.get(key);
      rows.set(key, { ...withCounted(row, counted), seen: row?.seen ?? 0 });
    }
  return [...rows.values()];
};

/** Counts the first versions that fit into one write, and returns the remaining ones. */
const countSome = async (
  account: string,
  versions: readonly CountedVersion[],
  store: CountStore,
): Promise<{ readonly left: readonly CountedVersion[]; readonly counted: number } | 'stale'> => {
  const some = versions.slice(0, writesMax - 1);
  const ids = some.map(({ id }) => id);
  const marks = await store.marks(account, ids);
  const changes = some.flatMap((to) => findChange(to, marks.get(to.id)) ?? []);
  const written = fitting(changes);
  if (written.length > 0) {
    const places = new Map(
      written.flatMap(({ difference }) => difference.map((one) => [placeText(one), one] as const)),
    );
    const before = await store.rows(account, [...places.values()]);
    const write = { account, marks: written.map(({ mark }) => mark), rows: rowsAfter(written, before) };
    if ((await store.write(write)) === 'stale') return 'stale';
  }
  const ended = written.filter(({ isLast, difference }) => isLast && difference.length > 0);
  const left = new Set(
    [...changes.slice(written.length), ...written.filter(({ isLast }) => !isLast)].map(({ mark }) => mark.id),
  );
  return { left: [...some.filter(({ id }) => left.has(id)), ...versions.slice(some.length)], counted: ended.length };
};

/**
 * Updates the account's reports to count these versions of transactions instead of earlier ones. Each version counts
 * once, regardless of the order and number of deliveries: each transaction has a mark with its counted amounts, written
 * together with the sums. Returns the number of newly counted transactions.
 *
 * Throws `Contention` if other writers keep changing the same sums.
 */
export const countTransactions = async (
  versions: readonly CountedVersion[],
  store: CountStore,
  remainingMs?: RemainingMs,
): Promise<number> => {
  let total = 0;
  for (const [account, ofAccount] of Map.groupBy(versions, ({ account }) => account)) {
    let left: readonly CountedVersion[] = keepNewest(ofAccount);
    while (left.length > 0) {
      const some = left;
      const done = await retryWhileStale(() => countSome(account, some, store), remainingMs);
      left = done.left;
      total += done.counted;
    }
  }
  return total;
};
