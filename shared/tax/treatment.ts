import { coversDay, possiblyInForce } from '../content/effective.ts';
import {
  type Dated,
  type Effect,
  type Evidence,
  type Jurisdiction,
  type PlainEffect,
  type Release,
  type Rule,
  rateDecimals,
} from '../content/release.ts';
import { decimal, rescale } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Doubt, Place, Relief, ResolvedEffect, ScaledRate, Treatment, Use } from './document.ts';
import { chooseRule, shippingRule } from './rule-choice.ts';

/** A rate as the content writes it, read once: a fraction in units of `10^-rateDecimals`. */
const scaledRate = (text: string): ScaledRate => ({ text, units: rescale(decimal(text), rateDecimals) });

const zero = scaledRate('0');

// Releases are immutable, so each of their rates is read once, not once for each document.
const generalRates = new WeakMap<Release['rates'][number], ScaledRate>();
const generalRate = (rate: Release['rates'][number]): ScaledRate => {
  const known = generalRates.get(rate);
  if (known) return known;
  const read = scaledRate(rate.rate);
  generalRates.set(rate, read);
  return read;
};

export type Subject = {
  readonly product: ProductTaxCode;
  readonly day: string;
  readonly use: Use;
  readonly relief: Relief;
};

/**
 * What each jurisdiction of a place does to a product on a day: the general rate, the rule that wins, and the doubts
 * that a client should hear of. A place that no release covers has one treatment, `not_supported`.
 */
export const treatmentsOf = (place: Place, subject: Subject): readonly Treatment[] => {
  const { release } = place;
  if (!release) return [uncovered(place, subject.relief, [])];
  const rates = place.jurisdictions.map((jurisdiction) => rateOn(release, jurisdiction, subject.day));
  const isOver = release.established_to !== null && subject.day > release.established_to;
  if (isOver || rates.some((rate) => rate === undefined))
    return [uncovered(place, subject.relief, [notCovered(release, subject.day)])];
  return place.jurisdictions.map((jurisdiction, index) =>
    treat(place, release, jurisdiction, rates[index] as Release['rates'][number], subject),
  );
};

const rateOn = (release: Release, { code }: Jurisdiction, day: string) =>
  release.rates.find(
    (rate) =>
      rate.jurisdiction === code && coversDay(rate, day, release.established_from) && possiblyInForce(rate, day),
  );

const notCovered = ({ name, id }: Release, day: string): Doubt => ({
  code: 'not_covered',
  message: `${name}: what applied on ${day} is not established in ${id}. No tax was calculated.`,
});

const halfUp = { method: 'half_up' } as const;

// Where nothing is collected from this buyer anyway, it does not matter what is not known.
const uncovered = (place: Place, relief: Relief, doubts: readonly Doubt[]): Treatment => ({
  jurisdiction: place.jurisdictions[0] ?? { code: place.code, name: place.name, type: 'state', tax_type: 'sales' },
  sourcing: place.sourcing,
  state: place.code,
  rounding: halfUp,
  rate: zero,
  effect: { type: 'relief', reason: relief ?? 'not_supported' },
  ruleId: null,
  doubts: relief ? [] : doubts,
});

const treat = (
  place: Place,
  release: Release,
  jurisdiction: Jurisdiction,
  rate: Release['rates'][number],
  subject: Subject,
): Treatment => {
  const { day, product, use, relief } = subject;
  const rule = chooseRule(release, jurisdiction, product, day) ?? shippingRule(release, product, day);
  const general = generalRate(rate);
  const treatment = {
    jurisdiction,
    sourcing: place.sourcing,
    state: place.code,
    rounding: release.settings.rounding.find((setting) => possiblyInForce(setting, day))?.policy ?? halfUp,
    rate: general,
    ruleId: rule?.id ?? null,
  };
  // A state without the tax has nothing to exempt from, and nobody collects where nobody is registered.
  if (general.units === 0n && jurisdiction.type === 'state' && rule?.effect.type !== 'rate')
    return { ...treatment, ruleId: null, effect: { type: 'relief', reason: 'not_subject_to_tax' }, doubts: [] };
  if (relief) return { ...treatment, effect: { type: 'relief', reason: relief }, doubts: [] };
  if (rule && !coversDay(rule, day, release.established_from) && !isGeneralRule(rule, product))
    return { ...treatment, effect: { type: 'relief', reason: 'not_supported' }, doubts: [notCovered(release, day)] };
  return {
    ...treatment,
    effect: rule ? resolve(rule.effect, product, use) : { type: 'standard' },
    doubts: [
      ...doubtsAbout(rate, `${jurisdiction.name}, general rate`),
      ...doubtsAboutRule(rule, product, jurisdiction),
    ],
  };
};

// General goods are what the general rate falls on: a rule that says no more is as old as the rate.
const isGeneralRule = ({ effect }: Rule, { path }: ProductTaxCode): boolean =>
  effect.type === 'taxable' && path === 'GENERAL';

const doubtsAbout = ({ confidence, note, source }: Evidence & Partial<Dated>, what: string): readonly Doubt[] =>
  confidence === 'high' || confidence === 'medium-high'
    ? []
    : [
        {
          code: 'content_unconfirmed',
          message: `${what}: ${note ?? 'not confirmed by a primary source'} (confidence ${confidence}, source ${source}).`,
        },
      ];

const doubtsAboutRule = (rule: Rule | undefined, product: ProductTaxCode, { name }: Jurisdiction): readonly Doubt[] =>
  rule
    ? doubtsAbout(rule, `${name}, rule ${rule.id}`)
    : [
        {
          code: 'taxability_not_established',
          message: `${name}: no rule names ${product.path}; it was taxed as general goods.`,
        },
      ];

const usedForBusiness = ({ attributes }: ProductTaxCode, use: Use): boolean =>
  attributes.includes('_BUSINESS_USE') || (use === 'business' && !attributes.includes('_PERSONAL_USE'));

const resolvePlain = (effect: PlainEffect): ResolvedEffect => {
  if (effect.type === 'taxable') return { type: 'standard' };
  return effect.type === 'rate' ? { type: 'rate', rate: scaledRate(effect.rate) } : { type: 'exempt' };
};

const resolve = (effect: Effect, product: ProductTaxCode, use: Use): ResolvedEffect => {
  switch (effect.type) {
    case 'taxable':
    case 'exempt':
    case 'rate':
      return resolvePlain(effect);
    case 'use_split':
      return resolvePlain(usedForBusiness(product, use) ? effect.business : effect.personal);
    case 'follows_goods':
      return { type: 'follows_goods' };
    case 'threshold_cliff':
      return { type: 'threshold_cliff', amount: decimal(effect.amount), inclusive: effect.inclusive };
    case 'threshold_excess':
      return { type: 'threshold_excess', amount: decimal(effect.amount) };
    case 'threshold_rate':
      return { type: 'threshold_rate', amount: decimal(effect.amount), rate: scaledRate(effect.rate) };
  }
};
