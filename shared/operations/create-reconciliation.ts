import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { holderReads } from '../store/ledger/holder-reads.ts';
import { transactionIndex } from '../store/ledger/transaction-index.ts';
import { reconcile } from '../transactions/reconciliation/reconcile.ts';
import { ReconciliationRequest, reconciliationProblems } from '../transactions/reconciliation/request.ts';

const ports = { holders: holderReads, index: transactionIndex, now };

export const serve = operation({
  body: { schema: ReconciliationRequest, answer: {}, inspect: reconciliationProblems },
  run: async ({ body, caller, unknownFields }) =>
    mapResult(await reconcile(body, unknownFields, caller.account, ports), (reconciliation) => ({
      status: 200,
      body: reconciliation,
    })),
});
