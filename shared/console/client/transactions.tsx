import { useState } from 'preact/hooks';
import type { Levy, Schemas } from '../../client/client.ts';
import { ActionButton, dataOf, Load, useAction, useLoad } from './load.tsx';
import { Amount, counted, download, Instant, PageLinks, SearchForm, Status, Table, TransactionLink } from './parts.tsx';
import { linkTo, parametersOf, type ViewProps } from './route.ts';
import { type Found, type PageRequest, searchPage } from './search.ts';
import { Transaction } from './transaction.tsx';

const statuses = ['', 'draft', 'finalized', 'filed', 'void'].map((name) => [name, name || 'All'] as const);
const types = [
  ['', 'All'],
  ['sale', 'Sales'],
  ['credit', 'Credits'],
] as const;

const apiFilters = ['status', 'type', 'reference_id', 'customer_id', 'state', 'parent_transaction_id'];

/** Converts the URL's filters to API parameters. */
const filtersOf = (query: ViewProps['query']) => {
  const [from, to] = [query.get('from'), query.get('to')];
  return {
    ...parametersOf(query, apiFilters),
    ...(from && { 'tax_date[gte]': from }),
    ...(to && { 'tax_date[lte]': to }),
  };
};

const Filters = ({ query }: Pick<ViewProps, 'query'>) => (
  <SearchForm
    to={({ find = '', ...filters }) =>
      /^txn_[0-9A-HJKMNP-TV-Z]{26}$/.test(find)
        ? linkTo(['transactions', find])
        : linkTo(['transactions'], { ...filters, reference_id: find })
    }
    fields={[
      ['find', 'Reference or id'],
      ['customer_id', 'Customer id'],
      ['state', 'State'],
      ['status', 'Status', statuses],
      ['type', 'Type', types],
      ['from', 'From', 'date'],
      ['to', 'To', 'date'],
    ]}
    values={{ ...Object.fromEntries(query), find: query.get('reference_id') }}
    button="Find"
  >
    {query.size > 0 && <a href={linkTo(['transactions'])}>Clear all filters</a>}
  </SearchForm>
);

type Row = Schemas['TransactionList']['data'][number];

/** Joins the rows of several responses into one CSV file. The first line of each response is the header. */
const csvOf = async (levy: Levy, filters: object, requests: readonly PageRequest[], signal: AbortSignal) => {
  let file = '';
  for (const request of requests) {
    const text = await dataOf(levy.getCsv('/transactions', { query: { ...filters, ...request }, signal }));
    file += file === '' ? text : text.slice(text.indexOf('\n') + 1);
  }
  return file;
};

const List = ({ query }: Pick<ViewProps, 'query'>) => {
  const [progress, setProgress] = useState<Found<Row> | null>(null);
  const [filters, after] = [filtersOf(query), query.get('starting_after') ?? null];
  const list = useLoad(JSON.stringify([filters, after]), (levy, signal) => {
    setProgress(null);
    const load = async (request: PageRequest) => {
      const result = await levy.get('/transactions', { query: { ...filters, ...request }, signal });
      const { data, next_cursor } = await dataOf(Promise.resolve(result));
      return { rows: data, next: next_cursor, backTo: result.headers.get('Searched-Back-To') };
    };
    const onProgress = (found: Found<Row>) => signal.aborted || setProgress(found);
    return searchPage({ load, limit: 50, after, onProgress });
  });
  const csv = useAction(
    (levy, _key, signal) => csvOf(levy, filters, list.value?.requests ?? [], signal),
    (text) => download('transactions.csv', text),
  );
  const nothing = after ? 'No more transactions match.' : 'No transaction matches.';
  return (
    <>
      {list.isLoading && progress && (
        <p class="hint" role="status">
          {progress.backTo && (
            <>
              Searched back to <Instant of={progress.backTo} />:{' '}
            </>
          )}
          {counted(progress.rows.length, 'transaction')} found so far.
        </p>
      )}
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
              empty={next ? 'Nothing found so far. The search can go on.' : nothing}
            />
            {next && rows.length < 50 && backTo && (
              <p class="hint">
                Searched back to <Instant of={backTo} />. Older transactions may match.
              </p>
            )}
            <PageLinks
              view="transactions"
              query={query}
              next={next}
              label={rows.length > 0 ? 'Next page' : 'Search on'}
            >
              {rows.length > 0 && <ActionButton action={csv} label="Download this page as CSV" />}
            </PageLinks>
          </>
        )}
      </Load>
    </>
  );
};

/** Searches transactions, or shows one of them. */
export const Transactions = ({ path, query }: ViewProps) => {
  const [id] = path;
  if (id) return <Transaction key={id} id={id} />;
  const parent = query.get('parent_transaction_id');
  return (
    <>
      <h1>Transactions</h1>
      <Filters query={query} />
      {parent && (
        <p>
          Credits of the sale <a href={linkTo(['transactions', parent])}>{parent}</a>
        </p>
      )}
      <List query={query} />
    </>
  );
};
