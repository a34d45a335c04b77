import { type Cell, csvText, figure, text } from './csv-text.ts';
import type { Filing } from './filing.ts';

/** The first columns of every row, so that files of several filings can be concatenated: the filing and its status. */
const filingColumns = ['filing_id', 'status', 'state', 'period_start', 'period_end'] as const;
const jurisdictionColumns = ['jurisdiction_code', 'jurisdiction_name', 'jurisdiction_type'] as const;

const totalColumns = [
  ...filingColumns,
  ...jurisdictionColumns,
  'currency',
  'rate',
  'gross_amount',
  'exempt_amount',
  'taxable_amount',
  'tax_amount',
  'count',
] as const;

const entryColumns = [
  ...filingColumns,
  'transaction_id',
  'month',
  'currency',
  ...jurisdictionColumns,
  'rate',
  'exempt_amount',
  'taxable_amount',
  'tax_amount',
] as const;

const filingCells = ({ id, status, state, period_start, period_end }: Filing): Cell[] =>
  [id, status, state, period_start, period_end].map(text);

type Jurisdiction = Readonly<Record<(typeof jurisdictionColumns)[number], string>>;
const jurisdictionCells = (jurisdiction: Jurisdiction): Cell[] =>
  jurisdictionColumns.map((column) => text(jurisdiction[column]));

/** The totals of a filing as CSV: one row for each jurisdiction, currency and rate. Each tax appears in one row only. */
export const totalsCsv = (filing: Filing): string => {
  const rows = (filing.totals ?? []).flatMap((total) =>
    total.rates.map((rate) => [
      ...filingCells(filing),
      ...jurisdictionCells(total),
      text(total.currency),
      figure(rate.rate),
      ...[rate.gross_amount, rate.exempt_amount, rate.taxable_amount, rate.tax_amount, rate.count].map(figure),
    ]),
  );
  return csvText(totalColumns, rows);
};

/** The entries of a page of a filing as CSV: one row for each entry, jurisdiction and rate. */
export const entriesCsv = (filing: Filing): string => {
  const rows = (filing.entries?.data ?? []).flatMap(({ transaction_id, month, currency, amounts }) =>
    amounts.map((amount) => [
      ...filingCells(filing),
      ...[transaction_id, month, currency].map(text),
      ...jurisdictionCells(amount),
      ...[amount.rate, amount.exempt_amount, amount.taxable_amount, amount.tax_amount].map(figure),
    ]),
  );
  return csvText(entryColumns, rows);
};
