import { randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';

// By default, ulid reads each random byte from the operating system separately, which takes 35 µs per id.
const random = () => randomInt(32) / 32;

// Ids of one instance sort by creation even within a millisecond.
let monotonic = monotonicFactory(random);
let latestMs = 0;

const ulid = (ms: number): string => {
  // A clock that was set back begins a new sequence: the old one would keep its later time.
  if (ms < latestMs) monotonic = monotonicFactory(random);
  latestMs = ms;
  return monotonic(ms);
};

/**
 * Returns a transaction id: opaque to clients, and sorted by creation time in the indexes.
 *
 * `createdMs` is the transaction's `created_at`, so lists bounded by that millisecond include it.
 */
export const newTransactionId = (createdMs: number): string => `txn_${ulid(createdMs)}`;

/** Returns a filing id. Newer filings sort after older ones. */
export const newFilingId = (createdMs: number): string => `fil_${ulid(createdMs)}`;
