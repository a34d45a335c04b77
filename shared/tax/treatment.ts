import { settingOn } from '../content/effective.ts';
import { rateOn } from '../content/rates.ts';
import type { Release, Rule } from '../content/release.ts';
import type { Rate, Rounding } from '../content/release-values.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import {
  type Doubt,
  type RatedAs,
  type ResolvedEffect,
  type ScaledRate,
  type SourcedAt,
  type TaxabilityReason,
  type Treatment,
  untaxed,
} from './assessment.ts';
import { doubtsAboutAttributes } from './attribute-doubts.ts';
import {
  type Case,
  generalLater,
  isAdditionalJurisdiction,
  isKnown,
  isRuleKnown,
  ruleOf,
  type Subject,
} from './case.ts';
import type { Place, Relief } from './document.ts';
import {
  doubtsAbout,
  doubtsAboutDay,
  doubtsAboutRule,
  doubtsAboutShipping,
  notCovered,
  otherCurrency,
  otherCurrencyTable,
} from './doubts.ts';
import { definitionOf } from './effects/effects.ts';
import { taxedAtGeneralRate } from './effects/plain.ts';
import { generalRates, ratedAs, scaledRate } from './general-rate.ts';
import type { DecidingRule } from './rule-choice.ts';

/**
 * How each jurisdiction of a place treats a product on a day: the general rate, the rule that applies and the doubts for
 * warnings. A place that no release covers has one treatment, `not_supported`.
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
    isAdditional: isAdditionalJurisdiction(release, jurisdiction.code),
    subject,
  }));
  const isOver = release.established_to !== null && day > release.established_to;
  if (isOver || !cases.every(isKnown)) return [uncovered(place, relief, [notCovered(release, subject, null)])];
  const treatments = cases.map((taxCase) => treat(taxCase));
  const fees = treatments.filter(({ effect }) => effect.kind === 'flat_fee');
  // A fee is no sale that other jurisdictions could tax.
  return fees.length > 0 ? fees : treatments;
};

const halfUp = { method: 'half_up' } as const;

const roundingOf = ({ settings }: Release, day: string): Rounding =>
  settingOn(settings.rounding, day)?.policy ?? halfUp;

const taxNothing = (reason: TaxabilityReason): ResolvedEffect => ({
  kind: 'relief',
  assess: (treatment, { net }) => untaxed(treatment, net, reason),
});

const none = scaledRate('0');
const zeroRate: RatedAs = ratedAs(none, none);
const noRates = { goods: zeroRate, own: zeroRate };

// Where nothing is collected anyway, missing content does not matter.
const uncovered = (place: Place, relief: Relief, doubts: readonly Doubt[]): Treatment => ({
  jurisdiction: place.jurisdictions[0] ?? { code: place.code, name: place.name, type: 'state', tax_type: 'sales' },
  sourcing: place.sourcing[0] ?? 'destination',
  state: place.code,
  rounding: halfUp,
  general: zeroRate,
  effect: taxNothing(relief ?? 'not_supported'),
  includesShipping: false,
  isAdditional: false,
  ruleId: null,
  doubts: relief ? [] : doubts,
});

const treat = (taxCase: Case, without: readonly Rule[] = []): Treatment => {
  const { release, place, jurisdiction, sourcing, rate, subject } = taxCase;
  const rule = ruleOf(taxCase, without);
  const { goods, own } = rate ? generalRates(rate, subject.product, place.isInterstate) : noRates;
  const { effect, ruleId, doubts } = resolveRule(taxCase, rule, rate ? goods.rate : generalLater(taxCase), without);
  return {
    jurisdiction,
    sourcing,
    state: place.code,
    rounding: subject.currency === release.currency ? roundingOf(release, subject.day) : halfUp,
    general: own,
    effect,
    includesShipping: rule?.threshold_includes_shipping ?? false,
    isAdditional: taxCase.isAdditional,
    ruleId,
    doubts,
  };
};

// The address has a warning of its own on approximate local rates.
const doubtsAboutRate = (rate: Rate, { release, jurisdiction, subject }: Case): readonly Doubt[] => {
  const what = () => `${jurisdiction.name}, general rate`;
  const doubts = doubtsAbout(rate, what);
  return jurisdiction.type === 'state' ? [...doubts, ...doubtsAboutDay(rate, what, subject.day, release)] : doubts;
};

/** The result of a rule, or of having none. */
type Finding = Pick<Treatment, 'effect' | 'ruleId' | 'doubts'>;

const resolveRule = (
  taxCase: Case,
  rule: DecidingRule | undefined,
  general: ScaledRate,
  without: readonly Rule[],
): Finding => {
  const { release, jurisdiction, rate, subject } = taxCase;
  const { day, product, use, relief, currency } = subject;
  const ruleId = rule?.id ?? null;
  const rateDoubts = rate ? doubtsAboutRate(rate, taxCase) : [];
  // A state without the tax has nothing to exempt any buyer from.
  if (rate && general.units === 0n && jurisdiction.type === 'state' && !taxesWithoutGeneralRate(rule))
    return { effect: taxNothing('not_subject_to_tax'), ruleId: null, doubts: rateDoubts };
  if (relief) return { effect: taxNothing(relief), ruleId, doubts: [] };
  // A jurisdiction that exists for a band or a fee alone does not tax other goods.
  if (taxCase.isAdditional && !rule) return { effect: taxNothing('not_subject_to_tax'), ruleId, doubts: [] };
  const isForeign = currency !== release.currency;
  const notKnown = (doubt: Doubt): Finding => ({
    effect: taxNothing('not_supported'),
    ruleId,
    doubts: [doubt],
  });
  if (rule && !isRuleKnown(rule, day, release) && !isGeneralRule(rule, product))
    return notKnown(notCovered(release, subject, jurisdiction));
  if (rule && isForeign && definitionOf(rule.effect).isInMoney(rule.effect))
    return notKnown(otherCurrency(jurisdiction, rule, release.currency, currency));
  const isEarly = day < release.established_from;
  const doubts = [
    ...rateDoubts,
    ...doubtsAboutRule(rule, subject, jurisdiction, release),
    ...(jurisdiction.code === release.state ? doubtsAboutAttributes(release, product, day) : []),
    ...(rule && isEarly ? doubtsAboutDay(rule, () => `${release.name}, rule ${rule.id}`, day, release) : []),
    ...doubtsAboutShipping(rule, product, release),
    ...(isForeign && roundingOf(release, day).method === 'bracket' ? [otherCurrencyTable(release, currency)] : []),
  ];
  const context = { product, use, general, withoutRule: () => withoutHoliday(taxCase, without, rule, doubts) };
  return {
    effect: rule ? definitionOf(rule.effect).resolve(rule.effect, context) : taxedAtGeneralRate,
    ruleId,
    doubts,
  };
};

// Above the limit, the result depends on the holiday and on the rule that applies instead: both have doubts.
const withoutHoliday = (
  taxCase: Case,
  without: readonly Rule[],
  holiday: DecidingRule | undefined,
  doubts: readonly Doubt[],
): Treatment => {
  const otherwise = treat(taxCase, [...without, holiday as Rule]);
  const others = otherwise.doubts.filter(({ message }) => !doubts.some((doubt) => doubt.message === message));
  return { ...otherwise, doubts: [...doubts, ...others] };
};

const taxesWithoutGeneralRate = (rule: DecidingRule | undefined): boolean =>
  rule !== undefined && definitionOf(rule.effect).taxesWithoutGeneralRate === true;

// General goods are taxed at the general rate: a rule that only confirms it is established as long as the rate.
const isGeneralRule = ({ effect }: DecidingRule, { path }: ProductTaxCode): boolean =>
  effect.type === 'taxable' && path === 'GENERAL';
