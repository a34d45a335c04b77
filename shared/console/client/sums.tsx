import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { grouped } from './amounts.ts';
import { monthsBefore, todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { Amount, Cards, type Column, Field, Instant, lettersOf, Table, valuesOf, Warnings } from './parts.tsx';
import { currenciesOf, measures, monthlyOf, type Row, stateTotals, totalsOf } from './report.ts';
import { linkTo, queryOf, type ViewProps } from './route.ts';
import { useSession } from './session.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export type Bar = { readonly name: string; readonly amount: string };

/** The color of a property of the style sheet as a canvas takes it. */
const colorOf = (element: HTMLElement, name: string): string => {
  element.style.color = `var(${name})`;
  return getComputedStyle(element).color;
};

/** Whether the page is dark. A canvas does not follow style sheets, so that it is drawn again. */
const useIsDark = (): boolean => {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const read = () => setDark(query.matches);
    query.addEventListener('change', read);
    return () => query.removeEventListener('change', read);
  }, [query]);
  return isDark;
};

/** Bars with their values on hover. A table next to the plot has the same figures. */
const Bars = ({ title, bars, currency }: { title: string; bars: readonly Bar[]; currency: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const [ink, line, accent] = ['--soft', '--line', '--accent'].map((name) => colorOf(element, name));
    const chart = new Chart(element, {
      type: 'bar',
      data: {
        labels: bars.map(({ name }) => name),
        // A plot needs numbers; the figures of the page are the decimal strings.
        datasets: [{ label: title, data: bars.map(({ amount }) => Number(amount)), backgroundColor: accent }],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        plugins: {
          tooltip: { callbacks: { label: ({ dataIndex }) => `${grouped(bars[dataIndex]?.amount ?? '')} ${currency}` } },
        },
        scales: {
          x: { ticks: { color: ink }, grid: { display: false } },
          y: {
            beginAtZero: true,
            ticks: { color: ink },
            grid: { color: line },
            title: { display: true, text: currency, color: ink },
          },
        },
      },
    });
    return () => chart.destroy();
  }, [bars, title, currency, isDark]);
  if (!bars.some(({ amount }) => /[1-9]/.test(amount))) return null;
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={`${title}. The table next to the plot has the figures.`} />
    </div>
  );
};

type Range = { readonly from: string; readonly to: string };

/** The selection of the report. A value of the address that the report does not have is ignored. */
const chosenBy = (query: ViewProps['query'], rows: readonly Row[]) => {
  const currencies = currenciesOf(rows);
  const states = [...new Set(rows.map((row) => row.state))].sort();
  const [currency = 'USD'] = currencies.filter((code) => code === query.get('currency')).concat(currencies);
  const state = states.find((code) => code === query.get('state')) ?? '';
  const measure = measures.find(({ name }) => name === query.get('measure')) ?? measures[0];
  return { currencies, states, currency, state, measure };
};
type Chosen = ReturnType<typeof chosenBy>;

const Choices = ({ of, range, query }: { of: Chosen; range: Range; query: ViewProps['query'] }) => (
  <form
    class="filters"
    onChange={({ currentTarget }) => {
      if (currentTarget.reportValidity())
        location.hash = linkTo(['overview'], { ...queryOf(query), ...valuesOf(currentTarget) });
    }}
    onSubmit={(event) => event.preventDefault()}
  >
    <Field name="from" label="From" type="month" value={range.from} isRequired />
    <Field name="to" label="To" type="month" value={range.to} isRequired />
    <Field
      name="measure"
      label="Figure"
      value={of.measure.name}
      options={measures.map(({ name, text }) => [name, text])}
    />
    <Field
      name="state"
      label="State"
      value={of.state}
      options={[['', 'All'], ...of.states.map((code) => [code, lettersOf(code)] as const)]}
    />
    <Field name="currency" label="Currency" value={of.currency} options={of.currencies.map((code) => [code, code])} />
  </form>
);

const ByMonth = ({ rows, of, range }: { rows: readonly Row[]; of: Chosen; range: Range }) => {
  const { currency, state, measure } = of;
  const months = useMemo(
    () => monthlyOf(rows, { currency, state, measure }, range.from, range.to),
    [rows, currency, state, measure, range.from, range.to],
  );
  const title = `${measure.text} by month${state && ` in ${lettersOf(state)}`}, ${currency}`;
  return (
    <div class="beside">
      <Bars title={title} bars={months} currency={currency} />
      <Table
        caption={title}
        columns={[
          ['Month', ({ name }) => name],
          [measure.text, ({ amount }) => <Amount of={amount} />, 'figure'],
        ]}
        rows={months}
        keyOf={({ name }) => name}
        empty="No transactions."
      />
    </div>
  );
};

const ByState = ({ rows, of, range }: { rows: readonly Row[]; of: Chosen; range: Range }) => {
  const { currency, measure } = of;
  const totals = useMemo(() => stateTotals(rows, currency), [rows, currency]);
  const bars = useMemo(
    () => totals.map(({ state, amounts }) => ({ name: lettersOf(state), amount: amounts[measure.name] as string })),
    [totals, measure],
  );
  return (
    <div class="beside">
      <Bars title={`${measure.text} by state, ${currency}`} bars={bars} currency={currency} />
      <Table
        caption={`By state, ${range.from} to ${range.to}, ${currency}`}
        columns={[
          ['State', ({ state }) => <a href={linkTo(['transactions'], { state })}>{lettersOf(state)}</a>],
          ...measures.map(
            ({ name, text }): Column<(typeof totals)[number]> => [
              text,
              (row) => <Amount of={row.amounts[name] as string} />,
              'figure',
            ],
          ),
        ]}
        rows={totals}
        keyOf={({ state }) => state}
        empty="Nothing was sold in these months."
      />
    </div>
  );
};

const Sums = ({ rows, range, query }: { rows: readonly Row[]; range: Range; query: ViewProps['query'] }) => {
  const chosen = chosenBy(query, rows);
  const { currencies, currency, state } = chosen;
  const sums = totalsOf(rows, currency, state);
  return (
    <>
      <Choices of={chosen} range={range} query={query} />
      <Cards
        of={measures.map(({ name, text }) => ({
          label: text,
          value: <Amount of={sums[name] as string} currency={currency} />,
        }))}
      />
      <ByMonth rows={rows} of={chosen} range={range} />
      <ByState rows={rows} of={chosen} range={range} />
      {currencies.length > 1 && (
        <p class="hint">
          Sales in {currencies.filter((code) => code !== currency).join(', ')} are not in these figures.
        </p>
      )}
    </>
  );
};

/** All pages of a report as one. */
const wholeReport = async (levy: Levy, range: Range, signal: AbortSignal): Promise<Schemas['ReportByState']> => {
  const read = async (starting_after?: string) =>
    orThrow(
      await levy.get('/reports/by-state', { query: { ...range, ...(starting_after && { starting_after }) }, signal }),
    );
  const pages = [await read()];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) pages.push(await read(cursor));
  const newest = pages.flatMap(({ as_of }) => as_of ?? []).sort();
  return {
    ...(pages[0] as Schemas['ReportByState']),
    as_of: newest.at(-1) ?? null,
    data: pages.flatMap(({ data }) => data),
  };
};

/** Tax, sales and credits by month and state. */
export const Report = ({ query }: Pick<ViewProps, 'query'>) => {
  const { levy, account } = useSession();
  const to = query.get('to') ?? todayIn(account.time_zone, Date.now()).slice(0, 7);
  const from = query.get('from') ?? monthsBefore(to, 11);
  const report = useLoad(`${from}-${to}`, (signal) => wholeReport(levy, { from, to }, signal));
  return (
    <section class="panel" aria-labelledby="sums">
      <h2 id="sums">Tax by month and state</h2>
      <Load of={report} what="the report">
        {({ data, as_of, warnings }) => (
          <>
            <Warnings of={warnings} />
            <Sums rows={data} range={{ from, to }} query={query} />
            <p class="hint">
              Finalized and filed transactions by tax date, after credits, as in filings.{' '}
              {as_of ? (
                <>
                  Updated <Instant of={as_of} />.
                </>
              ) : (
                'No data yet.'
              )}
            </p>
          </>
        )}
      </Load>
    </section>
  );
};
