import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { todayIn } from './days.ts';
import { announced, Filing, type FilingData, FilingFigures, figuresText } from './filing.tsx';
import { ConfirmDialog, Load, useAction, useCall, useLoad } from './load.tsx';
import {
  Amount,
  Cards,
  DueDate,
  Field,
  Instant,
  lettersOf,
  periodName,
  SearchForm,
  Status,
  soonDays,
  Table,
  toneOf,
  valuesOf,
} from './parts.tsx';
import { linkTo, parametersOf, queryOf, type ViewProps } from './route.ts';
import { useSession } from './session.ts';

/** The data of a period before it is closed. */
type ToClose = {
  readonly state: string;
  readonly periodEnd: string;
  /** Such as `MI, Aug 2026`. */
  readonly name: string;
  /** The figures of the dry run; `null` for a period that is too large for one. */
  readonly figures: string | null;
};

const CloseDialog = ({ of: { state, periodEnd, name, figures }, onClose }: { of: ToClose; onClose: () => void }) => {
  const { levy } = useSession();
  const body = { state, period_end: periodEnd };
  const action = useAction(
    async (idempotencyKey) => orThrow(await levy.post('/filings', { body, idempotencyKey, maxTries: 4 })),
    ({ id }) => {
      if (id && figures !== null) announced.set(id, figures);
      location.hash = linkTo(['filings', id ?? '']);
    },
  );
  return (
    <ConfirmDialog
      title="Close the period"
      action={action}
      label={`Close ${name}`}
      cancelLabel="Keep it open"
      onClose={onClose}
    >
      <p>
        This closes {name}
        {figures === null ? '. Its figures are known when it is closed.' : `, with ${figures} as of the dry run.`} What
        is recorded afterwards counts in the next period. You can cancel the filing until it is marked as filed.
      </p>
    </ConfirmDialog>
  );
};

/** The button that closes a period, after a dialog. */
const ClosePeriod = ({ of }: { of: ToClose }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        Close the period …
      </button>
      {isOpen && <CloseDialog of={of} onClose={() => setOpen(false)} />}
    </>
  );
};

type Open = Schemas['FilingPeriod'] | undefined;

/** The button that closes a period, or why it cannot be closed now. `first` is the period of the state to close first. */
const Closing = ({ of, first }: { of: ToClose; first: Open }) => {
  const { account, canWrite } = useSession();
  if (!canWrite) return <p class="hint">Your credential may read only. Closing needs the scope write.</p>;
  if (of.periodEnd >= todayIn(account.time_zone, Date.now()))
    return <p class="hint">This period has not ended. It can be closed after {of.periodEnd}.</p>;
  if (first && first.period_end < of.periodEnd)
    return (
      <p class="hint">
        Periods close in order.{' '}
        <a href={linkTo(['filings', first.state, first.period_end])}>Close {periodName(first)} first</a>.
      </p>
    );
  if (first && first.period_end > of.periodEnd)
    return (
      <p class="hint">
        Levy files {lettersOf(of.state)} from {periodName(first)} on. File earlier periods outside of Levy.
      </p>
    );
  return <ClosePeriod of={of} />;
};

type ReadTotals = Parameters<typeof FilingFigures>[0]['readTotals'];
type DryRunProps = { of: FilingData; first: Open; reload: () => void; readTotals: ReadTotals };

const DryRun = ({ of, first, reload, readTotals }: DryRunProps) => {
  const { state, period_start: from, period_end: to } = of;
  return (
    <>
      <p class="hint">
        {from} to {to}. A dry run: the figures as they are now. Nothing is stored.
      </p>
      <FilingFigures of={of} readTotals={readTotals} />
      <p>
        <a href={linkTo(['transactions'], { state, from, to })}>
          Transactions of {lettersOf(state)} with a tax date in this period
        </a>
        . Late transactions of closed periods count here, too.
      </p>
      <p class="actions">
        <Closing of={{ state, periodEnd: to, name: periodName(of), figures: figuresText(of) }} first={first} />
        <button type="button" onClick={reload}>
          Run again
        </button>
      </p>
    </>
  );
};

/** A period: its dry run, and the button that closes it; or a link to its filing, which the API returns instead. */
export const FilingPeriod = ({ state, periodEnd }: { state: string; periodEnd: string }) => {
  const { levy } = useSession();
  const key = `${state} ${periodEnd}`;
  const body = { state, period_end: periodEnd, dry_run: true };
  const first = useLoad(key, async (signal) => {
    const { data } = orThrow(await levy.get('/filing-periods', { query: { state, limit: 1 }, signal }));
    return data[0] ?? null;
  });
  const dryRun = useCall(key, (levy, signal) => levy.post('/filings', { body, signal }));
  const readTotals: ReadTotals = async (cursor, signal) =>
    orThrow(await levy.post('/filings', { body: { ...body, totals_starting_after: cursor }, signal }));
  const name = dryRun.value ? periodName(dryRun.value) : `${lettersOf(state)}, period to ${periodEnd}`;
  return (
    <>
      <h1>{name}</h1>
      <Load of={dryRun} what="the dry run">
        {(found) =>
          found.id === null ? (
            <DryRun of={found} first={first.value ?? undefined} reload={dryRun.reload} readTotals={readTotals} />
          ) : (
            <p class="notice">
              This period has a filing, which is {found.status}.{' '}
              <a href={linkTo(['filings', found.id])}>Open the filing</a>
            </p>
          )
        }
      </Load>
      {dryRun.trouble?.code === 'validation_too_many_entries' && (
        <p class="actions">
          <Closing of={{ state, periodEnd, name, figures: null }} first={first.value ?? undefined} />
        </p>
      )}
    </>
  );
};

type Row = {
  readonly id: string | null;
  readonly state: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly status: string;
  readonly due_date: string | null;
  readonly exceptions: { readonly count: number } | null;
};

const DueCards = ({ rows, today }: { rows: readonly Row[]; today: string }) => {
  const count = (tone: string) => rows.filter(({ due_date }) => toneOf(due_date, today) === tone).length;
  const exceptions = rows.reduce((sum, row) => sum + (row.exceptions?.count ?? 0), 0);
  return (
    <Cards
      of={[
        { label: 'Late', value: count('bad'), ...(count('bad') > 0 && { tone: 'bad' }) },
        { label: `Due within ${soonDays} days`, value: count('warn'), ...(count('warn') > 0 && { tone: 'warn' }) },
        { label: 'Due later, or not established', value: count('') },
        {
          label: 'Exceptions in closed periods',
          value: exceptions,
          ...(exceptions > 0 && { tone: 'warn' }),
        },
      ]}
    />
  );
};

/** Periods that are over and not filed, the next due first. */
export const Due = () => {
  const { levy, account } = useSession();
  const today = todayIn(account.time_zone, Date.now());
  const due = useLoad('due', async (signal): Promise<Row[]> => {
    const [periods, ...filings] = await Promise.all([
      Array.fromAsync(levy.list('/filing-periods', { query: { limit: 100 }, signal })),
      ...(['closing', 'closed', 'marking'] as const).map((status) =>
        Array.fromAsync(levy.list('/filings', { query: { status, limit: 100 }, signal })),
      ),
    ]);
    const open = periods.filter(({ is_over }) => is_over);
    return [
      ...open.map((period) => ({ ...period, id: null, status: 'open', exceptions: null })),
      ...filings.flat(),
    ].sort((a, b) => ((a.due_date ?? '9') < (b.due_date ?? '9') ? -1 : 1));
  });
  return (
    <section class="panel" aria-labelledby="due">
      <h2 id="due">Returns to file</h2>
      <Load of={due} what="periods">
        {(rows) => (
          <>
            {rows.length > 0 && <DueCards rows={rows} today={today} />}
            <Table
              caption="Periods that are over and not filed, the first due first"
              columns={[
                [
                  'Period',
                  (row) => (
                    <a href={linkTo(row.id ? ['filings', row.id] : ['filings', row.state, row.period_end])}>
                      {periodName(row)}
                    </a>
                  ),
                ],
                ['Status', ({ status }) => <Status of={status} />],
                ['Due', ({ due_date }) => <DueDate of={due_date} today={today} />],
                ['Exceptions', (row) => row.exceptions?.count ?? 'open to check', 'figure'],
              ]}
              rows={rows}
              keyOf={({ state, period_end }) => state + period_end}
              empty={
                account.collects_in === 'registered_states'
                  ? 'Nothing is due.'
                  : 'There is no calendar, because the account has no list of registrations.'
              }
            />
          </>
        )}
      </Load>
    </section>
  );
};

const OpenPeriods = () => {
  const { levy, account } = useSession();
  const today = todayIn(account.time_zone, Date.now());
  const periods = useLoad('periods', (signal) =>
    Array.fromAsync(levy.list('/filing-periods', { query: { limit: 100 }, signal })),
  );
  return (
    <Load of={periods} what="periods">
      {(data) => (
        <Table
          caption="Periods without a filing, by state"
          columns={[
            ['Period', (row) => <a href={linkTo(['filings', row.state, row.period_end])}>{periodName(row)}</a>],
            ['Frequency', (row) => row.frequency],
            ['Status', (row) => <Status of={row.is_over ? 'ended' : 'current'} />],
            ['Closes automatically', (row) => (row.closes_at ? <Instant of={row.closes_at} /> : 'no')],
            ['Due', ({ due_date }) => <DueDate of={due_date} today={today} />],
          ]}
          rows={data}
          keyOf={(row) => row.state + row.period_end}
          empty={
            account.collects_in === 'registered_states'
              ? 'No registered state has an open period.'
              : 'The account has no registrations, so there is no calendar. Open a period below, or set registrations with npm run accounts -- settings.'
          }
        />
      )}
    </Load>
  );
};

const OpenPeriod = () => (
  <SearchForm label="Open a period" to={({ state = '', period_end = '' }) => linkTo(['filings', state, period_end])}>
    <Field name="state" label="State" isRequired />
    <Field name="period_end" label="Last day of the period" type="date" isRequired />
    <button type="submit">Open the period</button>
  </SearchForm>
);

const statuses = ['', 'closing', 'closed', 'marking', 'filed', 'canceled'].map(
  (name) => [name, name || 'All'] as const,
);

const Filed = ({ query }: Pick<ViewProps, 'query'>) => {
  const filters = parametersOf(query, ['status', 'state', 'starting_after']);
  const list = useCall(JSON.stringify(filters), (levy, signal) =>
    levy.get('/filings', { query: { ...filters, limit: 50 }, signal }),
  );
  const change = (form: HTMLFormElement) => {
    location.hash = linkTo(['filings'], valuesOf(form));
  };
  return (
    <>
      <form
        class="filters"
        onChange={(event) => change(event.currentTarget)}
        onSubmit={(event) => event.preventDefault()}
      >
        <Field name="state" label="State" value={query.get('state')} />
        <Field name="status" label="Status" value={query.get('status')} options={statuses} />
      </form>
      <Load of={list} what="filings">
        {({ data, next_cursor }) => (
          <>
            <Table
              caption="Filings, newest first"
              columns={[
                ['Period', (row) => <a href={linkTo(['filings', row.id ?? ''])}>{periodName(row)}</a>],
                ['Status', (row) => <Status of={row.status} />],
                ['Due', (row) => row.due_date],
                ['Exceptions', (row) => row.exceptions?.count, 'figure'],
                [
                  'Tax',
                  ({ summary }) =>
                    summary.map(({ currency, tax_amount }) => (
                      <div key={currency}>
                        <Amount of={tax_amount} currency={currency} />
                      </div>
                    )),
                  'figure',
                ],
                ['Confirmation', (row) => row.confirmation_number],
              ]}
              rows={data}
              keyOf={(row) => row.id ?? ''}
              empty={next_cursor ? 'No filing matches on this page.' : 'No filing matches.'}
            />
            {next_cursor && (
              <a href={linkTo(['filings'], { ...queryOf(query), starting_after: next_cursor })}>Next page</a>
            )}
          </>
        )}
      </Load>
    </>
  );
};

/** The calendar of returns, a period, or a filing. */
export const Filings = ({ path, query }: ViewProps) => {
  const [first, periodEnd] = path;
  if (first && periodEnd) return <FilingPeriod key={path.join()} state={first} periodEnd={periodEnd} />;
  if (first) return <Filing key={first} id={first} />;
  return (
    <>
      <h1>Filings</h1>
      <OpenPeriods />
      <OpenPeriod />
      <h2>Filings</h2>
      <Filed query={query} />
    </>
  );
};
