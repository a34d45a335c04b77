/**
 * Invariants of the ledger: conditions that hold in every state of an account's items. `npm run ledger -- verify`, the
 * simulation and the model test each read items in a different way and check them with these functions.
 */

import { dayAfter } from '../base/calendar.ts';
import { shippingList } from '../calculations/charges.ts';
import { listCharges, listTaxRows } from '../calculations/figures.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import { decimal, rescale } from '../money/decimal.ts';
import type { AuditEntry } from './audit.ts';
import { isExpired, isLive, type Share, type Transaction } from './transaction.ts';

/** A value that breaks an invariant. */
export type Fault = { readonly what: string; readonly actual: string; readonly expected: string };

/** Returns no fault if the condition is true, otherwise one. */
export const faultUnless = (holds: boolean, what: string, actual: string, expected: string): Fault[] =>
  holds ? [] : [{ what, actual, expected }];

const toText = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns a fault if the values differ, otherwise none. */
export const differing = (what: string, actualValue: unknown, expectedValue: unknown): Fault[] => {
  const [actual, expected] = [toText(actualValue), toText(expectedValue)];
  return faultUnless(actual === expected, what, actual, expected);
};

/** Formats a fault as one sentence. */
export const faultText = ({ what, actual, expected }: Fault): string => `${what} is ${actual}, expected ${expected}`;

/* Single transactions */

type Times = Pick<Transaction, 'finalized_at' | 'filed_at' | 'voided_at' | 'expires_at' | 'void_reason'>;

/** The fields that a status requires (`true`) or forbids (`false`). Other fields are optional. */
const timeFields: Readonly<Record<Transaction['status'], Partial<Record<keyof Times, boolean>>>> = {
  draft: { finalized_at: false, filed_at: false, voided_at: false, void_reason: false, expires_at: true },
  finalized: { finalized_at: true, filed_at: false, voided_at: false, void_reason: false, expires_at: false },
  filed: { finalized_at: true, filed_at: true, voided_at: false, void_reason: false, expires_at: false },
  void: { filed_at: false, voided_at: true },
};

/** Checks that a transaction has exactly the timestamps and reason of its status. */
export const statusFaults = (transaction: Times & Pick<Transaction, 'status'>): Fault[] => {
  const { status } = transaction;
  const expected = Object.entries(timeFields[status] ?? {}) as [keyof Times, boolean][];
  return expected.flatMap(([field, has]) => {
    const value = transaction[field];
    const what = `${field} of a ${status} transaction`;
    return faultUnless((value !== null) === has, what, value ?? 'none', has ? 'a value' : 'none');
  });
};

type Row<Name extends string> = Readonly<Record<Name, string>>;
type Priced = Row<'amount' | 'applied_discount_amount'> & Partial<Row<'applied_third_party_discount_amount'>>;
const summed = ['taxable_amount', 'exempt_amount', 'tax_amount'] as const;
type SummaryRow = Row<'jurisdiction_code' | 'rate' | (typeof summed)[number]>;

/** The sums of a transaction, as stored and as returned. */
export type Summed = Pick<
  Transaction,
  | ('currency' | 'line_items' | 'shipping' | 'tax_included' | 'tax_summary')
  | ('subtotal_amount' | 'applied_discount_amount' | 'applied_third_party_discount_amount' | 'shipping_amount')
  | ('taxable_amount' | 'exempt_amount' | 'tax_amount' | 'total_amount')
>;

/**
 * Checks that a transaction adds up, in minor units: jurisdictions to lines, lines and shipping to the document, and
 * the document to its total.
 */
export const sumFaults = (transaction: Summed): Fault[] => {
  const exponent = minorDigits(transaction.currency);
  // A corrupted amount may have more decimals than the currency. That is a finding, so it must not throw.
  const read = (text: string) => rescale(decimal(text), exponent);
  const getSum = <Name extends string>(rows: readonly Row<Name>[], name: Name) =>
    rows.reduce((sum, row) => sum + read(row[name]), 0n);
  const expect = (what: string, actual: string, expected: bigint) =>
    differing(what, actual, formatAmount(expected, exponent));

  // A third-party discount reduces the price only under some states' rules, so accept the net with or without it.
  const getNet = (charge: Priced, stored: bigint): bigint => {
    const net = read(charge.amount) - read(charge.applied_discount_amount);
    const coupon = read(charge.applied_third_party_discount_amount ?? '0');
    return stored === net - coupon ? stored : net;
  };
  const { line_items: lines, tax_included } = transaction;
  const charges = listCharges(transaction);
  const shipped = getSum(shippingList(transaction.shipping), 'amount');
  const subtotal = getSum(lines, 'amount');
  const discount = getSum(charges, 'applied_discount_amount');
  const thirdParty = getSum(lines, 'applied_third_party_discount_amount');
  const tax = getSum(charges, 'tax_amount');
  const total = subtotal - discount - thirdParty + shipped + (tax_included ? 0n : tax);
  return [
    ...charges.flatMap(({ id, net_amount, tax_amount, taxes, ...charge }) => [
      ...expect(`${id}: net_amount`, net_amount, getNet(charge, read(net_amount))),
      ...expect(`${id}: tax_amount`, tax_amount, getSum(taxes, 'tax_amount')),
      ...faultUnless(taxes.length > 0, `${id}: taxes`, 'none', 'a reason'),
    ]),
    ...expect('subtotal_amount', transaction.subtotal_amount, subtotal),
    ...expect('applied_discount_amount', transaction.applied_discount_amount, discount),
    ...expect('applied_third_party_discount_amount', transaction.applied_third_party_discount_amount, thirdParty),
    ...expect('shipping_amount', transaction.shipping_amount, shipped),
    ...expect('taxable_amount', transaction.taxable_amount, getSum(charges, 'taxable_amount')),
    ...expect('exempt_amount', transaction.exempt_amount, getSum(charges, 'exempt_amount')),
    ...expect('tax_amount', transaction.tax_amount, tax),
    ...expect('total_amount', transaction.total_amount, total),
    ...summaryFaults(transaction, (rows, name) => formatAmount(getSum(rows, name), exponent)),
  ];
};

const summaryFaults = (
  transaction: Summed,
  getSum: (rows: readonly SummaryRow[], name: (typeof summed)[number]) => string,
): Fault[] => {
  const sums = (rows: readonly SummaryRow[]) =>
    new Map(
      [...Map.groupBy(rows, ({ jurisdiction_code, rate }) => `${jurisdiction_code} at ${rate}`)].map(
        ([name, group]) => [name, summed.map((amount) => getSum(group, amount)).join(' / ')],
      ),
    );
  const expected = sums(listTaxRows(transaction));
  const actual = sums(transaction.tax_summary);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) =>
    differing(`tax_summary of ${name}`, actual.get(name), expected.get(name)),
  );
};

/* Audit chain */

/** The statuses that may follow each status. `new` is the state before the first audit entry. */
const following: Readonly<Record<string, readonly string[]>> = {
  new: ['draft', 'finalized'],
  draft: ['draft', 'finalized', 'void'],
  finalized: ['finalized', 'filed', 'void'],
  filed: ['filed'],
  void: ['void'],
};

/** The values that an audit entry must match. */
type AuditPlace = {
  readonly id: string;
  readonly version: number;
  /** The previous entry; `null` for the first entry, and if the previous entry is missing or unreadable. */
  readonly before: Pick<AuditEntry, 'hash' | 'to'> | null;
  /** The expected hash of the entry; `null` skips the check. */
  readonly hash: string | null;
};

/** Checks an audit entry's position, its hash, its link to the previous entry and its status change. */
export const auditFaults = (entry: AuditEntry, { id, version, before, hash }: AuditPlace): Fault[] => {
  const name = `entry ${version}: `;
  const allowed = following[entry.from ?? 'new'] ?? [];
  const status = `${name}status after ${entry.from ?? 'none'}`;
  return [
    ...differing(`${name}version`, entry.version, version),
    ...differing(`${name}transaction`, entry.transactionId, id),
    ...(hash === null ? [] : differing(`${name}hash`, entry.hash, hash)),
    ...faultUnless(allowed.includes(entry.to), status, entry.to, allowed.join(' or ')),
    ...(before === null && version > 1
      ? []
      : [
          ...differing(`${name}previous hash`, entry.previousHash, before?.hash),
          ...differing(`${name}previous status`, entry.from, before?.to),
        ]),
  ];
};

/* References and idempotency keys */

/** Whether a transaction currently holds its reference: it is live, or a draft before its deadline. */
export const holdsReference = (
  transaction: Pick<Transaction, 'reference_id' | 'status' | 'expires_at'>,
  nowMs: number,
): boolean => transaction.reference_id !== null && transaction.status !== 'void' && !isExpired(transaction, nowMs);

/* Credits */

/** Checks that credits do not exceed any part of a sale or the sale as a whole. `left` lists the amounts after credits. */
export const overCreditFaults = (
  left: Iterable<readonly [name: string, share: Share]>,
  write: (minor: bigint) => string,
): Fault[] =>
  [...left].flatMap(([name, { net, tax }]) =>
    faultUnless(
      net >= 0n && tax >= 0n,
      `remainder of ${name} after credits`,
      `${write(net)} and tax ${write(tax)}`,
      'zero or more',
    ),
  );

/** Checks that only finalized and filed sales have live credits. `credits` counts the credits with an amount above zero. */
export const creditableFaults = ({ type, status }: Pick<Transaction, 'type' | 'status'>, credits: number): Fault[] => {
  const isCreditable = credits === 0 || (type === 'sale' && isLive({ status }));
  return faultUnless(isCreditable, `${status} ${type} with live credits`, String(credits), 'no live credits');
};

/** Checks that `refund_status` matches the credited and remaining amounts. */
export const refundFaults = (
  { refund_status }: Pick<Transaction, 'refund_status'>,
  isNothingCredited: boolean,
  isNothingLeft: boolean,
): Fault[] =>
  differing('refund_status', refund_status, isNothingCredited ? 'none' : isNothingLeft ? 'full' : 'partial');

/* Liabilities and filings */

/** Checks that an entry is in exactly one place: open, or in one filing. `places` lists where it was found. */
export const placeFaults = (name: string, places: readonly string[]): Fault[] =>
  faultUnless(places.length === 1, `location of the ${name}`, places.join(' and '), 'exactly one location');

/** Checks that a shard of a filing contains as many entries as its counters say. */
export const shardCountFaults = (
  shard: number | string,
  actual: number,
  { moved, reopened }: { readonly moved: number; readonly reopened: number },
): Fault[] => differing(`entries of shard ${shard}`, actual, moved - reopened);

/** The period of a filing. */
export type FilingPeriod = {
  readonly id: string;
  readonly state: string;
  readonly status: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly previous: { readonly filing: string } | null;
};

/**
 * Checks that each state's periods follow each other without overlap. Months may be missing, for example between two
 * registrations, if the later filing's `previous` is the filing before the gap. The registrations at that time are
 * unknown.
 */
export const periodFaults = (
  filings: readonly FilingPeriod[],
): { readonly id: string; readonly faults: readonly Fault[] }[] => {
  const kept = filings.filter(({ status }) => status !== 'canceled');
  return [...Map.groupBy(kept, ({ state }) => state).values()].flatMap((ofState) => {
    const ordered = ofState.toSorted((left, right) => (left.period_start < right.period_start ? -1 : 1));
    return ordered.map(({ id, period_start, previous }, index) => {
      const before = ordered[index - 1];
      const linked = differing('filing before it', previous?.filing, before?.id);
      const expected = before ? dayAfter(before.period_end) : period_start;
      const isSkipped = period_start > expected && linked.length === 0;
      return { id, faults: isSkipped ? [] : [...linked, ...differing('first day', period_start, expected)] };
    });
  });
};
