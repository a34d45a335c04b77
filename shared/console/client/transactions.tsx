import { useState } from 'preact/hooks';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, Load, useAction, useLoad } from './load.tsx';
import { Amount, counted, download, Field, Instant, SearchForm, Status, Table, TransactionLink } from './parts.tsx';
import { linkTo, parametersOf, queryOf, type ViewProps } from './route.ts';
import { type Found, type PageRequest, searchPage } from './search.ts';
import { useSession } from './session.ts';
import { Transaction } from './transaction.tsx';

const statuses = ['', 'draft', 'finalized', 'filed', 'void'].map((name) => [name, name || 'All'] as const);

/** The filters of the URL as the API has them. */
export const filtersOf = (query: ViewProps['query']) => {
  const given = parametersOf(query, [
    'status',
    'type',
    'reference_id',
    'customer_id',
    'state',
    'parent_transaction_id',
  ]);
  const [from, to] = [query.get('from'), query.get('to')];
  return { ...given, ...(from && { 'tax_date[gte]': from }), ...(to && { 'tax_date[lte]': to }) };
};

const Filters = ({ query }: Pick<ViewProps, 'query'>) => {
  return (
    <SearchForm
      to={({ find = '', ...filters }) =>
        /^txn_[0-9A-HJKMNP-TV-Z]{26}$/.test(find)
          ? linkTo(['transactions', find])
          : linkTo(['transactions'], { ...filters, reference_id: find })
      }
    >
      <Field name="find" label="Reference or id" value={query.get('reference_id')} />
      <Field name="customer_id" label="Customer id" value={query.get('customer_id')} />
      <Field name="state" label="State" value={query.get('state')} />
      <Field name="status" label="Status" value={query.get('status')} options={statuses} />
      <Field
        name="type"
        label="Type"
        value={query.get('type')}
        options={[
          ['', 'All'],
          ['sale', 'Sales'],
          ['credit', 'Credits'],
        ]}
      />
      <Field name="from" label="From" type="date" value={query.get('from')} />
      <Field name="to" label="To" type="date" value={query.get('to')} />
      <button type="submit">Find</button>
      {query.size > 0 && <a href={linkTo(['transactions'])}>Clear all filters</a>}
    </SearchForm>
  );
};

type Row = Schemas['TransactionList']['data'][number];

/** The rows of one request. */
const loadTransactions = (levy: Levy, filters: object, signal: AbortSignal) => async (request: PageRequest) => {
  const result = await levy.get('/transactions', { query: { ...filters, ...request }, signal });
  const { data, next_cursor } = orThrow(result);
  return { rows: data, next: next_cursor, backTo: result.headers.get('Searched-Back-To') };
};

/** The rows of several requests as one CSV file. The first line of each answer has the names of the columns. */
const csvOf = async (levy: Levy, filters: object, requests: readonly PageRequest[], signal: AbortSignal) => {
  let file = '';
  for (const request of requests) {
    const text = orThrow(await levy.getCsv('/transactions', { query: { ...filters, ...request }, signal }));
    file += file === '' ? text : text.slice(text.indexOf('\n') + 1);
  }
  return file;
};

const SearchProgress = ({ found }: { found: Found<Row> }) => (
  <p class="hint" role="status">
    {found.backTo && (
      <>
        Searched back to <Instant of={found.backTo} />:{' '}
      </>
    )}
    {counted(found.rows.length, 'transaction')} found so far.
  </p>
);

const List = ({ query }: Pick<ViewProps, 'query'>) => {
  const { levy } = useSession();
  const [progress, setProgress] = useState<Found<Row> | null>(null);
  const [filters, after] = [filtersOf(query), query.get('starting_after') ?? null];
  const list = useLoad(JSON.stringify([filters, after]), (signal) => {
    setProgress(null);
    const onProgress = (found: Found<Row>) => signal.aborted || setProgress(found);
    return searchPage({ load: loadTransactions(levy, filters, signal), limit: 50, after, onProgress });
  });
  const csv = useAction(
    async (_key, signal) => csvOf(levy, filters, list.value?.requests ?? [], signal),
    (text) => download('transactions.csv', text),
  );
  return (
    <>
      {list.isLoading && progress && <SearchProgress found={progress} />}
      <Load of={list} what="transactions">
        {({ rows, next, backTo }) => (
          <>
            <Table
              caption="Transactions, newest first"
              columns={[
                ['Reference', (row) => <TransactionLink of={row} />],
                ['Type', (row) => row.type],
                ['Status', (row) => <Status of={row.status} />],
                ['Tax date', (row) => row.tax_date.slice(0, 10)],
                ['Customer', (row) => row.customer?.id],
                ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
                ['Total', (row) => <Amount of={row.total_amount} currency={row.currency} />, 'figure'],
              ]}
              rows={rows}
              keyOf={({ id }) => id}
              empty={
                next
                  ? 'Nothing found so far. The search can go on.'
                  : after
                    ? 'No more transactions match.'
                    : 'No transaction matches.'
              }
            />
            {next && rows.length < 50 && backTo && (
              <p class="hint">
                Searched back to <Instant of={backTo} />. Older transactions may match.
              </p>
            )}
            <div class="pages">
              {query.get('starting_after') && (
                <a href={linkTo(['transactions'], { ...queryOf(query), starting_after: '' })}>First page</a>
              )}
              {next && (
                <a href={linkTo(['transactions'], { ...queryOf(query), starting_after: next })}>
                  {rows.length > 0 ? 'Next page' : 'Search on'}
                </a>
              )}
              {rows.length > 0 && <ActionButton action={csv} label="Download this page as CSV" isPlain />}
            </div>
          </>
        )}
      </Load>
    </>
  );
};

/** Find transactions, or show one. */
export const Transactions = ({ path, query }: ViewProps) => {
  const [id] = path;
  if (id) return <Transaction key={id} id={id} />;
  return (
    <>
      <h1>Transactions</h1>
      <Filters query={query} />
      {query.get('parent_transaction_id') && (
        <p>
          Credits of the sale{' '}
          <a href={linkTo(['transactions', query.get('parent_transaction_id') ?? ''])}>
            {query.get('parent_transaction_id')}
          </a>
        </p>
      )}
      <List query={query} />
    </>
  );
};
