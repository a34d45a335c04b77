import { mapResult } from '../shared/base/result.ts';
import { customerAnswerFields } from '../shared/calculations/response-scalars.ts';
import { createCustomer } from '../shared/customers/change-customers.ts';
import { CustomerRequest, certificateFieldProblem } from '../shared/customers/request.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { idempotencyOf, replyOfAnswer } from '../shared/http/idempotency.ts';
import { customerPorts } from '../shared/store/customers/customer-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-customer',
  method: 'POST',
  path: '/customers',
  scope: 'write',
  access: ledgerAccess(['GetItem', 'PutItem'], partitions.customers, partitions.idempotencyKeys),
  tag: 'Customers',
  summary: 'Create a customer',
  description:
    'Creates a customer with exemption certificates, under the id that it has in your system. A calculation or transaction with this id as `customer.id` applies the certificate that is valid on its tax date in the state that taxes the sale. A customer that exists with the same content is returned.',
  body: { schema: CustomerRequest, answer: customerAnswerFields, refuseUnknown: certificateFieldProblem },
  responses: [
    {
      status: 201,
      description: 'The created customer.',
      schema: 'StoredCustomer',
      headers: ['Location', 'ETag'],
    },
    {
      status: 200,
      description: 'The customer, which existed with the same content.',
      schema: 'StoredCustomer',
      headers: ['ETag'],
    },
  ],
  errors: ['conflict_duplicate_customer_id'],
  run: async ({ body, caller, unknownFields, exchange }) => {
    const creation = { request: body, idempotency: idempotencyOf(exchange), unknownFields };
    return mapResult(await createCustomer(creation, caller, customerPorts(exchange.remainingMs)), replyOfAnswer);
  },
});
