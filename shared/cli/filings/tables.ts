/** Filings and exceptions as text for a terminal. */
import type { FilingException } from '../../filings/filing.ts';
import type { Filing } from '../../filings/response.ts';
import { counted, instantText, print, printJson, shown, textTable } from '../terminal/output.ts';

const headings = ['filing', 'state', 'period', 'status', 'due', 'currency', 'gross', 'exempt', 'tax collected'];

/** One row for each currency of a filing, and one for a filing without sales. */
const rowsOf = ({ id, state, period_start, period_end, status, due_date, summary }: Filing): string[][] => {
  const filing = [id ?? '', state, `${period_start} to ${period_end}`, status, due_date ?? ''];
  if (summary.length === 0) return [filing];
  return summary.map((sum) => [...filing, sum.currency, sum.gross_amount, sum.exempt_amount, sum.tax_amount]);
};

export const filingsTable = (filings: readonly Filing[]): string => textTable([headings, ...filings.flatMap(rowsOf)]);

type Sum = Filing['summary'][number];

const figures: readonly (readonly [string, (sum: Sum) => string | number])[] = [
  ['Gross sales', (sum) => sum.gross_amount],
  ['Taxable', (sum) => sum.taxable_amount],
  ['Exempt', (sum) => sum.exempt_amount],
  ['  resale certificates', (sum) => sum.exempt_by_reason.resale],
  ['  other certificates', (sum) => sum.exempt_by_reason.customer],
  ['  SNAP benefits', (sum) => sum.exempt_by_reason.snap],
  ['  product', (sum) => sum.exempt_by_reason.product],
  ['  marketplace', (sum) => sum.exempt_by_reason.marketplace],
  ['  not registered', (sum) => sum.exempt_by_reason.not_registered],
  ['Not covered', (sum) => sum.not_covered_amount],
  ['Tax calculated', (sum) => sum.calculated_tax_amount],
  ['Tax collected', (sum) => sum.tax_amount],
  ['Over-collected', (sum) => sum.over_collected_amount],
  ['Credits', (sum) => sum.credit_amount],
  ['Sales and credits', (sum) => sum.count],
];

/** One row for each figure, one column for each currency. */
const summaryTable = (summary: Filing['summary']): string => {
  const columns = summary.map((sum) => [sum.currency, ...figures.map(([, read]) => String(read(sum)))]);
  const aligned = columns.map((cells) => {
    const width = Math.max(...cells.map(({ length }) => length));
    return cells.map((cell) => cell.padStart(width));
  });
  return textTable(
    ['', ...figures.map(([label]) => label)].map((label, at) => [label, ...aligned.map((cells) => cells[at] ?? '')]),
  );
};

const totalHeadings = [
  'jurisdiction',
  'name',
  'reporting code',
  'currency',
  'rate',
  'taxable',
  'exempt',
  'tax collected',
];

const totalsTable = (totals: NonNullable<Filing['totals']>): string =>
  textTable([
    totalHeadings,
    ...totals.flatMap(({ jurisdiction_code, jurisdiction_name, reporting_code, currency, rates }) =>
      rates.map(({ rate, taxable_amount, exempt_amount, tax_amount }) => [
        ...[jurisdiction_code, jurisdiction_name, reporting_code ?? '', currency],
        ...[rate, taxable_amount, exempt_amount, tax_amount],
      ]),
    ),
  ]);

const exceptionsText = ({ count, by_reason }: NonNullable<Filing['exceptions']>): string => {
  const reasons = by_reason.map((sum) => `${sum.reason} ${sum.count} (gross ${sum.currency} ${sum.gross_amount})`);
  return count === 0
    ? 'Exceptions: none.'
    : `Exceptions: ${count.toLocaleString('en-US')}. By reason: ${reasons.join(', ')}.`;
};

const dueText = ({ due_date, terms, vendor_discount }: Filing): string => {
  const due = due_date ?? terms?.due_rule ?? 'not established';
  return `Due: ${due}.${vendor_discount === null ? '' : ` Vendor discount: ${vendor_discount.replace(/\.$/, '')}.`}`;
};

/** A filing with all of its figures. */
const filingText = (filing: Filing): string => {
  const { id, state, period_start, period_end, frequency, status, asked_by, summary, totals, exceptions } = filing;
  const { closed_at, filed_at, confirmation_number: number } = filing;
  return [
    `${id ?? 'Dry run'}: ${state}, ${period_start} to ${period_end} (${frequency})${id ? `, ${status}` : ''}.`,
    dueText(filing),
    ...(closed_at === null ? [] : [`Closed ${instantText(closed_at)} (UTC) by ${shown(asked_by)}.`]),
    ...(filed_at === null ? [] : [`Filed ${instantText(filed_at)} (UTC), confirmation number ${shown(number ?? '')}.`]),
    ...(summary.length === 0 ? ['', 'No sales.'] : ['', summaryTable(summary)]),
    ...(totals?.length ? ['', totalsTable(totals)] : []),
    ...(exceptions ? ['', exceptionsText(exceptions)] : []),
    ...(exceptions?.transactions?.length ? ['', exceptionsTable(exceptions.transactions)] : []),
  ].join('\n');
};

export const printFiling = (filing: Filing, json: boolean | undefined): void =>
  json ? printJson(filing) : print(filingText(filing));

const exceptionHeadings = [
  'transaction',
  'reference',
  'type',
  'day',
  'customer',
  'ZIP',
  'currency',
  'reasons and gross amounts',
];

export const exceptionsTable = (exceptions: readonly FilingException[]): string =>
  textTable([
    exceptionHeadings,
    ...exceptions.map(
      ({ transaction_id, reference_id, type, tax_day, customer_id, postal_code, currency, reasons }) => [
        ...[transaction_id, shown(reference_id ?? ''), type ?? '', tax_day ?? '', shown(customer_id ?? '')],
        ...[
          postal_code ?? '',
          currency,
          reasons.map(({ reason, gross_amount }) => `${reason}, gross ${gross_amount}`).join('; '),
        ],
      ],
    ),
  ]);

/** A filing in a sentence: `US-MI, 2026-10-01 to 2026-10-31, with 60 entries`. */
export const filingName = ({ state, period_start, period_end, progress }: Filing): string =>
  `${state}, ${period_start} to ${period_end}, with ${counted(progress.entries_moved, 'entry', 'entries')}`;
