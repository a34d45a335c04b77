import { listRegistrations } from '../../accounts/account.ts';
import { shippingList } from '../../calculations/charges.ts';
import type { LineItemResponse, TaxRowResponse } from '../../calculations/response.ts';
import { fiveDigitZip } from '../../catalog/location/address.ts';
import { minorDigits, parseAmount } from '../../money/currency.ts';
import { jurisdictionCode, stateJurisdiction, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { listCalculatedTaxes } from '../credits/amounts.ts';
import type { ExemptShipping } from '../settings-snapshot.ts';
import type { StoredTransaction } from '../transaction.ts';
import {
  type Amounts,
  type EntryException,
  type JurisdictionAmounts,
  type LiabilityEntry,
  mapParts,
  type NamedExemption,
  namedExemptions,
  type Parts,
  type PostingInput,
} from './entry.ts';

export type Part = NamedExemption | 'not_covered';

/** A row with its calculated tax, and the part of the gross that its untaxed amount belongs to; `null` is the product. */
export type Row = { readonly row: TaxRowResponse; readonly calculated: bigint; readonly part: Part | null };

/** The rows of one line or shipping charge in one state; `line` is `null` for a shipping charge. */
export type Charge = { readonly state: string; readonly line: LineItemResponse | null; readonly rows: readonly Row[] };

export const isTaxed = ({ tax_amount }: TaxRowResponse) => /[1-9]/.test(tax_amount);

// Uncollected tax is not owed. Over-collected tax is.
export const isLiability = (row: TaxRowResponse) =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(row.taxability_reason) || isTaxed(row);

/** The part that the exemption of a line belongs to. */
const certifiedPart = (line: LineItemResponse | undefined): ExemptShipping => {
  const reason = line?.applied_exemption?.reason;
  return reason === 'resale' || reason === 'snap' ? reason : 'customer';
};

/** The part of the exempt shipping in a state: by the certificate of the first line there with one. */
const shippingPart = (state: string, { transaction, exemptShipping }: PostingInput): ExemptShipping => {
  const known = exemptShipping?.[state];
  if (known) return known;
  const certified = transaction.line_items.find(
    ({ applied_exemption, taxes }) => applied_exemption && taxes.some((row) => rowState(row) === state),
  );
  return certifiedPart(certified);
};

/**
 * The part of the exempt shipping by state, for the credits of a sale: they may lack the lines that decide it. Empty where
 * no certificate exempts shipping.
 */
export const findExemptShipping = (posting: PostingInput): Readonly<Record<string, ExemptShipping>> =>
  Object.fromEntries(
    shippingList(posting.transaction.shipping)
      .flatMap(({ taxes }) => taxes)
      .flatMap((row) => {
        const state = rowState(row);
        const isExempt = row.taxability_reason === 'customer_exempt';
        return isExempt && state !== null ? [[state, shippingPart(state, posting)]] : [];
      }),
  );

/** The part that an untaxed amount of a line, or of the shipping, belongs to. */
const choosePart = (
  { taxability_reason }: TaxRowResponse,
  state: string,
  line: LineItemResponse | null,
  posting: PostingInput,
): Part | null => {
  switch (taxability_reason === 'over_collected' ? posting.replacedReason : taxability_reason) {
    case 'customer_exempt':
      return line ? certifiedPart(line) : shippingPart(state, posting);
    case 'marketplace_collects':
      return 'marketplace';
    case 'not_collecting':
      return 'not_registered';
    case 'not_supported':
      return 'not_covered';
    default:
      return null;
  }
};

// A place abroad has the code of its country, and no state.
const rowState = ({ jurisdiction_code }: TaxRowResponse): string | null =>
  jurisdiction_code.startsWith('US-') ? jurisdictionCode(stateOfJurisdiction(jurisdiction_code)) : null;

// A state without its own tax has a row as well. Ignore it where a local jurisdiction has a row.
const withoutUntaxing = (rows: readonly Row[]): readonly Row[] => {
  const others = rows.filter(({ row }) => row.taxability_reason !== 'not_subject_to_tax' || isTaxed(row));
  return others.length > 0 ? others : rows;
};

/** The rows of each line and of the shipping, by state. Places abroad have none. */
export const listEntryCharges = (posting: PostingInput, exponent: number): Charge[] => {
  const { transaction, calculatedTaxes } = posting;
  const { line_items, shipping } = transaction;
  const charges = [
    ...line_items.map((line) => ({ taxes: line.taxes, line })),
    ...shippingList(shipping).map(({ taxes }) => ({ taxes, line: null })),
  ];
  const calculated = calculatedTaxes ?? listCalculatedTaxes(transaction, exponent);
  let position = 0;
  return charges.flatMap(({ taxes, line }) => {
    const ofCharge = taxes.flatMap((row) => {
      const state = rowState(row);
      const tax = calculated[position++] ?? 0n;
      return state === null ? [] : [{ row, calculated: tax, part: choosePart(row, state, line, posting), state }];
    });
    return [...Map.groupBy(ofCharge, ({ state }) => state)].map(([state, ofState]) => ({
      state,
      line,
      rows: withoutUntaxing(ofState),
    }));
  });
};

/** Entries of credits are negative. */
export type Sign = 1n | -1n;

/** Minor units. */
type Sum = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint; readonly calculated: bigint } & {
  readonly parts: Readonly<Record<Part, bigint>>;
};
const parts: readonly Part[] = [...namedExemptions, 'not_covered'];
const noParts = (): Record<Part, bigint> => ({
  resale: 0n,
  customer: 0n,
  snap: 0n,
  marketplace: 0n,
  not_registered: 0n,
  not_covered: 0n,
});

const summed = (rows: readonly Row[], exponent: number): Sum => {
  const sums = { taxable: 0n, exempt: 0n, tax: 0n, calculated: 0n, parts: noParts() };
  for (const { row, calculated, part } of rows) {
    const exempt = parseAmount(row.exempt_amount, exponent);
    sums.taxable += parseAmount(row.taxable_amount, exponent);
    sums.tax += parseAmount(row.tax_amount, exponent);
    sums.calculated += calculated;
    if (part) sums.parts[part] += exempt;
    if (part !== 'not_covered') sums.exempt += exempt;
  }
  return sums;
};

export const grossSum = ({ taxable, exempt, parts: { not_covered } }: Sum) => taxable + exempt + not_covered;

const largestRow = (rows: readonly Row[], exponent: number): Sum =>
  [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()]
    .map((group) => summed(group, exponent))
    .reduce((largest, sum) => (grossSum(sum) > grossSum(largest) ? sum : largest));

/** The sum of the jurisdiction that represents a charge in its state. */
export const chargeBase = ({ state, rows: all }: Charge, exponent: number): Sum => {
  // A fee is no sale.
  const rows = all.filter(({ row }) => row.tax_type !== 'fee');
  if (rows.length === 0) return summed([], exponent);
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0) return summed(own, exponent);
  // On a tie, prefer the jurisdiction that collects tax.
  return largestRow(
    [...rows].sort((a, b) => Number(isLiability(b.row)) - Number(isLiability(a.row))),
    exponent,
  );
};

type Base = Pick<Sum, 'taxable' | 'exempt' | 'parts'>;

const amountsFrom = (
  { taxable, exempt, parts: amounts }: Base,
  taxes: Pick<Amounts, 'tax'> & Parts,
  sign: Sign,
): Amounts => {
  const named: Parts = amounts;
  return {
    taxable: sign * taxable,
    exempt: sign * exempt,
    tax: taxes.tax,
    ...mapParts((part) => sign * (named[part] ?? 0n) + (taxes[part] ?? 0n)),
  };
};

/** The base of an entry: the sum of its charges. */
export const baseOfAll = (sums: readonly Sum[], sign: Sign): Amounts => {
  const all = noParts();
  for (const part of parts) for (const sum of sums) all[part] += sum.parts[part];
  const taxable = sums.reduce((sum, one) => sum + one.taxable, 0n);
  const exempt = sums.reduce((sum, one) => sum + one.exempt, 0n);
  return amountsFrom({ taxable, exempt, parts: all }, { tax: 0n }, sign);
};

/**
 * The over-collected tax. A credit that takes its calculated tax from its sale reverses its whole difference, of either
 * sign, or zero where its sale is not over-collected. So the credits of a sale add up to its over-collected tax, also with
 * supplied taxes.
 */
const overCollected = (
  { calculatedTaxes, isUnderCollected }: PostingInput,
  tax: bigint,
  difference: bigint,
): bigint => {
  if (calculatedTaxes) return isUnderCollected ? 0n : difference;
  return (tax < 0n ? -difference : difference) > 0n ? difference : 0n;
};

/** The sums by jurisdiction and rate, in the order of their first appearance. */
export const sumByJurisdiction = (
  posting: PostingInput,
  rows: readonly Row[],
  exponent: number,
  sign: Sign,
): JurisdictionAmounts[] =>
  [...Map.groupBy(rows, ({ row }) => `${row.jurisdiction_code} ${row.rate}`).values()].map((group) => {
    const { jurisdiction_code, jurisdiction_name, jurisdiction_type, reporting_code, rate } = (group[0] as Row).row;
    const sum = summed(group, exponent);
    const [tax, difference] = [sign * sum.tax, sign * (sum.tax - sum.calculated)];
    const taxes = { tax, difference, over_collected: overCollected(posting, tax, difference) };
    return {
      jurisdiction_code,
      jurisdiction_name,
      jurisdiction_type,
      reporting_code,
      rate,
      ...amountsFrom(sum, taxes, sign),
    };
  });

/** The reasons to look at an entry before its return is sent. */
export const listExceptions = (
  charges: readonly Charge[],
  gross: bigint,
  exponent: number,
  sign: Sign,
): EntryException[] => {
  const rows = charges.flatMap((charge) => charge.rows);
  const uncovered = charges.map((charge) =>
    charge.rows.filter(({ row, part }) => part === 'not_covered' && /[1-9]/.test(row.exempt_amount)),
  );
  // A local jurisdiction may be the only one that is not covered.
  const notCovered = uncovered.reduce(
    (sum, some) => (some.length > 0 ? sum + largestRow(some, exponent).parts.not_covered : sum),
    0n,
  );
  const differs = (direction: Sign) =>
    rows.some(({ row, calculated }) => direction * (parseAmount(row.tax_amount, exponent) - calculated) > 0n);
  return [
    ...(uncovered.some((some) => some.length > 0)
      ? [{ reason: 'not_covered', gross: sign * notCovered } as const]
      : []),
    ...(differs(1n) ? [{ reason: 'over_collected', gross: sign * gross } as const] : []),
    ...(differs(-1n) ? [{ reason: 'under_collected', gross: sign * gross } as const] : []),
  ];
};

type StateCharges = { readonly state: string; readonly charges: readonly Charge[]; readonly isAwaited: boolean };

// The tax of a small credit of an over-collected sale can round to zero. The credit still reduces the gross.
const isRecorded = (row: TaxRowResponse): boolean => isTaxed(row) || row.taxability_reason === 'over_collected';

/** The states that get an entry, and whether the transaction becomes filed only with their filing. */
const groupByState = (posting: PostingInput, exponent: number): StateCharges[] => {
  const { settingsSnapshot, statesOfSale = [] } = posting;
  const registered = listRegistrations(settingsSnapshot)?.map(({ state }) => stateJurisdiction(state)) ?? null;
  return [...Map.groupBy(listEntryCharges(posting, exponent), ({ state }) => state)].flatMap(([state, ofState]) => {
    const rows = ofState.flatMap((charge) => charge.rows.map(({ row }) => row));
    const isCollecting = rows.some(({ taxability_reason }) => taxability_reason !== 'not_collecting');
    const isOfSale = statesOfSale.includes(state);
    const isPosted = isOfSale || rows.some(isRecorded) || (registered ? registered.includes(state) : isCollecting);
    // A state without a registration and without recorded tax may never be filed, so the transaction must not wait for
    // it.
    const isAwaited =
      isOfSale || rows.some(registered ? isRecorded : isLiability) || (registered !== null && isCollecting);
    return isPosted ? [{ state, charges: ofState, isAwaited }] : [];
  });
};

/** The states in which a finalized transaction must be filed. Its status becomes `filed` with the last of them. */
export const statesToFile = (posting: PostingInput): readonly string[] =>
  groupByState(posting, minorDigits(posting.transaction.currency)).flatMap(({ state, isAwaited }) =>
    isAwaited ? [state] : [],
  );

const entryDocument = (
  { transaction, replacedReason }: PostingInput,
  charges: readonly Charge[],
): LiabilityEntry['document'] => {
  const line = charges.find((charge) => charge.line !== null)?.line ?? transaction.line_items[0];
  const address = line?.customer?.address ?? transaction.customer?.address;
  const isExempt = ({ taxability_reason }: Charge['rows'][number]['row']) =>
    (taxability_reason === 'over_collected' ? replacedReason : taxability_reason) === 'customer_exempt';
  const exempt = charges.filter(({ rows }) => rows.some(({ row }) => isExempt(row)));
  const certificates = [
    ...new Set(exempt.flatMap((charge) => charge.line?.applied_exemption?.certificate_number ?? [])),
  ];
  return {
    type: transaction.type,
    tax_day: transaction.tax_date.slice(0, 10),
    reference_id: transaction.reference_id,
    customer_id: line?.customer?.id ?? transaction.customer?.id ?? null,
    postal_code: fiveDigitZip(address?.postal_code ?? ''),
    ...(certificates.length > 0 && { certificate_numbers: certificates }),
  };
};

const entriesByCurrency = (
  posting: PostingInput,
  states: readonly Pick<StateCharges, 'state' | 'charges'>[],
): LiabilityEntry[] => {
  const { transaction } = posting;
  const exponent = minorDigits(transaction.currency);
  const sign = transaction.type === 'credit' ? -1n : 1n;
  return states.map(({ state, charges }) => {
    const bases = charges.map((charge) => chargeBase(charge, exponent));
    const gross = bases.reduce((sum, base) => sum + grossSum(base), 0n);
    const exceptions = listExceptions(charges, gross, exponent, sign);
    const rows = charges.flatMap((charge) => charge.rows);
    return {
      transactionId: transaction.id,
      state,
      month: transaction.tax_date.slice(0, 7),
      currency: transaction.currency,
      version: transaction.version,
      base: baseOfAll(bases, sign),
      amounts: sumByJurisdiction(posting, rows, exponent, sign),
      document: entryDocument(posting, charges),
      ...(exceptions.length > 0 && { exceptions }),
    };
  });
};

/**
 * The open entries of a finalized transaction: one for each state in which the account is
 * registered on any day, or which the document has a tax of. Without registrations, each state of the document counts. A
 * credit's amounts are negative; it also has an entry in each of its states in which its sale has one.
 * Pure.
 */
export const listLiabilityEntries = (posting: PostingInput): LiabilityEntry[] =>
  entriesByCurrency(posting, groupByState(posting, minorDigits(posting.transaction.currency)));

/**
 * A finalized credit with the states in which only its sale decides that it has an entry: without them, the return of a
 * state with the sale would lack the refund of a line without recorded tax.
 */
export const withStatesOfSale = (credit: StoredTransaction, sale: PostingInput): StoredTransaction => {
  const { statesOfSale: _, ...alone } = credit;
  const exponent = minorDigits(credit.transaction.currency);
  const statesIn = (posting: PostingInput) => new Set(groupByState(posting, exponent).map(({ state }) => state));
  const own = new Set(listEntryCharges(alone, exponent).map(({ state }) => state));
  const statesOfSale = [...own.intersection(statesIn(sale)).difference(statesIn(alone))];
  return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;
};

/** Like `openEntriesOf`, for each state of the document, whether or not the account is registered there. */
export const entriesOfEachState = (posting: PostingInput): LiabilityEntry[] => {
  const charges = listEntryCharges(posting, minorDigits(posting.transaction.currency));
  const byState = [...Map.groupBy(charges, ({ state }) => state)];
  return entriesByCurrency(
    posting,
    byState.map(([state, ofState]) => ({ state, charges: ofState })),
  );
};
