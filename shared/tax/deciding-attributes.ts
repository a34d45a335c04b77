import { getOrAdd } from '../base/collections.ts';
import { canonicalJson } from '../base/json.ts';
import type { Effect, Release, Rule } from '../catalog/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { appliesTo, codeLabel, type ProductAttribute, vocabulary } from '../vocabulary/vocabulary.ts';
import type { Uncertainty } from './assessment.ts';
import { isShippingCharge } from './document.ts';
import { chooseRule, type DecidingRule, shippingRule, type Taxing } from './rule-choice.ts';
import { effectInWords } from './rule-words.ts';

/** The attributes that would change how a jurisdiction taxes a product. */

/** An attribute that decides, and the rule that applies with it. `undefined`: none, so the general rate applies. */
type DecidingAttribute = {
  readonly attribute: ProductAttribute;
  readonly rule: DecidingRule | undefined;
};

const taxable: Effect = { type: 'taxable' };
const uses: ReadonlySet<string> = new Set(['_BUSINESS_USE', '_PERSONAL_USE']);

const isPermanent = ({ effect, season }: Rule): boolean => effect.type !== 'holiday' && !season;

/** The rule of a product, or the policy on shipping, without holidays and seasons. `undefined` if there is none. */
export const permanentRule = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
): DecidingRule | undefined =>
  chooseRule(release, jurisdiction, product, day, isPermanent) ?? shippingRule(release, product, day);

const isSameEffect = (left: Effect, right: Effect): boolean =>
  left === right || (left.type === right.type && canonicalJson(left) === canonicalJson(right));

/** Whether a product may carry an attribute besides its own ones. */
const isFree = ({ code, group }: ProductAttribute, { attributes }: ProductTaxCode): boolean =>
  !attributes.includes(code) &&
  !(
    group.mutually_exclusive &&
    attributes.some((carried) => vocabulary().attributeByCode.get(carried)?.group.key === group.key)
  );

const withAttribute = ({ path, attributes }: ProductTaxCode, code: string): ProductTaxCode => {
  const all = [...attributes, code].sort();
  return { path, attributes: all, canonical: [path, ...all].join('.') };
};

/**
 * The attributes with which another effect would apply to a product in a jurisdiction on a tax day, in the order of the
 * vocabulary: those that apply to its code, that it does not carry, and that do not exclude one that it carries.
 *
 * Each is tried alone. No rule counts as taxable at the general rate. Holidays and seasonal rules are not considered. Where
 * business and personal buyers are taxed differently (`use_split`), the attributes of the use decide although the rule
 * stays the same.
 */
export const decidingAttributes = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
): readonly DecidingAttribute[] => {
  const { effect = taxable } = permanentRule(release, jurisdiction, product, day) ?? {};
  const label = codeLabel(product.path);
  return vocabulary().productAttributes.flatMap((attribute) => {
    if (!appliesTo(attribute, label) || !isFree(attribute, product)) return [];
    const rule = permanentRule(release, jurisdiction, withAttribute(product, attribute.code), day);
    const isDeciding =
      (effect.type === 'use_split' && uses.has(attribute.code)) || !isSameEffect(effect, rule?.effect ?? taxable);
    return isDeciding ? [{ attribute, rule }] : [];
  });
};

/** Uncertainties about products whose code lacks an attribute that decides their tax. */

/** Groups of which every product has exactly one member: without an attribute, it is not known which. */
const decisiveGroups: ReadonlySet<string> = new Set([
  'charge_statement',
  'delivery_medium',
  'digital_rights',
  'dispensing',
  'energy_use',
  'eyewear_kind',
  'periodical_kind',
  'property_serviced',
  'sale_term',
  'use_type',
  'wearer',
]);

const isDecisive = ({ attribute, rule }: DecidingAttribute): boolean =>
  decisiveGroups.has(attribute.group.key) && rule?.effect.type !== 'not_established';

const attributeEffect = ({ rule }: DecidingAttribute): Effect => rule?.effect ?? { type: 'taxable' };
const attributeInWords = (one: DecidingAttribute): string => effectInWords(attributeEffect(one));

const isUntaxed = ({ type }: Effect): boolean => type === 'exempt' || type === 'other_tax';

const find = (release: Release, product: ProductTaxCode, day: string): readonly Uncertainty[] => {
  // How a shipping charge is stated has warnings of its own.
  if (isShippingCharge(product)) return [];
  const [state] = release.jurisdictions;
  const effect: Effect = permanentRule(release, state, product, day)?.effect ?? { type: 'taxable' };
  // Whether the use is known is a question about the buyer, which the effect answers itself.
  const missing = decidingAttributes(release, state, product, day).filter(
    (one) =>
      isDecisive(one) &&
      !(effect.type === 'use_split' && one.attribute.group.key === 'use_type') &&
      !(isUntaxed(effect) && isUntaxed(attributeEffect(one))),
  );
  if (missing.length === 0 || effect.type === 'not_established') return [];
  const others = [...Map.groupBy(missing, attributeInWords)].map(
    ([words, members]) => `With ${members.map(({ attribute }) => attribute.code).join(' or ')}, it is ${words}.`,
  );
  return [
    {
      code: 'taxability_assumed',
      message: `${release.name}: ${product.canonical} is ${effectInWords(effect)} without a further attribute. ${others.join(' ')}`,
    },
  ];
};

// Releases are immutable, and all parts of one share a list of rules. Parsed products are shared as well, so no key is
// built.
const known = new WeakMap<Release['rules'], Map<string, WeakMap<ProductTaxCode, readonly Uncertainty[]>>>();
const daysMax = 100;

/** The uncertainty that an attribute which the code lacks would change the state's treatment of a product on a day. */
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
