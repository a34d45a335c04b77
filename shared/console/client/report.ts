import type { Schemas } from '../../client/client.ts';
import { getSum, isZero, monthsBefore, monthsFrom, negative, percentChange } from './format.ts';

export type Row = Schemas['ReportByStateRow'];

type Measure = { readonly name: string; readonly text: string; readonly read: (row: Row) => string };

const afterCredits =
  (field: 'tax_amount' | 'taxable_amount' | 'gross_amount') =>
  ({ sales, credits }: Row): string =>
    getSum([sales[field], negative(credits[field])]);

/** The amounts of the report. As in filings, all amounts are net of credits, and credits are negative. */
export const measures: readonly [Measure, ...Measure[]] = [
  { name: 'tax', text: 'Tax collected', read: afterCredits('tax_amount') },
  { name: 'taxable', text: 'Taxable sales', read: afterCredits('taxable_amount') },
  { name: 'sales', text: 'Gross sales', read: afterCredits('gross_amount') },
  { name: 'credits', text: 'Credits', read: ({ credits }) => negative(credits.gross_amount) },
];

/** Returns the currencies of the report, sorted by number of documents. */
export const listCurrencies = (rows: readonly Row[]): string[] => {
  const counts = new Map<string, number>();
  for (const { currency, sales, credits } of rows)
    counts.set(currency, (counts.get(currency) ?? 0) + sales.count + credits.count);
  const found = [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1)).map(([currency]) => currency);
  return found.length > 0 ? found : ['USD'];
};

/** Returns the rows of a currency and a state; `''` means all states. */
const getChosen = (rows: readonly Row[], currency: string, state: string): Row[] =>
  rows.filter((row) => row.currency === currency && (state === '' || row.state === state));

/** Sums an amount, with the currency's number of decimals even if there are no rows. */
const getTotal = (rows: readonly Row[], measure: Measure, decimalRows: readonly Row[]): string => {
  const amount = decimalRows[0]?.sales.tax_amount ?? '0.00';
  return getSum([amount, negative(amount), ...rows.map(measure.read)]);
};

type Chosen = { readonly currency: string; readonly state: string; readonly measure: Measure };

/** Returns an amount by month, including months without sales; the state `''` means all states. */
export const getMonthly = (rows: readonly Row[], { currency, state, measure }: Chosen, from: string, to: string) => {
  const chosen = getChosen(rows, currency, state);
  const byMonth = Map.groupBy(chosen, ({ month }) => month);
  return monthsFrom(from, to).map((name) => ({ name, amount: getTotal(byMonth.get(name) ?? [], measure, chosen) }));
};

/** Returns all amounts of a currency and a state by name; `''` means all states. */
export const sumTotals = (rows: readonly Row[], currency: string, state: string): Readonly<Record<string, string>> => {
  const chosen = getChosen(rows, currency, state);
  return Object.fromEntries(measures.map((measure) => [measure.name, getTotal(chosen, measure, chosen)]));
};

/** Returns all amounts by state. */
export const stateTotals = (rows: readonly Row[], currency: string) =>
  [...new Set(getChosen(rows, currency, '').map(({ state }) => state))]
    .sort()
    .map((state) => ({ state, amounts: sumTotals(rows, currency, state) }));

/** Returns the tax, after credits, of each state and currency without a registration. */
export const listUnregisteredTax = (rows: readonly Row[], registered: ReadonlySet<string>) =>
  listCurrencies(rows).flatMap((currency) =>
    stateTotals(rows, currency)
      .map(({ state, amounts }) => ({ state, currency, amount: amounts['tax'] as string }))
      .filter(({ state, amount }) => !registered.has(state) && !isZero(amount)),
  );

/** Months, as `YYYY-MM`, inclusive. */
export type Range = { readonly from: string; readonly to: string };

/** Returns the preceding period of the same length and the same months of last year, once if both are the same. */
export const earlierRanges = ({ from, to }: Range): readonly Range[] => {
  const count = monthsFrom(from, to).length;
  const previous = { from: monthsBefore(from, count), to: monthsBefore(from, 1) };
  return count === 12 ? [previous] : [previous, { from: monthsBefore(from, 12), to: monthsBefore(to, 12) }];
};

export type Change = { readonly before: string; readonly change: string; readonly percent: string | null };

/**
 * Compares all amounts of a period with earlier periods: for all states, then for each state with amounts in any
 * period.
 */
export const compareReports = (rows: readonly Row[], earlier: readonly (readonly Row[])[], currency: string) => {
  const all = getChosen([rows, ...earlier].flat(), currency, '');
  const states = [...new Set(all.map(({ state }) => state))].sort();
  return ['', ...states].flatMap((state) =>
    measures.map((measure) => {
      const total = (rows: readonly Row[]) => getTotal(getChosen(rows, currency, state), measure, all);
      const amount = total(rows);
      const changes = earlier.map((rows) => {
        const before = total(rows);
        return { before, change: getSum([amount, negative(before)]), percent: percentChange(before, amount) };
      });
      return { state, measure: measure.name, amount, changes };
    }),
  );
};
/** An amount of a state, with its changes from earlier periods; the state `''` means all states. */
export type Compared = ReturnType<typeof compareReports>[number];
