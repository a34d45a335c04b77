import { noTotals, plus, type Sum, withEntries, zeroSum } from '../filings/totals.ts';
import type { OpenEntry } from '../transactions/entries/entry.ts';
import { entriesOfEachState } from '../transactions/open-entries.ts';
import type { StoredTransaction, Transaction } from '../transactions/transaction.ts';

/** Where a report counts an amount. `month` is `YYYY-MM` of the tax day, `state` a jurisdiction code. */
export type Place = { readonly month: string; readonly state: string; readonly currency: string };

/** What reports count of a transaction in one state. Amounts of credits are positive. */
export type Counted = Place & { readonly type: Transaction['type']; readonly sum: Sum };

/** What reports count of a version of a transaction. */
export type CountedVersion = {
  readonly account: string;
  readonly id: string;
  readonly version: number;
  readonly counted: readonly Counted[];
};

/** The sums of a place: of sales and of credits. */
export type ReportRow = Place & { readonly sales: Sum; readonly credits: Sum };

/** A sum with the opposite sign. */
export const negated = (sum: Sum): Sum =>
  Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value && -value])) as Sum;

const sumOf = (entry: OpenEntry): Sum => {
  const { credit: _, credits: __, ...sum } = withEntries(noTotals, [entry]).summary.get(entry.currency) ?? zeroSum;
  return sum;
};

const isCounted = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/**
 * What reports count of a transaction: its amounts in each state of the document, also where the account is not registered.
 * Drafts and voided transactions count nothing. Pure.
 */
export const countedOf = (stored: StoredTransaction): Counted[] => {
  const { transaction } = stored;
  if (!isCounted(transaction)) return [];
  const { type } = transaction;
  return entriesOfEachState(stored).map((entry) => {
    const { month, state, currency } = entry;
    const sum = sumOf(entry);
    return { month, state, currency, type, sum: type === 'credit' ? { ...negated(sum), count: 1 } : sum };
  });
};

export const placeText = ({ month, state, currency }: Place): string => `${month} ${state} ${currency}`;

const isNothing = ({ sum }: { readonly sum: Sum }): boolean => Object.values(sum).every((value) => !value);

/** What has to be added to the sums by place and type, so that they count `after` instead of `before`. */
export const differenceOf = (before: readonly Counted[], after: readonly Counted[]): Counted[] => {
  const sums = new Map<string, Counted>();
  for (const [counted, sign] of [
    [before, negated],
    [after, (sum: Sum) => sum],
  ] as const)
    for (const one of counted) {
      const key = `${placeText(one)} ${one.type}`;
      sums.set(key, { ...one, sum: plus(sums.get(key)?.sum ?? zeroSum, sign(one.sum)) });
    }
  return [...sums.values()].filter((difference) => !isNothing(difference));
};

/** The row after adding the counted amounts. */
export const withCounted = (row: ReportRow | undefined, { type, sum, month, state, currency }: Counted): ReportRow => {
  const { sales, credits } = row ?? { sales: zeroSum, credits: zeroSum };
  return {
    ...{ month, state, currency },
    sales: type === 'sale' ? plus(sales, sum) : sales,
    credits: type === 'credit' ? plus(credits, sum) : credits,
  };
};
