import { csvText } from '../base/csv.ts';
import { warningText } from '../calculations/warning-codes.ts';
import type { Filing, FilingEntry, FilingRate, FilingTotal, FilingWithTotals } from './response.ts';

/** The first columns of every row, the filing and its status, allow files of several filings to be concatenated. */
const filingColumns = ['filing_id', 'status', 'state', 'period_start', 'period_end'] as const;
const jurisdictionColumns = ['jurisdiction_code', 'jurisdiction_name', 'jurisdiction_type'] as const;
const amountColumns = ['exempt_amount', 'taxable_amount', 'tax_amount'] as const;
const exemptColumns = [
  'exempt_resale_amount',
  'exempt_product_amount',
  'exempt_customer_amount',
  'exempt_marketplace_amount',
  'exempt_not_registered_amount',
] as const;
const laterAmountColumns = [
  ...exemptColumns,
  ...(['not_covered_amount', 'calculated_tax_amount', 'over_collected_amount'] as const),
] as const;
const buyerColumns = ['exempt_government_amount', 'exempt_nonprofit_amount', 'exempt_direct_pay_amount'] as const;
const creditColumns = ['credit_amount', 'credit_count'] as const;

// New columns are appended, because programs may read columns by position.
const totalColumns = [
  ...[...filingColumns, ...jurisdictionColumns],
  ...(['currency', 'rate', 'gross_amount', ...amountColumns, 'count', 'reporting_code'] as const),
  ...[...laterAmountColumns, ...creditColumns, 'exempt_snap_amount' as const],
  ...buyerColumns,
] as const;

const blank = Object.fromEntries(totalColumns.map((column) => [column, null])) as Record<
  (typeof totalColumns)[number],
  null
>;

const entryColumns = [
  ...filingColumns,
  ...(['transaction_id', 'month', 'currency', ...jurisdictionColumns, 'rate', ...amountColumns] as const),
  ...(['reporting_code', 'reference_id', 'tax_day', 'type', 'customer_id', 'postal_code', 'gross_amount'] as const),
  ...laterAmountColumns,
  ...(['certificate_number', 'exempt_snap_amount'] as const),
  ...buyerColumns,
] as const;

type ByReason = FilingRate['exempt_by_reason'];
type ExemptAmounts = { readonly [Reason in keyof ByReason as `exempt_${Reason}_amount`]: string };

const flat = <Row extends { readonly exempt_by_reason: ByReason }>({ exempt_by_reason, ...row }: Row) => ({
  ...row,
  ...(Object.fromEntries(
    Object.entries(exempt_by_reason).map(([reason, amount]) => [`exempt_${reason}_amount`, amount]),
  ) as ExemptAmounts),
});

const wholeState = { jurisdiction_code: '', jurisdiction_name: 'Total', jurisdiction_type: 'total', rate: null };

// Jurisdictions without a code, usually the state itself, come first.
const reportingOrder = (a: FilingTotal, b: FilingTotal) =>
  (a.reporting_code ?? '').localeCompare(b.reporting_code ?? '', 'en', { numeric: true });

/**
 * Formats a page of a filing's totals as CSV: one row for each jurisdiction, currency and rate, by the state's
 * reporting codes. The last page ends with a row of the type `total` for each currency, which counts each line of a
 * sale once, and a row of the type `review` for each warning code and currency of the review list.
 */
export const totalsCsv = (filing: FilingWithTotals): string => {
  const {
    id: filing_id,
    totals,
    review: { by_code },
  } = filing;
  const rows = totals
    .toSorted(reportingOrder)
    .flatMap(({ rates, ...total }) => rates.map((rate) => ({ ...filing, filing_id, ...flat({ ...total, ...rate }) })));
  const sums = (filing.totals_next_cursor === null ? filing.summary : []).map((sum) => ({
    ...filing,
    ...wholeState,
    ...flat(sum),
    filing_id,
    reporting_code: null,
  }));
  const review = (sums.length > 0 ? by_code : []).map(({ code, ...sum }) => ({
    ...blank,
    ...filing,
    filing_id,
    jurisdiction_code: code,
    jurisdiction_name: warningText(code),
    jurisdiction_type: 'review',
    ...sum,
  }));
  return csvText(totalColumns, [...rows, ...sums, ...review]);
};

/** Returns the name of a filing's CSV file, without extension: `US-MI_2026-10-31_closed`, or with `_entries`. */
export const csvName = ({ state, period_end, status }: Filing, content: 'totals' | 'entries'): string =>
  [state, period_end, status, ...(content === 'entries' ? [content] : [])].join('_');

/** Formats a page of a filing's entries as CSV: one row for each entry, jurisdiction and rate. */
export const entriesCsv = (filing: Filing, entries: readonly FilingEntry[]): string =>
  csvText(
    entryColumns,
    entries.flatMap(({ amounts, certificate_numbers, ...entry }) =>
      amounts.map((amount) => ({
        ...filing,
        filing_id: filing.id,
        certificate_number: certificate_numbers.join(' '),
        ...entry,
        ...flat(amount),
      })),
    ),
  );
