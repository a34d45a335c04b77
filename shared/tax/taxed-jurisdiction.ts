import { getOrAdd } from '../base/collections.ts';
import { countsFrom, coversDay } from '../catalog/effective.ts';
import { listRates } from '../catalog/rates.ts';
import type { Release, Rule } from '../catalog/release.ts';
import type { Jurisdiction, Rate } from '../catalog/release-values.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { ScaledRate, SourcedAt } from './assessment.ts';
import type { CollectionExemption, Place } from './document.ts';
import type { Use } from './effects/definition.ts';
import { effectDefinition } from './effects/effects.ts';
import { scaledRate } from './general-rate.ts';
import { chooseRule, type DecidingRule, shippingRule } from './rule-choice.ts';

/** The product, the buyer and the day, which are the same in every jurisdiction. */
export type TaxedProduct = {
  readonly product: ProductTaxCode;
  readonly day: string;
  /** The document's currency. */
  readonly currency: string;
  readonly use: Use;
  readonly collectionExemption: CollectionExemption;
};

/**
 * One jurisdiction of a place. Its `rate` is `null` where it is not established, or where it exists for a band or a fee
 * alone.
 */
export type TaxedJurisdiction = {
  readonly release: Release;
  readonly place: Place;
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  readonly zip5: string | null;
  readonly county: string | null;
  readonly rate: Rate | null;
  readonly isAdditional: boolean;
  readonly taxedProduct: TaxedProduct;
};

const additionalCodes = new WeakMap<Release, ReadonlySet<string>>();

const findAdditionalCodes = (release: Release): ReadonlySet<string> =>
  new Set(
    release.rules
      .filter(({ effect: { type } }) => type === 'band' || type === 'flat_fee')
      .flatMap(({ jurisdictions }) => jurisdictions ?? [])
      .filter((code) => listRates(release, code).length === 0),
  );

/** Whether a jurisdiction exists for a band or a fee alone: it has no rate, and a rule with one of them names its code. */
export const isAdditionalJurisdiction = (release: Release, code: string): boolean =>
  getOrAdd(additionalCodes, release, () => findAdditionalCodes(release)).has(code);

/** Whether a rule decides about a jurisdiction that exists for a band or a fee alone. */
const appliesToAdditional = ({ jurisdictions, effect }: Rule, code: string): boolean =>
  jurisdictions?.includes(code) === true || effectDefinition(effect).appliesToAdditionalJurisdictions === true;

/** The rule of a case, except the rules `without`: holidays whose limit the price is above. */
export const decidingRule = (
  taxedJurisdiction: TaxedJurisdiction,
  without: readonly Rule[] = [],
): DecidingRule | undefined => {
  const { release, jurisdiction, zip5, county, taxedProduct } = taxedJurisdiction;
  const { product, day } = taxedProduct;
  const isEligible = (rule: Rule) =>
    !without.includes(rule) && (!taxedJurisdiction.isAdditional || appliesToAdditional(rule, jurisdiction.code));
  const chosen = chooseRule(release, { ...jurisdiction, zip5, county }, product, day, isEligible);
  // Shipping is in a band only where a rule includes it.
  return chosen ?? (taxedJurisdiction.isAdditional ? undefined : shippingRule(release, product, day));
};

/** Whether a rule is known on a day, established or as an approximation. */
export const isRuleKnown = (rule: DecidingRule, day: string, release: Release): boolean =>
  !rule.isBeforeFirst && coversDay(rule, day, countsFrom(release));

/**
 * Whether the tax of a case is known. Where the general rate is not established, it is known for goods whose rule gives the
 * tax without it.
 */
export const isKnown = (taxedJurisdiction: TaxedJurisdiction): boolean => {
  const { release, rate, taxedProduct } = taxedJurisdiction;
  if (rate || taxedJurisdiction.isAdditional) return true;
  const rule = taxedProduct.collectionExemption ? undefined : decidingRule(taxedJurisdiction);
  return (
    rule !== undefined &&
    isRuleKnown(rule, taxedProduct.day, release) &&
    effectDefinition(rule.effect).isWholeAnswer === true
  );
};

/** The rate that a reduced rate is compared with, where the general rate of the day is not established. */
export const generalLater = ({ release, jurisdiction }: TaxedJurisdiction): ScaledRate => {
  const [known] = listRates(release, jurisdiction.code);
  return scaledRate(known?.rate ?? '0');
};
