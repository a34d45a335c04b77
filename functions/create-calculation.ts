import { calculationAnswerFields } from '../shared/calculations/answer-fields.ts';
import { CalculationRequest } from '../shared/calculations/request.ts';
import { calculationProblems } from '../shared/calculations/request-problems.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { transactionPorts } from '../shared/store/transaction-ports.ts';
import { createCalculation } from '../shared/transactions/create-calculation.ts';

/** POST /calculations: the tax of a document, stored nowhere. */
export const handler = endpoint('create-calculation', {
  body: { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems },
  run: async ({ body, caller, unknownFields }) => {
    const calculated = await createCalculation(body, unknownFields, caller.account, transactionPorts);
    return calculated.ok ? { ok: true, value: { status: 200, body: calculated.value } } : calculated;
  },
});
