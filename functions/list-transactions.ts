import { jsonOrCsv } from '../shared/api/csv-response.ts';
import { type Documentation, defineEndpoint, type Samples } from '../shared/api/define-endpoint.ts';
import { mapResult } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { TransactionListQuery } from '../shared/ledger/list-query.ts';
import { listTransactions, transactionsCsv } from '../shared/ledger/list-transactions.ts';
import { listResponse } from '../shared/ledger/page-limit.ts';
import { TransactionList } from '../shared/ledger/response.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { transactionIndex } from '../shared/store/ledger/transaction-index.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

const nextQuery = ({ starting_after: _, ...query }: TransactionListQuery, cursor: string) => ({
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  starting_after: cursor,
});

export const { endpoint, handler } = defineEndpoint({
  name: 'list-transactions',
  method: 'GET',
  path: '/transactions',
  scope: 'read',
  access: {
    ...ledgerAccess(['GetItem', 'BatchGetItem'], partitions.transactions),
    indexes: ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date', 'credits'],
  },
  query: TransactionListQuery,
  run: async ({ query, caller, context }) => {
    const ports = { index: transactionIndex, ledger: ledgerReads, now };
    return mapResult(await listTransactions(query, caller.account, ports), ({ list, searchedBackTo }) => {
      const response = jsonOrCsv(list, context, () => ({
        name: 'transactions',
        text: transactionsCsv(list),
        next: list.next_cursor === null ? null : nextQuery(query, list.next_cursor),
      }));
      return {
        ...response,
        headers: { ...response.headers, ...(searchedBackTo && { 'Searched-Back-To': searchedBackTo }) },
      };
    });
  },
});

const exampleList = ({ finalized }: Samples) => listResponse('/transactions', [{ ...finalized, line_items: null }]);

export const documentation = (): Documentation => ({
  summary: 'List transactions',
  description:
    'Returns transactions, newest first. Filters are ANDed. With a range on `tax_date`, they are ordered by it, newest first. A page may have fewer rows than `limit`, or none: continue while `has_more` is true. A request with `search`, with a filter by `status`, `state` or `type=sale`, or with two filters searches only a part of the list; `Searched-Back-To` returns how far. With `Accept: text/csv`, the page is a CSV file without line items, with a `Link` to the next page.',
  response: {
    description: 'A page of transactions.',
    schema: TransactionList,
    example: exampleList,
    csvExample: (samples) => transactionsCsv(exampleList(samples)),
    headers: ['Vary'],
    optionalHeaders: ['Searched-Back-To', 'Link', 'Content-Disposition'],
  },
});
