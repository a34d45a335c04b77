import type { Levy, Schemas } from '../../client/client.ts';
import { ConfirmButton } from './actions.tsx';
import { jsonPage, pickColumns } from './export-file.ts';
import { SearchForm } from './fields.tsx';
import { announced, Filing, FilingFigures, figureFields, figuresText } from './filing.tsx';
import { amountsDue, getStateLetters, periodName, todayIn } from './format.ts';
import { List } from './list.tsx';
import { Fetch, Load, readData, useLoad } from './load.tsx';
import { Button, DueDate, Instant, PeriodLink, Status } from './parts.tsx';
import { linkTo, pickParameters, type ViewProps } from './route.ts';
import { useSession } from './session.ts';
import { readFiling, Worksheet } from './state-forms.tsx';
import { amountColumns, Table } from './table.tsx';

/** A period before it is closed. */
type ToClose = {
  readonly state: string;
  readonly periodEnd: string;
  /** The title of the period, such as `MI, Aug 2026`. */
  readonly name: string;
  /** The result of the dry run; `null` if the period is too large for a dry run. */
  readonly figures: string | null;
  /** The state's earliest open period. */
  readonly first: Schemas['FilingPeriod'] | undefined;
};

/** The button that closes a period, or the reason why it cannot be closed now. */
const ClosePeriod = ({ state, periodEnd, name, figures, first }: ToClose) => {
  const { account, canWrite } = useSession();
  if (!canWrite) return <p class="hint">Your credential is read-only. Closing requires the scope write.</p>;
  if (periodEnd >= todayIn(account.time_zone, Date.now()))
    return <p class="hint">This period has not ended. It can be closed after {periodEnd}.</p>;
  if (first && first.period_end < periodEnd)
    return (
      <p class="hint">
        Periods close in order.{' '}
        <a href={linkTo(['filings', first.state, first.period_end])}>Close {periodName(first)} first</a>.
      </p>
    );
  if (first && first.period_end > periodEnd)
    return (
      <p class="hint">
        The first period of {getStateLetters(state)} in Levy is {periodName(first)}. File earlier periods outside of
        Levy.
      </p>
    );
  return (
    <ConfirmButton
      title="Close the period"
      kind="primary"
      label={`Close ${name}`}
      cancelLabel="Keep it open"
      body={() => ({ state, period_end: periodEnd })}
      write={(body, levy, idempotencyKey) => readData(levy.post('/filings', { body, idempotencyKey, maxTries: 4 }))}
      onDone={({ id }) => {
        if (id && figures !== null) announced.set(id, figures);
        location.hash = linkTo(['filings', id ?? '']);
      }}
    >
      <p>
        This closes {name}
        {figures === null ? '. Its amounts are known after it is closed.' : `, with ${figures} as of the dry run.`}{' '}
        Later transactions count in the next period. You can cancel the filing until it is marked as filed.
      </p>
    </ConfirmButton>
  );
};

type PeriodProps = { readonly state: string; readonly periodEnd: string };

/** A period with its dry run and the button that closes it, or a link to its filing if it has one. */
const FilingPeriod = ({ state, periodEnd }: PeriodProps) => {
  const source = { state, period_end: periodEnd };
  const periods = useLoad('', (levy, signal) =>
    readData(levy.get('/filing-periods', { query: { state, limit: 1 }, signal })),
  );
  const dryRun = useLoad('', (...call) => readFiling(source, {}, ...call));
  const name = dryRun.value ? periodName(dryRun.value) : `${getStateLetters(state)}, period to ${periodEnd}`;
  const toClose = { state, periodEnd, name, first: periods.value?.data[0] };
  return (
    <>
      <h1>{name}</h1>
      <Load loaded={dryRun} what="the dry run">
        {(found, reload) =>
          found.id === null ? (
            <>
              <p class="hint">
                {found.period_start} to {periodEnd}. A dry run with the current amounts. Nothing is stored.
              </p>
              <FilingFigures filing={found} source={source} />
              <p>
                <a
                  href={linkTo(['transactions'], {
                    state: found.state,
                    from: found.period_start,
                    to: found.period_end,
                  })}
                >
                  Transactions of {getStateLetters(found.state)} with a tax date in this period
                </a>
                . The return also includes late transactions of closed periods.
              </p>
              <div class="actions">
                <ClosePeriod
                  {...toClose}
                  state={found.state}
                  periodEnd={found.period_end}
                  figures={figuresText(found)}
                />
                <Button onClick={reload}>Run again</Button>
              </div>
            </>
          ) : (
            <p class="notice">
              This period has a filing, which is {found.status}.{' '}
              <a href={linkTo(['filings', found.id])}>Open the filing</a>
            </p>
          )
        }
      </Load>
      {dryRun.trouble?.code === 'validation_too_many_entries' && (
        <div class="actions">
          <ClosePeriod {...toClose} figures={null} />
        </div>
      )}
    </>
  );
};

/** Reads all periods without a filing. */
export const listPeriods = (levy: Levy, signal: AbortSignal) =>
  Array.fromAsync(levy.list('/filing-periods', { query: { limit: 100 }, signal }));

const OpenPeriods = () => {
  const { account } = useSession();
  const hasCalendar = account.collects_in === 'registered_states';
  return (
    <Fetch what="periods" read={listPeriods}>
      {(rows) => (
        <Table
          caption="Periods without a filing, by state"
          columns={[
            ['Period', (row) => <PeriodLink value={row} />],
            ['Frequency', (row) => row.frequency.replace('_', ' ')],
            ['Status', (row) => <Status value={row.is_over ? 'ended' : 'current'} />],
            [
              'Closes automatically from',
              ({ closes_at, is_registered }) =>
                closes_at ? (
                  <Instant value={closes_at} />
                ) : is_registered ? (
                  'no'
                ) : (
                  'no, because the account is not registered'
                ),
            ],
            ['Due', (row) => <DueDate value={row} />],
          ]}
          rows={rows}
          empty={
            hasCalendar
              ? 'No registered state has an open period.'
              : 'The account has no registrations, so there is no calendar. Set them on the page Settings, or open a period below.'
          }
        />
      )}
    </Fetch>
  );
};

const statuses = [['', 'All'], 'closing', 'closed', 'marking', 'filed', 'canceled'] as const;

const filedAmounts = figureFields.map(([, field]) => field);
const exportColumns = [
  ...(['id', 'state', 'period_start', 'period_end', 'status', 'due_date', 'filed_at', 'confirmation_number'] as const),
  ...(['exception_count', 'transaction_count', 'currency'] as const),
  ...filedAmounts,
  'amount_due',
] as const;

/** Returns a row for each currency of a filing, or one row for a filing without sales. */
const filedRows = ({ summary, exceptions, ...filing }: Schemas['FilingList']['data'][number]) => {
  const due = amountsDue(summary);
  return (summary.length > 0 ? summary : [null]).map((sum, at) => ({
    ...filing,
    exception_count: exceptions?.count ?? null,
    transaction_count: sum?.count ?? 0,
    currency: sum?.currency ?? null,
    ...pickColumns(filedAmounts, sum),
    amount_due: due[at]?.amount ?? null,
  }));
};

const FilingList = ({ query }: Pick<ViewProps, 'query'>) => {
  const filters = pickParameters(query, ['status', 'state']);
  return (
    <>
      <SearchForm
        to={(values) => linkTo(['filings'], values)}
        fields={[
          ['state', 'State'],
          ['status', 'Status', statuses],
        ]}
        values={filters}
      />
      <List
        view="filings"
        query={query}
        filters={filters}
        get={(levy, input) => levy.get('/filings', input)}
        toRows={filedRows}
        readCsv={async (levy, input) => jsonPage(exportColumns, filedRows, await levy.get('/filings', input))}
        caption="Filings, newest first"
        columns={[
          ['Period', (row) => <PeriodLink value={row} />, '', (row) => `${row.period_end} ${row.state}`],
          ['State', (row) => getStateLetters(row.state)],
          ['Status', (row) => <Status value={row.status} />, '', (row) => row.status],
          ['Due', (row) => <DueDate value={row} />, '', (row) => row.due_date],
          ['Exceptions', (row) => row.exception_count, 'figure'],
          ...amountColumns([
            ['Gross', 'gross_amount'],
            ['Tax collected', 'tax_amount'],
            ['Amount due', 'amount_due'],
          ]),
          ['Currency', (row) => row.currency],
          ['Confirmation', (row) => row.confirmation_number],
        ]}
        sums={{ by: (row) => (row.status === 'canceled' ? null : row.currency), label: 'not canceled' }}
      />
    </>
  );
};

/** The calendar of returns, a period, a filing, or a worksheet of one of them. */
export const Filings = ({ path, query }: ViewProps) => {
  const [first, periodEnd] = path;
  const form = path.at(-1) ?? '';
  if (first && periodEnd === 'worksheet') return <Worksheet key={path.join()} source={{ id: first }} form={form} />;
  if (first && periodEnd && path[2] === 'worksheet')
    return <Worksheet key={path.join()} source={{ state: first, period_end: periodEnd }} form={form} />;
  if (first && periodEnd) return <FilingPeriod key={path.join()} state={first} periodEnd={periodEnd} />;
  if (first) return <Filing key={first} id={first} />;
  return (
    <>
      <h1>Filings</h1>
      <OpenPeriods />
      <SearchForm
        label="Open a period"
        to={({ state = '', period_end = '' }) => linkTo(['filings', state, period_end])}
        fields={[
          ['state', 'State'],
          ['period_end', 'Last day of the period', 'date'],
        ]}
        button="Open the period"
        isRequired
      />
      <h2>Filings</h2>
      <FilingList query={query} />
    </>
  );
};
