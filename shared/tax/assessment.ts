import { getOrAdd } from '../base/collections.ts';
import { type Jurisdiction, type Rate, type Rounding, rateDecimals } from '../catalog/release-values.ts';
import { type Decimal, decimal, powerOfTen, rescale } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Base, FeeBase } from './effects/base.ts';

/** Types and helpers for how a jurisdiction treats a product, and for its tax on a base before rounding. */

/** Why a jurisdiction taxes a line the way it does. */
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

/** Whether a sale is taxed at its destination or its origin. */
export type SourcedAt = 'destination' | 'origin';

/** How a jurisdiction treats a product on a day. Shared by all lines with the same product and place. */
export type Treatment = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  readonly state: string;
  readonly rounding: Rounding;
  /** The rate if no rule sets a different one: the general rate or the food rate. */
  readonly general: RatedAs;
  readonly effect: ResolvedEffect;
  /** Whether the rule's threshold is compared with the price including shipping. */
  readonly includesShipping: boolean;
  /** Whether the jurisdiction exists only for a band or a fee. It then has no row if it charges nothing. */
  readonly isAdditional: boolean;
  readonly ruleId: string | null;
  /** Uncertainties about the content, which become warnings. */
  readonly uncertainties: readonly Uncertainty[];
  /** An uncertainty that matters only to units above an amount. */
  readonly aboveAmount?: { readonly amount: Decimal; readonly uncertainties: readonly Uncertainty[] } | undefined;
};

/** A rate as written in the release (or a share of a visible rate), and in units of `10^-rateDecimals`. */
export type ScaledRate = { readonly text: string; readonly units: bigint; readonly grossedUp?: GrossedUp };
/** The rates behind a share of a visible rate, as decimal fractions. */
export type GrossedUp = {
  /** The rate of the jurisdiction, and the combined rate of all jurisdictions of the place, on gross receipts. */
  readonly owed: string;
  readonly owedTogether: string;
  /** The combined visible rate. */
  readonly visible: string;
};
/** A rate, and the taxability reason for rows taxed at it. */
export type RatedAs = { readonly rate: ScaledRate; readonly reason: TaxabilityReason };
export type Uncertainty = {
  readonly code:
    | 'content_unconfirmed'
    | 'content_approximate'
    | 'taxability_not_established'
    | 'taxability_assumed'
    | 'other_tax_applies'
    | 'not_covered';
  readonly message: string;
};

/** An effect with its numbers parsed and the buyer's use applied. */
export type ResolvedEffect = {
  /** Effects that callers handle separately. `collection_exemption` applies to any product. */
  readonly kind?: 'any_taxable' | 'flat_fee' | 'follows_goods' | 'holiday' | 'collection_exemption';
  /**
   * Applies the effect to a base. Amounts are per unit: the line's price is compared with the amount times the
   * quantity. If only the net grows, the taxable part grows at most as much, because shipping that follows the goods is
   * taxed as the last part of the net.
   */
  readonly assess: (treatment: Treatment, base: Base) => Assessment;
  /**
   * The rate on the whole price: the general rate or the rule's rate. Absent if the goods are exempt or if the rate
   * depends on the price.
   */
  readonly wholeRate?: 'general' | RatedAs;
  /** The limit on the taxable price of an item, where the units of a set may count as one item. */
  readonly itemCap?: Decimal | undefined;
  /** The treatment that applies if the price is above a holiday's limit. */
  readonly beyondLimit?: Treatment;
  /** For a fee: the goods that it depends on; `null` for the taxable goods of the order. */
  readonly feeBase?: FeeBase | null;
  /** For a fee: whether it is due once per order. */
  readonly isOncePerOrder?: boolean;
  /** Whether an amount is compared with the price of all goods in the document to which the rule applies. */
  readonly isPerOrder?: boolean;
  /** Whether shipping that follows the goods is taxed in their proportion, if no threshold includes shipping. */
  readonly sharesProportion?: true;
  /** Whether the tax on a price is limited. Shipping that is part of the price may then be untaxed. */
  readonly limitsTax?: true;
  /** Returns the effect with a limit that includes the taxes of the place's other treatments. */
  readonly limitedWith?: (others: readonly Treatment[]) => ResolvedEffect;
};

/** A row before rounding: its base, its rate and the exact tax. */
export type Assessment = {
  /** The treatment whose rule applied. Above a holiday's limit, the treatment without the holiday. */
  readonly treatment: Treatment;
  readonly taxable: bigint;
  readonly exempt: bigint;
  readonly rate: ScaledRate;
  readonly reason: TaxabilityReason;
  /** The exact tax, in units of `10^-rateDecimals` of a minor unit: base times rate, unless a cap or a fee applies. */
  readonly exact: bigint;
};

/** One minor unit of the currency, at the scale of taxable base times rate. */
export const minorUnit = powerOfTen(rateDecimals);

/** Applies a jurisdiction's treatment to a taxable base. */
export const assess = (treatment: Treatment, base: Base): Assessment => treatment.effect.assess(treatment, base);

/** Taxes an entire amount. */
export const taxed = (treatment: Treatment, net: bigint, { rate, reason }: RatedAs): Assessment => ({
  treatment,
  taxable: net,
  exempt: 0n,
  rate,
  reason,
  exact: net * rate.units,
});
/** Exempts an entire amount. */
export const untaxed = (treatment: Treatment, net: bigint, reason: TaxabilityReason): Assessment => ({
  treatment,
  taxable: 0n,
  exempt: net,
  rate: treatment.general.rate,
  reason,
  exact: 0n,
});

/** Taxes part of the net. `reason` applies unless the part is the entire net. */
export const partly = (
  treatment: Treatment,
  { net }: Base,
  taxable: bigint,
  rated: RatedAs,
  reason: TaxabilityReason,
): Assessment => {
  const { rate } = rated;
  const isWhole = taxable === net;
  return {
    treatment,
    taxable,
    exempt: net - taxable,
    rate,
    reason: isWhole ? rated.reason : reason,
    exact: taxable * rate.units,
  };
};

/** Parses a rate as written in the release to units of `10^-rateDecimals`. */
export const scaledRate = (text: string): ScaledRate => ({ text, units: rescale(decimal(text), rateDecimals) });

/** Returns a rate with its reason: zero, reduced or standard relative to the general rate. */
export const ratedAs = (rate: ScaledRate, general: ScaledRate): RatedAs => {
  if (rate.units === 0n) return { rate, reason: 'zero_rated' };
  return { rate, reason: rate.units < general.units ? 'reduced_rated' : 'standard_rated' };
};

/**
 * Food for home use, taxed at a jurisdiction's `food_rate`: groceries, except prepared food (heated, or sold with
 * utensils) and supplements, which SSUTA does not classify as food.
 */
const foodForHome = 'FOOD.GROCERY';
const notForHome = ['_HEATED', '_UTENSILS_PROVIDED', '_SUPPLEMENT_FACTS'];

const isFoodForHome = ({ path, attributes }: ProductTaxCode): boolean =>
  (path === foodForHome || path.startsWith(`${foodForHome}.`)) &&
  !notForHome.some((attribute) => attributes.includes(attribute));

type Read = { readonly goods: RatedAs; readonly food: RatedAs };
type ReadRate = { readonly intrastate: Read; readonly interstate: Read };

const readPair = ({ rate, food_rate }: Pick<Rate, 'rate' | 'food_rate'>): Read => {
  const general = scaledRate(rate);
  const goods = ratedAs(general, general);
  return { goods, food: food_rate === undefined ? goods : ratedAs(scaledRate(food_rate), general) };
};

// Each rate is parsed once, because releases are immutable.
const readRates = new WeakMap<Rate, ReadRate>();

const readRate = (rate: Rate): ReadRate =>
  getOrAdd(readRates, rate, () => {
    const intrastate = readPair(rate);
    return { intrastate, interstate: rate.interstate ? readPair(rate.interstate) : intrastate };
  });

/** Returns a jurisdiction's rate on general goods. */
export const goodsRate = (rate: Rate, isInterstate: boolean): ScaledRate =>
  readRate(rate)[isInterstate ? 'interstate' : 'intrastate'].goods.rate;

/** Returns a jurisdiction's rate on general goods, and its rate on this product if no rule applies. */
export const generalRates = (
  rate: Rate,
  product: ProductTaxCode,
  isInterstate: boolean,
): { readonly goods: RatedAs; readonly own: RatedAs } => {
  const { goods, food } = readRate(rate)[isInterstate ? 'interstate' : 'intrastate'];
  return { goods, own: isFoodForHome(product) ? food : goods };
};

/**
 * Returns the taxable amount of a line: the largest base among its jurisdictions, because they all tax the same goods.
 */
export const widestBase = (assessments: readonly Assessment[]): bigint => {
  let widest = 0n;
  for (const { taxable } of assessments) if (taxable > widest) widest = taxable;
  return widest;
};
