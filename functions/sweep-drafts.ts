import { defineSchedule } from '../shared/api/define-schedule.ts';
import { contendedMsMax } from '../shared/base/contention.ts';
import { now } from '../shared/config/clock.ts';
import { retainPersonalData } from '../shared/ledger/personal-data/redact.ts';
import { sweepDrafts } from '../shared/ledger/sweep-drafts.ts';
import { failureLine } from '../shared/observability/failure-line.ts';
import { callMsMax } from '../shared/store/client/client.ts';
import { ledgerWithin } from '../shared/store/ledger/ledger-store.ts';
import { retentionPorts } from '../shared/store/ledger/redaction-ports.ts';
import { draftIndex } from '../shared/store/ledger/transaction-index.ts';
import { accountPartitions, partitions } from '../shared/store/table-access.ts';

const name = 'sweep-drafts';

// Each batch queries the index once. It then reads, voids and rereads all of its drafts in parallel.
const batchMsMax = 3 * callMsMax + contendedMsMax(callMsMax);

/**
 * Voids the drafts whose deadline has passed, and once a day removes personal data that is older than the account's
 * retention period.
 */
export const { schedule, handler } = defineSchedule({
  name,
  minutes: 5,
  timeoutSeconds: 240,
  access: {
    actions: { accounts: ['BatchGetItem', 'Query'], transactions: ['GetItem', 'PutItem', 'BatchGetItem', 'Query'] },
    indexes: ['drafts', 'by_account'],
    partitions: {
      accounts: accountPartitions,
      transactions: [
        partitions.transactions,
        partitions.openEntries,
        partitions.filings,
        partitions.idempotencyKeys,
        partitions.due,
      ],
    },
  },
  run: async (context) => {
    const onFailure = (error: unknown) => console.error({ schedule: name, ...failureLine(error) });
    const remainingMs = () => context.getRemainingTimeInMillis();
    const swept = await sweepDrafts({
      ledger: ledgerWithin(remainingMs),
      drafts: draftIndex,
      now,
      batchMsMax,
      remainingMs,
      onFailure,
    });
    const retention = await retainPersonalData(retentionPorts(remainingMs, onFailure));
    if (Object.values(retention).some((count) => count > 0)) console.info({ schedule: name, retention });
    return { ...swept, complete: swept.complete && retention.failed === 0 };
  },
});
