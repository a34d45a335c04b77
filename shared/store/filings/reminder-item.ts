import * as z from 'zod/mini';
import { Reminder, type StoredReminder } from '../../filings/filing.ts';
import { defineItem, type Item } from '../define-item.ts';
import { reminderKey } from '../keys.ts';

const items = defineItem({ key: reminderKey, schema: Reminder });
const Key = z.object({ pk: z.string() });

/** Builds the item of a reminder. It is never changed, so the table's stream has it once. */
export const reminderItem = (reminder: StoredReminder): Item => items.write([reminder.account, reminder], reminder);

/** Parses a reminder. Throws if the item does not have the format that `reminderItem` writes. */
export const reminderFrom = (item: unknown): StoredReminder => ({
  account: Key.parse(item).pk.split('#')[1] ?? '',
  ...items.read(item),
});
