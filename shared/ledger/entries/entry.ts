import type { TaxSummaryRow } from '../../calculations/response.ts';
import type { Amounts, ExceptionReason } from '../sums.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';

/** The sums of one jurisdiction in an open entry, negative for a credit. */
export type JurisdictionAmounts = Readonly<
  Pick<TaxSummaryRow, 'jurisdiction_code' | 'jurisdiction_name' | 'jurisdiction_type' | 'reporting_code' | 'rate'>
> &
  Amounts;

/** A reason to look at an entry before the return is sent, and the gross that it is about, in minor units. */
export type EntryException = { readonly reason: ExceptionReason; readonly gross: bigint };

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
export type LiabilityEntry = {
  readonly transactionId: string;
  /** `US-MI` */
  readonly state: string;
  /** `YYYY-MM`, of the tax day. */
  readonly month: string;
  readonly currency: string;
  /** The version of the transaction that posted it, as the condition of removing the entry. */
  readonly version: number;
  /**
   * The sums of the lines and the shipping, each counted once: by the state's own row, or by the jurisdiction with the
   * largest gross where the state has no tax of its own. Without tax.
   */
  readonly base: Amounts;
  readonly amounts: readonly JurisdictionAmounts[];
  readonly document: EntryDocument;
  /** Absent where there are none. */
  readonly exceptions?: readonly EntryException[] | undefined;
};

/** The inputs from which the entries of a transaction are computed. */
export type PostingInput = Pick<
  StoredTransaction,
  | 'transaction'
  | 'settingsSnapshot'
  | 'replacedReason'
  | 'exemptShipping'
  | 'calculatedTaxes'
  | 'isUnderCollected'
  | 'statesOfSale'
>;
