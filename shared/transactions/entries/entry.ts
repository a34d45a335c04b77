import type { TaxSummaryRow } from '../../calculations/response.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import type { ExceptionReason, NamedExemption } from './reasons.ts';

/** The parts of an amount that are not zero. */
export type OpenSplit = {
  /** Parts of `exempt_amount`. The rest is exempt because of the product. */
  readonly exempt?: { readonly [Reason in NamedExemption]?: string | undefined } | undefined;
  /** The part that the content does not cover. It is neither taxable nor exempt. */
  readonly not_covered_amount?: string | undefined;
};

/** The sums of one jurisdiction in an open entry. Amounts are decimal strings, negative for a credit. */
export type OpenAmounts = Readonly<Omit<TaxSummaryRow, 'reporting_code'>> &
  OpenSplit & {
    /** `null` where the content had none. */
    readonly reporting_code: string | null;
    /** Where it differs from the recorded tax. */
    readonly calculated_tax_amount?: string | undefined;
    /** For a credit that takes its calculated tax from its sale, where the two taxes differ. */
    readonly over_collected_amount?: string | undefined;
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
  /** The numbers of the certificates that exempted lines in the state; absent without any. */
  readonly certificate_numbers?: readonly string[] | undefined;
};

/** A finalized transaction's sales and tax in one state that no filing has yet. */
export type OpenEntry = {
  readonly transactionId: string;
  /** `US-MI` */
  readonly state: string;
  /** `YYYY-MM`, of the tax day. */
  readonly month: string;
  readonly currency: string;
  /** The version of the transaction that posted it, as the condition of removing the entry. */
  readonly version: number;
  readonly base: OpenBase;
  readonly amounts: readonly OpenAmounts[];
  readonly document: EntryDocument;
  /** Absent where there are none. */
  readonly exceptions?: readonly EntryException[] | undefined;
};

/** The inputs from which the entries of a transaction are computed. */
export type Posting = Pick<
  StoredTransaction,
  | 'transaction'
  | 'pinned'
  | 'replacedReason'
  | 'exemptShipping'
  | 'calculatedTaxes'
  | 'isUnderCollected'
  | 'statesOfSale'
>;
