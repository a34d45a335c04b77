import * as z from 'zod/mini';
import { assert } from '../../base/assert.ts';
import { getOrAdd } from '../../base/collections.ts';
import { isObjectOrArray } from '../../base/json.ts';
import { nothingCredited } from '../../ledger/credits/amounts.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../ledger/credits/counters.ts';
import { SettingsSnapshot } from '../../ledger/settings-snapshot.ts';
import type { CreditBasis, StoredTransaction, Transaction, TransactionSummary } from '../../ledger/transaction.ts';
import { taxabilityReasons } from '../../tax/assessment.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { compressBytes, compressText, decompress, decompressBytes } from '../client/compressed.ts';
import { draftShard, headKey, headOwner, taxDateId, valueOfAccount } from '../keys.ts';
import { minorUnits } from '../stored-sum.ts';

type Committed = Pick<StoredTransaction, 'commitments'>;

/** The attributes of a head for its commitments: the salt, or after a redaction the digest. */
export const commitmentShape = { salt: z.optional(z.string()), personal_digest: z.optional(z.string()) };

/** The salt is in no other attribute, so that removing it removes every way to check a guess of the data. */
export const commitmentAttribute = ({ commitments }: Committed): Record<string, string> =>
  'salt' in commitments ? { salt: commitments.salt } : { personal_digest: commitments.digest };

/** The commitments of a head's attributes. Throws where it has both or none. */
export const readCommitments = ({
  salt,
  personal_digest: digest,
}: z.infer<z.ZodMiniObject<typeof commitmentShape>>): Committed => {
  assert((salt === undefined) !== (digest === undefined), 'A transaction has either a salt or a digest.');
  return { commitments: salt === undefined ? { digest: String(digest) } : { salt } };
};

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

type Compressed = Pick<
  StoredTransaction,
  | 'transaction'
  | 'creditOf'
  | 'creditBasis'
  | 'settingsSnapshot'
  | 'replacedReason'
  | 'exemptShipping'
  | 'calculatedTaxes'
  | 'isUnderCollected'
  | 'statesOfSale'
>;

// The lines are most of the text, and a change is measured before it is written.
const lineTexts = new WeakMap<object, string>();

const texts = (stored: Compressed) => {
  const { transaction, creditOf, creditBasis, settingsSnapshot, replacedReason, exemptShipping } = stored;
  const { isUnderCollected, statesOfSale } = stored;
  const calculatedTaxes = stored.calculatedTaxes?.map(String);
  // `null` keeps the order of the keys: the transaction that is read back equals the response byte by byte.
  // The explanation is as long as the lines. In the summary, every index would project it.
  const { line_items, explanation } = transaction;
  const summary = { ...transaction, line_items: null, explanation: null };
  const ofEntries = { replacedReason, exemptShipping, calculatedTaxes, isUnderCollected, statesOfSale };
  const others = JSON.stringify({ explanation, creditOf, creditBasis, settingsSnapshot, ...ofEntries });
  const lines = getOrAdd(lineTexts, line_items, () => JSON.stringify(line_items));
  return { summary: JSON.stringify(summary), lines: `{"line_items":${lines},${others.slice(1)}` };
};

const split = (stored: Compressed) => {
  const { summary, lines } = texts(stored);
  return { summary: compressText(summary), lines: compressText(lines) };
};

const sizeBy = (stored: Compressed, sizeOf: (text: string) => number): number => {
  const { summary, lines } = texts(stored);
  const counters = stored.transaction.type === 'sale' ? creditedBytesMax(stored.transaction) : 0;
  return sizeOf(summary) + sizeOf(lines) + counters;
};

/**
 * The bytes that a transaction takes: its compressed attributes, and for a sale the greatest length of its credit
 * counters. The schema bounds the other attributes to 5 KB.
 */
export const storedSize = (stored: Compressed): number => sizeBy(stored, (text) => compressText(text).byteLength);

/**
 * An upper bound of `storedSize` that needs no compression, which adds at most 18 bytes and about 1 for each 3,000 (zlib's
 * deflateBound).
 */
export const storedSizeMax = (stored: Compressed): number =>
  sizeBy(stored, (text) => Buffer.byteLength(text) * 1.001 + 64);

const optionally = (value: string | null | undefined, attribute: (value: string) => Record<string, string>) =>
  value === null || value === undefined ? {} : attribute(value);

/** The deadline of a draft, with the partition of the index that the sweep reads. Other statuses have neither. */
const deadline = (account: string, { id, status, expires_at }: Transaction) =>
  status === 'draft'
    ? optionally(expires_at, (at) => ({
        expires_at: new Date(at).toISOString(),
        draft_shard: draftShard(account, id),
      }))
    : {};

/** The states with a tax or an exemption, as the filter `state` of a list sees them. */
const listStates = ({ tax_summary }: Transaction): string[] => [
  ...new Set(tax_summary.map(({ jurisdiction_code }) => stateOfJurisdiction(jurisdiction_code))),
];

/** The item of a transaction: compressed, with the attributes that conditions, lists and operators need. */
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
    audit_hash: stored.auditHash,
    ...commitmentAttribute(stored),
    ...deadline(account, transaction),
    ...optionally(reference_id, (value) => ({ reference_id: value, account_reference: ofAccount(value) })),
    ...optionally(parent_transaction_id, (value) => ({
      parent_transaction_id: value,
      account_parent: ofAccount(value),
    })),
    ...optionally(customer?.id, (value) => ({ customer_id: value, account_customer: ofAccount(value) })),
    ...split(stored),
    ...creditedAttributes(stored),
  };
};

const bytes = z.instanceof(Uint8Array);
// Without the id, which the index by tax date does not project. Every index has the table's keys.
const rowShape = { pk: z.string(), status: z.string(), version: z.int(), summary: bytes };
const Row = z.object(rowShape);
const Head = z.object({
  ...rowShape,
  lines: bytes,
  ...creditedShape,
  audit_hash: z.string(),
  ...commitmentShape,
});

// The checksum of the attribute shows that the bytes are those that were written. Not every field is validated: a later version may
// drop a product tax code, and must still read today's transactions. Full validation of 1,000 lines takes 8 ms more.
const Summary = z.custom<TransactionSummary>((value) => {
  const { object, currency, tax_date } = Object(value);
  return object === 'transaction' && typeof currency === 'string' && typeof tax_date === 'string';
});
const Lines = z.object({
  line_items: z.array(z.custom<Transaction['line_items'][number]>(isObjectOrArray)),
  explanation: z.nullable(z.array(z.custom<NonNullable<Transaction['explanation']>[number]>(isObjectOrArray))),
  creditOf: z.nullable(z.enum(['all', 'remaining', 'lines'])),
  creditBasis: z.optional(z.custom<CreditBasis>(isObjectOrArray)),
  settingsSnapshot: SettingsSnapshot,
  replacedReason: z.optional(z.enum(taxabilityReasons)),
  exemptShipping: z.optional(z.record(z.string(), z.enum(['resale', 'customer', 'snap']))),
  calculatedTaxes: z.optional(z.array(minorUnits)),
  isUnderCollected: z.optional(z.literal(true)),
  statesOfSale: z.optional(z.array(z.string())),
});

const readSummary = ({ pk, status, version, summary }: z.infer<typeof Row>): TransactionSummary => {
  const read = Summary.parse(decompress(summary));
  const isConsistent = read.id === headOwner(pk).id && read.status === status && read.version === version;
  // Without the values, because errors may be logged.
  assert(isConsistent, 'A transaction differs from its key attributes.');
  return read;
};

/** The transaction of an index row, without its lines. Throws where the row is not what `transactionItem` makes. */
export const summaryFrom = (item: unknown): TransactionSummary => readSummary(Row.parse(item));

/** The transaction of a head. Throws where the item is not what `transactionItem` makes. */
export const transactionFrom = (item: unknown): StoredTransaction => {
  const head = Head.parse(item);
  const { line_items, explanation, ...kept } = Lines.parse(decompress(head.lines));
  const transaction = { ...readSummary(head), line_items, explanation };
  return {
    transaction,
    auditHash: head.audit_hash,
    credited: readCredited(head, transaction),
    ...kept,
    ...readCommitments(head),
  };
};

/** A stored transaction as JSON, for ledger files. */
export type TransactionJson = Omit<StoredTransaction, 'credited' | 'calculatedTaxes'> & {
  readonly credited: string;
  readonly calculatedTaxes?: readonly string[] | undefined;
};

export const transactionToJson = ({ credited, calculatedTaxes, ...stored }: StoredTransaction): TransactionJson => ({
  ...stored,
  credited: creditedText(credited, stored.transaction),
  calculatedTaxes: calculatedTaxes?.map(String),
});

export const transactionFromJson = ({ credited, calculatedTaxes, ...stored }: TransactionJson): StoredTransaction => ({
  ...stored,
  credited: creditedFrom(credited, stored.transaction),
  calculatedTaxes: calculatedTaxes?.map(BigInt),
});
