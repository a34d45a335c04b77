import * as z from 'zod/mini';
import { nothingCredited } from '../../ledger/credits/arithmetic.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../ledger/credits/counters-text.ts';
import type { StoredTransaction, Transaction } from '../../ledger/transaction.ts';
import { compressBytes, decompressBytes } from '../client/compressed.ts';

/** The attribute of a head for the amounts credited on a sale. */
export const creditedShape = { credited: z.optional(z.instanceof(Uint8Array)) };
type Counters = { readonly credited?: Uint8Array | undefined };

// Fills the last byte of a text of odd length. The texts themselves have the other hexadecimal digits only.
const filler = 'f';
const packed = (text: string) => compressBytes(Buffer.from(text.length % 2 === 0 ? text : text + filler, 'hex'));
const unpacked = (attribute: Uint8Array) => decompressBytes(attribute).toString('hex').replace(filler, '');

/** The attribute of the amounts credited on a sale; none where nothing was credited. */
export const creditedAttributes = ({ transaction, credited }: StoredTransaction): Counters => {
  const text = creditedText(credited, transaction);
  return isEmpty(text) ? {} : { credited: packed(text) };
};

/** The amounts credited on a sale, from its attribute. Throws where the attribute is of another sale. */
export const readCredited = ({ credited }: Counters, sale: Transaction): StoredTransaction['credited'] =>
  credited === undefined ? nothingCredited : creditedFrom(unpacked(credited), sale);

// An upper bound of the compressed length of incompressible bytes: version, checksum, and five bytes for each block.
const compressedMax = (length: number) => length + 64 + Math.ceil(length / 1000);

/** The most bytes that the attribute can have for any credits of the sale. */
export const creditedBytesMax = (sale: Transaction): number => compressedMax(Math.ceil(creditedTextMax(sale) / 2));
