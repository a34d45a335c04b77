import { useEffect, useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { grouped } from './amounts.ts';
import { todayIn } from './days.ts';
import { ActionButton, ConfirmDialog, Load, type Loaded, useAction, useCall, useLoad } from './load.tsx';
import {
  Amount,
  type Column,
  counted,
  DueDate,
  download,
  Facts,
  Instant,
  periodName,
  Status,
  Table,
  Warnings,
  wordsOf,
} from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

export type FilingData = Schemas['Filing'];

/** Transactions with exceptions, each with a link. */
const ExceptionTable = ({ rows }: { rows: readonly Schemas['FilingException'][] }) => (
  <Table
    caption="Transactions that are exceptions"
    columns={[
      [
        'Reference',
        (row) => <a href={linkTo(['transactions', row.transaction_id])}>{row.reference_id ?? row.transaction_id}</a>,
      ],
      ['Day', (row) => row.tax_day],
      ['Customer', (row) => row.customer_id],
      ['ZIP', (row) => row.postal_code],
      [
        'Reasons',
        ({ reasons, currency }) =>
          reasons.map(({ reason, gross_amount }) => (
            <div key={reason}>
              {wordsOf(reason)}, gross <Amount of={gross_amount} currency={currency} />
            </div>
          )),
      ],
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
          ['Reason', (row) => wordsOf(row.reason)],
          ['Transactions', (row) => row.count, 'figure'],
          ['Gross amount', (row) => <Amount of={row.gross_amount} currency={row.currency} />, 'figure'],
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
      ['Jurisdiction', (row) => row.jurisdiction_name],
      ['Code', (row) => row.reporting_code ?? row.jurisdiction_code],
      ['Currency', (row) => row.currency],
      ...figures.map(
        ([name, field]): Column<Schemas['FilingTotal']> => [name, (row) => <Amount of={row[field]} />, 'figure'],
      ),
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
        ['Currency', (row) => row.currency],
        ...figures.map(
          ([name, field]): Column<FilingData['summary'][number]> => [
            name,
            (row) => <Amount of={row[field]} />,
            'figure',
          ],
        ),
        ['Transactions', (row) => row.count, 'figure'],
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

type Props = { readonly of: FilingData; readonly onDone: () => void; readonly onClose: () => void };

const MarkFiled = ({ of, onDone, onClose }: Props) => {
  const { levy } = useSession();
  const [number, setNumber] = useState('');
  const [isAcknowledged, setAcknowledged] = useState(false);
  const count = of.exceptions?.count ?? 0;
  const body = {
    status: 'filed',
    confirmation_number: number.trim(),
    ...(count > 0 && { acknowledge_exceptions: count }),
  } as const;
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/filings/{id}', { path: { id: of.id ?? '' }, body, idempotencyKey, maxTries: 4 })),
    onDone,
    JSON.stringify(body),
  );
  const missing =
    number.trim() === ''
      ? 'Enter the confirmation number.'
      : count > 0 && !isAcknowledged
        ? 'Confirm that you checked the exceptions.'
        : '';
  return (
    <ConfirmDialog
      title="Mark as filed"
      action={action}
      label="Mark as filed"
      cancelLabel="Not yet"
      onClose={onClose}
      missing={missing}
    >
      <p>
        This marks {periodName(of)} as filed, with {figuresText(of)}. Its transactions become filed and can no longer be
        voided. Do this after the state accepted the return. It cannot be undone.
      </p>
      <label class="field">
        <span>Confirmation number of the state</span>
        <input value={number} onInput={(event) => setNumber(event.currentTarget.value)} maxLength={100} required />
      </label>
      {count > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAcknowledged}
            onChange={(event) => setAcknowledged(event.currentTarget.checked)}
          />{' '}
          I checked the {counted(count, 'exception')}.
        </label>
      )}
    </ConfirmDialog>
  );
};

const Cancel = ({ of, onDone, onClose }: Props) => {
  const { levy } = useSession();
  const body = { status: 'canceled' } as const;
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/filings/{id}', { path: { id: of.id ?? '' }, body, idempotencyKey, maxTries: 4 })),
    onDone,
  );
  return (
    <ConfirmDialog
      title="Cancel the filing"
      action={action}
      label="Cancel the filing"
      cancelLabel="Keep the filing"
      onClose={onClose}
    >
      <p>
        This cancels the filing of {periodName(of)} and opens its transactions again: {figuresText(of)}. The schedule
        does not close the period automatically afterwards.
      </p>
    </ConfirmDialog>
  );
};

/** The actions on a closed filing. Each one states its effect before it runs. */
const FilingActions = ({ of, onChange }: { of: FilingData; onChange: () => void }) => {
  const { canWrite } = useSession();
  const [open, setOpen] = useState<'file' | 'cancel' | null>(null);
  const close = () => setOpen(null);
  const done = () => {
    close();
    onChange();
  };
  if (of.status !== 'closed') return null;
  if (!canWrite) return <p class="hint">Your credential may read only. Filing needs the scope write.</p>;
  return (
    <p class="actions">
      <button type="button" class="primary" onClick={() => setOpen('file')}>
        Mark as filed …
      </button>
      <button type="button" onClick={() => setOpen('cancel')}>
        Cancel the filing …
      </button>
      {open === 'file' && <MarkFiled of={of} onDone={done} onClose={close} />}
      {open === 'cancel' && <Cancel of={of} onDone={done} onClose={close} />}
    </p>
  );
};

const ExceptionPages = ({ id }: { id: string }) => {
  const [cursor, setCursor] = useState<string | null>(null);
  const query = { limit: 50, ...(cursor && { starting_after: cursor }) };
  const list = useCall(`${id} ${cursor}`, (levy, signal) =>
    levy.get('/filings/{id}/exceptions', { path: { id }, query, signal }),
  );
  return (
    <Load of={list} what="exceptions">
      {({ data, next_cursor }) => (
        <>
          <ExceptionTable rows={data} />
          {cursor && (
            <button type="button" onClick={() => setCursor(null)}>
              First page
            </button>
          )}
          {next_cursor && (
            <button type="button" onClick={() => setCursor(next_cursor)}>
              Next page of exceptions
            </button>
          )}
        </>
      )}
    </Load>
  );
};

const nameOf = ({ state, period_end }: FilingData): string => `${state}-${period_end}`;

const cursorNames = ['starting_after', 'totals_starting_after'] as const;

/** The cursor of the next page in a Link header (RFC 8288), or `null`. */
const nextIn = (headers: Headers): Query | null => {
  const query = new URLSearchParams(/<\?([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]);
  const name = cursorNames.find((known) => query.has(known));
  return name === undefined ? null : { [name]: query.get(name) };
};

type Query = { expand?: 'entries'; limit?: number; starting_after?: string; totals_starting_after?: string };

/** All totals or all transactions of a filing as one CSV text, page by page. */
const wholeCsv = async (
  levy: Levy,
  id: string,
  first: Query,
  signal: AbortSignal,
  onPage: (pages: number) => void,
): Promise<string> => {
  let query = first;
  let text = '';
  for (let pages = 1; ; pages++) {
    onPage(pages);
    const page = await levy.getCsv('/filings/{id}', { path: { id }, query, signal, maxTries: 4 });
    const csv = orThrow(page);
    text += text ? csv.slice(csv.indexOf('\n') + 1) : csv;
    const next = nextIn(page.headers);
    if (next === null) return text;
    query = { ...query, ...next };
  }
};

const Files = ({ of }: { of: FilingData }) => {
  const { levy } = useSession();
  const [pages, setPages] = useState(0);
  const id = of.id ?? '';
  const totals = useAction(
    (_key, signal) => wholeCsv(levy, id, {}, signal, setPages),
    (csv) => download(`${nameOf(of)}-totals.csv`, csv),
  );
  const entries = useAction(
    (_key, signal) => wholeCsv(levy, id, { expand: 'entries', limit: 100 }, signal, setPages),
    (csv) => download(`${nameOf(of)}-transactions.csv`, csv),
  );
  return (
    <div class="actions">
      <ActionButton action={totals} label="Download totals as CSV" isPlain />
      <ActionButton action={entries} label="Download transactions as CSV" isPlain />
      <span role="status">{(totals.isRunning || entries.isRunning) && `Reading page ${pages} …`}</span>
    </div>
  );
};

const isMoving = ({ status }: FilingData): boolean => status === 'closing' || status === 'marking';

/** Load a filing again while it moves its transactions. */
const usePolling = ({ value, trouble, isLoading, reload }: Loaded<FilingData>): void => {
  useEffect(() => {
    if (isLoading || !value || !(isMoving(value) || !value.progress.complete)) return;
    const timer = setTimeout(reload, trouble ? 10_000 : 2000);
    return () => clearTimeout(timer);
  }, [value, trouble, isLoading, reload]);
};

type BodyProps = {
  of: FilingData;
  onChange: () => void;
  readTotals: Parameters<typeof FilingFigures>[0]['readTotals'];
};

const FilingBody = ({ of, onChange, readTotals }: BodyProps) => (
  <>
    <h1>{periodName(of)}</h1>
    <Facts
      of={[
        ['Status', <Status key="status" of={of.status} />],
        ['Period', `${of.period_start} to ${of.period_end}`],
        ['Closed', of.closed_at && <Instant key="closed" of={of.closed_at} />],
        ['Closed by', of.asked_by],
        ['Filed', of.filed_at && <Instant key="filed" of={of.filed_at} />],
        ['Confirmation number', of.confirmation_number],
      ]}
    />
    {isMoving(of) && (
      <p class="notice" role="status">
        {of.progress.entries_moved} entries moved, {of.progress.entries_marked} marked. The page updates by itself.
      </p>
    )}
    {announcedOtherwise(of) && (
      <p class="notice bad">
        The figures changed since the dry run, which had {announcedOtherwise(of)}. Compare them before you file.
      </p>
    )}
    <FilingFigures of={of} readTotals={readTotals} />
    {(of.exceptions?.count ?? 0) > 0 && of.id && <ExceptionPages id={of.id} />}
    {of.closed_at === null ? (
      <p class="hint">The files can be downloaded when the filing is closed.</p>
    ) : (
      <Files of={of} />
    )}
    <FilingActions of={of} onChange={onChange} />
  </>
);

/** A filing: its figures, exceptions, files and what can be done with it. */
export const Filing = ({ id }: { id: string }) => {
  const { levy } = useSession();
  const read = async (query: Query, signal: AbortSignal) =>
    orThrow(await levy.get('/filings/{id}', { path: { id }, query, signal }));
  const filing = useLoad(id, (signal) => read({}, signal));
  usePolling(filing);
  return (
    <Load of={filing} what="the filing">
      {(found) => (
        <FilingBody
          of={found}
          onChange={filing.reload}
          readTotals={(cursor, signal) => read({ totals_starting_after: cursor }, signal)}
        />
      )}
    </Load>
  );
};

// The result of a filing's dry run, in the memory of the page.
export const announced = new Map<string, string>();

/** The result of the dry run, if the closed filing has other amounts: sales can be recorded between the two. */
const announcedOtherwise = (filing: FilingData): string | null => {
  const text = announced.get(filing.id ?? '');
  return text === undefined || filing.status === 'closing' || text === figuresText(filing) ? null : text;
};
