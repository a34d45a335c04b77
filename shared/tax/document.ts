import type { TaxingPlace } from '../content/location/place.ts';
import type { Jurisdiction, Rounding } from '../content/release.ts';
import type { Decimal } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { ResolvedEffect } from './effects/definition.ts';

/** Why a jurisdiction's row is what it is (interface decisions 2). */
export type TaxabilityReason = (typeof taxabilityReasons)[number];
export const taxabilityReasons = [
  'standard_rated',
  'reduced_rated',
  'zero_rated',
  'product_exempt',
  'product_exempt_holiday',
  'customer_exempt',
  'not_collecting',
  'marketplace_collects',
  'not_subject_to_tax',
  'not_supported',
  'portion_product_exempt',
  'portion_standard_rated',
  'portion_reduced_rated',
  'taxable_basis_reduced',
  'over_collected',
] as const;

/** Whether a sale is taxed where it arrives or where it begins. */
export type SourcedAt = 'destination' | 'origin';

/** A place that taxes, and how the sale that is taxed there came about. */
export type Place = TaxingPlace & {
  /** For each of its jurisdictions where the sale is sourced. */
  readonly sourcing: readonly SourcedAt[];
  /** For each of its jurisdictions the five digits of the ZIP where the sale is sourced, if any: some rules bind there. */
  readonly zips: readonly (string | null)[];
  /** For each of its jurisdictions the county (five-digit FIPS) where the sale is sourced, if it is known. */
  readonly counties: readonly (string | null)[];
  /** Whether the goods come from another state; a sale of unknown origin does. Some rates depend on it. */
  readonly isInterstate: boolean;
};

export type Use = 'business' | 'personal' | null;

/** Why nothing is collected from this buyer, whatever the product. */
export type Relief = 'not_collecting' | 'marketplace_collects' | 'customer_exempt' | null;

/** A line to tax. Amounts are in minor units of the document's currency. */
export type TaxLine = {
  readonly product: ProductTaxCode;
  readonly quantity: Decimal;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly place: Place;
  readonly use: Use;
  readonly relief: Relief;
};

export type TaxDocument = {
  /** The tax day, `YYYY-MM-DD`. */
  readonly day: string;
  /** ISO 4217. What the content says in amounts holds in the state's currency alone. */
  readonly currency: string;
  /** Decimals of the currency's minor unit. */
  readonly exponent: number;
  readonly rounding: 'line' | 'invoice';
  readonly taxIncluded: boolean;
  /** Whether general excise taxes are charged at their highest visible rates (`general-excise.ts`). */
  readonly passOnGeneralExcise: boolean;
  /** Document-level discounts, spread over the lines. */
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly lines: readonly TaxLine[];
  readonly shipping: { readonly amount: bigint; readonly product: ProductTaxCode } | null;
};

/** What one jurisdiction takes from one line (or from the shipping). */
export type TaxRow = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  /** The rate as the content writes it, or a share of a visible rate. */
  readonly rate: string;
  /** What the rate passes on, where it is a share of a visible rate. */
  readonly passedOn: PassedOn | null;
  readonly reason: TaxabilityReason;
  readonly ruleId: string | null;
  readonly taxable: bigint;
  readonly exempt: bigint;
  /** The tax before rounding, in units of `10^-rateDecimals` of a minor unit. */
  readonly exact: bigint;
  readonly tax: bigint;
};

export type TaxedLine = {
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  /** The taxable base before exemptions: the amount less seller discounts, without tax. */
  readonly net: bigint;
  readonly taxable: bigint;
  readonly exempt: bigint;
  readonly tax: bigint;
  readonly rows: readonly TaxRow[];
  /** The treatments behind the rows, for warnings and explanations. */
  readonly treatments: readonly Treatment[];
  /** Where its price includes tax that no net gives: what was taken instead, one object for all that it is of. */
  readonly inexact: InexactGross | null;
};

export type TaxedShipping = Pick<TaxedLine, 'net' | 'taxable' | 'exempt' | 'tax' | 'rows' | 'treatments' | 'inexact'>;

/**
 * Prices with tax in them that no net gives with its own tax: the charges that are rounded together, by the places of their
 * lines (`null` is the shipping), and what they come to. Their tax is what the gross has more than the net.
 */
export type InexactGross = {
  readonly charges: readonly (number | null)[];
  readonly gross: bigint;
  readonly net: bigint;
  /** The tax that the net has by itself. */
  readonly taxOfNet: bigint;
};

export type TaxedDocument = { readonly lines: readonly TaxedLine[]; readonly shipping: TaxedShipping | null };

/** What the content says of one product in one jurisdiction on one day: found once, used for every line like it. */
export type Treatment = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  readonly state: string;
  readonly rounding: Rounding;
  /** The rate where no rule has one of its own: the general one or that of food. */
  readonly general: RatedAs;
  readonly effect: ResolvedEffect;
  /** Whether the shipping of the goods counts in the price that the rule compares, and is a part of it. */
  readonly includesShipping: boolean;
  /** Whether the jurisdiction is there for a band alone, and so has no row where it taxes nothing. */
  readonly isBandOnly: boolean;
  readonly ruleId: string | null;
  /** What the answer rests on, where that is worth a warning. */
  readonly doubts: readonly Doubt[];
};

/** A rate as the content writes it, or a share of a visible rate; and in units of `10^-rateDecimals`. */
export type ScaledRate = { readonly text: string; readonly units: bigint; readonly passedOn?: PassedOn };
/** What a share of a visible rate passes on. All are fractions as decimal texts. */
export type PassedOn = {
  /** The rate of the jurisdiction, and of all jurisdictions of the place together, on gross receipts. */
  readonly owed: string;
  readonly owedTogether: string;
  /** The visible rate of all together. */
  readonly visible: string;
};
/** A rate, and what is said of goods that are taxed at it. */
export type RatedAs = { readonly rate: ScaledRate; readonly reason: TaxabilityReason };
export type Doubt = {
  readonly code: 'content_unconfirmed' | 'taxability_not_established' | 'not_covered' | 'shipping_not_stated';
  readonly message: string;
};
