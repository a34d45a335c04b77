import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson, type DeepReadonly } from '../base/json.ts';
import { committedState, type Hashed } from './personal-data/fields.ts';
import type { NextTransaction, StoredTransaction } from './transaction.ts';

/**
 * An audit entry: who changed which fields and when. Each entry is chained by hash to the previous one and is never
 * deleted.
 */
export const AuditEntry = z.object({
  transactionId: z.string(),
  version: z.int(),
  /** The time of the change, as an ISO 8601 timestamp. */
  at: z.string(),
  /** The credential of the request, or the name of the schedule or operator. */
  by: z.string(),
  from: z.nullable(z.string()),
  to: z.string(),
  fields: z.array(z.string()),
  /** The hash of the state after the change (`hashState`). */
  stateHash: z.string(),
  previousHash: z.nullable(z.string()),
  hash: z.string(),
});
export type AuditEntry = DeepReadonly<z.output<typeof AuditEntry>>;

/**
 * The change of one transaction in a commit: the state before (whose version is the condition), the state after, and
 * the audit entry.
 */
export type HeadChange = {
  readonly before: StoredTransaction | null;
  readonly after: StoredTransaction;
  readonly entry: AuditEntry;
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * Returns the hash of a state, in base64url: the SHA-256 of the transaction's canonical JSON, without personal data but
 * with the digest of the commitments.
 */
export const hashState = ({ transaction, commitments }: Hashed): string =>
  sha256(canonicalJson(committedState(transaction, commitments)));

/** Returns the hash of an entry, in base64url: the SHA-256 of the canonical JSON of its other fields. */
export const hashEntry = (entry: Omit<AuditEntry, 'hash'>): string => sha256(canonicalJson(entry));

/**
 * Builds the change of a transaction (`null` for a new one) to its next state, with the audit entry. Altering an entry or
 * a state later breaks the chain.
 */
export const buildHeadChange = (
  before: StoredTransaction | null,
  next: NextTransaction,
  by: string,
  fields: readonly string[],
): HeadChange => {
  const { transaction } = next;
  const covered = {
    transactionId: transaction.id,
    version: transaction.version,
    at: transaction.updated_at,
    by,
    from: before?.transaction.status ?? null,
    to: transaction.status,
    fields: [...fields].sort(),
    stateHash: hashState(next),
    previousHash: before?.auditHash ?? null,
  };
  const entry = { ...covered, hash: hashEntry(covered) };
  return { before, after: { ...next, auditHash: entry.hash }, entry };
};
