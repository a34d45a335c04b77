import { summaryOfRows } from '../calculations/figures.ts';
import type { LineItemResponse, TaxRowResponse, TaxSummaryRow } from '../calculations/response.ts';
import { jurisdictionCode, stateJurisdiction, stateOfJurisdiction } from '../jurisdiction.ts';
import { allocate } from '../money/allocate.ts';
import { exponentOf, formatAmount, parseAmount } from '../money/currency.ts';
import { decimal, digits, rescale } from '../money/decimal.ts';
import { type ExceptionReason, type NamedExemption, namedExemptions } from './entry-reasons.ts';
import type { StoredTransaction, Transaction } from './transaction.ts';

/** The parts of an amount that are not zero. Entries that earlier versions posted have none. */
type OpenSplit = {
  /** Parts of `exempt_amount`. The rest is exempt because of the product. */
  readonly exempt?: { readonly [Reason in NamedExemption]?: string | undefined } | undefined;
  /** The part that the content does not cover. It is neither taxable nor exempt. */
  readonly not_covered_amount?: string | undefined;
};

/** The sums of one jurisdiction in an open entry. Amounts are decimal strings, negative for a credit. */
export type OpenAmounts = Readonly<Omit<TaxSummaryRow, 'reporting_code'>> &
  OpenSplit & {
    /** `null` where the content had none, or an earlier version posted the entry. */
    readonly reporting_code: string | null;
    /** Where it differs from the recorded tax. */
    readonly calculated_tax_amount?: string | undefined;
  };

/**
 * The sums of the lines and the shipping of an entry, each counted once: by the state's own row, or by the jurisdiction
 * with the largest gross where the state has no tax of its own.
 */
type OpenBase = Pick<OpenAmounts, 'taxable_amount' | 'exempt_amount'> & OpenSplit;

/** A reason to look at an entry before the return is sent, and the gross that it is about. */
export type EntryException = {
  readonly reason: ExceptionReason;
  readonly gross_amount: string;
};

/** The document of an entry, as it was when the entry was posted. */
export type EntryDocument = {
  readonly type: Transaction['type'];
  /** `YYYY-MM-DD` */
  readonly tax_day: string;
  readonly reference_id: string | null;
  readonly customer_id: string | null;
  /** The five-digit ZIP code of the destination of the first line in the state. */
  readonly postal_code: string | null;
};

/** A finalized transaction's sales and tax in one state that no filing has yet (interface decisions 8). */
export type OpenEntry = {
  readonly transactionId: string;
  /** `US-MI` */
  readonly state: string;
  /** `YYYY-MM`, of the tax date in UTC. */
  readonly month: string;
  readonly currency: string;
  /** The version of the transaction that posted it, as the condition of removing the entry. */
  readonly version: number;
  readonly base: OpenBase;
  readonly amounts: readonly OpenAmounts[];
  /** Absent in entries that earlier versions posted. */
  readonly document?: EntryDocument | undefined;
  /** Absent where there are none. */
  readonly exceptions?: readonly EntryException[] | undefined;
};

type Posting = Pick<StoredTransaction, 'transaction' | 'pinned' | 'entryForm' | 'replacedReason'>;

/** Minor units. */
type Sum = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint; readonly calculated: bigint } & {
  readonly parts: Readonly<Record<Part, bigint>>;
};
type Part = NamedExemption | 'not_covered';

/** A row with its calculated tax, and the part of the gross that its untaxed amount belongs to; `null` is the product. */
type Row = { readonly row: TaxRowResponse; readonly calculated: bigint; readonly part: Part | null };

/** The rows of one line or of the shipping in one state. */
type Charge = { readonly state: string; readonly line: LineItemResponse | null; readonly rows: readonly Row[] };

const parts: readonly Part[] = [...namedExemptions, 'not_covered'];
const noParts = (): Record<Part, bigint> => ({
  resale: 0n,
  customer: 0n,
  marketplace: 0n,
  not_registered: 0n,
  not_covered: 0n,
});

const isTaxed = ({ tax_amount }: TaxRowResponse) => /[1-9]/.test(tax_amount);

// Uncollected tax is not owed. Over-collected tax is.
const isLiability = (row: TaxRowResponse) =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(row.taxability_reason) || isTaxed(row);

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

const grossOf = ({ taxable, exempt, parts: { not_covered } }: Sum) => taxable + exempt + not_covered;

const largestOf = (rows: readonly Row[], exponent: number): Sum =>
  [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()]
    .map((group) => summed(group, exponent))
    .reduce((largest, sum) => (grossOf(sum) > grossOf(largest) ? sum : largest));

/** The sum of the jurisdiction that represents a charge in its state. */
const baseOf = ({ state, rows }: Charge, exponent: number): Sum => {
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0) return summed(own, exponent);
  // Of equal ones, the jurisdiction that taxes.
  return largestOf(
    [...rows].sort((a, b) => Number(isLiability(b.row)) - Number(isLiability(a.row))),
    exponent,
  );
};

const rateUnits = ({ taxable_amount, rate }: TaxRowResponse, exponent: number): bigint =>
  parseAmount(taxable_amount, exponent) * rescale(decimal(rate), digits.fraction);

/**
 * The calculated tax of each row. Only its sum is recorded where another tax was: it is distributed in proportion to the
 * recorded tax, or to taxable amount times rate where no tax was recorded, by largest remainder. Nothing was calculated
 * on a row that is over-collected.
 */
const calculatedTaxes = (transaction: Transaction, rows: readonly TaxRowResponse[], exponent: number): bigint[] => {
  const counts = rows.map(({ taxability_reason }) => taxability_reason !== 'over_collected');
  const weighted = (weigh: (row: TaxRowResponse) => bigint) =>
    rows.map((row, index) => (counts[index] ? weigh(row) : 0n));
  const recorded = weighted(({ tax_amount }) => parseAmount(tax_amount, exponent));
  if (transaction.tax_amount === transaction.calculated_tax_amount) return recorded;
  const total = parseAmount(transaction.calculated_tax_amount, exponent);
  const isSome = (weights: readonly bigint[]) => weights.some((weight) => weight > 0n);
  const weights = isSome(recorded) ? recorded : weighted((row) => rateUnits(row, exponent));
  if (isSome(weights)) return allocate(total, weights);
  // A fee without a rate.
  return rows.map((_, index) => (index === 0 ? total : 0n));
};

/** The part that an untaxed amount belongs to. */
const partOf = (
  { taxability_reason }: TaxRowResponse,
  buyer: LineItemResponse | null,
  { transaction, replacedReason }: Posting,
): Part | null => {
  switch (taxability_reason === 'over_collected' ? replacedReason : taxability_reason) {
    case 'customer_exempt': {
      const exemption = buyer?.customer?.exemption ?? transaction.customer?.exemption;
      return exemption?.type === 'resale' ? 'resale' : 'customer';
    }
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
const stateOf = ({ jurisdiction_code }: TaxRowResponse): string | null =>
  jurisdiction_code.startsWith('US-') ? jurisdictionCode(stateOfJurisdiction(jurisdiction_code)) : null;

// A state without a tax of its own has a row, too. It says nothing where a local jurisdiction has one.
const withoutUntaxing = (rows: readonly Row[]): readonly Row[] => {
  const others = rows.filter(({ row }) => row.taxability_reason !== 'not_subject_to_tax' || isTaxed(row));
  return others.length > 0 ? others : rows;
};

const chargesOf = (posting: Posting, exponent: number): Charge[] => {
  const { transaction } = posting;
  const { line_items, shipping } = transaction;
  // The certificate of the shipping is that of the document, or of the first line with one.
  const certified = transaction.customer?.exemption
    ? null
    : (line_items.find(({ customer }) => customer?.exemption) ?? null);
  const charges = [
    ...line_items.map((line) => ({ taxes: line.taxes, line, buyer: line })),
    ...(shipping ? [{ taxes: shipping.taxes, line: null, buyer: certified }] : []),
  ];
  const rows = charges.flatMap(({ taxes }) => taxes);
  const calculated = calculatedTaxes(transaction, rows, exponent);
  let position = 0;
  return charges.flatMap(({ taxes, line, buyer }) => {
    const ofCharge = taxes.flatMap((row) => {
      const state = stateOf(row);
      const tax = calculated[position++] ?? 0n;
      return state === null ? [] : [{ row, calculated: tax, part: partOf(row, buyer, posting), state }];
    });
    return [...Map.groupBy(ofCharge, ({ state }) => state)].map(([state, ofState]) => ({
      state,
      line,
      rows: withoutUntaxing(ofState),
    }));
  });
};

/** The charges by state that an earlier version posted: what is owed alone. */
const liabilitiesOf = ({ line_items, shipping }: Transaction, exponent: number): Charge[] =>
  [...line_items, ...(shipping ? [shipping] : [])].flatMap(({ taxes }) =>
    [
      ...Map.groupBy(taxes.filter(isLiability), (row) => jurisdictionCode(stateOfJurisdiction(row.jurisdiction_code))),
    ].map(([state, rows]) => ({
      state,
      line: null,
      rows: rows.map((row) => ({ row, calculated: parseAmount(row.tax_amount, exponent), part: null })),
    })),
  );

type StateCharges = { readonly state: string; readonly charges: readonly Charge[]; readonly isAwaited: boolean };

/** The states that get an entry, and whether the transaction becomes filed only with their filing. */
const statesOf = (posting: Posting, exponent: number): StateCharges[] => {
  const { transaction, pinned, entryForm } = posting;
  const isComplete = entryForm === 'complete';
  const charges = isComplete ? chargesOf(posting, exponent) : liabilitiesOf(transaction, exponent);
  const registered = pinned.registrations?.map(({ state }) => stateJurisdiction(state)) ?? null;
  return [...Map.groupBy(charges, ({ state }) => state)].flatMap(([state, ofState]) => {
    if (!isComplete) return [{ state, charges: ofState, isAwaited: true }];
    const rows = ofState.flatMap((charge) => charge.rows.map(({ row }) => row));
    const isCollecting = rows.some(({ taxability_reason }) => taxability_reason !== 'not_collecting');
    const isPosted = rows.some(isTaxed) || (registered ? registered.includes(state) : isCollecting);
    // No filing may ever come of a state without registration where nothing was recorded.
    const isAwaited = rows.some(registered ? isTaxed : isLiability) || (registered !== null && isCollecting);
    return isPosted ? [{ state, charges: ofState, isAwaited }] : [];
  });
};

/** The states whose filings a finalized transaction awaits. It is filed with the last of them. */
export const awaitedStates = (posting: Posting): readonly string[] =>
  statesOf(posting, exponentOf(posting.transaction.currency)).flatMap(({ state, isAwaited }) =>
    isAwaited ? [state] : [],
  );

type Write = (minor: bigint) => string;

const splitOf = ({ parts: amounts }: Pick<Sum, 'parts'>, write: Write): OpenSplit => {
  const { not_covered, ...exempt } = amounts;
  const named = namedExemptions.filter((reason) => exempt[reason] !== 0n);
  return {
    ...(named.length > 0 && { exempt: Object.fromEntries(named.map((reason) => [reason, write(exempt[reason])])) }),
    ...(not_covered !== 0n && { not_covered_amount: write(not_covered) }),
  };
};

const baseOfAll = (sums: readonly Sum[], write: Write): OpenBase => {
  const all = noParts();
  for (const part of parts) for (const sum of sums) all[part] += sum.parts[part];
  return {
    taxable_amount: write(sums.reduce((sum, { taxable }) => sum + taxable, 0n)),
    exempt_amount: write(sums.reduce((sum, { exempt }) => sum + exempt, 0n)),
    ...splitOf({ parts: all }, write),
  };
};

/** The sums by jurisdiction and rate. */
const amountsOf = (rows: readonly Row[], exponent: number, write: Write): OpenAmounts[] => {
  const groups = Map.groupBy(rows, ({ row }) => `${row.jurisdiction_code} ${row.rate}`);
  const taxes = rows.map(({ row }) => row);
  return summaryOfRows(taxes, exponent, write).map((amounts) => {
    const sum = summed(groups.get(`${amounts.jurisdiction_code} ${amounts.rate}`) ?? [], exponent);
    return {
      ...amounts,
      exempt_amount: write(sum.exempt),
      ...splitOf(sum, write),
      ...(sum.calculated !== sum.tax && { calculated_tax_amount: write(sum.calculated) }),
    };
  });
};

const exceptionsOf = (charges: readonly Charge[], gross: bigint, exponent: number, write: Write): EntryException[] => {
  const rows = charges.flatMap((charge) => charge.rows);
  const uncovered = charges.map((charge) =>
    charge.rows.filter(({ row, part }) => part === 'not_covered' && /[1-9]/.test(row.exempt_amount)),
  );
  // A local jurisdiction may be the only one that is not covered.
  const notCovered = uncovered.reduce(
    (sum, some) => (some.length > 0 ? sum + largestOf(some, exponent).parts.not_covered : sum),
    0n,
  );
  const differs = (sign: 1n | -1n) =>
    rows.some(({ row, calculated }) => sign * (parseAmount(row.tax_amount, exponent) - calculated) > 0n);
  return [
    ...(uncovered.some((some) => some.length > 0)
      ? [{ reason: 'not_covered', gross_amount: write(notCovered) } as const]
      : []),
    ...(differs(1n) ? [{ reason: 'over_collected', gross_amount: write(gross) } as const] : []),
    ...(differs(-1n) ? [{ reason: 'under_collected', gross_amount: write(gross) } as const] : []),
  ];
};

const documentOf = (transaction: Transaction, charges: readonly Charge[]): EntryDocument => {
  const line = charges.find((charge) => charge.line !== null)?.line ?? transaction.line_items[0];
  const address = line?.customer?.address ?? transaction.customer?.address;
  return {
    type: transaction.type,
    tax_day: transaction.tax_date.slice(0, 10),
    reference_id: transaction.reference_id,
    customer_id: line?.customer?.id ?? transaction.customer?.id ?? null,
    postal_code: /^\s*(\d{5})/.exec(address?.postal_code ?? '')?.[1] ?? null,
  };
};

/**
 * The open entries of a finalized transaction (interface decisions 8): one for each state in which the account is
 * registered on any day, or which the document has a tax of. Without registrations, each state of the document counts. A
 * credit's amounts are negative.
 *
 * Pure. Transactions that an earlier version finalized have entries of what is owed alone, because the entries must stay
 * as they were posted.
 */
export const openEntriesOf = (posting: Posting): OpenEntry[] => {
  const { transaction } = posting;
  const exponent = exponentOf(transaction.currency);
  const sign = transaction.type === 'credit' ? -1n : 1n;
  const write = (minor: bigint) => formatAmount(sign * minor, exponent);
  return statesOf(posting, exponent).map(({ state, charges }) => {
    const bases = charges.map((charge) => baseOf(charge, exponent));
    const gross = bases.reduce((sum, base) => sum + grossOf(base), 0n);
    const exceptions = exceptionsOf(charges, gross, exponent, write);
    const rows = charges.flatMap((charge) => charge.rows);
    return {
      transactionId: transaction.id,
      state,
      month: transaction.tax_date.slice(0, 7),
      currency: transaction.currency,
      version: transaction.version,
      base: baseOfAll(bases, write),
      amounts: amountsOf(rows, exponent, write),
      ...(posting.entryForm === 'complete' && { document: documentOf(transaction, charges) }),
      ...(exceptions.length > 0 && { exceptions }),
    };
  });
};
