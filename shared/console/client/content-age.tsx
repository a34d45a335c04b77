import { orThrow, type Schemas } from '../../client/client.ts';
import { daysBetween, todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { counted, lettersOf, Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type State = Schemas['StateCoverage'];

const statusOf = ({ source }: State): string =>
  source.proposal !== null ? 'proposed release' : source.stale ? 'stale' : 'current';
const tones: Record<string, string> = { 'proposed release': 'warn', stale: 'bad', current: 'good' };

/** How old the rates are: of the registered states, and of those that need a decision. */
export const ContentAge = () => {
  const { levy, account } = useSession();
  const coverage = useLoad('coverage', async (signal) => orThrow(await levy.get('/coverage', { signal })));
  const today = todayIn(account.time_zone, Date.now());
  const registered = new Set(account.registrations.map(({ state }) => lettersOf(state)));
  return (
    <section class="panel" aria-labelledby="content">
      <h2 id="content">Tax content</h2>
      <Load of={coverage} what="the coverage">
        {({ states }) => (
          <Table
            caption="Age of the rates: registered states, and states with stale files or a proposed release"
            columns={[
              { name: 'State', cell: ({ state, name }) => <a href={linkTo(['coverage', state])}>{name}</a> },
              { name: 'Status', cell: (row) => <Status of={statusOf(row)} tone={tones[statusOf(row)] ?? ''} /> },
              {
                name: 'Rates as of',
                cell: ({ source: { as_of } }) => as_of && `${as_of}, ${counted(daysBetween(as_of, today), 'day')} ago`,
              },
              { name: 'Next file expected', cell: ({ source }) => source.next_expected },
              {
                name: 'Details',
                cell: ({ source }) =>
                  source.proposal ? `Release ${source.release} waits for a decision.` : source.stale_reason,
              },
            ]}
            rows={states
              .filter((row) => registered.has(row.state) || statusOf(row) !== 'current')
              .toSorted((a, b) => Number(statusOf(a) === 'current') - Number(statusOf(b) === 'current'))}
            keyOf={({ state }) => state}
            empty="No state has stale files or a proposed release."
          />
        )}
      </Load>
    </section>
  );
};
