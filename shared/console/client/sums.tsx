import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { csvText } from '../../base/csv.ts';
import type { Levy, Schemas } from '../../client/client.ts';
import { Export } from './export.tsx';
import { SearchForm } from './fields.tsx';
import { getStateLetters, grouped, isZero, monthsBefore, todayIn } from './format.ts';
import { Fetch, readData } from './load.tsx';
import { Amount, Cards, Facts, Instant, Panel, Warnings } from './parts.tsx';
import {
  type Change,
  type Compared,
  compareReports,
  earlierRanges,
  getMonthly,
  listCurrencies,
  listUnregisteredTax,
  measures,
  type Range,
  type Row,
  stateTotals,
  sumTotals,
} from './report.ts';
import { linkTo, type ViewProps } from './route.ts';
import { useSession } from './session.ts';
import { amountColumn, type Column, Table } from './table.tsx';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

type Bar = { readonly name: string; readonly amount: string };

/** Resolves a style sheet property to a color that a canvas accepts. */
const getColor = (element: HTMLElement, name: string): string => {
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
    const [ink, line, accent] = ['--soft', '--line', '--accent'].map((name) => getColor(element, name));
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
  }, [JSON.stringify(bars), title, currency, isDark]);
  if (bars.every(({ amount }) => isZero(amount))) return null;
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={`${title}. The table next to the plot has the values.`} />
    </div>
  );
};

type Query = ViewProps['query'];

/** The report's filter. URL values that the report does not contain are ignored. */
const chosenBy = (query: Query, rows: readonly Row[]) => {
  const currencies = listCurrencies(rows);
  const states = [...new Set(rows.map((row) => row.state))].sort();
  const [currency = 'USD'] = currencies.filter((code) => code === query.get('currency')).concat(currencies);
  const state = states.find((code) => code === query.get('state')) ?? '';
  const measure = measures.find(({ name }) => name === query.get('measure')) ?? measures[0];
  return { currencies, states, currency, state, measure };
};

type SumsProps = { readonly rows: readonly Row[]; readonly range: Range };
type PlotProps = SumsProps & { readonly chosen: ReturnType<typeof chosenBy> };

const ByMonth = ({ rows, chosen: { currency, state, measure }, range: { from, to } }: PlotProps) => {
  const months = getMonthly(rows, { currency, state, measure }, from, to);
  const title = `${measure.text} by month${state && ` in ${getStateLetters(state)}`}, ${currency}`;
  return (
    <div class="beside">
      <Bars title={title} bars={months} currency={currency} />
      <Table
        caption={title}
        columns={[
          ['Month', ({ name }) => name],
          [measure.text, ({ amount }) => <Amount value={amount} />, 'figure'],
        ]}
        rows={months}
        empty="No transactions."
      />
    </div>
  );
};

const totalColumns = measures.map(({ name, text }) =>
  amountColumn<ReturnType<typeof stateTotals>[number]>(text, ({ amounts }) => amounts[name]),
);

const ByState = ({ rows, chosen: { currency, measure }, range }: PlotProps) => {
  const totals = stateTotals(rows, currency);
  return (
    <div class="beside">
      <Bars
        title={`${measure.text} by state, ${currency}`}
        bars={totals.map(({ state, amounts }) => ({
          name: getStateLetters(state),
          amount: amounts[measure.name] as string,
        }))}
        currency={currency}
      />
      <Table
        caption={`By state, ${range.from} to ${range.to}, ${currency}`}
        columns={[
          [
            'State',
            ({ state }) => <a href={linkTo(['transactions'], { state })}>{getStateLetters(state)}</a>,
            '',
            ({ state }) => state,
          ],
          ...totalColumns,
        ]}
        rows={totals}
        isSortable
        sums={{ by: () => currency, label: 'states' }}
        empty="No sales in these months."
      />
    </div>
  );
};

const rangeText = ({ from, to }: Range): string => (from === to ? from : `${from} to ${to}`);

const changeText = ({ change, percent }: Change): string =>
  `${grouped(change)}${percent === null ? '' : `, ${grouped(percent)}%`}`;

const compareColumns = (range: Range, earlier: readonly Range[]): Column<Compared>[] => [
  ['State', ({ state }) => getStateLetters(state)],
  amountColumn(rangeText(range), ({ amount }) => amount),
  ...earlier.flatMap((before, at): Column<Compared>[] => {
    const name = rangeText(before);
    return [
      amountColumn(name, ({ changes }) => changes[at]?.before),
      amountColumn(`Change from ${name}`, ({ changes }) => changes[at]?.change),
      amountColumn(`Change in % of ${name}`, ({ changes }) => changes[at]?.percent),
    ];
  }),
];

const comparedColumns = [
  ...(['state', 'figure', 'currency', 'from', 'to', 'amount', 'before_from', 'before_to'] as const),
  ...(['before_amount', 'change_amount', 'change_percent'] as const),
] as const;

const comparedRows = (rows: readonly Compared[], currency: string, range: Range, earlier: readonly Range[]) =>
  rows.flatMap(({ state, measure, amount, changes }) =>
    changes.map(({ before, change, percent }, at) => ({
      state: state || 'all',
      figure: measure,
      currency,
      ...range,
      amount,
      before_from: earlier[at]?.from ?? null,
      before_to: earlier[at]?.to ?? null,
      before_amount: before,
      change_amount: change,
      change_percent: percent,
    })),
  );

/** Compares the amounts of the states with the preceding months and with the same months of last year. */
const Comparison = ({ rows, chosen: { currency, measure }, range }: PlotProps) => {
  const { account } = useSession();
  const earlier = earlierRanges(range);
  const isOver = range.to < todayIn(account.time_zone, Date.now()).slice(0, 7);
  return (
    <Fetch
      what="earlier months"
      query={JSON.stringify(range)}
      read={(levy, signal) =>
        Promise.all(earlier.map(async (months) => (await wholeReport(levy, months, signal)).data))
      }
    >
      {(reports) => {
        const compared = compareReports(rows, reports, currency);
        const shown = compared.filter((row) => row.measure === measure.name);
        return (
          <>
            {!isOver && <p class="hint">{range.to} is not over, so this compares a part of it with whole months.</p>}
            <Facts
              value={{
                [`All states, ${rangeText(range)}`]: <Amount value={shown[0]?.amount ?? ''} currency={currency} />,
                ...Object.fromEntries(
                  earlier.map((before, at) => [
                    `Change from ${rangeText(before)}`,
                    shown[0]?.changes[at] && changeText(shown[0].changes[at]),
                  ]),
                ),
              }}
            />
            <Table
              caption={`${measure.text} compared with earlier months, ${currency}`}
              columns={compareColumns(range, earlier)}
              rows={shown.slice(1)}
              isSortable
              empty="No sales in these months."
            />
            <div class="actions">
              <Export
                what="the comparison"
                name={`comparison-${range.from}-${range.to}`}
                read={async () => ({
                  csv: csvText(comparedColumns, comparedRows(compared, currency, range, earlier)),
                  next: null,
                })}
              />
            </div>
          </>
        );
      }}
    </Fetch>
  );
};

/** The tax of states without a registration. The list of returns to file omits the periods of these states. */
const Unregistered = ({ rows }: Pick<SumsProps, 'rows'>) => {
  const { account } = useSession();
  const taxes = listUnregisteredTax(rows, new Set(account.registrations.map(({ state }) => state)));
  if (account.collects_in !== 'registered_states' || taxes.length === 0) return null;
  return (
    <p class="notice">
      Tax was collected in states without a registration:{' '}
      {taxes.map(({ state, currency, amount }, at) => (
        <span key={state + currency}>
          {at > 0 && ', '}
          <a href={linkTo(['transactions'], { state })}>{getStateLetters(state)}</a>{' '}
          <Amount value={amount} currency={currency} />
        </span>
      ))}
      . The returns to file do not include such a state before its first filing. Open its periods on the page{' '}
      <a href={linkTo(['filings'])}>Filings</a>.
    </p>
  );
};

type FormProps = Pick<Parameters<typeof SearchForm>[0], 'fields' | 'values'> & { readonly query: Query };

const ReportForm = ({ query, ...form }: FormProps) => (
  <SearchForm to={(values) => linkTo(['overview'], { ...Object.fromEntries(query), ...values })} {...form} isRequired />
);

const Sums = ({ rows, range, query }: SumsProps & { query: Query }) => {
  const chosen = chosenBy(query, rows);
  const { currencies, states, currency, state, measure } = chosen;
  const sums = sumTotals(rows, currency, state);
  const figures = (
    <>
      <Cards
        value={measures.map(({ name, text }) => [
          text,
          <Amount key={name} value={sums[name] as string} currency={currency} />,
        ])}
      />
      <ByMonth rows={rows} chosen={chosen} range={range} />
      <ByState rows={rows} chosen={chosen} range={range} />
      <Comparison rows={rows} chosen={chosen} range={range} />
    </>
  );
  return (
    <>
      <ReportForm
        query={query}
        fields={[
          ['measure', 'Figure', measures.map(({ name, text }) => [name, text])],
          ['state', 'State', [['', 'All'], ...states.map((code) => [code, getStateLetters(code)] as const)]],
          ['currency', 'Currency', currencies],
        ]}
        values={{ measure: measure.name, state, currency }}
      />
      {rows.length === 0 ? <p class="empty">No sales in these months.</p> : figures}
      {currencies.length > 1 && (
        <p class="hint">Sales in {currencies.filter((code) => code !== currency).join(', ')} are not included.</p>
      )}
    </>
  );
};

/** Reads all pages of a report and merges them. */
const wholeReport = async (levy: Levy, range: Range, signal: AbortSignal) => {
  const pages: Schemas['ReportByState'][] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; cursor = pages.at(-1)?.next_cursor) {
    const query = { ...range, ...(cursor && { starting_after: cursor }) };
    pages.push(await readData(levy.get('/reports/by-state', { query, signal })));
  }
  const newest = pages.flatMap(({ as_of }) => as_of ?? []).sort();
  const warnings = pages[0]?.warnings ?? [];
  return { warnings, as_of: newest.at(-1) ?? null, data: pages.flatMap(({ data }) => data) };
};

const reportAmounts = [
  ...(['gross_amount', 'exempt_amount', 'not_covered_amount', 'taxable_amount', 'calculated_tax_amount'] as const),
  ...(['tax_amount', 'over_collected_amount', 'count'] as const),
] as const;
const reportColumns = [
  ...(['state', 'month', 'currency'] as const),
  ...reportAmounts.map((name) => `sales_${name}` as const),
  ...reportAmounts.map((name) => `credits_${name}` as const),
] as const;

const prefixed = <Prefix extends 'sales' | 'credits'>(prefix: Prefix, sums: Row[Prefix]) =>
  Object.fromEntries(reportAmounts.map((name) => [`${prefix}_${name}`, sums[name]])) as Readonly<
    Record<`${Prefix}_${(typeof reportAmounts)[number]}`, string | number>
  >;

/** The row of a file. Amounts of credits are positive, as in the API. */
const reportRow = (row: Row) => ({ ...row, ...prefixed('sales', row.sales), ...prefixed('credits', row.credits) });

/** Tax, sales and credits by month and state. */
export const Report = ({ query }: Pick<ViewProps, 'query'>) => {
  const { account } = useSession();
  const to = query.get('to') ?? todayIn(account.time_zone, Date.now()).slice(0, 7);
  const range = { from: query.get('from') ?? monthsBefore(to, 11), to };
  return (
    <Panel title="Tax by month and state">
      {/* The filter stays if the API refuses the months, for example too many. */}
      <ReportForm
        query={query}
        fields={[
          ['from', 'From', 'month'],
          ['to', 'To', 'month'],
        ]}
        values={range}
      />
      <Fetch what="the report" query={JSON.stringify(range)} read={(levy, signal) => wholeReport(levy, range, signal)}>
        {({ data, as_of, warnings }) => (
          <>
            <Warnings value={warnings} />
            <Unregistered rows={data} />
            <Sums rows={data} range={range} query={query} />
            <div class="actions">
              <Export
                what="the report by state"
                name={`report-${range.from}-${range.to}`}
                read={async () => ({ csv: csvText(reportColumns, data.map(reportRow)), next: null })}
              />
            </div>
            <p class="hint">
              Finalized and filed transactions by tax date, after credits, as in filings. A transaction counts here
              about a minute after it is finalized or voided. {as_of === null && 'No data yet.'}
              {as_of !== null && (
                <>
                  Updated <Instant value={as_of} />.
                </>
              )}
            </p>
          </>
        )}
      </Fetch>
    </Panel>
  );
};
