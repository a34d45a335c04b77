import { shippingList } from '../../../calculations/charges.ts';
import { listCharges, listTaxRows } from '../../../calculations/figures.ts';
import { formatAmount, minorDigits } from '../../../money/currency.ts';
import { decimal, rescale } from '../../../money/decimal.ts';
import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { transactionItem } from '../../../store/ledger/transaction-item.ts';
import { expireIfDue, isExpired, isExpiredDraft } from '../../../transactions/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault, faultUnless } from '../finding.ts';

type Times = Pick<Transaction, 'finalized_at' | 'filed_at' | 'voided_at' | 'expires_at' | 'void_reason'>;

/** The fields that a status has (`true`) and does not have (`false`). Other fields are optional. */
const fieldsOf: Readonly<Record<Transaction['status'], Partial<Record<keyof Times, boolean>>>> = {
  draft: { finalized_at: false, filed_at: false, voided_at: false, void_reason: false, expires_at: true },
  finalized: { finalized_at: true, filed_at: false, voided_at: false, void_reason: false, expires_at: false },
  filed: { finalized_at: true, filed_at: true, voided_at: false, void_reason: false, expires_at: false },
  void: { filed_at: false, voided_at: true },
};

export const stateFaults = (transaction: Transaction): Fault[] => {
  const { status } = transaction;
  const expected = Object.entries(fieldsOf[status] ?? {}) as [keyof Times, boolean][];
  return expected.flatMap(([field, has]) => {
    const value = transaction[field];
    const what = `${field} of a ${status} transaction`;
    return faultUnless((value !== null) === has, what, value ?? 'none', has ? 'a value' : 'none');
  });
};

// Compressed attributes are read, but not compared: another compressor version may write other bytes.
const isCompressed = (value: unknown) => value instanceof Uint8Array;

/** Check that the attributes for conditions, lists and operators match the compressed transaction. */
export const attributeFaults = (account: string, item: Item, stored: StoredTransaction): Fault[] => {
  const expected: Item = transactionItem(account, stored);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(item)])];
  return names
    .filter((name) => !(isCompressed(item[name]) && isCompressed(expected[name])))
    .flatMap((name) => differing(`attribute ${name}`, item[name], expected[name]));
};

type Row<Name extends string> = Readonly<Record<Name, string>>;

type Priced = Row<'amount' | 'applied_discount_amount'> & Partial<Row<'applied_third_party_discount_amount'>>;

/**
 * Add up the parts of a transaction in minor units: jurisdictions to lines, lines and shipping to the document, and the
 * document to its total.
 */
export const totalFaults = (transaction: Transaction): Fault[] => {
  const exponent = minorDigits(transaction.currency);
  // A damaged amount may have more decimals than the currency: it is a finding, not a bug.
  const read = (text: string) => rescale(decimal(text), exponent);
  const sumOf = <Name extends string>(rows: readonly Row<Name>[], name: Name) =>
    rows.reduce((sum, row) => sum + read(row[name]), 0n);
  const expect = (what: string, actual: string, expected: bigint) =>
    differing(what, actual, formatAmount(expected, exponent));

  // A third party's discount reduces the price where the state's rules say so.
  const netOf = (charge: Priced, stored: bigint): bigint => {
    const net = read(charge.amount) - read(charge.applied_discount_amount);
    const coupon = read(charge.applied_third_party_discount_amount ?? '0');
    return stored === net - coupon ? stored : net;
  };
  const { line_items: lines, tax_included } = transaction;
  const charges = listCharges(transaction);
  const shipping = shippingList(transaction.shipping);
  const shipped = sumOf(shipping, 'amount');
  const subtotal = sumOf(lines, 'amount');
  const discount = sumOf(charges, 'applied_discount_amount');
  const thirdParty = sumOf(lines, 'applied_third_party_discount_amount');
  const tax = sumOf(charges, 'tax_amount');
  const total = subtotal - discount - thirdParty + shipped + (tax_included ? 0n : tax);
  return [
    ...charges.flatMap(({ id, net_amount, tax_amount, taxes, ...charge }) => [
      ...expect(`${id}: net_amount`, net_amount, netOf(charge, read(net_amount))),
      ...expect(`${id}: tax_amount`, tax_amount, sumOf(taxes, 'tax_amount')),
      ...faultUnless(taxes.length > 0, `${id}: taxes`, 'none', 'a reason'),
    ]),
    ...expect('subtotal_amount', transaction.subtotal_amount, subtotal),
    ...expect('applied_discount_amount', transaction.applied_discount_amount, discount),
    ...expect('applied_third_party_discount_amount', transaction.applied_third_party_discount_amount, thirdParty),
    ...expect('shipping_amount', transaction.shipping_amount, shipped),
    ...expect('taxable_amount', transaction.taxable_amount, sumOf(charges, 'taxable_amount')),
    ...expect('exempt_amount', transaction.exempt_amount, sumOf(charges, 'exempt_amount')),
    ...expect('tax_amount', transaction.tax_amount, tax),
    ...expect('total_amount', transaction.total_amount, total),
    ...summaryFaults(transaction, (rows, name) => formatAmount(sumOf(rows, name), exponent)),
  ];
};

const summed = ['taxable_amount', 'exempt_amount', 'tax_amount'] as const;
type SummaryRow = Row<'jurisdiction_code' | 'rate' | (typeof summed)[number]>;

const summaryFaults = (
  transaction: Transaction,
  sumOf: (rows: readonly SummaryRow[], name: (typeof summed)[number]) => string,
): Fault[] => {
  const sums = (rows: readonly SummaryRow[]) =>
    new Map(
      [...Map.groupBy(rows, ({ jurisdiction_code, rate }) => `${jurisdiction_code} at ${rate}`)].map(
        ([name, group]) => [name, summed.map((amount) => sumOf(group, amount)).join(' / ')],
      ),
    );
  const expected = sums(listTaxRows(transaction));
  const actual = sums(transaction.tax_summary);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) =>
    differing(`tax_summary of ${name}`, actual.get(name), expected.get(name)),
  );
};

const what = 'claim on its reference_id';

/** Whether a transaction holds its reference now: it is live, or a draft before its deadline. */
export const holdsReference = (transaction: Transaction, nowMs: number): boolean =>
  transaction.reference_id !== null && transaction.status !== 'void' && !isExpired(transaction, nowMs);

/** A transaction that holds its reference has the claim, with a deadline only if it is a draft. */
export const missingClaimFaults = ({ id, status, expires_at }: Transaction, claim: Item | undefined): Fault[] => {
  if (!claim) return [{ what, actual: 'none', expected: id }];
  // With a deadline, another transaction could take the reference of a finalized one.
  const deadline = status === 'draft' && expires_at !== null ? new Date(expires_at).toISOString() : undefined;
  return [
    ...differing(what, claim['transaction_id'], id),
    ...differing('deadline of its claim', claim['expires_at'], deadline),
  ];
};

/**
 * A transaction that no longer holds its reference has no claim on it, except after the deadline. A claim of another
 * transaction belongs to a live one with the same reference.
 */
export const leftoverClaimFaults = (
  transaction: Transaction,
  claim: Item | undefined,
  holder: Transaction | undefined,
  nowMs: number,
): Fault[] => {
  if (!claim || isPast(claim, nowMs)) return [];
  const owner = String(claim['transaction_id']);
  // An expired draft keeps its claim until another transaction takes the reference (decision 0005).
  if (owner === transaction.id) {
    const isLeft = isExpiredDraft(expireIfDue(transaction, nowMs)) && claim['expires_at'] === transaction.expires_at;
    return faultUnless(isLeft, what, 'kept', 'released');
  }
  const isHeld = holder?.reference_id === transaction.reference_id && holder.status !== 'void';
  return faultUnless(isHeld, what, owner, 'none, or the claim of a live transaction');
};

const isPast = ({ expires_at }: Item, nowMs: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= nowMs;
