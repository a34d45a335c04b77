import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { grouped } from './amounts.ts';
import { todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { Amount, counted, Facts, Warnings, wordsOf } from './parts.tsx';
import { DueDate } from './returns-due.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

export type FilingData = Schemas['Filing'];

/** Transactions with exceptions, each with a link. */
export const ExceptionTable = ({ rows }: { rows: readonly Schemas['FilingException'][] }) => (
  <Table
    caption="Transactions that are exceptions"
    columns={[
      {
        name: 'Reference',
        cell: (row) => (
          <a href={linkTo(['transactions', row.transaction_id])}>{row.reference_id ?? row.transaction_id}</a>
        ),
      },
      { name: 'Day', cell: (row) => row.tax_day },
      { name: 'Customer', cell: (row) => row.customer_id },
      { name: 'ZIP', cell: (row) => row.postal_code },
      {
        name: 'Reasons',
        cell: ({ reasons, currency }) =>
          reasons.map(({ reason, gross_amount }) => (
            <div key={reason}>
              {wordsOf(reason)}, gross <Amount of={gross_amount} currency={currency} />
            </div>
          )),
      },
    ]}
    rows={rows}
    keyOf={(row) => row.transaction_id}
    empty="None."
  />
);

const Exceptions = ({ of }: { of: NonNullable<FilingData['exceptions']> }) => (
  <>
    <p class={of.count > 0 ? 'notice bad' : 'notice good'}>
      {of.count === 0 ? 'No exceptions.' : `${counted(of.count, 'exception')}: check the transactions before you file.`}
    </p>
    {of.count > 0 && (
      <Table
        caption="Exceptions by reason"
        columns={[
          { name: 'Reason', cell: (row) => wordsOf(row.reason) },
          { name: 'Transactions', isFigure: true, cell: (row) => row.count },
          {
            name: 'Gross amount',
            isFigure: true,
            cell: (row) => <Amount of={row.gross_amount} currency={row.currency} />,
          },
        ]}
        rows={of.by_reason}
        keyOf={(row) => row.reason + row.currency}
        empty=""
      />
    )}
    {of.transactions && of.transactions.length > 0 && <ExceptionTable rows={of.transactions} />}
    {of.transactions && of.count > of.transactions.length && (
      <p class="hint">Showing the first {of.transactions.length}. Close the period to see all.</p>
    )}
  </>
);

/** A text whose addresses are links. They open in a new tab, without a referrer. */
const Linked = ({ of }: { of: string }) => (
  <>
    {of.split(/(https:\/\/[^\s;]+)/).map((part, at) =>
      at % 2 === 1 ? (
        <a key={at} href={part} target="_blank" rel="noreferrer">
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
);

/** When the return is due, and by which rules. */
const Terms = ({ of }: { of: FilingData }) => {
  const today = todayIn(useSession().account.time_zone, Date.now());
  const { terms } = of;
  const isRequired = terms?.zero_return_required ?? null;
  return (
    <>
      <Facts
        of={[
          ['Due', of.status === 'filed' ? of.due_date : <DueDate key="due" of={of.due_date} today={today} />],
          ['Return without sales', isRequired === null ? null : isRequired ? 'required' : 'not required'],
        ]}
      />
      {terms && (
        <details>
          <summary>Due date rule, vendor discount and sources</summary>
          <Facts
            of={[
              ['Due date rule', terms.due_rule],
              ['Vendor discount', of.vendor_discount],
              ['Sources', terms.source && <Linked key="sources" of={terms.source} />],
            ]}
          />
        </details>
      )}
    </>
  );
};

const figures = [
  ['Gross', 'gross_amount'],
  ['Exempt', 'exempt_amount'],
  ['Not covered', 'not_covered_amount'],
  ['Taxable', 'taxable_amount'],
  ['Calculated tax', 'calculated_tax_amount'],
  ['Tax collected', 'tax_amount'],
  ['Credits', 'credit_amount'],
] as const;

/** Reads the page of totals of a cursor. */
type ReadTotals = (cursor: string, signal: AbortSignal) => Promise<FilingData>;

const TotalsTable = ({ rows }: { rows: FilingData['totals'] }) => (
  <Table
    caption="Totals by jurisdiction"
    columns={[
      { name: 'Jurisdiction', cell: (row) => row.jurisdiction_name },
      { name: 'Code', cell: (row) => row.reporting_code ?? row.jurisdiction_code },
      { name: 'Currency', cell: (row) => row.currency },
      ...figures.map(([name, field]) => ({
        name,
        isFigure: true,
        cell: (row: Schemas['FilingTotal']) => <Amount of={row[field]} />,
      })),
    ]}
    rows={rows ?? []}
    keyOf={(row) => row.jurisdiction_code + row.currency}
    empty="No jurisdictions."
  />
);

const NextTotals = ({
  cursor,
  read,
  onPage,
}: {
  cursor: string;
  read: ReadTotals;
  onPage: (cursor: string) => void;
}) => {
  const page = useLoad(cursor, (signal) => read(cursor, signal));
  return (
    <Load of={page} what="totals">
      {({ totals, totals_next_cursor }) => (
        <>
          <TotalsTable rows={totals} />
          <NextButton cursor={totals_next_cursor} onPage={onPage} />
        </>
      )}
    </Load>
  );
};

const NextButton = ({ cursor, onPage }: { cursor: string | null; onPage: (cursor: string) => void }) =>
  cursor && (
    <button type="button" onClick={() => onPage(cursor)}>
      Next page of totals
    </button>
  );

/** The totals of a filing, page by page: a return in many currencies and jurisdictions has more than one page. */
const Totals = ({ of, read }: { of: FilingData; read: ReadTotals }) => {
  const [cursor, setCursor] = useState<string | null>(null);
  return cursor === null ? (
    <>
      <TotalsTable rows={of.totals} />
      <NextButton cursor={of.totals_next_cursor} onPage={setCursor} />
    </>
  ) : (
    <>
      <NextTotals cursor={cursor} read={read} onPage={setCursor} />
      <button type="button" onClick={() => setCursor(null)}>
        First page of totals
      </button>
    </>
  );
};

/** The figures of a filing or a dry run. */
export const FilingFigures = ({ of, readTotals }: { of: FilingData; readTotals: ReadTotals }) => (
  <>
    <Terms of={of} />
    <Warnings of={of.warnings} />
    <Table
      caption="Totals by currency"
      columns={[
        { name: 'Currency', cell: (row) => row.currency },
        ...figures.map(([name, field]) => ({
          name,
          isFigure: true,
          cell: (row: FilingData['summary'][number]) => <Amount of={row[field]} />,
        })),
        { name: 'Transactions', isFigure: true, cell: (row) => row.count },
      ]}
      rows={of.summary}
      keyOf={(row) => row.currency}
      empty="No sales in this period."
    />
    <Totals of={of} read={readTotals} />
    {of.exceptions && <Exceptions of={of.exceptions} />}
  </>
);

/** The figures that a write is about, in one sentence. */
export const figuresText = ({ summary, exceptions }: FilingData): string => {
  const sums = summary.map(
    ({ currency, tax_amount, count }) =>
      `${grouped(tax_amount)} ${currency} of tax in ${counted(count, 'transaction')}`,
  );
  const text = sums.length > 0 ? sums.join(' and ') : 'no sales';
  return exceptions?.count ? `${text}, with ${counted(exceptions.count, 'exception')}` : text;
};
