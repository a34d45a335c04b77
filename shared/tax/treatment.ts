import { coversDay } from '../content/effective.ts';
import { rateOn } from '../content/rates.ts';
import type { Rule } from '../content/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { untaxed } from './assessment.ts';
import { type Case, generalLater, isKnown, ruleOf, type Subject } from './case.ts';
import type { Doubt, Place, RatedAs, Relief, ScaledRate, SourcedAt, TaxabilityReason, Treatment } from './document.ts';
import {
  doubtsAboutRate,
  doubtsAboutRule,
  doubtsAboutShipping,
  notCovered,
  otherCurrency,
  otherCurrencyTable,
} from './doubts.ts';
import { isBandJurisdiction } from './effects/band.ts';
import type { ResolvedEffect } from './effects/definition.ts';
import { definitionOf } from './effects/effects.ts';
import { taxedAtGeneralRate } from './effects/taxable.ts';
import { generalRates, ratedAs, scaledRate } from './general-rate.ts';
import { halfUp, roundingOf } from './rounding-setting.ts';
import type { DecidingRule } from './rule-choice.ts';

/**
 * What each jurisdiction of a place does to a product on a day: the general rate, the rule that wins, and the doubts
 * that a client should hear of. A place that no release covers has one treatment, `not_supported`.
 */
export const treatmentsOf = (place: Place, subject: Subject): readonly Treatment[] => {
  const { release, jurisdictions } = place;
  if (!release || place.jurisdictions.length === 0) return [uncovered(place, subject.relief, [])];
  const { day, relief } = subject;
  const cases = jurisdictions.map((jurisdiction, index) => ({
    release,
    place,
    jurisdiction,
    sourcing: place.sourcing[index] as SourcedAt,
    zip5: place.zips[index] ?? null,
    county: place.counties[index] ?? null,
    rate: rateOn(release, jurisdiction.code, day) ?? null,
    isBandOnly: isBandJurisdiction(release, jurisdiction.code),
    subject,
  }));
  const isOver = release.established_to !== null && day > release.established_to;
  if (isOver || !cases.every(isKnown)) return [uncovered(place, relief, [notCovered(release, subject, null)])];
  return cases.map((one) => treat(one));
};

const taxNothing = (reason: TaxabilityReason): ResolvedEffect => ({
  type: 'relief',
  assess: (treatment, { net }) => untaxed(treatment, net, reason),
});

const none = scaledRate('0');
const zeroRate: RatedAs = ratedAs(none, none);
const noRates = { goods: zeroRate, own: zeroRate };

// Where nothing is collected from this buyer anyway, it does not matter what is not known.
const uncovered = (place: Place, relief: Relief, doubts: readonly Doubt[]): Treatment => ({
  jurisdiction: place.jurisdictions[0] ?? { code: place.code, name: place.name, type: 'state', tax_type: 'sales' },
  sourcing: place.sourcing[0] ?? 'destination',
  state: place.code,
  rounding: halfUp,
  general: zeroRate,
  effect: taxNothing(relief ?? 'not_supported'),
  includesShipping: false,
  isBandOnly: false,
  ruleId: null,
  doubts: relief ? [] : doubts,
});

const treat = (one: Case, without: readonly Rule[] = []): Treatment => {
  const { release, place, jurisdiction, sourcing, rate, subject } = one;
  const rule = ruleOf(one, without);
  const { goods, own } = rate ? generalRates(rate, subject.product, place.isInterstate) : noRates;
  const { effect, ruleId, doubts } = find(one, rule, rate ? goods.rate : generalLater(one), without);
  return {
    jurisdiction,
    sourcing,
    state: place.code,
    rounding: subject.currency === release.currency ? roundingOf(release, subject.day) : halfUp,
    general: own,
    effect,
    includesShipping: rule?.threshold_includes_shipping ?? false,
    isBandOnly: one.isBandOnly,
    ruleId,
    doubts,
  };
};

/** What a rule, or there being none, comes to. */
type Finding = Pick<Treatment, 'effect' | 'ruleId' | 'doubts'>;

const find = (one: Case, rule: DecidingRule | undefined, general: ScaledRate, without: readonly Rule[]): Finding => {
  const { release, jurisdiction, rate, subject } = one;
  const { day, product, use, relief, currency } = subject;
  const ruleId = rule?.id ?? null;
  // A state without the tax has nothing to exempt from, and nobody collects where nobody is registered.
  if (rate && general.units === 0n && jurisdiction.type === 'state' && !taxesByItself(rule))
    return { effect: taxNothing('not_subject_to_tax'), ruleId: null, doubts: [] };
  if (relief) return { effect: taxNothing(relief), ruleId, doubts: [] };
  // For goods without a band, a jurisdiction that is there for it does nothing, and knows nothing of them either.
  if (one.isBandOnly && !rule) return { effect: taxNothing('not_subject_to_tax'), ruleId, doubts: [] };
  const isForeign = currency !== release.currency;
  const notKnown = (doubt: Doubt): Finding => ({
    effect: taxNothing('not_supported'),
    ruleId,
    doubts: [doubt],
  });
  if (rule && !coversDay(rule, day, release.established_from) && !isGeneralRule(rule, product))
    return notKnown(notCovered(release, subject, jurisdiction));
  if (rule && isForeign && definitionOf(rule.effect).isInMoney(rule.effect))
    return notKnown(otherCurrency(jurisdiction, rule, release.currency, currency));
  const doubts = [
    ...(rate ? doubtsAboutRate(rate, jurisdiction) : []),
    ...doubtsAboutRule(rule, product, jurisdiction, release),
    ...doubtsAboutShipping(rule, product, release),
    ...(isForeign && roundingOf(release, day).method === 'bracket' ? [otherCurrencyTable(release, currency)] : []),
  ];
  const context = { product, use, general, withoutRule: () => withoutHoliday(one, without, rule, doubts) };
  return {
    effect: rule ? definitionOf(rule.effect).resolve(rule.effect, context) : taxedAtGeneralRate,
    ruleId,
    doubts,
  };
};

// Above the limit the answer rests on the holiday as much as on the rule that takes its place.
const withoutHoliday = (
  one: Case,
  without: readonly Rule[],
  holiday: DecidingRule | undefined,
  doubts: readonly Doubt[],
): Treatment => {
  const otherwise = treat(one, [...without, holiday as Rule]);
  const others = otherwise.doubts.filter(({ message }) => !doubts.some((doubt) => doubt.message === message));
  return { ...otherwise, doubts: [...doubts, ...others] };
};

const taxesByItself = (rule: DecidingRule | undefined): boolean =>
  rule !== undefined && definitionOf(rule.effect).taxesWithoutGeneralRate === true;

// General goods are what the general rate falls on: a rule that says no more is as old as the rate.
const isGeneralRule = ({ effect }: DecidingRule, { path }: ProductTaxCode): boolean =>
  effect.type === 'taxable' && path === 'GENERAL';
