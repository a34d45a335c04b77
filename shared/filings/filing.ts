import * as z from 'zod/mini';

export const filingStatuses = ['closing', 'closed', 'marking', 'filed', 'canceled'] as const;
export type FilingStatus = (typeof filingStatuses)[number];

export const frequencies = ['month', 'quarter', 'year'] as const;
export type Frequency = (typeof frequencies)[number];

const levels = ['state', 'county', 'city', 'district'] as const;

/** Decimal strings with the currency's decimals; credits are negative. Gross is taxable plus exempt. */
const sums = {
  gross_amount: z.string(),
  exempt_amount: z.string(),
  taxable_amount: z.string(),
  tax_amount: z.string(),
  /** The number of entries. */
  count: z.int(),
};

const jurisdiction = {
  jurisdiction_code: z.string(),
  jurisdiction_name: z.string(),
  jurisdiction_type: z.enum(levels),
};

export const FilingRate = z.object({ rate: z.string(), ...sums });
export type FilingRate = z.infer<typeof FilingRate>;

/** The totals of one jurisdiction in one currency. An entry with two rates counts once. */
export const FilingTotal = z.object({ ...jurisdiction, currency: z.string(), ...sums, rates: z.array(FilingRate) });
export type FilingTotal = z.infer<typeof FilingTotal>;

/**
 * The totals of the whole state in one currency. Gross, exempt and taxable count every line once, by the state's own row,
 * or by the jurisdiction with the largest gross where the state has no tax of its own (Alaska). Tax is that of all levels.
 */
export const FilingSummary = z.object({ currency: z.string(), ...sums });
export type FilingSummary = z.infer<typeof FilingSummary>;

/** The number of processed entries by phase; complete when no work remains. */
export const FilingProgress = z.object({
  entries_moved: z.int(),
  entries_marked: z.int(),
  entries_reopened: z.int(),
  complete: z.boolean(),
});
export type FilingProgress = z.infer<typeof FilingProgress>;

/** An entry of a filing: a transaction's liability in the filing's state. */
export const FilingEntry = z.object({
  transaction_id: z.string(),
  /** `YYYY-MM` of the tax date in UTC; earlier than the period for a late entry. */
  month: z.string(),
  currency: z.string(),
  amounts: z.array(
    z.object({
      ...jurisdiction,
      rate: z.string(),
      taxable_amount: z.string(),
      exempt_amount: z.string(),
      tax_amount: z.string(),
    }),
  ),
});
export type FilingEntry = z.infer<typeof FilingEntry>;

export const FilingEntries = z.object({
  object: z.literal('list'),
  has_more: z.boolean(),
  next_cursor: z.nullable(z.string()),
  data: z.array(FilingEntry),
});
export type FilingEntries = z.infer<typeof FilingEntries>;

/** A filing in the API (interface decisions 8). A dry run has no id and is not stored. */
export const Filing = z.object({
  object: z.literal('filing'),
  id: z.nullable(z.string()),
  /** `US-MI` */
  state: z.string(),
  period_start: z.string(),
  period_end: z.string(),
  frequency: z.enum(frequencies),
  status: z.enum([...filingStatuses, 'dry_run']),
  confirmation_number: z.nullable(z.string()),
  /** Sorted by code and currency; null in a list. Preliminary while the filing is closing. */
  totals: z.nullable(z.array(FilingTotal)),
  summary: z.array(FilingSummary),
  progress: FilingProgress,
  /** The credential that requested it, or the schedule. */
  asked_by: z.string(),
  created_at: z.nullable(z.string()),
  closed_at: z.nullable(z.string()),
  filed_at: z.nullable(z.string()),
  canceled_at: z.nullable(z.string()),
  warnings: z.array(z.object({ code: z.string(), message: z.string(), pointer: z.nullable(z.string()) })),
  /** Null unless they are expanded. */
  entries: z.nullable(FilingEntries),
});
export type Filing = z.infer<typeof Filing>;

export const FilingList = z.object({
  object: z.literal('list'),
  url: z.literal('/filings'),
  has_more: z.boolean(),
  next_cursor: z.nullable(z.string()),
  data: z.array(Filing),
});
export type FilingList = z.infer<typeof FilingList>;
