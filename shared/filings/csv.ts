import { csvText } from '../csv.ts';
import type { Filing } from './response.ts';

/** The first columns of every row, so that files of several filings can be concatenated: the filing and its status. */
const filingColumns = ['filing_id', 'status', 'state', 'period_start', 'period_end'] as const;
const jurisdictionColumns = ['jurisdiction_code', 'jurisdiction_name', 'jurisdiction_type'] as const;
const amountColumns = ['exempt_amount', 'taxable_amount', 'tax_amount'] as const;

const totalColumns = [
  ...[...filingColumns, ...jurisdictionColumns],
  // New columns come last, because programs may read the others by their position.
  ...(['currency', 'rate', 'gross_amount', ...amountColumns, 'count', 'reporting_code'] as const),
] as const;

const entryColumns = [
  ...filingColumns,
  ...([
    'transaction_id',
    'month',
    'currency',
    ...jurisdictionColumns,
    'rate',
    ...amountColumns,
    'reporting_code',
  ] as const),
] as const;

/** The totals of a filing as CSV: one row for each jurisdiction, currency and rate. Each tax appears in one row only. */
export const totalsCsv = (filing: Filing): string =>
  csvText(
    totalColumns,
    (filing.totals ?? []).flatMap((total) =>
      total.rates.map((rate) => ({ ...filing, filing_id: filing.id, ...total, ...rate })),
    ),
  );

/** The entries of a page of a filing as CSV: one row for each entry, jurisdiction and rate. */
export const entriesCsv = (filing: Filing): string =>
  csvText(
    entryColumns,
    (filing.entries?.data ?? []).flatMap(({ amounts, ...entry }) =>
      amounts.map((amount) => ({ ...filing, filing_id: filing.id, ...entry, ...amount })),
    ),
  );
