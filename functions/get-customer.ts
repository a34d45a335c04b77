import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { accept, refuse } from '../shared/base/result.ts';
import { customerNotFound, customerResponse } from '../shared/customers/customer.ts';
import { StoredCustomer } from '../shared/customers/response.ts';
import { customerReads } from '../shared/store/customers/customer-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-customer',
  method: 'GET',
  path: '/customers/{id}',
  scope: 'read',
  access: ledgerAccess(['GetItem'], partitions.customers),
  run: async ({ id, caller: { account } }) => {
    const customer = await customerReads.find(account.id, id);
    return customer ? accept(customerResponse(200, customer)) : refuse(customerNotFound);
  },
});

export const documentation = (): Documentation => ({
  summary: 'Retrieve a customer',
  description: 'Returns the customer with its exemption certificates, including expired ones.',
  response: {
    description: 'The customer.',
    schema: StoredCustomer,
    example: ({ customer }) => customer,
    headers: ['ETag'],
  },
  errorExamples: () => [customerNotFound],
});
