import { mapResult } from '../shared/base/result.ts';
import { customerAnswerFields } from '../shared/calculations/response-scalars.ts';
import { updateCustomer } from '../shared/customers/change-customers.ts';
import { CustomerUpdate, certificateFieldProblem } from '../shared/customers/request.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ifMatchOf } from '../shared/http/entity-tag.ts';
import { idempotencyOf, replyOfAnswer } from '../shared/http/idempotency.ts';
import { customerPorts } from '../shared/store/customers/customer-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'update-customer',
  method: 'POST',
  path: '/customers/{id}',
  scope: 'write',
  access: ledgerAccess(['GetItem', 'BatchGetItem', 'PutItem'], partitions.customers, partitions.idempotencyKeys),
  tag: 'Customers',
  summary: 'Update a customer',
  description:
    'Changes the fields that are sent. `exemptions` replace all certificates of the customer. The change applies to the next request; recorded transactions keep the certificate that they recorded, and a draft until one of its inputs is edited.',
  requestHeaders: ['IfMatch'],
  body: { schema: CustomerUpdate, answer: customerAnswerFields, refuseUnknown: certificateFieldProblem },
  responses: [
    { status: 200, description: 'The customer after the change.', schema: 'StoredCustomer', headers: ['ETag'] },
  ],
  errors: ['not_found', 'precondition_failed', 'conflict_immutable_field'],
  run: async ({ id, body, caller, unknownFields, exchange }) => {
    const ifMatch = ifMatchOf(exchange.headers.get('if-match'));
    const change = { id, update: body, ifMatch, idempotency: idempotencyOf(exchange), unknownFields };
    return mapResult(await updateCustomer(change, caller, customerPorts(exchange.remainingMs)), replyOfAnswer);
  },
});
