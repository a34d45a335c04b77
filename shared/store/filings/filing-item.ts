import * as z from 'zod/mini';
import {
  FilingChain,
  FilingHead,
  type FilingSequence,
  Reminder,
  type StoredFiling,
  type StoredReminder,
} from '../../filings/filing.ts';
import { ShardProgress, TotalsPart } from '../../filings/ports.ts';
import { Totals } from '../../filings/totals.ts';
import { compressed, defineItem } from '../define-item.ts';
import { chainKey, filingKey, filingProgressKey, type Item, reminderKey, totalsPartKey } from '../keys.ts';

const Key = z.object({ pk: z.string(), sk: z.string() });

const filings = defineItem({ key: filingKey, schema: FilingHead });

/**
 * Builds the item of a filing's head. It has no `account` and `id`, because the transaction indexes would otherwise
 * list it.
 */
export const filingItem = (filing: StoredFiling): Item => filings.write([filing.account, filing.id], filing);

/** Parses a filing. Throws if the item does not have the format that `filingItem` writes. */
export const filingFrom = (item: unknown): StoredFiling => {
  const { pk, sk: id } = Key.parse(item);
  return { account: pk.split('#')[1] ?? '', id, ...filings.read(item) };
};

const chains = defineItem({ key: chainKey, schema: FilingChain });

export const chainItem = (chain: FilingSequence): Item => chains.write([chain.account, chain.state], chain);

/** Parses a chain. Throws if the item does not have the format that `chainItem` writes. */
export const chainFrom = (item: unknown): FilingSequence => {
  const [, account = '', state = ''] = Key.parse(item).pk.split('#');
  return { account, state, ...chains.read(item) };
};

const shards = defineItem({
  key: filingProgressKey,
  schema: z.extend(ShardProgress, { totals: compressed(Totals) }),
});

/** Builds the item of a shard's progress. */
export const filingProgressItem = (account: string, id: string, progress: ShardProgress): Item =>
  shards.write([account, id, progress.shard], progress);

/** Parses a shard's progress. Throws if the item does not have the format that `filingProgressItem` writes. */
export const filingProgressFrom: (item: unknown) => ShardProgress = shards.read;

const parts = defineItem({
  key: totalsPartKey,
  schema: z.extend(TotalsPart, { sums: compressed(Totals.shape.jurisdictions) }),
});

/** Builds the item of a part of a shard's totals. */
export const totalsPartItem = (account: string, id: string, part: TotalsPart): Item =>
  parts.write([account, id, part], part);

/** Parses a part of a shard's totals. Throws if the item does not have the format that `totalsPartItem` writes. */
export const totalsPartFrom: (item: unknown) => TotalsPart = parts.read;

const reminders = defineItem({ key: reminderKey, schema: Reminder });

/** Builds the item of a reminder. It is never changed, so the table's stream has it once. */
export const reminderItem = (reminder: StoredReminder): Item => reminders.write([reminder.account, reminder], reminder);

/** Parses a reminder. Throws if the item does not have the format that `reminderItem` writes. */
export const reminderFrom = (item: unknown): StoredReminder => ({
  account: Key.parse(item).pk.split('#')[1] ?? '',
  ...reminders.read(item),
});
