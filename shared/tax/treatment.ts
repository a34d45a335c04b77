import { getOrAdd } from '../base/collections.ts';
import { countsFrom, coversDay, settingOn } from '../catalog/effective.ts';
import { listRates, rateOn } from '../catalog/rates.ts';
import type { Release, Rule } from '../catalog/release.ts';
import { isPerInvoice, type Jurisdiction, type Rate, type Rounding } from '../catalog/release-values.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import {
  generalRates,
  type RatedAs,
  type ResolvedEffect,
  ratedAs,
  type ScaledRate,
  scaledRate,
  type TaxabilityReason,
  type Treatment,
  type Uncertainty,
  untaxed,
} from './assessment.ts';
import { uncertaintiesAboutAttributes } from './deciding-attributes.ts';
import {
  type CollectionExemption,
  isStateFee,
  type Place,
  type Sourcing,
  type TaxDocument,
  type TaxedProduct,
} from './document.ts';
import { effectDefinition } from './effects/effects.ts';
import { taxedAtGeneralRate } from './effects/plain.ts';
import { grossUpExcise } from './general-excise.ts';
import { chooseRule, type DecidingRule, shippingRule } from './rule-choice.ts';
import {
  findAssumptionAbove,
  notCovered,
  otherCurrency,
  otherCurrencyTable,
  uncertaintiesAbout,
  uncertaintiesAboutDay,
  uncertaintiesAboutHolidays,
  uncertaintiesAboutRule,
} from './uncertainties.ts';

/**
 * One jurisdiction of a place. `rate` is `null` if it is not established, or if the jurisdiction exists only for a band
 * or a fee.
 */
type TaxedJurisdiction = {
  readonly release: Release;
  readonly place: Place;
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: Sourcing;
  readonly rate: Rate | null;
  readonly isAdditional: boolean;
  readonly taxedProduct: TaxedProduct;
};

const additionalCodes = new WeakMap<Release, ReadonlySet<string>>();

/**
 * Returns the codes of jurisdictions that exist only for a band or a fee: they have no rate, and the rule of a band or a
 * fee names them.
 */
const listAdditionalCodes = (release: Release): ReadonlySet<string> =>
  getOrAdd(additionalCodes, release, () => {
    const rules = release.rules.filter(({ effect: { type } }) => type === 'band' || type === 'flat_fee');
    const named = rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
    return new Set(named.filter((code) => listRates(release, code).length === 0));
  });

/** Returns whether a rule applies to a jurisdiction that exists only for a band or a fee. */
const appliesToAdditional = ({ jurisdictions, effect }: Rule, code: string): boolean =>
  jurisdictions?.includes(code) === true || effectDefinition(effect).appliesToAdditionalJurisdictions === true;

/** Chooses the rule, ignoring the rules in `without`: holidays whose limit the price exceeds. */
const decidingRule = (
  taxedJurisdiction: TaxedJurisdiction,
  without: readonly Rule[] = [],
): DecidingRule | undefined => {
  const { release, jurisdiction, sourcing, taxedProduct } = taxedJurisdiction;
  const { product, day } = taxedProduct;
  const { type, code, kind } = jurisdiction;
  const { zip5, county } = sourcing;
  const isEligible = (rule: Rule) =>
    !without.includes(rule) && (!taxedJurisdiction.isAdditional || appliesToAdditional(rule, code));
  const chosen = chooseRule(release, { type, code, kind, zip5, county }, product, day, isEligible);
  // The shipping policy does not apply to a jurisdiction that exists only for a band or a fee.
  return chosen ?? (taxedJurisdiction.isAdditional ? undefined : shippingRule(release, product, day));
};

/** Returns whether a rule applies on a day, established or as an approximation. */
const isRuleKnown = (rule: DecidingRule, day: string, release: Release): boolean =>
  !rule.isBeforeFirst && coversDay(rule, day, countsFrom(release));

/**
 * Returns whether the tax is known. If the general rate is not established, the tax is known for goods whose rule
 * determines the tax without it.
 */
const isKnown = (taxedJurisdiction: TaxedJurisdiction): boolean => {
  const { release, rate, taxedProduct } = taxedJurisdiction;
  if (rate || taxedJurisdiction.isAdditional) return true;
  const rule = taxedProduct.collectionExemption ? undefined : decidingRule(taxedJurisdiction);
  return (
    rule !== undefined &&
    isRuleKnown(rule, taxedProduct.day, release) &&
    effectDefinition(rule.effect).needsNoRate === true
  );
};

const none = scaledRate('0');

/** Returns the first general rate on record, to compare a reduced rate with if none is established on the day. */
const generalLater = ({ release, jurisdiction }: TaxedJurisdiction): ScaledRate => {
  const [known] = listRates(release, jurisdiction.code);
  return known ? scaledRate(known.rate) : none;
};

/**
 * Returns how each jurisdiction of a place treats a product on a day: the general rate, the rule that applies and the
 * uncertainties for warnings. A place that no release covers has a single treatment, `not_supported`.
 */
const listTreatments = (place: Place, taxedProduct: TaxedProduct): readonly Treatment[] => {
  const { release, jurisdictions } = place;
  if (!release || place.jurisdictions.length === 0) return [uncovered(place, taxedProduct.collectionExemption, [])];
  const { day, collectionExemption } = taxedProduct;
  const additional = listAdditionalCodes(release);
  const taxedJurisdictions = jurisdictions.map((jurisdiction, index) => ({
    release,
    place,
    jurisdiction,
    sourcing: place.sourcing[index] as Sourcing,
    rate: rateOn(release, jurisdiction.code, day) ?? null,
    isAdditional: additional.has(jurisdiction.code),
    taxedProduct,
  }));
  const isOver = release.established_to !== null && day > release.established_to;
  if (isOver || !taxedJurisdictions.every(isKnown))
    return [uncovered(place, collectionExemption, [notCovered(release, taxedProduct, null)])];
  const fees = isStateFee(taxedProduct.product) ? listFees(taxedJurisdictions) : [];
  if (fees.length > 0) return fees;
  const treatments = taxedJurisdictions.map((taxedJurisdiction) => treat(taxedJurisdiction));
  const flatFees = treatments.filter(isFlatFee);
  return flatFees.length > 0 ? flatFees : treatments.map((treatment) => limitTotal(treatment, treatments));
};

const isFlatFee = ({ effect }: Treatment): boolean => effect.kind === 'flat_fee';

/** Returns the treatments of a fee product that are fees. A fee is not a sale, so other jurisdictions do not tax it. */
const listFees = (taxedJurisdictions: readonly TaxedJurisdiction[]): readonly Treatment[] =>
  taxedJurisdictions
    .filter((one) => one.jurisdiction.tax_type === 'fee' || decidingRule(one)?.effect.type === 'flat_fee')
    .map((one) => treat(one))
    // A fee whose amount is not known in the document's currency is still a fee.
    .filter(
      (one) =>
        isFlatFee(one) ||
        (one.jurisdiction.tax_type === 'fee' && one.uncertainties.some(({ code }) => code === 'not_covered')),
    );

/** Applies a limit on the tax of all jurisdictions to the jurisdiction whose rule has the limit. */
const limitTotal = (treatment: Treatment, treatments: readonly Treatment[]): Treatment => {
  const { limitedWith } = treatment.effect;
  if (!limitedWith) return treatment;
  return { ...treatment, effect: limitedWith(treatments.filter((other) => other !== treatment)) };
};

const halfUp = { method: 'half_up' } as const;

const findRounding = ({ settings }: Release, day: string): Rounding =>
  settingOn(settings.rounding, day)?.policy ?? halfUp;

const taxNothing = (reason: TaxabilityReason): ResolvedEffect => ({
  kind: 'collection_exemption',
  assess: (treatment, { net }) => untaxed(treatment, net, reason),
});

const zeroRate: RatedAs = ratedAs(none, none);
const noRates = { goods: zeroRate, own: zeroRate };

// If no tax is collected, missing content does not matter.
const uncovered = (
  place: Place,
  collectionExemption: CollectionExemption,
  uncertainties: readonly Uncertainty[],
): Treatment => ({
  jurisdiction: place.jurisdictions[0] ?? { code: place.code, name: place.name, type: 'state', tax_type: 'sales' },
  sourcing: place.sourcing[0]?.at ?? 'destination',
  state: place.code,
  rounding: halfUp,
  general: zeroRate,
  effect: taxNothing(collectionExemption ?? 'not_supported'),
  includesShipping: false,
  isAdditional: false,
  ruleId: null,
  uncertainties: collectionExemption ? [] : uncertainties,
});

const treat = (taxedJurisdiction: TaxedJurisdiction, without: readonly Rule[] = []): Treatment => {
  const { release, place, jurisdiction, sourcing, rate, taxedProduct } = taxedJurisdiction;
  const rule = decidingRule(taxedJurisdiction, without);
  const { goods, own } = rate ? generalRates(rate, taxedProduct.product, place.isInterstate) : noRates;
  const { effect, ruleId, uncertainties } = resolveRule(
    taxedJurisdiction,
    rule,
    rate ? goods.rate : generalLater(taxedJurisdiction),
    without,
  );
  return {
    jurisdiction,
    sourcing: sourcing.at,
    state: place.code,
    rounding: taxedProduct.currency === release.currency ? findRounding(release, taxedProduct.day) : halfUp,
    general: own,
    effect,
    includesShipping: rule?.threshold_includes_shipping ?? false,
    isAdditional: taxedJurisdiction.isAdditional,
    ruleId,
    uncertainties,
    aboveAmount: findAssumptionAbove(rule, release),
  };
};

// Approximate local rates have a separate warning for the address.
const uncertaintiesAboutRate = (
  rate: Rate,
  { release, jurisdiction, taxedProduct }: TaxedJurisdiction,
): readonly Uncertainty[] => {
  const what = () => `${jurisdiction.name}, general rate`;
  const uncertainties = uncertaintiesAbout(rate, what);
  return jurisdiction.type === 'state'
    ? [...uncertainties, ...uncertaintiesAboutDay(rate, what, taxedProduct.day, release)]
    : uncertainties;
};

/** The result of applying a rule, or of having no rule. */
type Finding = Pick<Treatment, 'effect' | 'ruleId' | 'uncertainties'>;

const resolveRule = (
  taxedJurisdiction: TaxedJurisdiction,
  rule: DecidingRule | undefined,
  general: ScaledRate,
  without: readonly Rule[],
): Finding => {
  const { release, place, jurisdiction, rate, taxedProduct } = taxedJurisdiction;
  const { day, product, use, collectionExemption, currency } = taxedProduct;
  const ruleId = rule?.id ?? null;
  const rateUncertainties = rate ? uncertaintiesAboutRate(rate, taxedJurisdiction) : [];
  // If the state has no tax, the buyer's exemption does not matter.
  if (rate && general.units === 0n && jurisdiction.type === 'state' && !taxesWithoutGeneralRate(rule))
    return { effect: taxNothing('not_subject_to_tax'), ruleId: null, uncertainties: rateUncertainties };
  if (collectionExemption) return { effect: taxNothing(collectionExemption), ruleId, uncertainties: [] };
  // A jurisdiction that exists only for a band or a fee does not tax other goods.
  if (taxedJurisdiction.isAdditional && !rule)
    return { effect: taxNothing('not_subject_to_tax'), ruleId, uncertainties: [] };
  const isForeign = currency !== release.currency;
  const notKnown = (uncertainty: Uncertainty, effect = taxNothing('not_supported')): Finding => ({
    effect,
    ruleId,
    uncertainties: [uncertainty],
  });
  if (rule && !isRuleKnown(rule, day, release) && !isGeneralRule(rule, product))
    return notKnown(notCovered(release, taxedProduct, jurisdiction));
  if (rule && isForeign && effectDefinition(rule.effect).isInMoney?.(rule.effect))
    return notKnown(
      otherCurrency(jurisdiction, rule, release.currency, currency),
      effectDefinition(rule.effect).resolveWithoutAmounts?.(rule.effect),
    );
  const isEarly = day < release.established_from;
  const uncertaintiesFor = (buyer: TaxedProduct) => [
    ...rateUncertainties,
    ...uncertaintiesAboutRule(rule, buyer, jurisdiction, release),
    // The first jurisdiction is the state, or a flat tax that replaces its taxes.
    ...(jurisdiction === place.jurisdictions[0]
      ? [
          ...uncertaintiesAboutAttributes(release, product, day),
          ...uncertaintiesAboutHolidays(release, jurisdiction, product, day),
        ]
      : []),
    ...(rule && isEarly ? uncertaintiesAboutDay(rule, () => `${release.name}, rule ${rule.id}`, day, release) : []),
    ...(isForeign && findRounding(release, day).method === 'bracket' ? [otherCurrencyTable(release, currency)] : []),
  ];
  // Above the limit of a holiday, an unknown use adds no uncertainty about the holiday.
  const ofPerson = () => uncertaintiesFor({ ...taxedProduct, use: use ?? 'personal' });
  const context = {
    product,
    use,
    general,
    withoutRule: () => withoutHoliday(taxedJurisdiction, without, rule, ofPerson()),
  };
  return {
    effect: rule ? effectDefinition(rule.effect).resolve(rule.effect, context) : taxedAtGeneralRate,
    ruleId,
    uncertainties: uncertaintiesFor(taxedProduct),
  };
};

// Above the limit, the result depends on both the holiday and the rule that replaces it, so the uncertainties of both
// apply.
const withoutHoliday = (
  taxedJurisdiction: TaxedJurisdiction,
  without: readonly Rule[],
  holiday: DecidingRule | undefined,
  uncertainties: readonly Uncertainty[],
): Treatment => {
  const otherwise = treat(taxedJurisdiction, [...without, holiday as Rule]);
  return { ...otherwise, uncertainties: [...uncertainties, ...otherwise.uncertainties] };
};

const taxesWithoutGeneralRate = (rule: DecidingRule | undefined): boolean =>
  rule !== undefined && effectDefinition(rule.effect).taxesWithoutGeneralRate === true;

// A rule for general goods that only confirms the general rate. It is known whenever the general rate is known.
const isGeneralRule = ({ effect }: DecidingRule, { path }: ProductTaxCode): boolean =>
  effect.type === 'taxable' && path === 'GENERAL';

type Buyer = Pick<TaxedProduct, 'use' | 'collectionExemption'>;

/** The treatments of a product for a buyer, one for each jurisdiction, with flags that cover all of them. */
export type Treated = Buyer & {
  readonly treatments: readonly Treatment[];
  /** Whether the state requires tax to be rounded once for the whole invoice, by a bracket table or half up. */
  readonly isOnInvoice: boolean;
  /** Whether any threshold includes the shipping. */
  readonly includesShipping: boolean;
  readonly isFee: boolean;
  /** Whether any threshold is compared with the price of several lines. */
  readonly isPerOrder: boolean;
  /** Whether a holiday applies. The price then determines which rule applies. */
  readonly isHoliday: boolean;
};

/** Returns how a place treats a product and its buyer. */
type Treatments = (place: Place, subject: Buyer & { readonly product: ProductTaxCode }) => Treated;

/**
 * Creates a cache of the treatments of one document. Lines with the same place and product share them, and most
 * documents have few of either.
 *
 * Keyed by object identity: building a string key per line would take longer than calculating its tax.
 */
export const treatmentCache = ({
  day,
  currency,
  passOnGeneralExcise,
}: Pick<TaxDocument, 'day' | 'currency' | 'passOnGeneralExcise'>): Treatments => {
  const places = new Map<Place, Map<ProductTaxCode, Treated[]>>();
  return (place, { product, use, collectionExemption }) => {
    const products = getOrAdd(places, place, () => new Map<ProductTaxCode, Treated[]>());
    const buyers = getOrAdd(products, product, () => []);
    for (const known of buyers)
      if (known.use === use && known.collectionExemption === collectionExemption) return known;
    const owed = listTreatments(place, { product, day, currency, use, collectionExemption });
    const treated = describe(passOnGeneralExcise ? grossUpExcise(owed) : owed, { use, collectionExemption });
    buyers.push(treated);
    return treated;
  };
};

const describe = (treatments: readonly Treatment[], { use, collectionExemption }: Buyer): Treated => {
  let [isOnInvoice, includesShipping, isFee, isPerOrder, isHoliday] = [false, false, false, false, false];
  for (const treatment of treatments)
    for (let current: Treatment | undefined = treatment; current; current = current.effect.beyondLimit) {
      isOnInvoice ||= isPerInvoice(current.rounding);
      includesShipping ||= current.includesShipping;
      isFee ||= current.effect.kind === 'flat_fee';
      isPerOrder ||= current.effect.isPerOrder === true;
      isHoliday ||= current.effect.kind === 'holiday';
    }
  return { use, collectionExemption, treatments, isOnInvoice, includesShipping, isFee, isPerOrder, isHoliday };
};
