import { orThrow } from '../../client/client.ts';
import { Customer } from './customer.tsx';
import { dayMs, todayIn } from './days.ts';
import { Load, useLoad } from './load.tsx';
import { Field, valuesOf } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';
import { queryOf, type ViewProps } from './view.ts';

const List = ({ query }: Pick<ViewProps, 'query'>) => {
  const { levy } = useSession();
  const names = ['expiring_before', 'state', 'starting_after'];
  const filters = Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
  const list = useLoad(JSON.stringify(filters), async (signal) =>
    orThrow(await levy.get('/customers', { query: { ...filters, limit: 50 }, signal })),
  );
  return (
    <Load of={list} what="customers">
      {({ data, next_cursor }) => (
        <>
          <Table
            caption="Customers with certificates"
            columns={[
              { name: 'Id', cell: ({ id }) => <a href={linkTo(['customers', id])}>{id}</a> },
              { name: 'Name', cell: ({ name }) => name },
              { name: 'Certificates', isFigure: true, cell: ({ exemptions }) => exemptions.length },
              {
                name: 'First to expire',
                cell: ({ exemptions }) => exemptions.flatMap(({ valid_to }) => valid_to ?? []).sort()[0],
              },
            ]}
            rows={data}
            keyOf={({ id }) => id}
            empty={next_cursor ? 'No customer matches on this page.' : 'No customer matches.'}
          />
          <div class="pages">
            {query.get('starting_after') && (
              <a href={linkTo(['customers'], { ...queryOf(query), starting_after: '' })}>First page</a>
            )}
            {next_cursor && (
              <a href={linkTo(['customers'], { ...queryOf(query), starting_after: next_cursor })}>Next page</a>
            )}
          </div>
        </>
      )}
    </Load>
  );
};

/** Customers and their exemption certificates. */
export const Customers = ({ path, query }: ViewProps) => {
  const { account } = useSession();
  const inSixtyDays = todayIn(account.time_zone, Date.now() + 60 * dayMs);
  const [id] = path;
  if (id) return <Customer key={id} id={id} />;
  return (
    <>
      <h1>Customers</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = linkTo(['customers'], valuesOf(event.currentTarget));
        }}
      >
        <Field
          name="expiring_before"
          label="With a certificate that expires before"
          type="date"
          value={query.get('expiring_before')}
        />
        <Field name="state" label="State" value={query.get('state')} />
        <button type="submit">Find</button>
      </form>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = linkTo(['customers', valuesOf(event.currentTarget)['id'] ?? '']);
        }}
      >
        <Field name="id" label="Customer id" isRequired />
        <button type="submit">Open</button>
      </form>
      <p>
        <a href={linkTo(['customers'], { expiring_before: inSixtyDays })}>Certificates that expire within 60 days</a>
      </p>
      <List query={query} />
    </>
  );
};
