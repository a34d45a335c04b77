import { useState } from 'preact/hooks';
import { type ReviewCode, reviewCodes } from '../../calculations/warning-codes.ts';
import { warningText } from '../../calculations/warning-texts.ts';
import type { Schemas } from '../../client/client.ts';
import { Pages, readData } from './load.tsx';
import { Amount, counted, Message, Table, TransactionLink, toWords } from './parts.tsx';

/** Sales and credits with warnings that can change their tax: in a return, in a list, and on a transaction. */

type FilingData = Schemas['Filing'];
type Review = NonNullable<FilingData['review']>;
type Warnings = readonly Schemas['Warning'][];

/** Returns what a warning means for the tax; `null` if it cannot change the tax, or for a code of a newer service. */
const getMeaning = (code: string): string | null => {
  const known = reviewCodes.find((name) => name === code);
  return known ? warningText(known) : null;
};

const Rows = ({ code, rows }: { code: string; rows: readonly Schemas['FilingException'][] }) => (
  <Table
    caption={`Transactions to review: ${toWords(code)}`}
    columns={[
      ['Reference', (row) => <TransactionLink value={{ ...row, id: row.transaction_id }} />],
      ['Type', (row) => row.type],
      ['Day', (row) => row.tax_day],
      ['Customer', (row) => row.customer_id],
      ['ZIP', (row) => row.postal_code],
      ['Gross', (row) => <Amount value={row.gross_amount} currency={row.currency} />, 'figure'],
      ['Tax', (row) => <Amount value={row.tax_amount} currency={row.currency} />, 'figure'],
    ]}
    rows={rows}
    empty="None on this page."
  />
);

type ListedProps = {
  readonly id: string;
  readonly what: string;
  readonly query?: { readonly list: 'review'; readonly code: ReviewCode };
  readonly children: (rows: readonly Schemas['FilingException'][]) => preact.ComponentChildren;
};

/** The pages of the exceptions of a filing, or of its review list. */
export const ListedPages = ({ id, what, query: filters, children }: ListedProps) => (
  <Pages
    what={what}
    read={(cursor, levy, signal) => {
      const query = { ...filters, limit: 50, ...(cursor && { starting_after: cursor }) };
      return readData(levy.get('/filings/{id}/exceptions', { path: { id }, query, signal }));
    }}
    getNext={({ next_cursor }) => next_cursor}
  >
    {({ data }) => children(data)}
  </Pages>
);

/** The transactions of a code: all that the dry run lists, or the pages of the filing. */
const Transactions = ({ filing: { id, review }, code }: { filing: FilingData; code: ReviewCode }) => {
  if (id === null) {
    const all = review?.transactions ?? [];
    return (
      <>
        <Rows code={code} rows={all.filter(({ review_codes }) => review_codes.includes(code))} />
        {(review?.count ?? 0) > all.length && (
          <p class="hint">From the first {all.length} transactions to review. Close the period to see all.</p>
        )}
      </>
    );
  }
  return (
    <ListedPages id={id} what="transactions to review" query={{ list: 'review', code }}>
      {(rows) => <Rows code={code} rows={rows} />}
    </ListedPages>
  );
};

const Codes = ({ filing, review }: { filing: FilingData; review: Review }) => {
  const [code, setCode] = useState<ReviewCode | null>(null);
  return (
    <>
      <p class="notice">
        {counted(review.count, 'transaction')}{' '}
        {filing.status === 'filed'
          ? 'with warnings: the tax'
          : 'to review before you file: a warning says that the tax'}{' '}
        may be different.
      </p>
      <Table
        caption="Transactions to review, by warning"
        columns={[
          ['Warning', (row) => toWords(row.code)],
          ['Meaning', (row) => getMeaning(row.code)],
          ['Gross', (row) => <Amount value={row.gross_amount} currency={row.currency} />, 'figure'],
          ['Tax', (row) => <Amount value={row.tax_amount} currency={row.currency} />, 'figure'],
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
      {code !== null && <Transactions key={code} filing={filing} code={code} />}
    </>
  );
};

/** What to review before a return is filed, or that there is neither an exception nor anything to review. */
export const Review = ({ filing }: { filing: FilingData }) => {
  const { review, exceptions } = filing;
  if (!review) return null;
  if (review.count > 0) return <Codes filing={filing} review={review} />;
  return exceptions?.count === 0 ? <p class="notice good">No exceptions, and nothing to review.</p> : null;
};

/** Names the first warning that can change the tax of a transaction, and counts the others; empty without one. */
export const reviewText = (warnings: Warnings): string => {
  const [first, ...others] = new Set(warnings.map(({ code }) => code).filter((code) => getMeaning(code) !== null));
  return first === undefined ? '' : `${toWords(first)}${others.length > 0 ? ` +${others.length}` : ''}`;
};

type NoticesProps = {
  readonly warnings: Warnings;
  /** Returns the title of the line or shipping charge of a pointer. */
  readonly getTitle: (pointer: string) => string | null;
};

/** The warnings of a transaction: what each one means for the tax, with the message of the API. */
export const ReviewNotices = ({ warnings, getTitle }: NoticesProps) => (
  <>
    {warnings.map(({ code, message, pointer }, at) => {
      const meaning = getMeaning(code);
      const title = pointer && getTitle(pointer);
      if (meaning === null)
        return (
          <p key={at} class="notice">
            <Message value={message} />
          </p>
        );
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
