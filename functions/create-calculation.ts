import { withTaxDay } from '../shared/accounts/time-zone.ts';
import { mapResult } from '../shared/base/result.ts';
import { CalculationRequest } from '../shared/calculations/request.ts';
import { calculationProblems } from '../shared/calculations/request-problems.ts';
import { calculationAnswerFields } from '../shared/calculations/response-scalars.ts';
import { sentWarnings } from '../shared/calculations/sent-warnings.ts';
import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { calculationErrors } from '../shared/http/endpoint-errors.ts';
import { recordTax } from '../shared/observability/answered-tax.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { customerReads } from '../shared/store/customers/customer-reads.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { contentReads, customersRead, partitions } from '../shared/store/table-access.ts';
import { createCalculation } from '../shared/transactions/create-calculation.ts';

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
  tag: 'Calculations',
  summary: 'Calculate tax',
  description:
    'Calculates the tax on an order and stores nothing. The response repeats every field of the request as sent, so you can post it to /transactions unchanged. With `type: credit` and a parent, it returns what that credit would record.',
  body: { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems },
  responses: [{ status: 200, description: 'The tax on the order.', schema: 'Calculation' }],
  errors: [...calculationErrors, 'validation_parent_not_found'],
  run: async ({ body, sent, caller, unknownFields }) => {
    const warnings = sentWarnings(sent, unknownFields, caller.account);
    const ports = { ledger: ledgerReads, customers: customerReads, loadContent, now };
    return mapResult(
      await createCalculation(withTaxDay(body, caller.account), warnings, caller.account, ports),
      (calculation) => {
        recordTax(calculation);
        return { status: 200, body: calculation };
      },
    );
  },
});
