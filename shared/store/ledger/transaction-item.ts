import * as z from 'zod/mini';
import { assert } from '../../base/assert.ts';
import { getOrAdd } from '../../base/collections.ts';
import { isObjectOrArray } from '../../base/json.ts';
import { nothingCredited, type Taxed } from '../../ledger/credits/amounts.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../ledger/credits/counters.ts';
import { RecordedBasis } from '../../ledger/settings-snapshot.ts';
import type { StoredTransaction, Transaction, TransactionSummary } from '../../ledger/transaction.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { compressBytes, compressText, decompress, decompressBytes } from '../client/compressed.ts';
import { draftShard, headKey, headOwner, type Item, taxDateId, valueOfAccount } from '../keys.ts';

// Pads a string of odd length to a whole byte. The strings themselves contain no `f`, only other hexadecimal digits.
const filler = 'f';
const packed = (text: string) => compressBytes(Buffer.from(text.length % 2 === 0 ? text : text + filler, 'hex'));
const unpacked = (attribute: Uint8Array) => decompressBytes(attribute).toString('hex').replace(filler, '');

/** Returns the attribute with the credited amounts of a sale; none if nothing was credited. */
const creditedAttribute = ({ transaction, credited }: StoredTransaction) => {
  const text = creditedText(credited, transaction);
  return isEmpty(text) ? {} : { credited: packed(text) };
};

// Returns an upper bound of the compressed length of incompressible bytes: version, checksum, and five bytes per block.
const compressedMax = (length: number) => length + 64 + Math.ceil(length / 1000);

/** Returns the maximum size of the attribute in bytes, for any credits of the sale. */
export const creditedBytesMax = (sale: Taxed): number => compressedMax(Math.ceil(creditedTextMax(sale) / 2));

type Compressed = RecordedBasis & Pick<StoredTransaction, 'transaction'>;

// Cache of serialized lines, which are most of the JSON. Measuring and writing a change both need them.
const lineTexts = new WeakMap<object, string>();

const texts = ({ transaction, ...basis }: Compressed) => {
  // `null` preserves the order of keys, so the stored transaction reads back byte for byte as in the response. The
  // explanation is as long as the lines, and every index would project it with the summary.
  const { line_items, explanation } = transaction;
  const summary = { ...transaction, line_items: null, explanation: null };
  const others = JSON.stringify({ explanation, ...z.encode(RecordedBasis, basis) });
  const lines = getOrAdd(lineTexts, line_items, () => JSON.stringify(line_items));
  return { summary: JSON.stringify(summary), lines: `{"line_items":${lines},${others.slice(1)}` };
};

const split = (stored: Compressed) => {
  const { summary, lines } = texts(stored);
  return { summary: compressText(summary), lines: compressText(lines) };
};

const sizeBy = (stored: Compressed, getSize: (text: string) => number): number => {
  const { summary, lines } = texts(stored);
  const counters = stored.transaction.type === 'sale' ? creditedBytesMax(stored) : 0;
  return getSize(summary) + getSize(lines) + counters;
};

/**
 * Returns the stored size of a transaction in bytes: its compressed attributes, plus the maximum size of the credit
 * counters for a sale. The schema limits the other attributes to 5 KB.
 */
export const storedSize = (stored: Compressed): number => sizeBy(stored, (text) => compressText(text).byteLength);

/**
 * Returns an upper bound of `storedSize` without compressing. Compression adds at most 18 bytes and about 1 per 3,000
 * (zlib's deflateBound).
 */
export const storedSizeMax = (stored: Compressed): number =>
  sizeBy(stored, (text) => Buffer.byteLength(text) * 1.001 + 64);

const optionally = (value: string | null | undefined, attribute: (value: string) => Record<string, string>) =>
  value === null || value === undefined ? {} : attribute(value);

/** Returns a draft's deadline and its partition in the index that the sweep reads. Other statuses have neither. */
const deadline = (account: string, { id, status, expires_at }: Transaction) =>
  status === 'draft'
    ? optionally(expires_at, (at) => ({ expires_at: new Date(at).toISOString(), draft_shard: draftShard(account, id) }))
    : {};

/** Returns the states with a tax or an exemption, for the list filter `state`. */
const listStates = ({ tax_summary }: Transaction): string[] => [
  ...new Set(tax_summary.map(({ jurisdiction_code }) => stateOfJurisdiction(jurisdiction_code))),
];

/** Builds the item of a transaction: compressed, with the attributes that conditions, lists and operators need. */
export const transactionItem = (account: string, stored: StoredTransaction): Item => {
  const { transaction } = stored;
  const { id, reference_id, parent_transaction_id, customer } = transaction;
  const tax_date_id = taxDateId(transaction.tax_date, id);
  const ofAccount = (value: string) => valueOfAccount(account, value);
  return {
    ...headKey(account, id),
    account,
    id,
    status: transaction.status,
    type: transaction.type,
    states: listStates(transaction),
    ...(transaction.type === 'credit' && { account_credit: account }),
    version: transaction.version,
    created_at: transaction.created_at,
    tax_day: tax_date_id.slice(0, 10),
    tax_date_id,
    total_amount: transaction.total_amount,
    tax_amount: transaction.tax_amount,
    credited_amount: transaction.credited_amount,
    credited_tax_amount: transaction.credited_tax_amount,
    auditHash: stored.auditHash,
    // The salt is stored only here. Once it is removed, guesses of the data can no longer be checked.
    commitments: stored.commitments,
    ...deadline(account, transaction),
    ...optionally(reference_id, (value) => ({ reference_id: value, account_reference: ofAccount(value) })),
    ...optionally(parent_transaction_id, (value) => ({
      parent_transaction_id: value,
      account_parent: ofAccount(value),
    })),
    ...optionally(customer?.id, (value) => ({ customer_id: value, account_customer: ofAccount(value) })),
    ...split(stored),
    ...creditedAttribute(stored),
  };
};

const bytes = z.instanceof(Uint8Array);
// The id is omitted, because the tax date index does not project it. Every index has the table's keys.
const rowShape = { pk: z.string(), status: z.string(), version: z.int(), summary: bytes };
const Row = z.object(rowShape);
const Head = z.object({
  ...rowShape,
  lines: bytes,
  credited: z.optional(bytes),
  auditHash: z.string(),
  commitments: z.union([z.strictObject({ salt: z.string() }), z.strictObject({ digest: z.string() })]),
});

// The attribute's checksum proves that the bytes are as written. Fields are not fully validated: a later version may
// drop a product tax code, but must still read today's transactions. Full validation of 1,000 lines takes 8 ms more.
const Summary = z.custom<TransactionSummary>((value) => {
  const { object, currency, tax_date } = Object(value);
  return object === 'transaction' && typeof currency === 'string' && typeof tax_date === 'string';
});
const Lines = z.extend(RecordedBasis, {
  line_items: z.array(z.custom<Transaction['line_items'][number]>(isObjectOrArray)),
  explanation: z.nullable(z.array(z.custom<NonNullable<Transaction['explanation']>[number]>(isObjectOrArray))),
});

const readSummary = ({ pk, status, version, summary }: z.infer<typeof Row>): TransactionSummary => {
  const read = Summary.parse(decompress(summary));
  const isConsistent = read.id === headOwner(pk).id && read.status === status && read.version === version;
  // Omit the values, because errors can be logged.
  assert(isConsistent, 'The transaction does not match its key attributes.');
  return read;
};

/**
 * Parses the transaction of an index row, without its lines. Throws if the row does not have the format that
 * `transactionItem` writes.
 */
export const summaryFrom = (item: unknown): TransactionSummary => readSummary(Row.parse(item));

/** Parses the transaction of a head. Throws if the item does not have the format that `transactionItem` writes. */
export const transactionFrom = (item: unknown): StoredTransaction => {
  const { lines, credited, auditHash, commitments, ...row } = Head.parse(item);
  const { line_items, explanation, ...basis } = z.decode(Lines, decompress(lines) as z.input<typeof Lines>);
  const transaction = { ...readSummary(row), line_items, explanation };
  return {
    transaction,
    auditHash,
    credited: credited === undefined ? nothingCredited : creditedFrom(unpacked(credited), transaction),
    ...basis,
    commitments,
  };
};

/** A stored transaction as JSON, for ledger export files. */
export type TransactionJson = z.input<typeof RecordedBasis> &
  Pick<StoredTransaction, 'transaction' | 'commitments' | 'auditHash'> & { readonly credited: string };

export const transactionToJson = ({ transaction, credited, commitments, auditHash, ...basis }: StoredTransaction) => ({
  transaction,
  commitments,
  auditHash,
  ...z.encode(RecordedBasis, basis),
  credited: creditedText(credited, transaction),
});

export const transactionFromJson = (json: TransactionJson): StoredTransaction => {
  const { transaction, credited, commitments, auditHash, ...basis } = json;
  return {
    transaction,
    commitments,
    auditHash,
    ...z.decode(RecordedBasis, basis),
    credited: creditedFrom(credited, transaction),
  };
};
