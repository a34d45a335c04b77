import { withTaxDay } from '../shared/accounts/time-zone.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { credit, oneItem, sale } from '../shared/api/openapi/sample-requests.ts';
import { mapResult } from '../shared/base/result.ts';
import { CalculationRequest } from '../shared/calculations/request.ts';
import { calculationProblems } from '../shared/calculations/request-problems.ts';
import { Calculation } from '../shared/calculations/response.ts';
import { calculationResponseFields } from '../shared/calculations/response-fields.ts';
import { sentWarnings } from '../shared/calculations/sent-warnings.ts';
import { now } from '../shared/config/clock.ts';
import { createCalculation } from '../shared/ledger/create-calculation.ts';
import { recordTax } from '../shared/observability/tally.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { customerReads } from '../shared/store/customers/customer-reads.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { contentReads, customersRead, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-calculation',
  method: 'POST',
  path: '/calculations',
  scope: 'read',
  access: {
    actions: { ...contentReads, transactions: ['GetItem'] },
    partitions: { transactions: [partitions.transactions] },
    ...customersRead,
  },
  body: { schema: CalculationRequest, ignored: calculationResponseFields, inspect: calculationProblems },
  run: async ({ body, sent, caller, unknownFields, context: { replaces } }) => {
    const warnings = sentWarnings(sent, unknownFields, caller.account);
    const ports = { ledger: ledgerReads, customers: customerReads, loadContent, now };
    const request = withTaxDay(body, caller.account);
    const calculated = await createCalculation(request, warnings, caller.account, ports, replaces?.id);
    return mapResult(calculated, (calculation) => {
      recordTax(calculation);
      return { status: 200, body: calculation };
    });
  },
});

export const documentation = (): Documentation => ({
  summary: 'Calculate tax',
  description:
    'Calculates the tax on an order and stores nothing. The response repeats every field of the request as sent, so you can post it to /transactions unchanged. With `type: credit` and a parent, it returns what that credit would record.',
  requests: {
    sale: { summary: 'Tax on a sale', value: sale },
    credit: { summary: 'Tax on a partial refund', value: { ...credit, line_items: oneItem } },
  },
  response: { description: 'The tax on the order.', schema: Calculation, example: ({ calculation }) => calculation },
});
