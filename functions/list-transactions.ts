import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { mapResult } from '../shared/result.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { transactionIndex } from '../shared/store/ledger/transaction-index.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { TransactionListQuery } from '../shared/transactions/list-query.ts';
import { listTransactions } from '../shared/transactions/list-transactions.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-transactions',
  method: 'GET',
  path: '/transactions',
  scope: 'read',
  access: {
    ...ledgerAccess(['GetItem', 'BatchGetItem'], partitions.transactions),
    indexes: ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date'],
  },
  tag: 'Transactions',
  summary: 'List transactions',
  description:
    'Returns transactions, newest first. Filters are ANDed. With a range on `tax_date`, they are ordered by it, newest first. A page may have fewer rows than `limit`: continue while `has_more` is true.',
  query: TransactionListQuery,
  responses: [{ status: 200, description: 'A page of transactions.', schema: 'TransactionList' }],
  errors: ['validation_invalid_cursor'],
  run: async ({ query, caller }) => {
    const ports = { index: transactionIndex, ledger: ledgerReads, now };
    return mapResult(await listTransactions(query, caller.account, ports), ok);
  },
});
