import { getOrAdd } from '../base/collections.ts';
import { canonicalJson } from '../base/json.ts';
import { mayBeInForce } from '../catalog/effective.ts';
import type { Effect, Release, Rule } from '../catalog/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { appliesTo, codeLabel, type ProductAttribute, vocabulary } from '../vocabulary/vocabulary.ts';
import type { Uncertainty } from './assessment.ts';
import { isShippingCharge } from './document.ts';
import { chooseRule, type DecidingRule, shippingRule, type Taxing } from './rule-choice.ts';
import { effectInWords } from './rule-words.ts';

/** Finds the attributes that would change how a jurisdiction taxes a product. */

/**
 * An attribute that changes the taxability, and the rule and the effect that apply with it. `undefined`: no rule, so the
 * general rate applies.
 */
type DecidingAttribute = {
  readonly attribute: ProductAttribute;
  readonly rule: DecidingRule | undefined;
  readonly effect: Effect;
};

const taxable: Effect = { type: 'taxable' };
const uses: ReadonlySet<string> = new Set(['_BUSINESS_USE', '_PERSONAL_USE']);

const isHoliday = ({ effect }: Rule): boolean => effect.type === 'holiday';
const isPermanent = (rule: Rule): boolean => !isHoliday(rule) && !rule.season;

/**
 * Returns the rule for a product among eligible rules, or the shipping policy. `undefined` if there is none. By default,
 * holidays and seasonal rules are not eligible.
 */
export const findRule = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
  isEligible = isPermanent,
): DecidingRule | undefined =>
  chooseRule(release, jurisdiction, product, day, isEligible) ?? shippingRule(release, product, day);

const isSameEffect = (left: Effect, right: Effect): boolean =>
  left === right || (left.type === right.type && canonicalJson(left) === canonicalJson(right));

/** Returns whether an attribute can be added to a product's attributes. */
const isFree = ({ code, group }: ProductAttribute, { attributes }: ProductTaxCode): boolean =>
  !attributes.includes(code) &&
  !(
    group.mutually_exclusive &&
    attributes.some((carried) => vocabulary().attributeByCode.get(carried)?.group.key === group.key)
  );

/** Returns the attributes that apply to a product's code and can be added to it, in vocabulary order. */
const listAddable = (product: ProductTaxCode): readonly ProductAttribute[] =>
  vocabulary().productAttributes.filter((one) => appliesTo(one, codeLabel(product.path)) && isFree(one, product));

const withAttribute = ({ path, attributes }: ProductTaxCode, code: string): ProductTaxCode => {
  const all = [...attributes, code].sort();
  return { path, attributes: all, canonical: [path, ...all].join('.') };
};

/**
 * Returns the attributes that would change the effect on a product in a jurisdiction on a tax day, in vocabulary order.
 * By default, all attributes that apply to the product's code and can be added to it are tested.
 *
 * Each attribute is tested separately. Without a rule, the product is taxable at the general rate. Holidays and
 * seasonal rules are ignored by default. If business and personal buyers are taxed differently (`use_split`), the use
 * attributes are included even though the rule is the same.
 */
export const decidingAttributes = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
  isEligible = isPermanent,
  attributes = listAddable(product),
): readonly DecidingAttribute[] => {
  const { effect = taxable } = findRule(release, jurisdiction, product, day, isEligible) ?? {};
  return attributes.flatMap((attribute) => {
    const rule = findRule(release, jurisdiction, withAttribute(product, attribute.code), day, isEligible);
    const { effect: withIt = taxable } = rule ?? {};
    const isDeciding = (effect.type === 'use_split' && uses.has(attribute.code)) || !isSameEffect(effect, withIt);
    return isDeciding ? [{ attribute, rule, effect: withIt }] : [];
  });
};

/** Finds uncertainties about products whose code lacks an attribute that determines their tax. */

/** Attribute groups in which every product has exactly one value. Without an attribute, that value is unknown. */
const decisiveGroups: ReadonlySet<string> = new Set([
  'charge_statement',
  'delivery_medium',
  'digital_rights',
  'dispensing',
  'energy_use',
  'eyewear_kind',
  'flour',
  'grooming_kind',
  'patient',
  'periodical_kind',
  'property_serviced',
  'sale_term',
  'supply_kind',
  'use_type',
  'wearer',
]);

/** Attributes that some products of a code have and others lack, according to the code's description. */
const decisiveAttributes: ReadonlySet<string> = new Set([
  'BEVERAGES.BOTTLED_WATER._CARBONATED',
  'BEVERAGES.ENERGY_DRINKS._SUPPLEMENT_FACTS',
  'BEVERAGES.JUICE._JUICE_10_TO_50',
  'BEVERAGES.JUICE._JUICE_51_TO_69',
  'BEVERAGES.JUICE._JUICE_70_PLUS',
  'BEVERAGES.JUICE._JUICE_UNDER_10',
  'FOOD.PREPARED_FOOD._TO_GO',
]);

const isDecisive = ({ code, group }: ProductAttribute, { path }: ProductTaxCode): boolean =>
  decisiveGroups.has(group.key) || decisiveAttributes.has(`${path}.${code}`);

/** Returns the attributes that do not change the effect on a product, joined by group. */
const listConfirming = (missing: readonly DecidingAttribute[], product: ProductTaxCode): readonly string[] => {
  const deciding = new Set(missing.map(({ attribute }) => attribute.code));
  const groups = new Set(missing.map(({ attribute }) => attribute.group.key));
  const others = listAddable(product).filter(
    ({ code, group }) => group.mutually_exclusive && groups.has(group.key) && !deciding.has(code),
  );
  return [...Map.groupBy(others, ({ group }) => group.key).values()].map((members) =>
    members.map(({ code }) => code).join(' or '),
  );
};

const isUntaxed = ({ type }: Effect): boolean => type === 'exempt' || type === 'other_tax';

const find = (release: Release, product: ProductTaxCode, day: string): readonly Uncertainty[] => {
  // Missing statements about a shipping charge have separate warnings.
  if (isShippingCharge(product)) return [];
  const [state] = release.jurisdictions;
  const effect: Effect = findRule(release, state, product, day)?.effect ?? taxable;
  const decisive = listAddable(product).filter((one) => isDecisive(one, product));
  // Leaves out the use, which the buyer can determine. The effect adds the uncertainty about an unknown use.
  const missing = decidingAttributes(release, state, product, day, isPermanent, decisive).filter(
    (one) =>
      one.effect.type !== 'not_established' &&
      !(effect.type === 'use_split' && uses.has(one.attribute.code)) &&
      !(isUntaxed(effect) && isUntaxed(one.effect)),
  );
  // Attributes of a holiday matter only if no holiday includes the product without them.
  const hasHoliday = release.rules.some((rule) => isHoliday(rule) && mayBeInForce(rule, day));
  if (hasHoliday && effect.type === 'taxable' && !chooseRule(release, state, product, day, isHoliday))
    missing.push(...decidingAttributes(release, state, product, day, isHoliday));
  if (missing.length === 0 || effect.type === 'not_established') return [];
  const others = [...Map.groupBy(missing, (one) => effectInWords(one.effect))].map(
    ([words, members]) => `With ${members.map(({ attribute }) => attribute.code).join(' or ')}, it is ${words}.`,
  );
  const confirmed = listConfirming(missing, product);
  if (confirmed.length > 0) others.push(`Otherwise, add ${confirmed.join(' and ')}.`);
  const message = `${release.name}: ${product.canonical} is ${effectInWords(effect)} without a further attribute. ${others.join(' ')}`;
  return [{ code: 'taxability_assumed', message }];
};

// Keyed by object, so no string key is built: releases are immutable, all parts of a release share a list of rules, and
// parsed products are shared.
const known = new WeakMap<Release['rules'], Map<string, WeakMap<ProductTaxCode, readonly Uncertainty[]>>>();
const daysMax = 100;

/**
 * Returns an uncertainty if an attribute that the code lacks would change the state's treatment of the product on a
 * day.
 */
export const uncertaintiesAboutAttributes = (
  release: Release,
  product: ProductTaxCode,
  day: string,
): readonly Uncertainty[] => {
  const byDay = getOrAdd(
    known,
    release.rules,
    () => new Map<string, WeakMap<ProductTaxCode, readonly Uncertainty[]>>(),
  );
  if (byDay.size >= daysMax) byDay.clear();
  const byProduct = getOrAdd(byDay, day, () => new WeakMap<ProductTaxCode, readonly Uncertainty[]>());
  return getOrAdd(byProduct, product, () => find(release, product, day));
};
