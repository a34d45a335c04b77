import * as z from 'zod/mini';
import type { AuditEntry } from '../audit.ts';
import { Transaction } from '../transaction.ts';

/** An audit entry as the API answers it: everything that its hash covers, and its hash (interface decisions 3). */
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

/** What GET /transactions/{id} answers. The history is no part of the state: no write answers it, and no hash covers it. */
export const RetrievedTransaction = z.extend(Transaction, { history: z.nullable(z.array(HistoryEntry)) });
export type RetrievedTransaction = z.infer<typeof RetrievedTransaction>;

/** What GET /transactions/{id}/history answers. */
export const TransactionHistory = z.object({
  object: z.literal('list'),
  url: z.string(),
  has_more: z.boolean(),
  /** Send it as starting_after to go on. */
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
