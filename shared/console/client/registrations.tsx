import { orThrow, type Schemas } from '../../client/client.ts';
import { percent } from './amounts.ts';
import { Load, useLoad } from './load.tsx';
import { Amount, counted, lettersOf, Status } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Advice = Schemas['StateRegistrationAdvice'];
type Registration = Schemas['Registration'];

const advised = ['reached', 'upcoming', 'approaching'];
const tones: Record<string, string> = { reached: 'bad', upcoming: 'warn', approaching: 'warn' };

const termsOf = ({ from, to, frequency }: Registration): string =>
  `since ${from}${to === null ? '' : ` until ${to}`}, each ${frequency}`;

/** The sales of the measuring period that comes closest to the threshold, with the threshold. */
const Measured = ({ of: { periods, threshold } }: { of: Advice }) => {
  const [period] = periods.toSorted((a, b) => (a.share_reached < b.share_reached ? 1 : -1));
  if (!period) return null;
  const { transaction_count, sales_amount } = threshold;
  return (
    <>
      <Amount of={period.sales_amount} /> of <Amount of={sales_amount} currency="USD" />
      {transaction_count !== null && `, ${period.transaction_count} of ${counted(transaction_count, 'transaction')}`} (
      {percent(period.share_reached)})
    </>
  );
};

/** Where the account is registered, and where its sales reach the economic nexus threshold. */
export const Registrations = () => {
  const { levy, account } = useSession();
  const advice = useLoad('advice', async (signal) => orThrow(await levy.get('/registrations/advice', { signal })));
  return (
    <section class="panel" aria-labelledby="registrations">
      <h2 id="registrations">Registrations and economic nexus</h2>
      <Load of={advice} what="the advice">
        {({ data }) => {
          const registered = Map.groupBy(account.registrations, ({ state }) => state);
          const rows = data.filter(({ state, status }) => registered.has(state) || advised.includes(status));
          return (
            <Table
              caption="States where you are registered, or where your sales approach the threshold"
              columns={[
                {
                  name: 'State',
                  cell: ({ state, state_name }) => <a href={linkTo(['coverage', lettersOf(state)])}>{state_name}</a>,
                },
                { name: 'Status', cell: ({ status }) => <Status of={status} tone={tones[status] ?? ''} /> },
                {
                  name: 'Registered',
                  cell: ({ state }) => (registered.get(state) ?? []).map(termsOf).join('; '),
                },
                { name: 'Sales in the measuring period', isFigure: true, cell: (row) => <Measured of={row} /> },
                { name: 'What to do', cell: (row) => row.advice },
              ]}
              rows={rows.toSorted((a, b) => Number(advised.includes(b.status)) - Number(advised.includes(a.status)))}
              keyOf={({ state }) => state}
              empty="No state’s threshold is near."
            />
          );
        }}
      </Load>
    </section>
  );
};
