import { countsFrom, coversDay } from '../content/effective.ts';
import { ratesOf } from '../content/rates.ts';
import type { Release, Rule } from '../content/release.ts';
import type { Jurisdiction, Rate } from '../content/release-values.ts';
import { getOrAdd } from '../get-or-add.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { ScaledRate, SourcedAt } from './assessment.ts';
import type { Place, Relief } from './document.ts';
import type { Use } from './effects/definition.ts';
import { definitionOf } from './effects/effects.ts';
import { scaledRate } from './general-rate.ts';
import { chooseRule, type DecidingRule, shippingRule } from './rule-choice.ts';

/** The product, the buyer and the day, which are the same in every jurisdiction. */
export type Subject = {
  readonly product: ProductTaxCode;
  readonly day: string;
  /** The document's currency. */
  readonly currency: string;
  readonly use: Use;
  readonly relief: Relief;
};

/** One jurisdiction of a place. Its `rate` is `null` where it is not established, or where it exists for a band alone. */
export type Case = {
  readonly release: Release;
  readonly place: Place;
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  readonly zip5: string | null;
  readonly county: string | null;
  readonly rate: Rate | null;
  readonly isBandOnly: boolean;
  readonly subject: Subject;
};

const bandCodes = new WeakMap<Release, ReadonlySet<string>>();

const findBandCodes = (release: Release): ReadonlySet<string> =>
  new Set(
    release.rules
      .filter(({ effect }) => effect.type === 'band')
      .flatMap(({ jurisdictions }) => jurisdictions ?? [])
      .filter((code) => ratesOf(release, code).length === 0),
  );

/** Whether a jurisdiction exists for a band alone, on any day: it has no rate, and a rule with a band names its code. */
export const isBandJurisdiction = (release: Release, code: string): boolean =>
  getOrAdd(bandCodes, release, () => findBandCodes(release)).has(code);

/** Whether a rule decides about a jurisdiction that exists for a band alone. */
const appliesToBand = ({ jurisdictions, effect }: Rule, code: string): boolean =>
  jurisdictions?.includes(code) === true || definitionOf(effect).appliesToBandJurisdictions === true;

/** The rule of a case, except the rules `without`: holidays whose limit the price is above. */
export const ruleOf = (taxCase: Case, without: readonly Rule[] = []): DecidingRule | undefined => {
  const { release, jurisdiction, zip5, county, subject } = taxCase;
  const { product, day } = subject;
  const isEligible = (rule: Rule) =>
    !without.includes(rule) && (!taxCase.isBandOnly || appliesToBand(rule, jurisdiction.code));
  const chosen = chooseRule(release, { ...jurisdiction, zip5, county }, product, day, isEligible);
  // Shipping never follows goods in a band: the band is on the price of one article.
  return chosen ?? (taxCase.isBandOnly ? undefined : shippingRule(release, product, day));
};

/** Whether the content has what a rule says of a day, established or as an approximation. */
export const isRuleKnown = (rule: DecidingRule, day: string, release: Release): boolean =>
  !rule.isBeforeFirst && coversDay(rule, day, countsFrom(release));

/**
 * Whether the tax of a case is known. Where the general rate is not established, it is known for goods whose rule gives the
 * tax without it.
 */
export const isKnown = (taxCase: Case): boolean => {
  const { release, rate, subject } = taxCase;
  if (rate || taxCase.isBandOnly) return true;
  const rule = subject.relief ? undefined : ruleOf(taxCase);
  return (
    rule !== undefined && isRuleKnown(rule, subject.day, release) && definitionOf(rule.effect).isWholeAnswer === true
  );
};

/** The rate that a reduced rate is compared with, where the general rate of the day is not established. */
export const generalLater = ({ release, jurisdiction }: Case): ScaledRate => {
  const [known] = ratesOf(release, jurisdiction.code);
  return scaledRate(known?.rate ?? '0');
};
