import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson, type DeepReadonly } from '../base/json.ts';
import { committedState, type Hashed } from './personal-data/fields.ts';
import type { Transaction } from './transaction.ts';

/** An audit entry: who changed which fields when, chained by hash to the previous entry. Never deleted. */
export const AuditEntry = z.object({
  transactionId: z.string(),
  version: z.int(),
  /** ISO instant. */
  at: z.string(),
  /** The credential of the request, the schedule, or the operator. */
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * The hash of a state, in base64url: SHA-256 of the canonical JSON of the transaction without personal data and the digest
 * of the commitments.
 */
export const hashState = ({ transaction, commitments }: Hashed): string =>
  sha256(canonicalJson(committedState(transaction, commitments)));

/** The hash of an entry: SHA-256 of the canonical JSON of its other fields, in base64url. */
export const hashEntry = (entry: Omit<AuditEntry, 'hash'>): string => sha256(canonicalJson(entry));

type Change = {
  readonly before: { readonly transaction: Transaction; readonly auditHash: string } | null;
  readonly after: Hashed;
  readonly at: string;
  readonly by: string;
  readonly fields: readonly string[];
};

/** The audit entry of a change. A later alteration of an entry or a state breaks the chain. */
export const auditEntry = ({ before, after, at, by, fields }: Change): AuditEntry => {
  const entry = {
    transactionId: after.transaction.id,
    version: after.transaction.version,
    at,
    by,
    from: before?.transaction.status ?? null,
    to: after.transaction.status,
    fields: [...fields].sort(),
    stateHash: hashState(after),
    previousHash: before?.auditHash ?? null,
  };
  return { ...entry, hash: hashEntry(entry) };
};
