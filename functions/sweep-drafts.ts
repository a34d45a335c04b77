import { now } from '../shared/config/clock.ts';
import { defineSchedule } from '../shared/define-schedule.ts';
import { failureLine } from '../shared/observability/failure-line.ts';
import { callMsMax } from '../shared/store/client/client.ts';
import { contendedMsMax } from '../shared/store/client/contention.ts';
import { ledgerWithin } from '../shared/store/ledger/ledger-store.ts';
import { draftIndex } from '../shared/store/ledger/transaction-index.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { sweepDrafts } from '../shared/transactions/sweep-drafts.ts';

// A batch queries the index once. Then, for all its drafts in parallel, it reads a draft, voids it and reads it again.
const batchMsMax = 3 * callMsMax + contendedMsMax(callMsMax);

/** Voids the drafts whose deadline has passed. */
export const { schedule, handler } = defineSchedule({
  name: 'sweep-drafts',
  minutes: 5,
  timeoutSeconds: 240,
  access: { ...ledgerAccess(['GetItem', 'PutItem'], partitions.transactions), indexes: ['drafts'] },
  run: (context) => {
    const remainingMs = () => context.getRemainingTimeInMillis();
    return sweepDrafts({
      ledger: ledgerWithin(remainingMs),
      drafts: draftIndex,
      now,
      batchMsMax,
      remainingMs,
      onFailure: (error) => console.error({ schedule: 'sweep-drafts', ...failureLine(error) }),
    });
  },
});
