import * as z from 'zod/mini';
import type { AuditEntry } from '../audit.ts';
import { Transaction } from '../transaction.ts';

/** An audit entry in the API: all fields that its hash covers, and the hash (interface decisions 3). */
export const HistoryEntry = z.object({
  version: z.int(),
  at: z.string(),
  by: z.string(),
  from: z.nullable(z.string()),
  to: z.string(),
  fields: z.array(z.string()),
  state_hash: z.string(),
  previous_hash: z.nullable(z.string()),
  hash: z.string(),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** The answer of GET /transactions/{id}. The history is not part of the state: writes do not return it, and no hash covers it. */
export const RetrievedTransaction = z.extend(Transaction, { history: z.nullable(z.array(HistoryEntry)) });
export type RetrievedTransaction = z.infer<typeof RetrievedTransaction>;

/** The answer of GET /transactions/{id}/history. */
export const TransactionHistory = z.object({
  object: z.literal('list'),
  url: z.string(),
  has_more: z.boolean(),
  /** Send it as starting_after for the next page. */
  next_cursor: z.nullable(z.string()),
  data: z.array(HistoryEntry),
});
export type TransactionHistory = z.infer<typeof TransactionHistory>;

export const historyEntry = (entry: AuditEntry): HistoryEntry => ({
  version: entry.version,
  at: entry.at,
  by: entry.by,
  from: entry.from,
  to: entry.to,
  fields: [...entry.fields],
  state_hash: entry.stateHash,
  previous_hash: entry.previousHash,
  hash: entry.hash,
});
