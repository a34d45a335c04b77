import { calculationAnswerFields } from '../calculations/answer-fields.ts';
import { CalculationRequest } from '../calculations/request.ts';
import { calculationProblems } from '../calculations/request-problems.ts';
import { now } from '../config/clock.ts';
import { builtInRelease, builtInReleaseById } from '../content/built-in.ts';
import { operation } from '../http/operation.ts';
import { ledgerReads } from '../store/ledger-reads.ts';
import { createCalculation } from '../transactions/create-calculation.ts';

const ports = { ledger: ledgerReads, releaseFor: builtInRelease, releaseById: builtInReleaseById, now };

export const serve = operation({
  body: { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems },
  run: async ({ body, caller, unknownFields }) => {
    const calculated = await createCalculation(body, unknownFields, caller.account, ports);
    return calculated.ok ? { ok: true, value: { status: 200, body: calculated.value } } : calculated;
  },
});
