import { defineSchedule } from '../shared/api/define-schedule.ts';
import { closePeriods } from '../shared/filings/close-periods.ts';
import { closePorts } from '../shared/store/filings/filing-ports.ts';
import { accountPartitions, filingActions, filingPartitions } from '../shared/store/table-access.ts';

/** Continues unfinished filings, closes due periods, and stores reminders of returns that are not filed. */
export const { schedule, handler } = defineSchedule({
  name: 'close-periods',
  minutes: 5,
  timeoutSeconds: 240,
  access: {
    actions: {
      accounts: ['BatchGetItem', 'Query', 'ConditionCheckItem'],
      transactions: [...filingActions, 'ConditionCheckItem'],
    },
    partitions: { accounts: accountPartitions, transactions: filingPartitions },
  },
  run: (context) => closePeriods(closePorts(() => context.getRemainingTimeInMillis())),
});
