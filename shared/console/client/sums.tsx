import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Levy, Schemas } from '../../client/client.ts';
import { grouped, isZero, monthsBefore, todayIn } from './format.ts';
import { dataOf, Fetch } from './load.tsx';
import { Amount, Cards, type Column, Instant, lettersOf, Panel, SearchForm, Table, Warnings } from './parts.tsx';
import { currenciesOf, measures, monthlyOf, type Row, stateTotals, totalsOf } from './report.ts';
import { linkTo, type ViewProps } from './route.ts';
import { useSession } from './session.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

type Bar = { readonly name: string; readonly amount: string };

/** Resolves a style sheet property to a color that a canvas accepts. */
const colorOf = (element: HTMLElement, name: string): string => {
  element.style.color = `var(${name})`;
  return getComputedStyle(element).color;
};

/** Returns whether the page is dark. A canvas does not follow style sheets, so it is redrawn. */
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

/** A bar chart with values on hover. A table next to it has the same values. */
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
        // The plot requires numbers; the rest of the page uses decimal strings.
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
  if (bars.every(({ amount }) => isZero(amount))) return null;
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={`${title}. The table next to the plot has the figures.`} />
    </div>
  );
};

type Range = { readonly from: string; readonly to: string };
type Query = ViewProps['query'];

/** The report's filter. URL values that the report does not contain are ignored. */
const chosenBy = (query: Query, rows: readonly Row[]) => {
  const currencies = currenciesOf(rows);
  const states = [...new Set(rows.map((row) => row.state))].sort();
  const [currency = 'USD'] = currencies.filter((code) => code === query.get('currency')).concat(currencies);
  const state = states.find((code) => code === query.get('state')) ?? '';
  const measure = measures.find(({ name }) => name === query.get('measure')) ?? measures[0];
  return { currencies, states, currency, state, measure };
};

type SumsProps = { readonly rows: readonly Row[]; readonly range: Range };
type PlotProps = SumsProps & { readonly of: ReturnType<typeof chosenBy> };

const ByMonth = ({ rows, of: { currency, state, measure }, range: { from, to } }: PlotProps) => {
  const months = useMemo(
    () => monthlyOf(rows, { currency, state, measure }, from, to),
    [rows, currency, state, measure, from, to],
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
        empty="No transactions."
      />
    </div>
  );
};

type Totals = ReturnType<typeof stateTotals>[number];

const totalColumns = measures.map(
  ({ name, text }): Column<Totals> => [text, ({ amounts }) => <Amount of={amounts[name] as string} />, 'figure'],
);

const ByState = ({ rows, of: { currency, measure }, range }: PlotProps) => {
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
          ...totalColumns,
        ]}
        rows={totals}
        empty="Nothing was sold in these months."
      />
    </div>
  );
};

const Sums = ({ rows, range, query }: SumsProps & { query: Query }) => {
  const chosen = chosenBy(query, rows);
  const { currencies, states, currency, state, measure } = chosen;
  const sums = totalsOf(rows, currency, state);
  return (
    <>
      <SearchForm
        to={(values) => linkTo(['overview'], { ...Object.fromEntries(query), ...values })}
        fields={[
          ['from', 'From', 'month'],
          ['to', 'To', 'month'],
          ['measure', 'Figure', measures.map(({ name, text }) => [name, text])],
          ['state', 'State', [['', 'All'], ...states.map((code) => [code, lettersOf(code)] as const)]],
          ['currency', 'Currency', currencies.map((code) => [code, code])],
        ]}
        values={{ ...range, measure: measure.name, state, currency }}
        isRequired
      />
      <Cards
        of={measures.map(({ name, text }) => [
          text,
          <Amount key={name} of={sums[name] as string} currency={currency} />,
        ])}
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

/** Reads all pages of a report and merges them. */
const wholeReport = async (levy: Levy, range: Range, signal: AbortSignal) => {
  const pages: Schemas['ReportByState'][] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; cursor = pages.at(-1)?.next_cursor) {
    const query = { ...range, ...(cursor && { starting_after: cursor }) };
    pages.push(await dataOf(levy.get('/reports/by-state', { query, signal })));
  }
  const newest = pages.flatMap(({ as_of }) => as_of ?? []).sort();
  const warnings = pages[0]?.warnings ?? [];
  return { warnings, as_of: newest.at(-1) ?? null, data: pages.flatMap(({ data }) => data) };
};

/** Tax, sales and credits by month and state. */
export const Report = ({ query }: Pick<ViewProps, 'query'>) => {
  const { account } = useSession();
  const to = query.get('to') ?? todayIn(account.time_zone, Date.now()).slice(0, 7);
  const range = { from: query.get('from') ?? monthsBefore(to, 11), to };
  return (
    <Panel title="Tax by month and state">
      <Fetch what="the report" of={JSON.stringify(range)} read={(levy, signal) => wholeReport(levy, range, signal)}>
        {({ data, as_of, warnings }) => (
          <>
            <Warnings of={warnings} />
            <Sums rows={data} range={range} query={query} />
            <p class="hint">
              Finalized and filed transactions by tax date, after credits, as in filings.{' '}
              {as_of === null && 'No data yet.'}
              {as_of !== null && (
                <>
                  Updated <Instant of={as_of} />.
                </>
              )}
            </p>
          </>
        )}
      </Fetch>
    </Panel>
  );
};
