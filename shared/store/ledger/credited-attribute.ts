import { exponentOf, formatAmount } from '../../money/currency.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../transactions/credits/counters-text.ts';
import { nothingCredited, type StoredTransaction, type Transaction } from '../../transactions/transaction.ts';
import { compressBytes, decompressBytes } from '../client/compressed.ts';

type Credited = StoredTransaction['credited'];

// Fills the last byte of a text of odd length. The text itself never has this letter.
const filler = 'f';

/** The attribute with the amounts credited on a sale; absent where nothing was credited. */
export const creditedAttribute = ({ transaction, credited }: StoredTransaction): { readonly credited?: Uint8Array } => {
  const text = creditedText(credited, transaction);
  if (isEmpty(text)) return {};
  // The text has hexadecimal digits only.
  return { credited: compressBytes(Buffer.from(text.length % 2 === 0 ? text : text + filler, 'hex')) };
};

/** The amounts credited on a sale, from its attribute. Throws where the attribute is of another sale. */
export const creditedOf = (attribute: Uint8Array | undefined, sale: Transaction): Credited =>
  attribute === undefined
    ? nothingCredited(formatAmount(0n, exponentOf(sale.currency)))
    : creditedFrom(decompressBytes(attribute).toString('hex').replace(filler, ''), sale);

// An upper bound of gzip's output for incompressible bytes: header, checksum, and five bytes for each block.
const gzipMax = (bytes: number) => bytes + 64 + Math.ceil(bytes / 1000);

/** The most bytes that the attribute can have, whatever is credited on the sale. */
export const creditedBytesMax = (sale: Transaction): number => gzipMax(Math.ceil(creditedTextMax(sale) / 2));
