import { orThrow } from '../../client/client.ts';
import { todayIn } from './days.ts';
import { Filing } from './filing.tsx';
import { FilingPeriod } from './filing-period.tsx';
import { Load, useLoad } from './load.tsx';
import { Amount, Field, Instant, periodName, Status, valuesOf } from './parts.tsx';
import { DueDate } from './returns-due.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { queryOf, type ViewProps } from './view.ts';

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
            {
              name: 'Period',
              cell: (row) => <a href={linkTo(['filings', row.state, row.period_end])}>{periodName(row)}</a>,
            },
            { name: 'Frequency', cell: (row) => row.frequency },
            { name: 'Status', cell: (row) => <Status of={row.is_over ? 'ended' : 'current'} /> },
            { name: 'Closes automatically', cell: (row) => (row.closes_at ? <Instant of={row.closes_at} /> : 'no') },
            { name: 'Due', cell: ({ due_date }) => <DueDate of={due_date} today={today} /> },
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

const Open = () => (
  <form
    class="filters"
    aria-label="Open a period"
    onSubmit={(event) => {
      event.preventDefault();
      const { state = '', period_end = '' } = valuesOf(event.currentTarget);
      location.hash = linkTo(['filings', state, period_end]);
    }}
  >
    <Field name="state" label="State" isRequired />
    <Field name="period_end" label="Last day of the period" type="date" isRequired />
    <button type="submit">Open the period</button>
  </form>
);

const statuses = ['', 'closing', 'closed', 'marking', 'filed', 'canceled'].map(
  (name) => [name, name || 'All'] as const,
);

const Filed = ({ query }: Pick<ViewProps, 'query'>) => {
  const { levy } = useSession();
  const names = ['status', 'state', 'starting_after'];
  const filters = Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
  const list = useLoad(JSON.stringify(filters), async (signal) =>
    orThrow(await levy.get('/filings', { query: { ...filters, limit: 50 }, signal })),
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
                {
                  name: 'Period',
                  cell: (row) => <a href={linkTo(['filings', row.id ?? ''])}>{periodName(row)}</a>,
                },
                { name: 'Status', cell: (row) => <Status of={row.status} /> },
                { name: 'Due', cell: (row) => row.due_date },
                { name: 'Exceptions', isFigure: true, cell: (row) => row.exceptions?.count },
                {
                  name: 'Tax',
                  isFigure: true,
                  cell: ({ summary }) =>
                    summary.map(({ currency, tax_amount }) => (
                      <div key={currency}>
                        <Amount of={tax_amount} currency={currency} />
                      </div>
                    )),
                },
                { name: 'Confirmation', cell: (row) => row.confirmation_number },
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
      <Open />
      <h2>Filings</h2>
      <Filed query={query} />
    </>
  );
};
