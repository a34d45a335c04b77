import * as z from 'zod/mini';
import { outcomeShape } from '../calculations/response.ts';

export const statuses = ['draft', 'finalized', 'filed', 'void'] as const;
export type Status = (typeof statuses)[number];

const instant = z.nullable(z.string());

/** A transaction as the API answers it (specification 2.4; interface decisions 3). */
export const Transaction = z.object({
  object: z.literal('transaction'),
  id: z.string(),
  status: z.enum(statuses),
  reference_id: z.nullable(z.string()),
  ...outcomeShape,
  calculated_tax_amount: z.string(),
  tax_amount_source: z.enum(['provided', 'calculated']),
  credited_amount: z.string(),
  credited_tax_amount: z.string(),
  refund_status: z.enum(['none', 'partial', 'full']),
  created_at: z.string(),
  updated_at: z.string(),
  finalized_at: instant,
  filed_at: instant,
  voided_at: instant,
  void_reason: z.nullable(z.string()),
  expires_at: instant,
  filings: z.array(z.object({ id: z.string(), state: z.string(), status: z.string() })),
  version: z.int(),
});
export type Transaction = z.infer<typeof Transaction>;

/** A transaction as the indexes know it: everything but its lines, whose key keeps its place. */
export type TransactionSummary = Omit<Transaction, 'line_items'> & { readonly line_items: null };

/** How much of what has been credited: net and tax, decimal strings of the currency. */
export type Credited = { readonly net: string; readonly tax: string };

/** A transaction with what is kept beside its answer. */
export type StoredTransaction = {
  readonly transaction: Transaction;
  /** What live credits took of each line, of the shipping, and by lines that match none. */
  readonly credited: {
    readonly lines: Readonly<Record<string, Credited>>;
    readonly shipping: Credited;
    readonly unmatched: Credited;
  };
  /** How a credit was asked for, so that it can be computed again when it is finalized. */
  readonly creditOf: 'all' | 'remaining' | 'lines' | null;
  /** The account settings that the figures rest on (interface decisions 3). */
  readonly pinned: { readonly rounding: 'line' | 'invoice' };
  /** The hash of the newest audit entry; each entry holds the one before. */
  readonly auditHash: string;
};

/** Decimal zero of a currency, as answers write it. */
export const nothingCredited = (zero: string): StoredTransaction['credited'] => ({
  lines: {},
  shipping: { net: zero, tax: zero },
  unmatched: { net: zero, tax: zero },
});
