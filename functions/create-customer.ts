import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { exampleCustomer } from '../shared/api/openapi/sample-requests.ts';
import { customerResponseFields } from '../shared/calculations/response-fields.ts';
import { createCustomer, customerExists } from '../shared/customers/customer.ts';
import { CustomerRequest, certificateFieldProblem } from '../shared/customers/request.ts';
import { StoredCustomer } from '../shared/customers/response.ts';
import { customerPorts } from '../shared/store/customers/customer-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-customer',
  method: 'POST',
  path: '/customers',
  scope: 'write',
  access: ledgerAccess(['GetItem', 'PutItem', 'ConditionCheckItem'], partitions.customers, partitions.idempotencyKeys),
  body: { schema: CustomerRequest, ignored: customerResponseFields, refuseUnknown: certificateFieldProblem },
  run: ({ body, caller, unknownFields, context }) => {
    const creation = { request: body, idempotency: readIdempotency(context), unknownFields };
    return createCustomer(creation, caller, customerPorts(context.remainingMs));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Create a customer',
  description:
    'Creates a customer with exemption certificates, under the id that it has in your system. A calculation or transaction with this id as `customer.id` applies the certificate that is valid on its tax date in the state that taxes the sale. If the customer exists with the same content, it is returned.',
  requests: { resale: { summary: 'Customer with a resale certificate', value: exampleCustomer } },
  response: {
    status: 201,
    description: 'The created customer.',
    schema: StoredCustomer,
    example: ({ customer }) => customer,
    headers: ['Location', 'ETag'],
  },
  otherResponses: [
    {
      description: 'The existing customer, which has the same content.',
      schema: StoredCustomer,
      example: ({ customer }) => customer,
      headers: ['ETag'],
    },
  ],
  errorExamples: () => [customerExists({ id: exampleCustomer.id, version: 1 })],
});
