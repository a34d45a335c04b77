import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import type { ChangePorts, Ports } from '../../ledger/ports.ts';
import type { StoredTransaction } from '../../ledger/transaction.ts';
import { loadContent } from '../content/load-content.ts';
import { customerReads, customerReadsWithin } from '../customers/customer-reads.ts';
import { ledger, ledgerWithin } from './ledger-store.ts';
import { storedSize, storedSizeMax } from './transaction-item.ts';

/**
 * The most bytes of a new sale, including its credit counters; more is 413. Metadata is not
 * included, because it may change at any time.
 */
const saleBytesMax = 300_000;

/** The most bytes of any other write, so that the transaction can still be voided. */
const storedBytesMax = 400_000;

/** The most bytes of a void transaction: an item has at most 409,600, and the uncompressed attributes take up to 5,000. */
const voidBytesMax = 404_000;

const withoutMetadata = (stored: StoredTransaction): StoredTransaction => ({
  ...stored,
  transaction: { ...stored.transaction, metadata: {} },
});

// Most transactions are small: only a large one needs to be compressed to find its size.
const fits = (stored: StoredTransaction, bytesMax: number): boolean =>
  [storedSizeMax, storedSize].some((sizeOf) => sizeOf(stored) <= bytesMax);

/**
 * Whether a transaction fits into an item now and after every later change, so that a sale can always be refunded.
 *
 * A sale with new figures must leave room for its credit counters and for 82 KB of metadata: 300 KB, these and the
 * uncompressed attributes are less than 400 KB. Credits need no such room: a refused one can be split into several.
 */
export const fitsItemLimit = (stored: StoredTransaction, figures: 'new' | 'kept'): boolean => {
  const { type, status } = stored.transaction;
  if (status === 'void') return fits(stored, voidBytesMax);
  return type === 'sale' && figures === 'new'
    ? fits(withoutMetadata(stored), saleBytesMax)
    : fits(stored, storedBytesMax);
};

/** The ports of the transaction use cases, on DynamoDB. */
export const transactionPorts: Ports = {
  ledger,
  customers: customerReads,
  loadContent,
  now,
  storedSize,
  fitsItemLimit,
};

/** The same ports for an invocation with this much time left. */
export const changePortsWithin = (remainingMs: RemainingMs): ChangePorts => ({
  ...transactionPorts,
  ledger: ledgerWithin(remainingMs),
  customers: customerReadsWithin(remainingMs),
  remainingMs,
});
