import * as z from 'zod/mini';
import { Warning } from '../../calculations/response.ts';
import { statuses } from '../transaction.ts';

/** Why the ledger has no counting transaction for a reference of the billing system. */
export const missingReasons = ['not_found', 'draft', 'void'] as const;

export const MissingTransaction = z.object({
  reference_id: z.string(),
  /** The transaction that has the reference, but does not count. */
  transaction_id: z.nullable(z.string()),
  reason: z.enum(missingReasons),
});
export type MissingTransaction = z.infer<typeof MissingTransaction>;

export const ReconciledAmounts = z.object({ total_amount: z.string(), tax_amount: z.string() });
export type ReconciledAmounts = z.infer<typeof ReconciledAmounts>;

export const DifferentTransaction = z.object({
  reference_id: z.string(),
  transaction_id: z.string(),
  type: z.enum(['sale', 'credit']),
  status: z.enum(statuses),
  sent: ReconciledAmounts,
  recorded: ReconciledAmounts,
  difference: ReconciledAmounts,
});
export type DifferentTransaction = z.infer<typeof DifferentTransaction>;

export const ExtraTransaction = z.object({
  transaction_id: z.string(),
  reference_id: z.nullable(z.string()),
  type: z.enum(['sale', 'credit']),
  status: z.enum(statuses),
  tax_date: z.string(),
  currency: z.string(),
  total_amount: z.string(),
  tax_amount: z.string(),
});
export type ExtraTransaction = z.infer<typeof ExtraTransaction>;

/** The answer of POST /reconciliations. */
export const Reconciliation = z.object({
  object: z.literal('reconciliation'),
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  matched_count: z.int(),
  missing: z.array(MissingTransaction),
  different: z.array(DifferentTransaction),
  extra: z.nullable(z.array(ExtraTransaction)),
  complete: z.boolean(),
  next_cursor: z.nullable(z.string()),
  warnings: z.array(Warning),
});
export type Reconciliation = z.infer<typeof Reconciliation>;
