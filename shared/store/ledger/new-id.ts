import { randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';

// Of one letter, from the operating system as ulid's own is; which asks for each byte by itself, for 35 µs an id.
const random = () => randomInt(32) / 32;

// Ids of one instance sort by creation even within a millisecond.
const ulid = monotonicFactory(random);

/**
 * A transaction's id: opaque to clients, and in the order of creation for the indexes.
 *
 * It takes the time that the transaction names as its creation's: a list bounded by that very millisecond has it.
 */
export const newTransactionId = (createdMs: number): string => `txn_${ulid(createdMs)}`;

/** A filing's id: newer filings come after older ones. */
export const newFilingId = (createdMs: number): string => `fil_${ulid(createdMs)}`;
