import type { Settings } from '../../shared/accounts/account.ts';
import type { Schema } from '../support/http.ts';
import { shippingCharges } from '../support/shipping.ts';
import { type Currency, currencies, type Transaction } from './draw.ts';
import { must } from './violation.ts';

const exponentOf = (currency: string): number => currencies[currency as Currency];

/** Converts an amount to minor units. Throws if its number of decimals differs from the currency's. */
export const minor = (currency: string, text: string): bigint => {
  const exponent = exponentOf(currency);
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  must(whole !== '' && fraction.length === exponent, `"${text}" is no amount in ${currency}.`);
  return BigInt(`${sign}${whole}${fraction}`);
};

export const sumOf = (units: readonly bigint[]): bigint => units.reduce((sum, one) => sum + one, 0n);

/**
 * The entries of a finalized transaction in the returns of its states, computed from its recorded lines as
 * shared/filings/README.md describes, without the service's code.
 */

type Line = Transaction['line_items'][number];
type Row = Line['taxes'][number];

/** Sums in minor units, negative for a credit. */
export type Sums = {
  readonly gross: bigint;
  readonly taxable: bigint;
  readonly tax: bigint;
  /** By reason; `not_covered` is neither taxable nor exempt. */
  readonly untaxed: Readonly<Record<string, bigint>>;
};

export type Entry = {
  readonly id: string;
  readonly state: string;
  readonly month: string;
  readonly currency: string;
  readonly isCredit: boolean;
  /** Whether a row has the reason `over_collected` instead of the reason why nothing was taxed. */
  readonly isReplaced: boolean;
  /** Each line once; the tax of all levels. */
  readonly whole: Sums;
  /** By `jurisdiction rate`. */
  readonly rates: ReadonlyMap<string, Sums>;
};

type Charge = { readonly line: Line | null; readonly rows: readonly Row[] };

const stateOf = ({ jurisdiction_code: code }: Row): string | null => (code.startsWith('US-') ? code.slice(0, 5) : null);
const isTaxed = ({ tax_amount }: Row): boolean => /[1-9]/.test(tax_amount);
const isRecorded = (row: Row): boolean => isTaxed(row) || row.taxability_reason === 'over_collected';

/** Returns the rows of each line and shipping charge by state, without rows that only report a level without tax. */
const chargesByState = ({ line_items, shipping }: Transaction): Map<string, Charge[]> => {
  const byState = new Map<string, Charge[]>();
  const charges = [
    ...line_items.map((line) => ({ line, taxes: line.taxes })),
    ...shippingCharges(shipping).map(({ taxes }) => ({ line: null, taxes })),
  ];
  for (const { line, taxes } of charges)
    for (const [state, rows] of Map.groupBy(taxes, stateOf)) {
      if (state === null) continue;
      const telling = rows.filter((row) => row.taxability_reason !== 'not_subject_to_tax' || isTaxed(row));
      byState.set(state, [...(byState.get(state) ?? []), { line, rows: telling.length > 0 ? telling : rows }]);
    }
  return byState;
};

const certificateReason = (line: Line | undefined): string => {
  const reason = line?.applied_exemption?.reason;
  return reason === undefined || reason === 'other' ? 'customer' : reason;
};

/** Why shipping is exempt by a certificate: as the first line in the state that has one, of the sale for a credit. */
const shippingReason = (state: string, { line_items }: Transaction): string =>
  certificateReason(
    line_items.find(({ applied_exemption, taxes }) => applied_exemption && taxes.some((row) => stateOf(row) === state)),
  );

const reasonOf = (row: Row, line: Line | null, state: string, ofShipping: Transaction): string => {
  const { taxability_reason: reason } = row;
  if (reason === 'customer_exempt') return line ? certificateReason(line) : shippingReason(state, ofShipping);
  if (reason === 'marketplace_collects') return 'marketplace';
  if (reason === 'not_collecting') return 'not_registered';
  return reason === 'not_supported' ? 'not_covered' : 'product';
};

type Told = { readonly row: Row; readonly reason: string };

const sumsOf = (rows: readonly Told[], currency: string, sign: bigint): Sums => {
  const of = (field: 'taxable_amount' | 'exempt_amount' | 'tax_amount', some = rows) =>
    sign * sumOf(some.map(({ row }) => minor(currency, row[field])));
  const untaxed = [...Map.groupBy(rows, ({ reason }) => reason)].map(
    ([reason, some]) => [reason, of('exempt_amount', some)] as const,
  );
  return {
    gross: of('taxable_amount') + of('exempt_amount'),
    taxable: of('taxable_amount'),
    tax: of('tax_amount'),
    untaxed: Object.fromEntries(untaxed.filter(([, amount]) => amount !== 0n)),
  };
};

export const plus = (a: Sums, b: Sums): Sums => {
  const untaxed = { ...a.untaxed };
  for (const [reason, amount] of Object.entries(b.untaxed)) untaxed[reason] = (untaxed[reason] ?? 0n) + amount;
  return { gross: a.gross + b.gross, taxable: a.taxable + b.taxable, tax: a.tax + b.tax, untaxed };
};
export const nothing: Sums = { gross: 0n, taxable: 0n, tax: 0n, untaxed: {} };

const isNoSale = ({ taxability_reason: reason, tax_amount }: Row): boolean =>
  ['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(reason) && !/[1-9]/.test(tax_amount);

/**
 * Returns the rows that represent a charge in its state: the state-level rows, else the rows of the jurisdiction with
 * the largest gross amount.
 */
const ownRows = (all: readonly Told[], state: string, currency: string): readonly Told[] => {
  const rows = all.filter(({ row }) => row.tax_type !== 'fee');
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0) return own;
  const byCode = [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()];
  const order = (some: readonly Told[]) => sumsOf(some, currency, 1n).gross;
  return (
    byCode
      .sort((a, b) => Number(a.every(({ row }) => isNoSale(row))) - Number(b.every(({ row }) => isNoSale(row))))
      .reduce<readonly Told[] | null>(
        (best, some) => (best === null || order(some) > order(best) ? some : best),
        null,
      ) ?? []
  );
};

/** Returns the entries of a transaction in all of its states. `sale` is the credited sale of a credit. */
export const entriesOf = (transaction: Transaction, sale: Transaction | undefined): Entry[] => {
  const { id, currency, type, tax_date } = transaction;
  const sign = type === 'credit' ? -1n : 1n;
  return [...chargesByState(transaction)].map(([state, charges]) => {
    const told = charges.map(({ line, rows }) =>
      rows.map((row) => ({ row, reason: reasonOf(row, line, state, sale ?? transaction) })),
    );
    const all = told.flat();
    const whole = told.map((rows) => sumsOf(ownRows(rows, state, currency), currency, sign)).reduce(plus, nothing);
    const byRate = Map.groupBy(all, ({ row }) => `${row.jurisdiction_code} ${row.rate}`);
    return {
      id,
      state,
      month: tax_date.slice(0, 7),
      currency,
      isCredit: type === 'credit',
      isReplaced: all.some(({ row }) => row.taxability_reason === 'over_collected'),
      whole: { ...whole, tax: sumsOf(all, currency, sign).tax },
      rates: new Map([...byRate].map(([key, rows]) => [key, sumsOf(rows, currency, sign)])),
    };
  });
};

/** Returns the states of a transaction with an entry in a return, and the states that it awaits before it is filed. */
export const postedStates = (
  transaction: Transaction,
  sale: Transaction | undefined,
  registrations: Settings['registrations'],
): { readonly posted: ReadonlySet<string>; readonly awaited: ReadonlySet<string> } => {
  const listed = Array.isArray(registrations) ? new Set(registrations.map(({ state }) => `US-${state}`)) : null;
  const ofSale =
    sale && transaction.type === 'credit' ? postedStates(sale, undefined, registrations).posted : new Set();
  const [posted, awaited] = [new Set<string>(), new Set<string>()];
  for (const [state, charges] of chargesByState(transaction)) {
    const rows = charges.flatMap((charge) => charge.rows);
    const isCollecting = rows.some(({ taxability_reason }) => taxability_reason !== 'not_collecting');
    const isOwn = rows.some(isRecorded) || (listed ? listed.has(state) : isCollecting);
    if (!isOwn && !ofSale.has(state)) continue;
    posted.add(state);
    const isOwed = listed ? rows.some(isRecorded) || isCollecting : rows.some((row) => !isNoSale(row));
    if (isOwed || !isOwn) awaited.add(state);
  }
  return { posted, awaited };
};

/** Converts the amounts of filings and reports in API responses to the oracle's sums. */

type Amounts = Pick<
  Schema<'ReportAmounts'>,
  'gross_amount' | 'exempt_amount' | 'exempt_by_reason' | 'not_covered_amount' | 'taxable_amount' | 'tax_amount'
>;

const withoutZeros = (amounts: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n));

/** Returns the sums of a response. Throws if its parts do not add up. */
export const sumsIn = (amounts: Amounts, currency: string): Sums & { readonly exempt: bigint } => {
  const units = (text: string) => minor(currency, text);
  const reasons = Object.entries(amounts.exempt_by_reason).map(([reason, text]) => [reason, units(text)] as const);
  return {
    gross: units(amounts.gross_amount),
    taxable: units(amounts.taxable_amount),
    tax: units(amounts.tax_amount),
    exempt: units(amounts.exempt_amount),
    untaxed: withoutZeros({ ...Object.fromEntries(reasons), not_covered: units(amounts.not_covered_amount) }),
  };
};

/**
 * Normalizes sums for a comparison. If a response has `over_collected` instead of a reason, only the sum of all untaxed
 * amounts is known.
 */
export const comparable = ({ gross, taxable, tax, untaxed }: Sums, isReplaced: boolean) => ({
  gross,
  taxable,
  tax,
  untaxed: isReplaced ? 'any' : withoutZeros(untaxed),
});
