import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { now } from '../shared/config/clock.ts';
import { CustomerListQuery, listCustomers } from '../shared/customers/customer.ts';
import { CustomerList } from '../shared/customers/response.ts';
import { listResponse } from '../shared/ledger/page-limit.ts';
import { customerReads } from '../shared/store/customers/customer-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-customers',
  method: 'GET',
  path: '/customers',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.customers),
  query: CustomerListQuery,
  respond: ({ query, caller }) => listCustomers(query, caller.account, { customers: customerReads, now }),
});

export const documentation = (): Documentation => ({
  summary: 'List customers',
  description:
    'Returns customers in the order of their ids. Filters are ANDed. A page may have fewer rows than `limit`: continue while `has_more` is true. A request reads at most 400 customers.',
  response: {
    description: 'A page of customers.',
    schema: CustomerList,
    example: ({ customer }) => listResponse('/customers', [customer]),
  },
});
