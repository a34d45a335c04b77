import { exponentOf, formatAmount } from '../../money/currency.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../transactions/credits/counters-text.ts';
import { nothingCredited, type StoredTransaction, type Transaction } from '../../transactions/transaction.ts';
import { compressBytes, decompressBytes } from '../client/compressed.ts';

type Credited = StoredTransaction['credited'];

// No letter of the text: where it has an odd number of signs, this one fills the last byte.
const filler = 'f';

/** The attribute of what was credited of a sale; none where nothing was. */
export const creditedAttribute = ({ transaction, credited }: StoredTransaction): { readonly credited?: Uint8Array } => {
  const text = creditedText(credited, transaction);
  if (isEmpty(text)) return {};
  // The text's digits and letters are those of hexadecimal numbers.
  return { credited: compressBytes(Buffer.from(text.length % 2 === 0 ? text : text + filler, 'hex')) };
};

/** What was credited of the sale that has this attribute, or none. Throws where it is another sale's. */
export const creditedOf = (attribute: Uint8Array | undefined, sale: Transaction): Credited =>
  attribute === undefined
    ? nothingCredited(formatAmount(0n, exponentOf(sale.currency)))
    : creditedFrom(decompressBytes(attribute).toString('hex').replace(filler, ''), sale);

// What gzip adds to bytes that it cannot make fewer: head, checksum, and five bytes for each block.
const gzipMax = (bytes: number) => bytes + 64 + Math.ceil(bytes / 1000);

/** The most bytes that the attribute can have, whatever is credited of the sale. */
export const creditedBytesMax = (sale: Transaction): number => gzipMax(Math.ceil(creditedTextMax(sale) / 2));
