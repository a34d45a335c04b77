/**
 * The invariants of the ledger: what holds in every state of an account's items. `npm run ledger -- verify`, the simulation
 * and the model test read items in their own ways and check them with these functions.
 */

import { dayAfter } from '../base/calendar.ts';
import { shippingList } from '../calculations/charges.ts';
import { listCharges, listTaxRows } from '../calculations/figures.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import { decimal, rescale } from '../money/decimal.ts';
import type { AuditEntry } from './audit.ts';
import type { Transaction } from './transaction.ts';
import { isExpired, isLive } from './transaction.ts';

/** A value that breaks an invariant. */
export type Fault = { readonly what: string; readonly actual: string; readonly expected: string };

/** No fault if the condition is true, otherwise one. */
export const faultUnless = (holds: boolean, what: string, actual: string, expected: string): Fault[] =>
  holds ? [] : [{ what, actual, expected }];

const toText = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** A fault if the values differ, otherwise none. */
export const differing = (what: string, actualValue: unknown, expectedValue: unknown): Fault[] => {
  const [actual, expected] = [toText(actualValue), toText(expectedValue)];
  return faultUnless(actual === expected, what, actual, expected);
};

/** A fault in one sentence. */
export const faultText = ({ what, actual, expected }: Fault): string => `${what} is ${actual}, should be ${expected}`;

/* A transaction by itself */

type Times = Pick<Transaction, 'finalized_at' | 'filed_at' | 'voided_at' | 'expires_at' | 'void_reason'>;

/** The fields that a status has (`true`) and does not have (`false`). Other fields are optional. */
const timeFields: Readonly<Record<Transaction['status'], Partial<Record<keyof Times, boolean>>>> = {
  draft: { finalized_at: false, filed_at: false, voided_at: false, void_reason: false, expires_at: true },
  finalized: { finalized_at: true, filed_at: false, voided_at: false, void_reason: false, expires_at: false },
  filed: { finalized_at: true, filed_at: true, voided_at: false, void_reason: false, expires_at: false },
  void: { filed_at: false, voided_at: true },
};

/** A transaction has the times and the reason of its status, and no others. */
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
 * The parts of a transaction add up, in minor units: jurisdictions to lines, lines and shipping to the document, and the
 * document to its total.
 */
export const sumFaults = (transaction: Summed): Fault[] => {
  const exponent = minorDigits(transaction.currency);
  // A damaged amount may have more decimals than the currency: it is a finding, not a bug.
  const read = (text: string) => rescale(decimal(text), exponent);
  const sumOf = <Name extends string>(rows: readonly Row<Name>[], name: Name) =>
    rows.reduce((sum, row) => sum + read(row[name]), 0n);
  const expect = (what: string, actual: string, expected: bigint) =>
    differing(what, actual, formatAmount(expected, exponent));

  // A third party's discount reduces the price where the state says so.
  const netOf = (charge: Priced, stored: bigint): bigint => {
    const net = read(charge.amount) - read(charge.applied_discount_amount);
    const coupon = read(charge.applied_third_party_discount_amount ?? '0');
    return stored === net - coupon ? stored : net;
  };
  const { line_items: lines, tax_included } = transaction;
  const charges = listCharges(transaction);
  const shipped = sumOf(shippingList(transaction.shipping), 'amount');
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

const summaryFaults = (
  transaction: Summed,
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

/* The audit chain of a transaction */

/** The statuses that may follow each status; `new` is before the first audit entry. */
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
  /** The previous entry; `null` at the beginning, and after an entry that is missing or not readable. */
  readonly before: Pick<AuditEntry, 'hash' | 'to'> | null;
  /** The hash that the entry should have; `null` leaves it unchecked. */
  readonly hash: string | null;
};

/** An audit entry has its place, its hash and the link to the entry before, and changes the status in an allowed way. */
export const auditFaults = (entry: AuditEntry, { id, version, before, hash }: AuditPlace): Fault[] => {
  const name = `entry ${version}: `;
  const allowed = following[entry.from ?? 'new'] ?? [];
  const status = `${name}state after ${entry.from ?? 'nothing'}`;
  return [
    ...differing(`${name}version`, entry.version, version),
    ...differing(`${name}transaction`, entry.transactionId, id),
    ...(hash === null ? [] : differing(`${name}hash`, entry.hash, hash)),
    ...faultUnless(allowed.includes(entry.to), status, entry.to, allowed.join(' or ')),
    ...(before === null && version > 1
      ? []
      : [
          ...differing(`${name}hash of the entry before`, entry.previousHash, before?.hash),
          ...differing(`${name}state before`, entry.from, before?.to),
        ]),
  ];
};

/* References and idempotency keys */

/** Whether a transaction holds its reference now: it is live, or a draft before its deadline. */
export const holdsReference = (
  transaction: Pick<Transaction, 'reference_id' | 'status' | 'expires_at'>,
  nowMs: number,
): boolean => transaction.reference_id !== null && transaction.status !== 'void' && !isExpired(transaction, nowMs);

/* Credits */

/** An amount and its tax in minor units. */
type Share = { readonly net: bigint; readonly tax: bigint };

/** No part of a sale, and not the sale as a whole, is credited above its amount. `left` has the amounts after credits. */
export const overCreditFaults = (
  left: Iterable<readonly [name: string, share: Share]>,
  write: (minor: bigint) => string,
): Fault[] =>
  [...left].flatMap(([name, { net, tax }]) =>
    faultUnless(
      net >= 0n && tax >= 0n,
      `left of ${name} after its credits`,
      `${write(net)} and tax ${write(tax)}`,
      'not below zero',
    ),
  );

/** Only a finalized or filed sale has live credits. `credits` is the number of those with an amount above zero. */
export const creditableFaults = ({ type, status }: Pick<Transaction, 'type' | 'status'>, credits: number): Fault[] => {
  const isCreditable = credits === 0 || (type === 'sale' && isLive({ status }));
  return faultUnless(isCreditable, `${status} ${type} with live credits`, String(credits), 'no live credits');
};

/** `refund_status` says whether nothing of a sale is credited, or all of it. */
export const refundFaults = (
  { refund_status }: Pick<Transaction, 'refund_status'>,
  isNothingCredited: boolean,
  isNothingLeft: boolean,
): Fault[] =>
  differing('refund_status', refund_status, isNothingCredited ? 'none' : isNothingLeft ? 'full' : 'partial');

/* Liabilities and filings */

/** An entry of a transaction is in one place: open, or in one filing. `places` are those where it was found. */
export const placeFaults = (name: string, places: readonly string[]): Fault[] =>
  faultUnless(places.length === 1, `place of the ${name}`, places.join(' and '), 'one of them');

/** A shard of a filing has as many entries as it counts. */
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
 * The periods of each state follow each other without overlap. Months may be missing, as between two registrations, if the
 * filing after them names the one before them as the previous one: the registrations of that time are not known.
 */
export const periodFaults = (
  filings: readonly FilingPeriod[],
): { readonly id: string; readonly faults: readonly Fault[] }[] => {
  const kept = filings.filter(({ status }) => status !== 'canceled');
  return [...Map.groupBy(kept, ({ state }) => state).values()].flatMap((ofState) => {
    const ordered = ofState.toSorted((left, right) => (left.period_start < right.period_start ? -1 : 1));
    return ordered.slice(1).flatMap(({ id, period_start, previous }, index) => {
      const before = ordered[index];
      const expected = dayAfter(before?.period_end ?? '');
      const isSkipped = period_start > expected && previous?.filing === before?.id;
      return isSkipped || period_start === expected
        ? []
        : [{ id, faults: differing('first day', period_start, expected) }];
    });
  });
};
