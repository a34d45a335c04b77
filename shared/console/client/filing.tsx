import { useEffect } from 'preact/hooks';
import type { Levy, Schemas } from '../../client/client.ts';
import { ConfirmButton } from './actions.tsx';
import { Export } from './export.tsx';
import { type Cursor, csvPage, jsonPage } from './export-file.ts';
import { Check, Field } from './fields.tsx';
import { amountsDue, counted, isZero, money, percent, periodName, toWords } from './format.ts';
import { Load, type Loaded, Pages, readData, useLoad } from './load.tsx';
import { Actor, Amount, Amounts, DueDate, Facts, Instant, Status, Warnings } from './parts.tsx';
import { Review } from './review.tsx';
import { useSession } from './session.ts';
import { ElectronicReturn, readFiling, type Source, WorksheetLink } from './state-forms.tsx';
import { amountColumns, Table } from './table.tsx';

export type FilingData = Schemas['Filing'];

/** Text with URLs as links, which open in a new tab without a referrer. */
const Linked = ({ text }: { text: string }) => (
  <>
    {text.split(/(https:\/\/[^\s;]+)/).map((part, at) =>
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

/** The due date of the return and the rules behind it. */
const Terms = ({ filing }: { filing: FilingData }) => {
  const { terms, status, vendor_discount, vendor_discount_amount: discount, summary } = filing;
  const zeroReturn = { true: 'required', false: 'not required', null: null, undefined: null };
  return (
    <>
      <Facts
        value={{
          Due: <DueDate value={filing} />,
          'Amount due': status !== 'closing' && summary.length > 0 && <Amounts value={amountsDue(summary)} />,
          'Vendor discount': vendor_discount,
          'Discount, estimated':
            vendor_discount !== 'none' &&
            (discount === null ? filing.vendor_discount_reason : <Amount value={discount} currency="USD" />),
          'Worksheet of the form': filing.worksheet_form && <WorksheetLink filing={filing} />,
          'Return without sales': zeroReturn[`${terms?.zero_return_required}`],
        }}
      />
      {terms && (
        <details>
          <summary>Due date rule and sources</summary>
          <Facts
            value={{
              'Due date rule': terms.due_rule,
              Sources: terms.source && <Linked text={terms.source} />,
            }}
          />
        </details>
      )}
    </>
  );
};

export const figureFields = [
  ['Gross', 'gross_amount'],
  ['Exempt', 'exempt_amount'],
  ['Not covered', 'not_covered_amount'],
  ['Taxable', 'taxable_amount'],
  ['Calculated tax', 'calculated_tax_amount'],
  ['Tax collected', 'tax_amount'],
  ['Over-collected', 'over_collected_amount'],
  ['Credits', 'credit_amount'],
] as const;
const figures = amountColumns(figureFields);

/** The exempt sales of the whole state by reason, as a return deducts them. */
const ExemptByReason = ({ summary }: { summary: FilingData['summary'] }) => (
  <Table
    caption="Exempt sales by reason"
    columns={[
      ['Reason', (row) => toWords(row.reason)],
      ['Currency', (row) => row.currency],
      ['Amount', (row) => <Amount value={row.amount} />, 'figure'],
    ]}
    rows={summary.flatMap(({ currency, exempt_by_reason }) =>
      Object.entries(exempt_by_reason)
        .filter(([, amount]) => !isZero(amount))
        .map(([reason, amount]) => ({ reason, currency, amount })),
    )}
    empty="No exempt sales."
  />
);

/** The totals of jurisdictions by rate. */
const ByRate = ({ totals }: { totals: NonNullable<FilingData['totals']> }) => (
  <details>
    <summary>Totals by rate</summary>
    <Table
      caption="Totals by rate"
      columns={[
        ['Jurisdiction', (row) => row.jurisdiction_name],
        ['Code', (row) => row.code],
        ['Rate', (row) => percent(row.rate), 'figure'],
        ['Currency', (row) => row.currency],
        ...figures,
      ]}
      rows={totals.flatMap(({ jurisdiction_name, reporting_code, jurisdiction_code, currency, rates }) =>
        rates.map((row) => ({ jurisdiction_name, code: reporting_code ?? jurisdiction_code, currency, ...row })),
      )}
      empty="No rates."
    />
  </details>
);

/** The rows of jurisdictions. After the last page, a row for the whole state counts each sale once. */
const withWholeState = ({ totals, totals_next_cursor, summary }: FilingData) => [
  ...(totals ?? []).map((row) => ({ ...row, code: row.reporting_code ?? row.jurisdiction_code })),
  ...(totals_next_cursor === null
    ? summary.map((row) => ({ ...row, jurisdiction_name: 'Whole state, each sale once', code: '' }))
    : []),
];

/**
 * The amounts of a filing or a dry run. A return with many currencies and jurisdictions has several pages of totals.
 */
export const FilingFigures = ({ filing, source }: { filing: FilingData; source: Source }) => (
  <>
    <Terms filing={filing} />
    <Warnings value={filing.warnings} />
    <Table
      caption="Totals by currency"
      columns={[['Currency', (row) => row.currency], ...figures, ['Transactions', (row) => row.count, 'figure']]}
      rows={filing.summary}
      empty="No sales in this period."
    />
    <ExemptByReason summary={filing.summary} />
    <Pages
      what="totals"
      first={filing}
      read={(cursor, ...call) => readFiling(source, { totals_starting_after: cursor ?? '' }, ...call)}
      getNext={({ totals_next_cursor }) => totals_next_cursor}
    >
      {(page) => (
        <>
          <Table
            caption="Totals by jurisdiction"
            columns={[
              ['Jurisdiction', ({ code, jurisdiction_name: name }) => (code ? name : <strong>{name}</strong>)],
              ['Code', (row) => row.code],
              ['Currency', (row) => row.currency],
              ...figures,
            ]}
            rows={withWholeState({ ...page, summary: filing.summary })}
            empty="No jurisdictions."
          />
          <ByRate totals={page.totals ?? []} />
        </>
      )}
    </Pages>
    <Review filing={filing} />
  </>
);

/** Summarizes the amounts that a write affects, in one sentence. */
export const figuresText = ({ summary, exceptions, review }: FilingData): string => {
  const sums = summary.map(
    ({ currency, tax_amount, count }) =>
      `${money(tax_amount, currency)} of tax collected in ${counted(count, 'transaction')}`,
  );
  const text = sums.join(' and ') || 'no sales';
  const noted = [
    ...(exceptions?.count ? [counted(exceptions.count, 'exception')] : []),
    ...(review?.count ? [`${counted(review.count, 'transaction')} to review`] : []),
  ];
  return noted.length > 0 ? `${text}, with ${noted.join(' and ')}` : text;
};

type Update = Schemas['FilingUpdate'];
type UpdateProps = { readonly filing: FilingData; readonly onChange: () => void };

const update =
  ({ id }: FilingData) =>
  (body: Update, levy: Levy, idempotencyKey: string) =>
    readData(levy.post('/filings/{id}', { path: { id: id ?? '' }, body, idempotencyKey, maxTries: 4 }));

const numberField = ['number', 'Confirmation number of the state'] as const;

const MarkFiled = ({ filing, onChange }: UpdateProps) => {
  const count = filing.exceptions?.count ?? 0;
  return (
    <ConfirmButton
      title="Mark as filed"
      kind="primary"
      cancelLabel="Not yet"
      body={({ number = '' }): Update => ({
        status: 'filed',
        confirmation_number: number,
        ...(count > 0 && { acknowledge_exceptions: count }),
      })}
      missing={({ number, checked }) =>
        number ? count > 0 && !checked && 'Confirm that you checked the exceptions.' : 'Enter the confirmation number.'
      }
      write={update(filing)}
      onDone={onChange}
    >
      <p>
        This marks {periodName(filing)} as filed, with {figuresText(filing)}. Its transactions become filed and can no
        longer be voided. Do this after the state has accepted the return. It cannot be undone.
      </p>
      <Field field={numberField} maxLength={100} />
      {count > 0 && <Check name="checked">I checked the {counted(count, 'exception')}.</Check>}
    </ConfirmButton>
  );
};

const CorrectNumber = ({ filing, onChange }: UpdateProps) => {
  const previous = filing.confirmation_number ?? '';
  return (
    <ConfirmButton
      title="Correct the confirmation number"
      label="Save the number"
      cancelLabel="Keep the number"
      body={({ number = '' }): Update => ({
        status: 'filed',
        confirmation_number: number,
        previous_confirmation_number: previous,
      })}
      missing={({ number = '' }) => ['', previous].includes(number) && 'Enter a different number.'}
      write={update(filing)}
      onDone={onChange}
    >
      <p>
        This replaces the number {previous} of {periodName(filing)}. The amounts do not change. The filing keeps both
        numbers, with your name and the time.
      </p>
      <Field field={numberField} value={previous} maxLength={100} />
    </ConfirmButton>
  );
};

const Corrections = ({ corrections }: { corrections: FilingData['corrections'] }) => (
  <Table
    caption="Corrections of the confirmation number"
    columns={[
      ['At', (row) => <Instant value={row.at} />],
      ['By', (row) => <Actor value={row.by} />],
      ['From', (row) => row.from],
      ['To', (row) => row.to],
    ]}
    rows={corrections}
  />
);

/** The actions on a closed or filed filing. Each one states its effect before it runs. */
const FilingActions = ({ filing, onChange }: UpdateProps) => {
  const { canWrite } = useSession();
  if (filing.status === 'filed' && canWrite)
    return (
      <div class="actions">
        <CorrectNumber filing={filing} onChange={onChange} />
      </div>
    );
  if (filing.status !== 'closed') return null;
  if (!canWrite) return <p class="hint">Your credential is read-only. Filing requires the scope write.</p>;
  return (
    <div class="actions">
      <MarkFiled filing={filing} onChange={onChange} />
      <ConfirmButton
        title="Cancel the filing"
        cancelLabel="Keep the filing"
        body={(): Update => ({ status: 'canceled' })}
        write={update(filing)}
        onDone={onChange}
      >
        <p>
          This cancels the filing of {periodName(filing)} and opens its transactions again: {figuresText(filing)}. The
          schedule does not close the period automatically afterwards.
        </p>
      </ConfirmButton>
    </div>
  );
};

const exceptionColumns = [
  ...(['transaction_id', 'reference_id', 'type', 'tax_day', 'customer_id', 'postal_code'] as const),
  ...(['reason', 'currency', 'gross_amount'] as const),
] as const;
const reviewColumns = [...exceptionColumns, 'tax_amount'] as const;

/**
 * The buttons that download a filing: its totals, its transactions, its exceptions with a row for each reason of a
 * transaction, and its review list with the codes of each transaction.
 */
const Downloads = ({ id, filing }: { id: string; filing: FilingData }) => {
  const name = `${filing.state}-${filing.period_end}`;
  const read = (first: object) => async (cursor: Cursor, levy: Levy, signal: AbortSignal) => {
    const query = { ...first, ...cursor };
    return csvPage(await levy.getCsv('/filings/{id}', { path: { id }, query, signal, maxTries: 4 }));
  };
  const lists = (['exceptions', 'review'] as const).filter((list) => (filing[list]?.count ?? 0) > 0);
  return (
    <>
      <Export what="totals" name={`${name}-totals`} read={read({})} />
      <Export what="transactions" name={`${name}-transactions`} read={read({ expand: 'entries', limit: 100 })} />
      {lists.map((list) => (
        <Export
          key={list}
          what={list === 'review' ? 'the review list' : list}
          name={`${name}-${list}`}
          read={async (cursor, levy, signal) => {
            const query = { list, limit: 100, ...cursor };
            const page = await levy.get('/filings/{id}/exceptions', { path: { id }, query, signal, maxTries: 4 });
            return list === 'review'
              ? jsonPage(reviewColumns, (row) => [{ ...row, reason: row.review_codes.join(' ') }], page)
              : jsonPage(exceptionColumns, ({ reasons, ...row }) => reasons.map((one) => ({ ...row, ...one })), page);
          }}
        />
      ))}
    </>
  );
};

const isMoving = ({ status }: FilingData): boolean => status === 'closing' || status === 'marking';

/** Reloads a filing while it moves its transactions. */
const usePolling = ({ value, trouble, isLoading, reload }: Loaded<FilingData>): void => {
  useEffect(() => {
    if (isLoading || !value || !(isMoving(value) || !value.progress.complete)) return;
    const timer = setTimeout(reload, trouble ? 10_000 : 2000);
    return () => clearTimeout(timer);
  }, [value, trouble, isLoading, reload]);
};

// The result of a filing's dry run, kept in memory.
export const announced = new Map<string, string>();

/** Returns the dry run if its amounts differ from the closed filing: sales can be recorded in between. */
const announcedOtherwise = (filing: FilingData): string | null => {
  const text = announced.get(filing.id ?? '');
  return text === undefined || filing.status === 'closing' || text === figuresText(filing) ? null : text;
};

const FilingBody = ({ id, filing, onChange }: UpdateProps & { readonly id: string }) => (
  <>
    <h1>{periodName(filing)}</h1>
    <Facts
      value={{
        Status: <Status value={filing.status} />,
        Period: `${filing.period_start} to ${filing.period_end}`,
        Closed: filing.closed_at && <Instant value={filing.closed_at} />,
        'Closed by': <Actor value={filing.asked_by} />,
        Filed: filing.filed_at && <Instant value={filing.filed_at} />,
        'Filed by': filing.filed_by && <Actor value={filing.filed_by} />,
        'Confirmation number': filing.confirmation_number,
      }}
    />
    <Corrections corrections={filing.corrections} />
    {isMoving(filing) && (
      <p class="notice" role="status">
        {filing.status === 'closing'
          ? `Closing: ${counted(filing.progress.entries_moved, 'transaction')} added to the return. `
          : `Marking as filed: ${counted(filing.progress.entries_marked, 'transaction')} so far. `}
        The page updates automatically.
      </p>
    )}
    {announcedOtherwise(filing) && (
      <p class="notice bad">
        The amounts changed since the dry run, which had {announcedOtherwise(filing)}. Compare them before you file.
      </p>
    )}
    <FilingFigures filing={filing} source={{ id }} />
    {filing.closed_at === null ? (
      <p class="hint">The files can be downloaded when the filing is closed.</p>
    ) : (
      <div class="actions">
        <Downloads id={id} filing={filing} />
        {filing.status !== 'canceled' && <ElectronicReturn filing={filing} />}
      </div>
    )}
    <FilingActions filing={filing} onChange={onChange} />
  </>
);

/** A filing with its amounts, exceptions, files and actions. */
export const Filing = ({ id }: { id: string }) => {
  const filing = useLoad(id, (...call) => readFiling({ id }, {}, ...call));
  usePolling(filing);
  return (
    <Load loaded={filing} what="the filing">
      {(found, reload) => <FilingBody id={id} filing={found} onChange={reload} />}
    </Load>
  );
};
