import { calculationAnswerFields } from '../calculations/answer-fields.ts';
import { CalculationRequest } from '../calculations/request.ts';
import { calculationProblems } from '../calculations/request-problems.ts';
import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { recordTax } from '../observability/answered-tax.ts';
import { loadContent } from '../store/content/load-content.ts';
import { ledgerReads } from '../store/ledger/ledger-reads.ts';
import { createCalculation } from '../transactions/create-calculation.ts';

const ports = { ledger: ledgerReads, loadContent, now };

export const serve = operation({
  body: { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems },
  run: async ({ body, caller, unknownFields }) => {
    const calculated = await createCalculation(body, unknownFields, caller.account, ports);
    if (calculated.ok) recordTax(calculated.value);
    return calculated.ok ? { ok: true, value: { status: 200, body: calculated.value } } : calculated;
  },
});
