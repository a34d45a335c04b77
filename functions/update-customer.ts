import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIfMatch } from '../shared/api/entity-tag.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { exampleCustomer, exampleRenewal } from '../shared/api/openapi/sample-requests.ts';
import { customerResponseFields } from '../shared/calculations/response-fields.ts';
import { customerIdFixed, customerNotFound, updateCustomer } from '../shared/customers/customer.ts';
import { CustomerUpdate, certificateFieldProblem } from '../shared/customers/request.ts';
import { StoredCustomer } from '../shared/customers/response.ts';
import { otherVersion } from '../shared/ledger/ports.ts';
import { customerPorts } from '../shared/store/customers/customer-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'update-customer',
  method: 'POST',
  path: '/customers/{id}',
  scope: 'write',
  access: ledgerAccess(
    ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
    partitions.customers,
    partitions.idempotencyKeys,
  ),
  body: { schema: CustomerUpdate, ignored: customerResponseFields, refuseUnknown: certificateFieldProblem },
  run: ({ id, body, caller, unknownFields, context }) => {
    const ifMatch = readIfMatch(context.headers.get('if-match'));
    const change = { id, update: body, ifMatch, idempotency: readIdempotency(context), unknownFields };
    return updateCustomer(change, caller, customerPorts(context.remainingMs));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Update a customer',
  description:
    'Changes the fields that are sent. `exemptions` replace all certificates of the customer. The change applies to the next request. Recorded transactions keep their certificate; a draft keeps it until one of its inputs is edited.',
  requestHeaders: ['IfMatch'],
  requests: {
    renew: { summary: 'Replace the certificates with a renewed one', value: exampleRenewal },
    remove: { summary: 'Remove all certificates', value: { exemptions: [] } },
  },
  response: {
    description: 'The customer after the change.',
    schema: StoredCustomer,
    example: ({ renewedCustomer }) => renewedCustomer,
    headers: ['ETag'],
  },
  errorExamples: () => [customerNotFound, otherVersion(2, 'customer'), customerIdFixed(exampleCustomer.id)],
});
