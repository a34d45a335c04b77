import type { Schemas } from '../../client/client.ts';
import { csvPage } from './export-file.ts';
import { SearchForm } from './fields.tsx';
import { getStateLetters, negative } from './format.ts';
import { List, readPart } from './list.tsx';
import { Fetch, Get } from './load.tsx';
import { Status, TransactionLink } from './parts.tsx';
import { reviewText } from './review.tsx';
import { linkTo, pickParameters, type ViewProps } from './route.ts';
import { searchPage } from './search.ts';
import { amountColumn, type Column } from './table.tsx';
import { Transaction } from './transaction.tsx';

const statuses = [['', 'All'], 'draft', 'finalized', 'filed', 'void'] as const;
const types = [
  ['', 'All'],
  ['sale', 'Sales'],
  ['credit', 'Credits'],
] as const;

const apiFilters = ['search', 'status', 'type', 'reference_id', 'customer_id', 'state', 'parent_transaction_id'];

/** Converts the URL's filters to API parameters. */
const listFilters = (query: ViewProps['query']) => {
  const [from, to] = [query.get('from'), query.get('to')];
  return {
    ...pickParameters(query, apiFilters),
    ...(from && { 'tax_date[gte]': from }),
    ...(to && { 'tax_date[lte]': to }),
  };
};

const Filters = ({ query }: Pick<ViewProps, 'query'>) => (
  <SearchForm
    to={({ search = '', ...filters }) =>
      /^txn_[0-9A-HJKMNP-TV-Z]{26}$/.test(search)
        ? linkTo(['transactions', search])
        : linkTo(['transactions'], { ...filters, search })
    }
    fields={[
      ['search', 'Search'],
      ['customer_id', 'Customer id'],
      ['state', 'State'],
      ['status', 'Status', statuses],
      ['type', 'Type', types],
      ['from', 'From', 'date'],
      ['to', 'To', 'date'],
    ]}
    values={Object.fromEntries(query)}
    button="Find"
  >
    {query.size > 0 && <a href={linkTo(['transactions'])}>Clear all filters</a>}
  </SearchForm>
);

/**
 * The transaction whose reference is the search text, read from an index, and customers whose name or id contains it.
 */
const Matches = ({ transaction: search }: { transaction: string }) => (
  <>
    <Get what="the exact reference" path="/transactions" query={{ reference_id: search, limit: 10 }}>
      {({ data }) =>
        data.length > 0 && (
          <p class="hint">
            Exactly this reference:{' '}
            {data.map((row) => (
              <span key={row.id}>
                <TransactionLink value={row} /> ({row.status}){' '}
              </span>
            ))}
          </p>
        )
      }
    </Get>
    <Fetch
      what="customers"
      read={(levy, signal) =>
        searchPage({
          load: (request) => readPart(levy.get('/customers', { query: { search, ...request }, signal })),
          limit: 5,
          after: null,
        })
      }
    >
      {({ rows, next }) =>
        (rows.length > 0 || next) && (
          <p class="hint">
            Transactions of the customers{' '}
            {rows.map(({ id, name }) => (
              <span key={id}>
                <a href={linkTo(['transactions'], { customer_id: id })}>{name ?? id}</a>{' '}
              </span>
            ))}
            {next && <a href={linkTo(['customers'], { search })}>More customers may match</a>}
          </p>
        )
      }
    </Fetch>
  </>
);

type Row = Schemas['TransactionList']['data'][number];

/** Creates a column of amounts. Amounts of credits are negative, unlike in the API. */
const signedColumn = (name: string, field: 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'total_amount') =>
  amountColumn<Row>(name, (row) => (row.type === 'credit' ? negative(row[field]) : row[field]));

/** Returns the states with a tax or an exemption, as two letters. */
const formatStates = ({ tax_summary }: Row): string =>
  [...new Set(tax_summary.map(({ jurisdiction_code }) => getStateLetters(jurisdiction_code).slice(0, 2)))]
    .sort()
    .join(', ');

const columns: readonly Column<Row>[] = [
  ['Reference', (row) => <TransactionLink value={row} />, '', (row) => row.reference_id ?? row.id],
  ['Type', (row) => <Status value={row.type} />, '', (row) => row.type],
  ['Status', (row) => <Status value={row.status} />, '', (row) => row.status],
  ['Tax date', (row) => <time>{row.tax_date.slice(0, 10)}</time>, '', (row) => row.tax_date],
  ['States', formatStates],
  ['Customer', (row) => row.customer?.id],
  signedColumn('Taxable', 'taxable_amount'),
  signedColumn('Exempt', 'exempt_amount'),
  signedColumn('Tax', 'tax_amount'),
  signedColumn('Total', 'total_amount'),
  ['Currency', (row) => row.currency],
  ['To review', (row) => reviewText(row.warnings)],
];

/** Searches transactions, or shows one of them. */
export const Transactions = ({ path, query }: ViewProps) => {
  const [id] = path;
  if (id) return <Transaction key={id} id={id} />;
  const [search, parent] = [query.get('search'), query.get('parent_transaction_id')];
  return (
    <>
      <h1>Transactions</h1>
      <Filters query={query} />
      <p class="hint">
        The search finds text in references, transaction ids and customer ids, in upper or lower case, and customers by
        their name. It reads the newest transactions first.
      </p>
      {search && <Matches key={search} transaction={search} />}
      {parent && (
        <p>
          Credits of the sale <a href={linkTo(['transactions', parent])}>{parent}</a>
        </p>
      )}
      <List
        view="transactions"
        query={query}
        filters={listFilters(query)}
        get={(levy, input) => levy.get('/transactions', input)}
        toRows={(row) => [row]}
        readCsv={async (levy, input) => csvPage(await levy.getCsv('/transactions', input))}
        fileHint="In a download, amounts of credits are positive, as in the API. Subtract the rows of type credit, and leave out drafts and void transactions."
        caption="Transactions, newest first"
        columns={columns}
        sums={{ by: (row) => (row.status === 'void' ? null : row.currency), label: 'not void' }}
      />
    </>
  );
};
