import type { TaxingPlace } from '../content/place.ts';
import type { Jurisdiction, Rounding } from '../content/release.ts';
import type { Decimal } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';

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

/** A place that taxes, and whether the sale is taxed where it arrives or where it begins. */
export type Place = TaxingPlace & { readonly sourcing: 'destination' | 'origin' };

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
  /** Decimals of the currency's minor unit. */
  readonly exponent: number;
  readonly rounding: 'line' | 'invoice';
  readonly taxIncluded: boolean;
  /** Document-level discounts, spread over the lines. */
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly lines: readonly TaxLine[];
  readonly shipping: { readonly amount: bigint; readonly product: ProductTaxCode } | null;
};

/** What one jurisdiction takes from one line (or from the shipping). */
export type TaxRow = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: 'destination' | 'origin';
  /** The rate as the content writes it. */
  readonly rate: string;
  readonly reason: TaxabilityReason;
  readonly ruleId: string | null;
  readonly taxable: bigint;
  readonly exempt: bigint;
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
};

export type TaxedShipping = Pick<TaxedLine, 'net' | 'taxable' | 'exempt' | 'tax' | 'rows' | 'treatments'>;

export type TaxedDocument = { readonly lines: readonly TaxedLine[]; readonly shipping: TaxedShipping | null };

/** What the content says of one product in one jurisdiction on one day: found once, used for every line like it. */
export type Treatment = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: 'destination' | 'origin';
  readonly state: string;
  readonly rounding: Rounding;
  /** The general rate, as written and in units of `10^-rateDecimals`. */
  readonly rate: ScaledRate;
  readonly effect: ResolvedEffect;
  readonly ruleId: string | null;
  /** What the answer rests on, where that is worth a warning. */
  readonly doubts: readonly Doubt[];
};

export type ScaledRate = { readonly text: string; readonly units: bigint };
export type Doubt = {
  readonly code: 'content_unconfirmed' | 'taxability_not_established' | 'not_covered';
  readonly message: string;
};

/** An effect with the buyer's use decided and its numbers read. Thresholds are decimals per unit. */
export type ResolvedEffect =
  | { readonly type: 'standard' }
  | { readonly type: 'rate'; readonly rate: ScaledRate }
  | { readonly type: 'exempt' | 'follows_goods' }
  | { readonly type: 'relief'; readonly reason: Exclude<Relief, null> | 'not_supported' | 'not_subject_to_tax' }
  | { readonly type: 'threshold_cliff'; readonly amount: Decimal; readonly inclusive: boolean }
  | { readonly type: 'threshold_excess'; readonly amount: Decimal }
  | { readonly type: 'threshold_rate'; readonly amount: Decimal; readonly rate: ScaledRate };
