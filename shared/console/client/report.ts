import type { Schemas } from '../../client/client.ts';
import { negative, sumOf } from './amounts.ts';
import { monthsFrom } from './days.ts';

export type Row = Schemas['ReportByStateRow'];

type Measure = { readonly name: string; readonly text: string; readonly of: (row: Row) => string };

/** The figures of the report. Tax is what remains after credits. */
export const measures: readonly [Measure, ...Measure[]] = [
  {
    name: 'tax',
    text: 'Tax collected',
    of: ({ sales, credits }) => sumOf([sales.tax_amount, negative(credits.tax_amount)]),
  },
  { name: 'taxable', text: 'Taxable sales', of: ({ sales }) => sales.taxable_amount },
  { name: 'sales', text: 'Gross sales', of: ({ sales }) => sales.gross_amount },
  { name: 'credits', text: 'Credits', of: ({ credits }) => credits.gross_amount },
];

export const currenciesOf = (rows: readonly Row[]): string[] => {
  const found = [...new Set(rows.map(({ currency }) => currency))].sort();
  return found.length > 0 ? found : ['USD'];
};

type Chosen = { readonly currency: string; readonly state: string; readonly measure: Measure };

/** A figure by month, also of months without sales; of one state, or with `''` of all. */
export const monthlyOf = (rows: readonly Row[], { currency, state, measure }: Chosen, from: string, to: string) => {
  const chosen = rows.filter((row) => row.currency === currency && (state === '' || row.state === state));
  // A zero with the decimals of the currency.
  const [amount = '0.00'] = chosen.map(measure.of);
  const zero = sumOf([amount, negative(amount)]);
  return monthsFrom(from, to).map((name) => ({
    name,
    amount: sumOf([zero, ...chosen.filter(({ month }) => month === name).map(measure.of)]),
  }));
};

/** All figures by state. */
export const stateTotals = (rows: readonly Row[], currency: string) =>
  [
    ...Map.groupBy(
      rows.filter((row) => row.currency === currency),
      ({ state }) => state,
    ),
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, ofState]) => ({
      state,
      amounts: Object.fromEntries(measures.map(({ name, of }) => [name, sumOf(ofState.map(of))])),
    }));
