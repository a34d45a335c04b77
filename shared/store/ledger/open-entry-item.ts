import * as z from 'zod/mini';
import type { OpenEntry } from '../../transactions/entries/entry.ts';
import { exceptionReasons } from '../../transactions/entries/reasons.ts';
import { compress, decompress } from '../client/compressed.ts';
import { type ItemKey, openEntryKey } from '../keys.ts';

type Figures = Pick<OpenEntry, 'base' | 'amounts' | 'document' | 'exceptions'>;
const figuresOf = ({ base, amounts, document, exceptions }: OpenEntry): Figures => ({
  base,
  amounts,
  document,
  exceptions,
});

/** The attributes that open and filed entries share. The figures are compressed: a thousand lines may have hundreds of jurisdictions. */
export const entryAttributes = (entry: OpenEntry): Record<string, unknown> => ({
  transaction_id: entry.transactionId,
  state: entry.state,
  month: entry.month,
  currency: entry.currency,
  version: entry.version,
  figures: compress(figuresOf(entry)),
});

export const openEntryItem = (account: string, entry: OpenEntry): ItemKey & Record<string, unknown> => ({
  ...openEntryKey(account, entry),
  ...entryAttributes(entry),
});

const Item = z.object({
  transaction_id: z.string(),
  state: z.string(),
  month: z.string(),
  currency: z.string(),
  version: z.int(),
  figures: z.instanceof(Uint8Array),
});
const later = z.optional(z.string());
const sums = {
  taxable_amount: z.string(),
  exempt_amount: z.string(),
  // Absent where zero.
  exempt: z.optional(
    z.object({ resale: later, customer: later, snap: later, marketplace: later, not_registered: later }),
  ),
  not_covered_amount: later,
};
const StoredFigures = z.object({
  base: z.object(sums),
  amounts: z.array(
    z.object({
      jurisdiction_code: z.string(),
      jurisdiction_name: z.string(),
      jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
      reporting_code: z.nullable(z.string()),
      rate: z.string(),
      ...sums,
      tax_amount: z.string(),
      calculated_tax_amount: later,
      over_collected_amount: later,
    }),
  ),
  document: z.object({
    type: z.enum(['sale', 'credit']),
    tax_day: z.string(),
    reference_id: z.nullable(z.string()),
    customer_id: z.nullable(z.string()),
    postal_code: z.nullable(z.string()),
    certificate_numbers: z.optional(z.array(z.string())),
  }),
  exceptions: z.optional(z.array(z.object({ reason: z.enum(exceptionReasons), gross_amount: z.string() }))),
}) satisfies z.ZodMiniType<Figures>;

/** The open entry of an item. Throws where the item is not what `openEntryItem` makes. */
export const openEntryFrom = (item: unknown): OpenEntry => {
  const { transaction_id, figures, ...place } = Item.parse(item);
  return { transactionId: transaction_id, ...place, ...StoredFigures.parse(decompress(figures)) };
};
