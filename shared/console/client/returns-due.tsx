import { daysBetween, dueText, todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

/** Periods that are over and not filed, the next due first. */
export const Due = () => {
  const { levy, account } = useSession();
  const today = todayIn(account.time_zone, Date.now());
  const due = useLoad('due', async (signal) => {
    // The newest come first, so that the most urgent are on the last page.
    const [periods, ...filings] = await Promise.all([
      Array.fromAsync(levy.list('/filing-periods', { query: { limit: 100 }, signal })),
      ...(['closing', 'closed', 'marking'] as const).map((status) =>
        Array.fromAsync(levy.list('/filings', { query: { status, limit: 100 }, signal })),
      ),
    ]);
    const open = periods.filter(({ is_over }) => is_over);
    return [
      ...open.map((period) => ({ ...period, id: null, status: 'not closed', exceptions: null })),
      ...filings.flat(),
    ].sort((a, b) => ((a.due_date ?? '9') < (b.due_date ?? '9') ? -1 : 1));
  });
  return (
    <section aria-labelledby="due">
      <h2 id="due">Returns to file</h2>
      <Load of={due} what="periods">
        {(rows) => (
          <Table
            caption="Periods that are over and not filed"
            columns={[
              {
                name: 'Period',
                cell: ({ id, state, period_start, period_end }) => (
                  <a href={linkTo(id ? ['filings', id] : ['filings', state, period_end])}>
                    {state} {period_start} to {period_end}
                  </a>
                ),
              },
              { name: 'Status', cell: ({ status }) => <Status of={status} /> },
              {
                name: 'Due',
                cell: ({ due_date }) =>
                  due_date ? `${due_date}, ${dueText(daysBetween(today, due_date))}` : 'not established',
              },
              { name: 'Exceptions', isFigure: true, cell: (row) => row.exceptions?.count ?? 'see the figures' },
            ]}
            rows={rows}
            keyOf={({ state, period_end }) => state + period_end}
            empty="Nothing is due."
          />
        )}
      </Load>
    </section>
  );
};
