import type { Account } from '../../accounts/account.ts';
import type { Result } from '../../base/result.ts';
import { warningText } from '../../calculations/warning-codes.ts';
import { everyItem } from '../../client/client.ts';
import { readDryRun } from '../../filings/create-filing.ts';
import type { FilingException } from '../../filings/filing.ts';
import type { FilingCall } from '../../filings/filing-response.ts';
import { findFilingOfPeriod, readFiling } from '../../filings/read-filings.ts';
import type { Filing, FilingWithTotals } from '../../filings/response.ts';
import { filingPorts } from '../../store/filings/filing-ports.ts';
import { parseDay, parseState, requireAccount } from '../terminal/arguments.ts';
import {
  type Columns,
  counted,
  formatTable,
  instantText,
  print,
  printJson,
  shown,
  textTable,
} from '../terminal/output.ts';
import { accepted, account, CommandError, optional, required, type Values } from '../terminal/run-command.ts';

/** Finds the account, filing or period of a command. */

const state = ['<state>', 'the state, such as MI', parseState] as const;
const lastDay = ['<day>', 'the last day of the period, such as 2026-10-31', parseDay] as const;

/** The options that select a period. */
export const periodOptions = { account, state: required(...state), periodEnd: required(...lastDay) };

/** The argument and the options that select a filing. */
export const filingArgument = [
  ['[filing]', 'the id of the filing; default: the filing of --state and --period-end'],
] as const;
export const filingOptions = { account, state: optional(...state), periodEnd: optional(...lastDay) };
/** The options that select a filing without its id, or the dry run of a period. */
export type FilingName = Values<typeof filingOptions> & { readonly dryRun?: boolean | undefined };

/** The caller and the ports of a command, which has no time limit. */
export type Operator = FilingCall & { readonly account: Account };

const operatorFor = async (id: string): Promise<Operator> => {
  const account = await requireAccount(id);
  // Other callers are named key_… (API keys) or token:… (tokens), so this name is unique.
  const caller = { account, credential: 'operator' };
  return { account, caller, idempotency: null, ports: filingPorts(() => Number.POSITIVE_INFINITY) };
};

/** `read` returns the filing, or the dry run, with all totals. `id` is empty for a dry run. */
export type Chosen = Operator & { readonly id: string; readonly read: () => Promise<Result<FilingWithTotals>> };

/** Finds the filing with this id, the filing of this state and period, or the dry run. Refuses an unknown filing. */
export const chooseFiling = async (
  named: string | undefined,
  { account: accountId, state, periodEnd, dryRun = false }: FilingName,
): Promise<Chosen> => {
  const hasPeriod = state !== undefined && periodEnd !== undefined;
  if (dryRun && (named !== undefined || !hasPeriod))
    throw new CommandError('Pass --dry-run with --state and --period-end, without the id of a filing.');
  if (named === undefined ? !hasPeriod : state !== undefined || periodEnd !== undefined)
    throw new CommandError('Pass the id of a filing, or --state with --period-end.');
  const operator = await operatorFor(accountId);
  const { account, ports } = operator;
  const period = { state: state ?? '', period_end: periodEnd ?? '' };
  if (dryRun) return { ...operator, id: '', read: () => readDryRun(period, operator) };
  const [chain = null] = named === undefined ? await ports.filings.chains(account.id, [period.state]) : [];
  const id = named ?? (await findFilingOfPeriod(account.id, chain, period.period_end, ports.filings))?.id;
  if (id === undefined)
    throw new CommandError(
      `No filing of ${state} ends on ${periodEnd}. List the filings with \`npm run filings -- list --account ${account.id}\`.`,
    );
  return { ...operator, id, read: () => readFiling(id, account, ports) };
};

type Paging = { readonly limit: number; readonly starting_after?: string };
type Page<Row> = { readonly data: readonly Row[]; readonly has_more: boolean; readonly next_cursor: string | null };

/** Returns every row of an API list. */
export const rowsFrom = <Row>(read: (paging: Paging) => Promise<Result<Page<Row>>>): Promise<readonly Row[]> =>
  Array.fromAsync(everyItem(async (cursor) => accepted(await read({ limit: 100, ...cursor }))));

/** Formats filings and exceptions for a terminal. */

const headings = ['filing', 'state', 'period', 'status', 'due', 'currency', 'gross', 'exempt', 'tax collected'];

/** Returns one row per currency of a filing, or one row for a filing without sales. */
const listRows = ({ id, state, period_start, period_end, status, due_date, summary }: Filing): string[][] => {
  const filing = [id ?? '', state, `${period_start} to ${period_end}`, status, due_date ?? ''];
  if (summary.length === 0) return [filing];
  return summary.map((sum) => [...filing, sum.currency, sum.gross_amount, sum.exempt_amount, sum.tax_amount]);
};

export const filingsTable = (filings: readonly Filing[]): string => textTable([headings, ...filings.flatMap(listRows)]);

type Sum = Filing['summary'][number];

const figures: readonly (readonly [string, (sum: Sum) => string | number])[] = [
  ['Gross sales', (sum) => sum.gross_amount],
  ['Taxable', (sum) => sum.taxable_amount],
  ['Exempt', (sum) => sum.exempt_amount],
  ['  resale certificates', (sum) => sum.exempt_by_reason.resale],
  ['  governments', (sum) => sum.exempt_by_reason.government],
  ['  exempt organizations', (sum) => sum.exempt_by_reason.nonprofit],
  ['  direct pay permits', (sum) => sum.exempt_by_reason.direct_pay],
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

/** Formats a table with one row per amount and one column per currency. */
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

type Total = NonNullable<Filing['totals']>[number];

const totalColumns: Columns<Omit<Total, 'rates'> & Total['rates'][number]> = [
  ['jurisdiction', (row) => row.jurisdiction_code],
  ['name', (row) => row.jurisdiction_name],
  ['reporting code', (row) => row.reporting_code],
  ['currency', (row) => row.currency],
  ['rate', (row) => row.rate],
  ['taxable', (row) => row.taxable_amount],
  ['exempt', (row) => row.exempt_amount],
  ['tax collected', (row) => row.tax_amount],
];

const totalsTable = (totals: readonly Total[]): string =>
  formatTable(
    totalColumns,
    totals.flatMap(({ rates, ...total }) => rates.map((rate) => ({ ...total, ...rate }))),
  );

const exceptionsText = ({ count, by_reason }: NonNullable<Filing['exceptions']>): string => {
  const reasons = by_reason.map((sum) => `${sum.reason} ${sum.count} (gross ${sum.currency} ${sum.gross_amount})`);
  return count === 0
    ? 'Exceptions: none.'
    : `Exceptions: ${count.toLocaleString('en-US')}. By reason: ${reasons.join(', ')}.`;
};

const reviewText = ({ count, by_code: sums }: NonNullable<Filing['review']>): string =>
  count === 0
    ? 'To review: none.'
    : [
        `To review: ${counted(count, 'sale or credit', 'sales and credits')} with warnings that can change the tax.`,
        textTable([
          ['warning', 'count', 'currency', 'gross', 'tax collected', 'meaning'],
          ...(sums ?? []).map(({ code, count: ofCode, currency, gross_amount, tax_amount }) => [
            ...[code, String(ofCode), currency, gross_amount, tax_amount, warningText(code)],
          ]),
        ]),
      ].join('\n');

const dueText = ({ due_date, overdue, terms, vendor_discount, vendor_discount_amount: amount }: Filing): string => {
  const due = `${due_date ?? terms?.due_rule ?? 'not established'}${overdue ? ', overdue' : ''}`;
  const estimate = amount === null ? '' : ` (estimate: ${amount} USD)`;
  return `Due: ${due}.${vendor_discount === null ? '' : ` Vendor discount: ${vendor_discount.replace(/\.$/, '')}${estimate}.`}`;
};

/** Prints a filing with all of its amounts. */
const filingText = (filing: Filing): string => {
  const { id, state, period_start, period_end, frequency, status, asked_by, summary, totals, exceptions, review } =
    filing;
  const { closed_at, filed_at, confirmation_number: number } = filing;
  return [
    `${id ?? 'Dry run'}: ${state}, ${period_start} to ${period_end} (${frequency.replace('_', ' ')})${id ? `, ${status}` : ''}.`,
    dueText(filing),
    ...(closed_at === null ? [] : [`Closed ${instantText(closed_at)} (UTC) by ${shown(asked_by)}.`]),
    ...(filed_at === null ? [] : [`Filed ${instantText(filed_at)} (UTC), confirmation number ${shown(number ?? '')}.`]),
    ...filing.warnings.map(({ message }) => message),
    ...(summary.length === 0 ? ['', 'No sales.'] : ['', summaryTable(summary)]),
    ...(totals?.length ? ['', totalsTable(totals)] : []),
    ...(exceptions ? ['', exceptionsText(exceptions)] : []),
    ...(exceptions?.transactions?.length ? ['', exceptionsTable(exceptions.transactions)] : []),
    ...(review ? ['', reviewText(review)] : []),
    ...(review?.transactions?.length ? ['', exceptionsTable(review.transactions)] : []),
  ].join('\n');
};

export const printFiling = (filing: Filing, json: boolean | undefined): void =>
  json ? printJson(filing) : print(filingText(filing));

const exceptionColumns: Columns<FilingException> = [
  ['transaction', (row) => row.transaction_id],
  ['reference', (row) => shown(row.reference_id ?? '')],
  ['type', (row) => row.type],
  ['day', (row) => row.tax_day],
  ['customer', (row) => shown(row.customer_id ?? '')],
  ['ZIP', (row) => row.postal_code],
  ['currency', (row) => row.currency],
  ['gross', (row) => row.gross_amount],
  ['tax collected', (row) => row.tax_amount],
  [
    'reasons and warnings',
    ({ reasons, review_codes }) =>
      [...reasons.map(({ reason, gross_amount }) => `${reason}, gross ${gross_amount}`), ...review_codes].join('; '),
  ],
];

export const exceptionsTable = (exceptions: readonly FilingException[]): string =>
  formatTable(exceptionColumns, exceptions);

/** Describes a filing: `US-MI, 2026-10-01 to 2026-10-31, with 60 entries`. */
export const filingName = ({ state, period_start, period_end, progress }: Filing): string =>
  `${state}, ${period_start} to ${period_end}, with ${counted(progress.entries_moved, 'entry', 'entries')}`;
