import { useState } from 'preact/hooks';
import { type ReviewCode, reviewCodes, warningText } from '../../calculations/warning-codes.ts';
import type { Schemas } from '../../client/client.ts';
import { counted, money, toWords } from './format.ts';
import { Pages, readData } from './load.tsx';
import { Amount, Message, TransactionLink, Warnings } from './parts.tsx';
import { type Column, Table } from './table.tsx';

/** Shows warnings that can change the tax of sales and credits: for a return, in a list, and on a transaction. */

type FilingData = Schemas['Filing'];
type Review = NonNullable<FilingData['review']>;
type Found = readonly Schemas['Warning'][];

/** Returns what a warning means for the tax; `null` if it cannot change the tax, or for a code of a newer service. */
const getMeaning = (code: string): string | null => {
  const known = reviewCodes.find((name) => name === code);
  return known ? warningText(known) : null;
};

type Listed = Schemas['FilingException'];

const linkColumn: Column<Listed> = [
  'Reference',
  (row) => <TransactionLink value={{ ...row, id: row.transaction_id }} />,
];
const buyerColumns: readonly Column<Listed>[] = [
  ['Day', (row) => row.tax_day],
  ['Customer', (row) => row.customer_id],
  ['ZIP', (row) => row.postal_code],
];

type Taxed = { readonly currency: string; readonly gross_amount: string; readonly tax_amount: string };
const moneyColumns: readonly Column<Taxed>[] = [
  ['Gross', (row) => <Amount value={row.gross_amount} currency={row.currency} />, 'figure'],
  ['Tax', (row) => <Amount value={row.tax_amount} currency={row.currency} />, 'figure'],
];

type ListedProps = {
  readonly filing: FilingData;
  readonly query: { readonly list: 'exceptions' } | { readonly list: 'review'; readonly code: ReviewCode };
  readonly caption: string;
  readonly columns: readonly Column<Listed>[];
};

/**
 * The exceptions or the transactions to review of a filing, from the dry run or from the pages of the closed filing.
 */
const ListedTransactions = ({ filing, query, ...table }: ListedProps) => {
  const { id } = filing;
  const what = query.list === 'review' ? 'transactions to review' : 'exceptions';
  if (id !== null)
    return (
      <Pages
        what={what}
        read={(cursor, levy, signal) => {
          const page = { ...query, limit: 50, ...(cursor && { starting_after: cursor }) };
          return readData(levy.get('/filings/{id}/exceptions', { path: { id }, query: page, signal }));
        }}
        getNext={({ next_cursor }) => next_cursor}
      >
        {({ data }) => <Table {...table} rows={data} empty="None on this page." />}
      </Pages>
    );
  const { count = 0, transactions } = filing[query.list] ?? {};
  const all = transactions ?? [];
  if (all.length === 0) return null;
  const rows = query.list === 'review' ? all.filter(({ review_codes }) => review_codes.includes(query.code)) : all;
  return (
    <>
      <Table {...table} rows={rows} empty="None of the listed transactions." />
      {count > all.length && (
        <p class="hint">
          From the first {all.length} {what}. Close the period to see all.
        </p>
      )}
    </>
  );
};

const reasonTexts: Readonly<Record<Schemas['FilingExceptionReason']['reason'], string>> = {
  not_covered: 'Levy has no rates for the place or the day and calculated no tax. Decide on the tax before you file.',
  over_collected: 'More tax was collected than calculated. The excess is part of the amount due.',
  under_collected: 'Less tax was collected than calculated. The calculated tax is due.',
};

type ExceptionsProps = { readonly filing: FilingData; readonly exceptions: NonNullable<FilingData['exceptions']> };

const Exceptions = ({ filing, exceptions: { count, by_reason } }: ExceptionsProps) => (
  <>
    <p class={filing.status === 'filed' ? 'notice' : 'notice bad'}>
      {counted(count, 'exception')}
      {filing.status === 'filed'
        ? ', acknowledged when the return was marked as filed.'
        : ': check the transactions before you file.'}
    </p>
    <Table
      caption="Exceptions by reason"
      columns={[
        ['Reason', (row) => toWords(row.reason)],
        ['Meaning', (row) => reasonTexts[row.reason]],
        ['Transactions', (row) => row.count, 'figure'],
        ['Gross amount', (row) => <Amount value={row.gross_amount} currency={row.currency} />, 'figure'],
      ]}
      rows={by_reason}
    />
    <ListedTransactions
      filing={filing}
      query={{ list: 'exceptions' }}
      caption="Transactions that are exceptions"
      columns={[
        linkColumn,
        ...buyerColumns,
        [
          'Reasons',
          ({ reasons, currency }) =>
            reasons.map(({ reason, gross_amount }) => (
              <div key={reason}>{`${toWords(reason)}, gross ${money(gross_amount, currency)}`}</div>
            )),
        ],
      ]}
    />
  </>
);

const Codes = ({ filing, review }: { filing: FilingData; review: Review }) => {
  const [code, setCode] = useState<ReviewCode | null>(null);
  return (
    <>
      <p class="notice">
        {counted(review.count, 'transaction')}{' '}
        {filing.status === 'filed'
          ? 'with warnings: the tax'
          : 'to review before you file: a warning states that the tax'}{' '}
        may be different.
      </p>
      <Table
        caption="Transactions to review, by warning"
        columns={[
          ['Warning', (row) => toWords(row.code)],
          ['Meaning', (row) => getMeaning(row.code)],
          ...moneyColumns,
          ['Count', (row) => row.count, 'figure'],
          [
            'Transactions',
            (row) => (
              <button
                type="button"
                aria-expanded={code === row.code}
                aria-label={`${code === row.code ? 'Hide' : 'List'} transactions with ${toWords(row.code)}`}
                onClick={() => setCode(code === row.code ? null : row.code)}
              >
                {code === row.code ? 'Hide' : 'List'}
              </button>
            ),
          ],
        ]}
        rows={review.by_code ?? []}
      />
      <p class="hint">
        A transaction can have several warnings. The amounts are the amounts of the transaction in the state.
      </p>
      {code !== null && (
        <ListedTransactions
          key={code}
          filing={filing}
          query={{ list: 'review', code }}
          caption={`Transactions to review: ${toWords(code)}`}
          columns={[linkColumn, ['Type', (row) => row.type], ...buyerColumns, ...moneyColumns]}
        />
      )}
    </>
  );
};

/** What to check before a return is filed: exceptions, and warnings that can change the tax. */
export const Review = ({ filing }: { filing: FilingData }) => {
  const { review, exceptions } = filing;
  return (
    <>
      {exceptions && exceptions.count > 0 && <Exceptions filing={filing} exceptions={exceptions} />}
      {review && review.count > 0 && <Codes filing={filing} review={review} />}
      {review?.count === 0 && exceptions?.count === 0 && (
        <p class="notice good">No exceptions, and nothing to review.</p>
      )}
    </>
  );
};

/** Names the first warning that can change the tax of a transaction, and counts the others; empty without one. */
export const reviewText = (warnings: Found): string => {
  const [first, ...others] = new Set(warnings.map(({ code }) => code).filter((code) => getMeaning(code) !== null));
  return first === undefined ? '' : `${toWords(first)}${others.length > 0 ? ` +${others.length}` : ''}`;
};

type NoticesProps = {
  readonly warnings: Found;
  /** Returns the title of the line or shipping charge of a pointer. */
  readonly getTitle: (pointer: string) => string | null;
};

/** The warnings of a transaction: what each one means for the tax, with the message of the API. */
export const ReviewNotices = ({ warnings, getTitle }: NoticesProps) => (
  <>
    {warnings.map(({ code, message, pointer }, at) => {
      const meaning = getMeaning(code);
      const title = pointer && getTitle(pointer);
      if (meaning === null) return <Warnings key={at} value={[{ message }]} />;
      return (
        <div key={at} class="notice">
          <strong>{toWords(code)}</strong>
          {title && ` (${title})`}: {meaning}
          <details>
            <summary>Details for developers</summary>
            <Message value={message} />
          </details>
        </div>
      );
    })}
  </>
);
