/** The attributes that would change how a jurisdiction taxes a product. */
import { canonicalJson } from '../canonical-json.ts';
import type { Effect, Release, Rule } from '../content/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { appliesTo, codeLabel, type ProductAttribute, vocabulary } from '../vocabulary/vocabulary.ts';
import { chooseRule, type DecidingRule, shippingRule, type Taxing } from './rule-choice.ts';

/** An attribute that decides, and the rule that applies with it. `undefined`: none, so the general rate applies. */
export type DecidingAttribute = {
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
 * business and personal buyers are taxed differently (`use_split`), the attributes of the use decide although the rule stays
 * the same.
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
