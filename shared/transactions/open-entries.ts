import type { TaxSummaryRow } from '../calculations/response.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import { exponentOf, formatAmount } from '../money/currency.ts';
import { type Charge, chargesOf, isLiability, isTaxed, liabilitiesOf } from './entries/charges.ts';
import type { ExceptionReason, NamedExemption } from './entries/reasons.ts';
import { amountsOf, baseOf, baseOfAll, exceptionsOf, grossOf } from './entries/sums.ts';
import type { StoredTransaction, Transaction } from './transaction.ts';

/** The parts of an amount that are not zero. Entries that earlier versions posted have none. */
export type OpenSplit = {
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

/** What the entries of a transaction depend on. */
export type Posting = Pick<StoredTransaction, 'transaction' | 'pinned' | 'entryForm' | 'replacedReason'>;

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
