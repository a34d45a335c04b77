import type { TaxSummaryRow } from '../../calculations/response.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';

/**
 * Why a part of the gross is exempt, as returns need it: the buyer resells, the buyer is exempt otherwise, SNAP benefits
 * paid, a marketplace collects, or the account was not registered on the tax day. The rest is exempt because of the product.
 */
export const namedExemptions = ['resale', 'customer', 'snap', 'marketplace', 'not_registered'] as const;
export type NamedExemption = (typeof namedExemptions)[number];

/** Why an entry needs attention before the return is sent. */
export const exceptionReasons = ['not_covered', 'over_collected', 'under_collected'] as const;
export type ExceptionReason = (typeof exceptionReasons)[number];

/** Parts of a sum, absent where zero. `exempt` minus its named parts is exempt because of the product. */
type Part =
  | NamedExemption
  /** The part that the content does not cover. It is neither taxable nor exempt. */
  | 'not_covered'
  /** The recorded tax less the calculated tax. */
  | 'difference'
  | 'over_collected'
  /** The gross of credits. */
  | 'credit';
const parts: readonly Part[] = [...namedExemptions, 'not_covered', 'difference', 'over_collected', 'credit'];

export type Parts = { readonly [Name in Part]?: bigint | undefined };

/** Amounts in minor units. */
export type Amounts = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint } & Parts;

/** Amounts, and the number of entries and of credits among them that they come from. */
export type Sum = Amounts & { readonly count: number; readonly credits?: number | undefined };

export const zeroSum: Sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 0 };

/** The parts that are not zero. */
export const mapParts = (amountOf: (part: Part) => bigint): Parts => {
  const some: { -readonly [Name in Part]?: bigint } = {};
  for (const part of parts) {
    const amount = amountOf(part);
    if (amount !== 0n) some[part] = amount;
  }
  return some;
};

/** The sum of two sums. Amounts without a count add none. */
export const plus = (a: Sum, b: Amounts & Partial<Pick<Sum, 'count' | 'credits'>>): Sum => {
  const credits = (a.credits ?? 0) + (b.credits ?? 0);
  return {
    taxable: a.taxable + b.taxable,
    exempt: a.exempt + b.exempt,
    tax: a.tax + b.tax,
    count: a.count + (b.count ?? 0),
    ...mapParts((part) => (a[part] ?? 0n) + (b[part] ?? 0n)),
    ...(credits > 0 && { credits }),
  };
};

export const grossAmount = ({ taxable, exempt, not_covered = 0n }: Amounts): bigint => taxable + exempt + not_covered;

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
