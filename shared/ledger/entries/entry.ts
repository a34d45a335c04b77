import * as z from 'zod/mini';
import type { DeepReadonly } from '../../base/json.ts';
import { reviewCodes } from '../../calculations/warning-codes.ts';
import { minorUnits } from '../../money/minor-units.ts';
import { buyerExemptions, type RecordedBasis } from '../settings-snapshot.ts';
import type { StoredTransaction } from '../transaction.ts';

/**
 * Why a part of the gross is exempt, as returns report it: because of the buyer, tax collected by a marketplace, or no
 * registration on the tax day. The rest is exempt because of the product.
 */
export const namedExemptions = [...buyerExemptions, 'marketplace', 'not_registered'] as const;
export type NamedExemption = (typeof namedExemptions)[number];

/** Why an entry needs review before the return is filed. */
export const exceptionReasons = ['not_covered', 'over_collected', 'under_collected'] as const;

const part = z.optional(minorUnits);

/** Parts of a sum, absent if zero. `exempt` minus its named parts is exempt because of the product. */
const partShape = {
  ...(Object.fromEntries(namedExemptions.map((name) => [name, part])) as Record<NamedExemption, typeof part>),
  /** The part that the content does not cover. It is neither taxable nor exempt. */
  not_covered: part,
  /** The recorded tax minus the calculated tax. */
  difference: part,
  over_collected: part,
  /**
   * Parts of the tax due, which is the calculated and the over-collected tax: fees, a state's tax on food and health
   * products at its reduced rate, and the other tax on sales shipped from inside the state. The rest is on sales
   * shipped from outside.
   */
  fee: part,
  food_drug: part,
  in_state: part,
  /** The gross of credits. */
  credit: part,
};
type Part = keyof typeof partShape;

export const taxColumns = ['fee', 'food_drug', 'in_state'] as const;
const parts = Object.keys(partShape) as readonly Part[];

/** Amounts in minor units. */
const Amounts = z.object({ taxable: minorUnits, exempt: minorUnits, tax: minorUnits, ...partShape });
export type Amounts = DeepReadonly<z.output<typeof Amounts>>;
type Parts = Pick<Amounts, Part>;

/**
 * Amounts with the number of their entries. `credits` counts the credits among these entries. `marketplace_count`
 * counts the sales through marketplaces; only reports use it.
 */
export const Sum = z.extend(Amounts, {
  count: z.int(),
  credits: z.optional(z.int()),
  marketplace_count: z.optional(z.int()),
});
export type Sum = DeepReadonly<z.output<typeof Sum>>;

/** The gross and number of the entries with an exception. */
export const ExceptionSum = z.object({ gross: minorUnits, count: z.int() });
export type ExceptionSum = z.output<typeof ExceptionSum>;
/** The gross, tax and number of the entries to review for a code. */
export const ReviewSum = z.extend(ExceptionSum, { tax: minorUnits });
export type ReviewSum = z.output<typeof ReviewSum>;

export const zeroSum: Sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 0 };

/** Returns the parts that are not zero. */
const mapParts = (getAmount: (part: Part) => bigint): Parts => {
  const some: { -readonly [Name in Part]?: bigint } = {};
  for (const part of parts) {
    const amount = getAmount(part);
    if (amount !== 0n) some[part] = amount;
  }
  return some;
};

/** Adds two amounts, part by part. */
export const plusAmounts = (a: Amounts, b: Amounts): Amounts => ({
  taxable: a.taxable + b.taxable,
  exempt: a.exempt + b.exempt,
  tax: a.tax + b.tax,
  ...mapParts((part) => (a[part] ?? 0n) + (b[part] ?? 0n)),
});

/** Multiplies the amounts by a sign. */
export const timesSign = (amounts: Amounts, sign: 1n | -1n): Amounts => ({
  taxable: sign * amounts.taxable,
  exempt: sign * amounts.exempt,
  tax: sign * amounts.tax,
  ...mapParts((part) => sign * (amounts[part] ?? 0n)),
});

/** Adds amounts to a sum. Amounts without a count add none. */
export const plus = (a: Sum, b: Amounts & Partial<Pick<Sum, 'count' | 'credits' | 'marketplace_count'>>): Sum => {
  const credits = (a.credits ?? 0) + (b.credits ?? 0);
  const marketplace_count = (a.marketplace_count ?? 0) + (b.marketplace_count ?? 0);
  return {
    ...plusAmounts(a, b),
    count: a.count + (b.count ?? 0),
    ...(credits > 0 && { credits }),
    ...(marketplace_count !== 0 && { marketplace_count }),
  };
};

/** Returns the recorded tax of an entry, summed over all levels. */
export const entryTax = ({ amounts }: Pick<LiabilityEntry, 'amounts'>): bigint =>
  amounts.reduce((sum, { tax }) => sum + tax, 0n);

export const grossAmount = ({ taxable, exempt, not_covered = 0n }: Amounts): bigint => taxable + exempt + not_covered;

export const jurisdictionShape = {
  jurisdiction_code: z.string(),
  jurisdiction_name: z.string(),
  jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
};

/** The content of an entry. The field order is the order in storage. */
export const EntryFigures = z.object({
  /**
   * The amounts of the lines and shipping without tax, each counted once: from the state's row, or from the
   * jurisdiction with the largest gross if the state does not levy the tax.
   */
  base: Amounts,
  /** The amounts of each jurisdiction, negative for a credit. */
  amounts: z.array(
    z.extend(Amounts, { ...jurisdictionShape, reporting_code: z.nullable(z.string()), rate: z.string() }),
  ),
  /** The document as of when the entry was posted. */
  document: z.object({
    type: z.enum(['sale', 'credit']),
    /** `YYYY-MM-DD` */
    tax_day: z.string(),
    reference_id: z.nullable(z.string()),
    customer_id: z.nullable(z.string()),
    /** The five-digit ZIP code of the destination of the first line in the state. */
    postal_code: z.nullable(z.string()),
    /** The numbers of the certificates that exempted lines or shipping in the state; absent if none did. */
    certificate_numbers: z.optional(z.array(z.string())),
  }),
  /** The reasons to review the entry before the return is filed, each with its gross; absent if there are none. */
  exceptions: z.optional(z.array(z.object({ reason: z.enum(exceptionReasons), gross: minorUnits }))),
  /** The codes of the warnings that can change the tax in the state; absent if there are none. */
  review: z.optional(z.array(z.enum(reviewCodes))),
});

/** The identity of an entry, and its transaction's version. */
export const entryPlaceShape = {
  transactionId: z.string(),
  /** `US-MI` */
  state: z.string(),
  /** `YYYY-MM`, of the tax day. */
  month: z.string(),
  currency: z.string(),
  /** The version of the transaction that posted the entry. Removing the entry is conditional on it. */
  version: z.int(),
};

/** A finalized transaction's sales and tax in one state, not yet in a filing. */
export const LiabilityEntry = z.extend(EntryFigures, entryPlaceShape);
export type LiabilityEntry = DeepReadonly<z.output<typeof LiabilityEntry>>;
/** An entry as JSON, for ledger export files. */
export type LiabilityEntryJson = z.input<typeof LiabilityEntry>;
export const encodeEntry = (entry: LiabilityEntry): LiabilityEntryJson =>
  z.encode(LiabilityEntry, entry as z.output<typeof LiabilityEntry>);
export const decodeEntry = (json: LiabilityEntryJson): LiabilityEntry => z.decode(LiabilityEntry, json);
export type JurisdictionAmounts = LiabilityEntry['amounts'][number];
export type EntryException = NonNullable<LiabilityEntry['exceptions']>[number];

/** The inputs for computing a transaction's entries. */
export type PostingInput = Pick<StoredTransaction, 'transaction'> & Omit<RecordedBasis, 'creditOf' | 'creditBasis'>;
