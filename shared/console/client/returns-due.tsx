import { daysBetween, dueText, todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { Cards, periodName, Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Row = {
  readonly id: string | null;
  readonly state: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly status: string;
  readonly due_date: string | null;
  readonly exceptions: { readonly count: number } | null;
};

const soonDays = 7;

/** How urgent a return is, as a style. */
export const toneOf = (due: string | null, today: string): string => {
  const days = due === null ? null : daysBetween(today, due);
  if (days === null) return '';
  return days < 0 ? 'bad' : days <= soonDays ? 'warn' : '';
};

/** A due date with the days left until then. */
export const DueDate = ({ of, today }: { of: string | null; today: string }) =>
  of === null ? (
    <>not established</>
  ) : (
    <>
      {of} <span class={`chip ${toneOf(of, today)}`}>{dueText(daysBetween(today, of))}</span>
    </>
  );

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
                {
                  name: 'Period',
                  cell: (row) => (
                    <a href={linkTo(row.id ? ['filings', row.id] : ['filings', row.state, row.period_end])}>
                      {periodName(row)}
                    </a>
                  ),
                },
                { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                { name: 'Due', cell: ({ due_date }) => <DueDate of={due_date} today={today} /> },
                { name: 'Exceptions', isFigure: true, cell: (row) => row.exceptions?.count ?? 'open to check' },
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
