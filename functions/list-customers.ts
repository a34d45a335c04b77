import { mapResult } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { CustomerListQuery, listCustomers } from '../shared/customers/list-customers.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { customerReads } from '../shared/store/customers/customer-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-customers',
  method: 'GET',
  path: '/customers',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.customers),
  tag: 'Customers',
  summary: 'List customers',
  description:
    'Returns customers in the order of their ids. Filters are ANDed. A page may have fewer rows than `limit`: continue while `has_more` is true.',
  query: CustomerListQuery,
  responses: [{ status: 200, description: 'A page of customers.', schema: 'CustomerList' }],
  errors: ['validation_invalid_cursor'],
  run: async ({ query, caller }) =>
    mapResult(await listCustomers(query, caller.account, { customers: customerReads, now }), ok),
});
