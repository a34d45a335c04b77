import * as z from 'zod/mini';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { exceptionReasons } from '../../ledger/entries/entry.ts';
import { compress, decompress } from '../client/compressed.ts';
import { type ItemKey, openEntryKey } from '../keys.ts';
import { minorUnits, StoredAmounts } from '../stored-sum.ts';

const Figures = z.object({
  base: StoredAmounts,
  amounts: z.array(
    z.extend(StoredAmounts, {
      jurisdiction_code: z.string(),
      jurisdiction_name: z.string(),
      jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
      reporting_code: z.nullable(z.string()),
      rate: z.string(),
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
  exceptions: z.optional(z.array(z.object({ reason: z.enum(exceptionReasons), gross: minorUnits }))),
});

const encoded = ({ base, amounts, document, exceptions }: LiabilityEntry): z.input<typeof Figures> =>
  z.encode(Figures, { base, amounts, document, exceptions } as z.output<typeof Figures>);

/** The attributes that open and filed entries share. The figures are compressed: a thousand lines may have hundreds of jurisdictions. */
export const entryAttributes = (entry: LiabilityEntry): Record<string, unknown> => ({
  transaction_id: entry.transactionId,
  state: entry.state,
  month: entry.month,
  currency: entry.currency,
  version: entry.version,
  figures: compress(encoded(entry)),
});

export const openEntryItem = (account: string, entry: LiabilityEntry): ItemKey & Record<string, unknown> => ({
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
/** The open entry of an item. Throws where the item is not what `openEntryItem` makes. */
export const openEntryFrom = (item: unknown): LiabilityEntry => {
  const { transaction_id, figures, ...place } = Item.parse(item);
  return { transactionId: transaction_id, ...place, ...Figures.parse(decompress(figures)) };
};

/** An open entry as JSON, for ledger files. */
export type OpenEntryJson = Omit<LiabilityEntry, keyof z.input<typeof Figures>> & z.input<typeof Figures>;

export const openEntryToJson = (entry: LiabilityEntry): OpenEntryJson => {
  const { exceptions: _, ...others } = entry;
  return { ...others, ...encoded(entry) };
};

export const openEntryFromJson = ({ exceptions, ...json }: OpenEntryJson): LiabilityEntry => ({
  ...json,
  ...Figures.parse({ ...json, exceptions }),
});
