import { useMemo } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { Bars } from './bars.tsx';
import { monthsBefore, todayIn } from './days.ts';
import { Drafts } from './expiring-drafts.tsx';
import { Load, useLoad } from './load.tsx';
import { Amount, Field, Status, valuesOf } from './parts.tsx';
import { currenciesOf, measures, monthlyOf, type Row, stateTotals } from './report.ts';
import { Due } from './returns-due.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { queryOf, type ViewProps } from './view.ts';

const Sums = ({
  rows,
  from,
  to,
  query,
}: {
  rows: readonly Row[];
  from: string;
  to: string;
  query: ViewProps['query'];
}) => {
  const currencies = currenciesOf(rows);
  const currency = query.get('currency') ?? currencies[0] ?? 'USD';
  const measure = measures.find(({ name }) => name === query.get('measure')) ?? measures[0];
  const state = query.get('state') ?? '';
  const chosen = useMemo(() => ({ currency, state, measure }), [currency, state, measure]);
  const months = useMemo(() => monthlyOf(rows, chosen, from, to), [rows, chosen, from, to]);
  const states = [...new Set(rows.map((row) => row.state))].sort();
  const change = (form: HTMLFormElement) => {
    location.hash = linkTo(['overview'], { ...queryOf(query), ...valuesOf(form) });
  };
  return (
    <>
      <form
        class="filters"
        onChange={(event) => change(event.currentTarget)}
        onSubmit={(event) => event.preventDefault()}
      >
        <Field
          name="measure"
          label="Figure"
          value={measure.name}
          options={measures.map(({ name, text }) => [name, text])}
        />
        <Field
          name="state"
          label="State"
          value={state}
          options={[['', 'All'], ...states.map((code) => [code, code] as const)]}
        />
        <Field name="currency" label="Currency" value={currency} options={currencies.map((code) => [code, code])} />
      </form>
      <Bars title={`${measure.text}, ${currency}`} bars={months} />
      <Table
        caption={`${measure.text} by month, ${currency}`}
        columns={[
          { name: 'Month', cell: ({ name }) => name },
          { name: measure.text, isFigure: true, cell: ({ amount }) => <Amount of={amount} /> },
        ]}
        rows={months}
        keyOf={({ name }) => name}
        empty="No transactions."
      />
      <Table
        caption={`By state, ${from} to ${to}, ${currency}`}
        columns={[
          { name: 'State', cell: (row) => row.state },
          ...measures.map(({ name, text }) => ({
            name: text,
            isFigure: true,
            cell: (row: ReturnType<typeof stateTotals>[number]) => <Amount of={row.amounts[name] as string} />,
          })),
        ]}
        rows={stateTotals(rows, currency)}
        keyOf={(row) => row.state}
        empty="Nothing was sold in these months."
      />
    </>
  );
};

const Report = ({ query }: Pick<ViewProps, 'query'>) => {
  const { levy, account } = useSession();
  const to = query.get('to') ?? todayIn(account.time_zone, Date.now()).slice(0, 7);
  const from = query.get('from') ?? monthsBefore(to, 11);
  const report = useLoad(`${from}-${to}`, async (signal) =>
    orThrow(await levy.get('/reports/by-state', { query: { from, to }, signal })),
  );
  return (
    <section aria-labelledby="sums">
      <h2 id="sums">Tax by state and month</h2>
      <Load of={report} what="the report">
        {({ data, as_of, warnings }) => (
          <>
            {warnings.map(({ message }) => (
              <p key={message} class="notice">
                {message}
              </p>
            ))}
            <Sums rows={data} from={from} to={to} query={query} />
            <p class="hint">{as_of ? `Counted up to ${as_of}.` : 'Nothing is counted yet.'} Drafts do not count.</p>
          </>
        )}
      </Load>
    </section>
  );
};

const advised = ['reached', 'upcoming', 'approaching'];

const Advice = () => {
  const { levy } = useSession();
  const advice = useLoad('advice', async (signal) => orThrow(await levy.get('/registrations/advice', { signal })));
  return (
    <section aria-labelledby="advice">
      <h2 id="advice">Registrations</h2>
      <Load of={advice} what="the advice">
        {({ data }) => (
          <Table
            caption="States where you reach or approach the economic nexus threshold"
            columns={[
              { name: 'State', cell: ({ state_name }) => state_name },
              { name: 'Status', cell: ({ status }) => <Status of={status} /> },
              { name: 'What to do', cell: (row) => row.advice },
            ]}
            rows={data.filter(({ status }) => advised.includes(status))}
            keyOf={({ state }) => state}
            empty="No state’s threshold is near."
          />
        )}
      </Load>
    </section>
  );
};

const contentState = ({ source, name }: Schemas['StateCoverage']) => ({ name, source });

const Content = () => {
  const { levy } = useSession();
  const coverage = useLoad('coverage', async (signal) => orThrow(await levy.get('/coverage', { signal })));
  return (
    <section aria-labelledby="content">
      <h2 id="content">Tax content</h2>
      <Load of={coverage} what="the coverage">
        {({ states }) => (
          <Table
            caption="States whose official files are stale, or have a proposed release"
            columns={[
              {
                name: 'State',
                cell: ({ name }) => (
                  <a href={linkTo(['coverage', states.find((row) => row.name === name)?.state ?? ''])}>{name}</a>
                ),
              },
              { name: 'As of', cell: ({ source }) => source.as_of },
              {
                name: 'Why',
                cell: ({ source }) => source.stale_reason ?? `Release ${source.release} waits for a decision.`,
              },
            ]}
            rows={states.map(contentState).filter(({ source }) => source.stale || source.proposal !== null)}
            keyOf={({ name }) => name}
            empty="All content is current."
          />
        )}
      </Load>
    </section>
  );
};

/** What a tax manager looks at first. */
export const Overview = ({ query }: ViewProps) => {
  const { account } = useSession();
  return (
    <>
      <h1>Overview</h1>
      {account.collects_in === 'not_set' && (
        <p class="notice">
          Registrations are not set: Levy calculates tax in every state, and no period closes by itself. An operator
          sets them with <code>npm run accounts -- settings</code>.
        </p>
      )}
      <Due />
      <Report query={query} />
      <Advice />
      <Drafts />
      <Content />
    </>
  );
};
