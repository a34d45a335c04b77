import { monotonicFactory } from 'ulid';

// Ids of one instance sort by creation even within a millisecond.
const ulid = monotonicFactory();

/**
 * A transaction's id: opaque to clients, and in the order of creation for the indexes.
 *
 * It takes the time that the transaction names as its creation's: a list bounded by that very millisecond has it.
 */
export const newTransactionId = (createdMs: number): string => `txn_${ulid(createdMs)}`;

/** A filing's id: newer filings come after older ones. */
export const newFilingId = (createdMs: number): string => `fil_${ulid(createdMs)}`;
