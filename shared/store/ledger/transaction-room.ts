import type { StoredTransaction } from '../../transactions/transaction.ts';
import { storedSize, storedSizeMax } from './transaction-item.ts';

/**
 * The most bytes of a sale when it is recorded, with what its credits will count of it; more is 413 (interface
 * decisions 3). Its metadata is not in it, which may be written at any time: that has a room of its own.
 */
export const saleBytesMax = 300_000;

/** The most bytes of anything else that is written, so that it can still be void. */
export const storedBytesMax = 400_000;

/** The most bytes of what is void: an item ends at 400 KB (409,600), and what of it is not compressed takes 5,000. */
export const voidBytesMax = 404_000;

const withoutMetadata = (stored: StoredTransaction): StoredTransaction => ({
  ...stored,
  transaction: { ...stored.transaction, metadata: {} },
});

// Nearly everything is small: only what is large is compressed to see how small it becomes.
const fits = (stored: StoredTransaction, bytesMax: number): boolean =>
  [storedSizeMax, storedSize].some((sizeOf) => sizeOf(stored) <= bytesMax);

/**
 * Whether a transaction can be stored, so that money which was taken can be given back.
 *
 * A sale whose figures are new must leave room for all that its credits will count of it, and for the 82 KB that metadata
 * can have: 300 KB and these, with what is not compressed, are less than 400 KB. So whatever happens to it afterwards
 * fits. Of a credit nothing is credited; where it has no room, its lines can be credited in several.
 */
export const fitsItemLimit = (stored: StoredTransaction, figures: 'new' | 'kept'): boolean => {
  const { type, status } = stored.transaction;
  if (status === 'void') return fits(stored, voidBytesMax);
  return type === 'sale' && figures === 'new'
    ? fits(withoutMetadata(stored), saleBytesMax)
    : fits(stored, storedBytesMax);
};
