import { coversDay } from '../content/effective.ts';
import { ratesOf } from '../content/rates.ts';
import type { Jurisdiction, Rate, Release, Rule } from '../content/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Place, Relief, ScaledRate, SourcedAt, Use } from './document.ts';
import { definitionOf } from './effects/effects.ts';
import { scaledRate } from './general-rate.ts';
import { chooseRule, type DecidingRule, shippingRule } from './rule-choice.ts';

/** What is taxed, whatever the jurisdiction. */
export type Subject = {
  readonly product: ProductTaxCode;
  readonly day: string;
  /** The document's. */
  readonly currency: string;
  readonly use: Use;
  readonly relief: Relief;
};

/** One jurisdiction of a place, with its rate of the day; `null` where that is not established, or it has a band alone. */
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

/** Whether a rule decides about a jurisdiction that exists for a band alone. */
const isMeantForBand = ({ jurisdictions, effect }: Rule, code: string): boolean =>
  jurisdictions?.includes(code) === true || definitionOf(effect).appliesToBandJurisdictions === true;

/** The rule of a case, without the holidays that have been found not to hold. */
export const ruleOf = (one: Case, without: readonly Rule[] = []): DecidingRule | undefined => {
  const { release, jurisdiction, zip5, county, subject } = one;
  const { product, day } = subject;
  const isMeant = (rule: Rule) =>
    !without.includes(rule) && (!one.isBandOnly || isMeantForBand(rule, jurisdiction.code));
  const chosen = chooseRule(release, { ...jurisdiction, zip5, county }, product, day, isMeant);
  // Where shipping follows goods, a band does not: it is of the price of one article.
  return chosen ?? (one.isBandOnly ? undefined : shippingRule(release, product, day));
};

/**
 * Whether a case can be answered. Goods that a rule exempts, or taxes at a rate of its own, can be also where the general
 * rate is not established.
 */
export const isKnown = (one: Case): boolean => {
  const { release, rate, subject } = one;
  if (rate || one.isBandOnly) return true;
  const rule = subject.relief ? undefined : ruleOf(one);
  return (
    rule !== undefined &&
    coversDay(rule, subject.day, release.established_from) &&
    definitionOf(rule.effect).isWholeAnswer === true
  );
};

/** What a rate is compared with to be called a reduced one, where the general rate of the day is not established. */
export const generalLater = ({ release, jurisdiction }: Case): ScaledRate => {
  const [known] = ratesOf(release, jurisdiction.code);
  return scaledRate(known?.rate ?? '0');
};
