import { now } from '../shared/config/clock.ts';
import { failureLine } from '../shared/observability/failure-line.ts';
import { scheduled } from '../shared/observability/scheduled.ts';
import { callMsMax } from '../shared/store/client/client.ts';
import { contendedMsMax } from '../shared/store/client/contention.ts';
import { draftIndex } from '../shared/store/ledger/draft-index.ts';
import { ledgerWithin } from '../shared/store/ledger/ledger-store.ts';
import { sweepDrafts } from '../shared/transactions/sweep-drafts.ts';

// A batch asks the index once, and then for all drafts side by side: reads one, voids it, reads it again.
const batchMsMax = 3 * callMsMax + contendedMsMax(callMsMax);

/** Every five minutes: void the drafts whose deadline has passed. */
export const handler = scheduled('sweep-drafts', (context) => {
  const remainingMs = () => context.getRemainingTimeInMillis();
  return sweepDrafts({
    ledger: ledgerWithin(remainingMs),
    drafts: draftIndex,
    now,
    batchMsMax,
    remainingMs,
    onFailure: (error) => console.error({ schedule: 'sweep-drafts', ...failureLine(error) }),
  });
});
