import type { RemainingMs } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import type { StoredReminder } from '../../filings/filing.ts';
import type { ReminderStore } from '../../filings/ports.ts';
import { batchGet, partitionQuery, queryPages } from '../client/reads.ts';
import { absent, asSeen, staleOrThrow, writeTogether } from '../client/writes.ts';
import { chainKey, filingKey, itemPlace, reminderKey, reminderPartition } from '../keys.ts';
import { reminderFrom, reminderItem } from './filing-item.ts';

const TableName = environment.tables.transactions;

/** The condition that a chain ends before this period. */
const notClosed = (periodEnd: string) => ({
  ConditionExpression: 'attribute_not_exists(#last.period_end) OR #last.period_end < :end',
  ExpressionAttributeNames: { '#last': 'last' },
  ExpressionAttributeValues: { ':end': periodEnd },
});

/** Returns the store of reminders, bounded by the time left in the invocation. */
export const reminderStore = (remainingMs: RemainingMs): ReminderStore => ({
  missing: async (reminders) => {
    const keys = reminders.map((reminder) => reminderKey(reminder.account, reminder));
    const stored = await batchGet(TableName, keys, remainingMs, []);
    const known = new Set(stored.map(itemPlace));
    return reminders.filter((reminder) => !known.has(itemPlace(reminderKey(reminder.account, reminder))));
  },
  add: (reminder) => {
    const { account, state, period_end, filing, version } = reminder;
    // Rejects an outdated reminder: the return was filed or the period was closed in the meantime.
    const unchanged =
      filing === null
        ? { Key: chainKey(account, state), ...notClosed(period_end) }
        : { Key: filingKey(account, filing), ...asSeen(version) };
    const put = { Put: { TableName, Item: reminderItem(reminder), ...absent } };
    return writeTogether([put, { ConditionCheck: { TableName, ...unchanged } }], staleOrThrow, remainingMs);
  },
});

/** Yields all reminders of an account's returns. */
export async function* storedReminders(account: string): AsyncGenerator<StoredReminder> {
  for await (const items of queryPages(partitionQuery(TableName, reminderPartition(account))))
    yield* items.map(reminderFrom);
}
