import * as z from 'zod/mini';
import type { OpenAmounts, OpenEntry } from '../transactions/open-entries.ts';
import { compress, decompress } from './compressed.ts';
import { openEntryKey } from './keys.ts';

/** An open entry as the table holds it. A thousand lines may touch hundreds of jurisdictions: compressed as well. */
export const openEntryItem = (account: string, entry: OpenEntry): Record<string, unknown> => ({
  ...openEntryKey(account, entry),
  transaction_id: entry.transactionId,
  state: entry.state,
  month: entry.month,
  currency: entry.currency,
  amounts: compress(entry.amounts),
});

const Item = z.object({
  transaction_id: z.string(),
  state: z.string(),
  month: z.string(),
  currency: z.string(),
  amounts: z.instanceof(Uint8Array),
});
const Amounts = z.array(
  z.object({
    jurisdiction_code: z.string(),
    rate: z.string(),
    taxable_amount: z.string(),
    exempt_amount: z.string(),
    tax_amount: z.string(),
  } satisfies Record<keyof OpenAmounts, unknown>),
);

/** The open entry of an item. Throws where the item is not what `openEntryItem` makes. */
export const openEntryFrom = (item: unknown): OpenEntry => {
  const { transaction_id, amounts, ...place } = Item.parse(item);
  return { transactionId: transaction_id, ...place, amounts: Amounts.parse(decompress(amounts)) };
};
