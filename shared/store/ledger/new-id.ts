import { randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';

// ulid's default reads each random byte from the operating system separately, which takes 35 µs for an id.
const random = () => randomInt(32) / 32;

// Ids of one instance sort by creation even within a millisecond.
const ulid = monotonicFactory(random);

/**
 * A transaction's id: opaque to clients, and sorted by creation in the indexes.
 *
 * `createdMs` is the transaction's `created_at`, so that lists bounded by that millisecond include it.
 */
export const newTransactionId = (createdMs: number): string => `txn_${ulid(createdMs)}`;

/** A filing's id: newer filings come after older ones. */
export const newFilingId = (createdMs: number): string => `fil_${ulid(createdMs)}`;
