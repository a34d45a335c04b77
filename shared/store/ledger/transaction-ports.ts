import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import type { Ports } from '../../ledger/ports.ts';
import type { NextTransaction } from '../../ledger/transaction.ts';
import { loadContent } from '../content/load-content.ts';
import { customerReadsWithin } from '../customers/customer-reads.ts';
import { ledgerWithin } from './ledger-store.ts';
import { storedSize, storedSizeMax } from './transaction-item.ts';

/**
 * The maximum size of a new sale in bytes, including its credit counters. A larger sale is rejected with 413. Metadata
 * is excluded, because it can change at any time.
 */
const saleBytesMax = 300_000;

/** The maximum size of any other write in bytes. It leaves room to void the transaction. */
const storedBytesMax = 400_000;

/**
 * The maximum size of a void transaction in bytes: the item limit is 409,600, and uncompressed attributes are up to
 * 5,000.
 */
const voidBytesMax = 404_000;

const withoutMetadata = (stored: NextTransaction): NextTransaction => ({
  ...stored,
  transaction: { ...stored.transaction, metadata: {} },
});

// Most transactions are small. Only a large one is compressed to find its size.
const fits = (stored: NextTransaction, bytesMax: number): boolean =>
  [storedSizeMax, storedSize].some((getSize) => getSize(stored) <= bytesMax);

/**
 * Whether a transaction fits into an item now and after every later change, so a sale can always be refunded.
 *
 * A sale with new amounts must leave room for its credit counters and for 82 KB of metadata. Together with the 300 KB
 * limit and the uncompressed attributes, this is below 400 KB. Credits need no such room: a rejected credit can be
 * split.
 */
export const fitsItemLimit = (stored: NextTransaction, figures: 'new' | 'kept'): boolean => {
  const { type, status } = stored.transaction;
  if (status === 'void') return fits(stored, voidBytesMax);
  return type === 'sale' && figures === 'new'
    ? fits(withoutMetadata(stored), saleBytesMax)
    : fits(stored, storedBytesMax);
};

/** Returns the ports of the transaction use cases on DynamoDB, bounded by the time left in the invocation. */
export const transactionPorts = (remainingMs: RemainingMs): Ports => ({
  ledger: ledgerWithin(remainingMs),
  customers: customerReadsWithin(remainingMs),
  loadContent,
  now,
  fitsItemLimit,
  remainingMs,
});
