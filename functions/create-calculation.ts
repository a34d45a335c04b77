import { calculationAnswerFields } from '../shared/calculations/answer-fields.ts';
import { CalculationRequest } from '../shared/calculations/request.ts';
import { calculationProblems } from '../shared/calculations/request-problems.ts';
import { now } from '../shared/config/clock.ts';
import { builtInRelease, builtInReleaseById } from '../shared/content/built-in.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { ledgerReads } from '../shared/store/ledger-reads.ts';
import { createCalculation } from '../shared/transactions/create-calculation.ts';

const ports = { ledger: ledgerReads, releaseFor: builtInRelease, releaseById: builtInReleaseById, now };

/** POST /calculations: the tax of a document, stored nowhere. */
export const handler = endpoint('create-calculation', {
  body: { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems },
  run: async ({ body, caller, unknownFields }) => {
    const calculated = await createCalculation(body, unknownFields, caller.account, ports);
    return calculated.ok ? { ok: true, value: { status: 200, body: calculated.value } } : calculated;
  },
});
