import * as z from 'zod/mini';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import {
  calculatedText,
  creditedFrom,
  creditedText,
  creditedTextMax,
  isEmpty,
} from '../../transactions/credits/counters-text.ts';
import { nothingCredited, type StoredTransaction, type Transaction } from '../../transactions/transaction.ts';
import { compressBytes, decompressBytes } from '../client/compressed.ts';

const bytes = z.optional(z.instanceof(Uint8Array));

/** The attributes of a head for the amounts credited on a sale. */
export const creditedShape = { credited: bytes, credited_calculated: bytes };
type Counters = { readonly [Name in keyof typeof creditedShape]?: Uint8Array | undefined };

// Fills the last byte of a text of odd length. The texts themselves have the other hexadecimal digits only.
const filler = 'f';
const packed = (text: string) => compressBytes(Buffer.from(text.length % 2 === 0 ? text : text + filler, 'hex'));
const unpacked = (attribute: Uint8Array) => decompressBytes(attribute).toString('hex').replace(filler, '');

/**
 * The attributes of the amounts credited on a sale; none where nothing was credited. The calculated taxes have their own
 * attribute, because the previous deployment must be able to read the other one.
 */
export const creditedAttributes = ({ transaction, credited }: StoredTransaction): Counters => {
  const text = creditedText(credited, transaction);
  if (isEmpty(text)) return {};
  const calculated = calculatedText(credited, transaction);
  return { credited: packed(text), ...(calculated !== null && { credited_calculated: packed(calculated) }) };
};

/** The amounts credited on a sale, from its attributes. Throws where the attributes are of another sale. */
export const creditedOf = (
  { credited, credited_calculated: calculated }: Counters,
  sale: Transaction,
): StoredTransaction['credited'] =>
  credited === undefined
    ? nothingCredited(formatAmount(0n, minorDigits(sale.currency)))
    : creditedFrom(unpacked(credited), calculated ? unpacked(calculated) : null, sale);

// An upper bound of the compressed length of incompressible bytes: version, checksum, and five bytes for each block.
const compressedMax = (length: number) => length + 64 + Math.ceil(length / 1000);

/** The most bytes that the attributes can have together for any credits of the sale. */
export const creditedBytesMax = (sale: Transaction): number =>
  compressedMax(Math.ceil(creditedTextMax(sale) / 2)) + compressedMax(1);
