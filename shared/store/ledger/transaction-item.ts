import * as z from 'zod/mini';
import { isObjectOrArray } from '../../json.ts';
import { PinnedSettings } from '../../transactions/pinned.ts';
import type {
  CreditBasis,
  StoredTransaction,
  Transaction,
  TransactionSummary,
} from '../../transactions/transaction.ts';
import { compressText, decompress } from '../client/compressed.ts';
import { draftShard, headKey, headOwner, taxDateId, valueOfAccount } from '../keys.ts';
import { creditedAttribute, creditedBytesMax, creditedOf } from './credited-attribute.ts';

type Apart = Pick<StoredTransaction, 'transaction' | 'creditOf' | 'creditBasis' | 'pinned'>;

const texts = ({ transaction, creditOf, creditBasis, pinned }: Apart) => {
  // The key stays in its place: what is read back is, to the byte, what was answered.
  // An explanation is as long as the lines: in the summary, every index would carry it.
  const { line_items, explanation } = transaction;
  const summary = { ...transaction, line_items: null, explanation: null };
  const lines = { line_items, explanation, creditOf, creditBasis, pinned };
  return { summary: JSON.stringify(summary), lines: JSON.stringify(lines) };
};

const split = (stored: Apart) => {
  const { summary, lines } = texts(stored);
  return { summary: compressText(summary), lines: compressText(lines) };
};

const sizeBy = (stored: Apart, sizeOf: (text: string) => number): number => {
  const { summary, lines } = texts(stored);
  const counters = stored.transaction.type === 'sale' ? creditedBytesMax(stored.transaction) : 0;
  return sizeOf(summary) + sizeOf(lines) + counters;
};

/**
 * How many bytes a transaction takes: what is compressed of it, and of a sale the counters of its credits, as long as
 * they can become. The rest is bounded by the schema to 5 KB.
 */
export const storedSize = (stored: Apart): number => sizeBy(stored, (text) => compressText(text).byteLength);

/**
 * Never less than `storedSize`, and found without compressing: zlib's bound of what gzip makes of any text (deflateBound)
 * is 25 bytes more, and 1 for each 3,000 or so.
 */
export const storedSizeMax = (stored: Apart): number => sizeBy(stored, (text) => Buffer.byteLength(text) * 1.001 + 64);

const optionally = (value: string | null | undefined, attribute: (value: string) => Record<string, string>) =>
  value === null || value === undefined ? {} : attribute(value);

/** A deadline that holds only while a draft is one, which puts it into the index that the sweep reads. */
const deadline = (account: string, { id, status, expires_at }: Transaction) =>
  status === 'draft'
    ? optionally(expires_at, (at) => ({
        expires_at: new Date(at).toISOString(),
        draft_shard: draftShard(account, id),
      }))
    : {};

/** A transaction as the table holds it: compressed, beside what conditions, lists and operators need of it. */
export const transactionItem = (account: string, stored: StoredTransaction): Record<string, unknown> => {
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
    version: transaction.version,
    created_at: transaction.created_at,
    tax_day: tax_date_id.slice(0, 10),
    tax_date_id,
    total_amount: transaction.total_amount,
    tax_amount: transaction.tax_amount,
    credited_amount: transaction.credited_amount,
    credited_tax_amount: transaction.credited_tax_amount,
    audit_hash: stored.auditHash,
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
// Not the id: it is no key of the index by tax date, whereas every index has the table's.
const rowShape = { pk: z.string(), status: z.string(), version: z.int(), summary: bytes };
const Row = z.object(rowShape);
const Head = z.object({ ...rowShape, lines: bytes, credited: z.optional(bytes), audit_hash: z.string() });

// Gzip's checksum says that it is what was written; that it is a transaction is looked at, not its every field. A field
// that a later release adds, or a product tax code that it drops, would otherwise make a transaction of today unreadable,
// and looking at 1,000 lines would take 8 ms longer than the 4 that reading them takes.
const Summary = z.custom<TransactionSummary>((value) => {
  const { object, currency, tax_date } = Object(value);
  return object === 'transaction' && typeof currency === 'string' && typeof tax_date === 'string';
});
const Lines = z.object({
  line_items: z.array(z.custom<Transaction['line_items'][number]>(isObjectOrArray)),
  explanation: z.nullable(z.array(z.custom<NonNullable<Transaction['explanation']>[number]>(isObjectOrArray))),
  creditOf: z.nullable(z.enum(['all', 'remaining', 'lines'])),
  creditBasis: z.optional(z.custom<CreditBasis>(isObjectOrArray)),
  pinned: PinnedSettings,
});

const summaryOf = ({ pk, status, version, summary }: z.infer<typeof Row>): TransactionSummary => {
  const read = Summary.parse(decompress(summary));
  const agrees = read.id === headOwner(pk).id && read.status === status && read.version === version;
  // Never the values: what is thrown may be logged.
  if (!agrees) throw new Error('A transaction differs from the attributes that it is found by.');
  return read;
};

/** A transaction as an index lists it: without its lines. Throws where the row is not what `transactionItem` makes. */
export const summaryFrom = (item: unknown): TransactionSummary => summaryOf(Row.parse(item));

/** The transaction of a head. Throws where the item is not what `transactionItem` makes. */
export const transactionFrom = (item: unknown): StoredTransaction => {
  const head = Head.parse(item);
  const { line_items, explanation, ...beside } = Lines.parse(decompress(head.lines));
  const transaction = { ...summaryOf(head), line_items, explanation };
  return { transaction, auditHash: head.audit_hash, credited: creditedOf(head.credited, transaction), ...beside };
};
