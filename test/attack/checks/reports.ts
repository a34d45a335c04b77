/** The report by state and month has the sums of all live transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../support/http.ts';
import type { Transaction } from '../bodies.ts';
import { read } from '../ledger.ts';
import { comparable, sumsIn } from '../oracle/answered.ts';
import { monthText } from '../oracle/days.ts';
import { type Entry, entriesOf, nothing, plus, type Sums } from '../oracle/entries.ts';
import { same } from '../violation.ts';
import { isLive } from './credits.ts';

/** A report is counted from the stream of the table a moment later. */
const patienceMs = 30_000;

const positive = (sums: Sums): Sums => ({
  ...{ gross: -sums.gross, taxable: -sums.taxable, tax: -sums.tax },
  untaxed: Object.fromEntries(Object.entries(sums.untaxed).map(([reason, amount]) => [reason, -amount])),
});

const expectedOf = (entries: readonly Entry[]) => {
  const rows = Map.groupBy(entries, ({ state, month, currency }) => `${month} ${state} ${currency}`);
  return Object.fromEntries(
    [...rows].map(([key, some]) => {
      const isReplaced = some.some((entry) => entry.isReplaced);
      const part = (isCredit: boolean) => {
        const own = some.filter((entry) => entry.isCredit === isCredit);
        const sums = own.map(({ whole }) => whole).reduce(plus, nothing);
        return { ...comparable(isCredit ? positive(sums) : sums, isReplaced), count: own.length };
      };
      return [key, { sales: part(false), credits: part(true) }];
    }),
  );
};

export const checkReports = async (
  reader: { readonly url: string; readonly key: string },
  transactions: readonly Transaction[],
  [first, last]: readonly [number, number],
): Promise<void> => {
  const byId = new Map(transactions.map((one) => [one.id, one]));
  const entries = transactions
    .filter(isLive)
    .flatMap((one) => entriesOf(one, byId.get(one.parent_transaction_id ?? '')));
  const expected = expectedOf(entries);
  const replaced = new Set(
    entries.filter((one) => one.isReplaced).map(({ state, month, currency }) => `${month} ${state} ${currency}`),
  );
  const reported = async () => {
    const path = `/reports/by-state?from=${monthText(first)}&to=${monthText(last)}`;
    const { body } = await read<Schema<'ReportByState'>>(reader, path);
    return Object.fromEntries(
      body.data.map(({ month, state, currency, sales, credits }) => {
        const key = `${month} ${state} ${currency}`;
        const part = (amounts: Schema<'ReportAmounts'>) => ({
          ...comparable(sumsIn(amounts, currency), replaced.has(key)),
          count: amounts.count,
        });
        return [key, { sales: part(sales), credits: part(credits) }];
      }),
    );
  };
  const deadline = performance.now() + patienceMs;
  let actual = await reported();
  while (!isDeepStrictEqual(actual, expected) && performance.now() < deadline) {
    await sleep(200);
    actual = await reported();
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
    same(actual[key], expected[key], `The report of ${key} is wrong.`);
};
