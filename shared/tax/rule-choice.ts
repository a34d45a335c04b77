import { inForce, possiblyInForce } from '../content/effective.ts';
import type { Jurisdiction, Release, Rule } from '../content/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';

const isWithin = (path: string, ptc: string): boolean =>
  path.startsWith(ptc) && (path.length === ptc.length || path[ptc.length] === '.');

const matchedCode = (ptcs: readonly string[], path: string): string | undefined => {
  let longest: string | undefined;
  for (const ptc of ptcs) if (isWithin(path, ptc) && ptc.length > (longest?.length ?? 0)) longest = ptc;
  return longest;
};

/** How specific a rule is for a product, or `undefined` where it does not apply. Compared field by field. */
const specificity = (rule: Rule, { type }: Jurisdiction, product: ProductTaxCode) => {
  if (rule.levels !== null && !rule.levels.includes(type)) return undefined;
  const code = matchedCode(rule.ptcs, product.path);
  if (code === undefined) return undefined;
  const { any, none } = rule.attributes;
  const carried = any.filter((attribute) => product.attributes.includes(attribute)).length;
  if (any.length > 0 && carried === 0) return undefined;
  if (none.some((attribute) => product.attributes.includes(attribute))) return undefined;
  return [code.split('.').length, carried, rule.levels === null ? 0 : 1] as const;
};

const isMoreSpecific = (one: readonly number[], other: readonly number[]): boolean => {
  const index = one.findIndex((value, position) => value !== other[position]);
  return index >= 0 && (one[index] as number) > (other[index] as number);
};

/**
 * The rule that decides about a product in a jurisdiction on a tax day: the most specific code wins, then the most
 * attributes, then the most specific jurisdiction, then the latest first day (content notes 4.9).
 *
 * A rule whose first day is not established takes part before it too, so that the caller can say `not covered` where
 * such a rule would decide. `undefined`: no rule names the product.
 */
export const chooseRule = (
  release: Release,
  jurisdiction: Jurisdiction,
  product: ProductTaxCode,
  day: string,
): Rule | undefined => {
  let best: { readonly rule: Rule; readonly rank: readonly number[] } | undefined;
  for (const rule of release.rules) {
    const rank = specificity(rule, jurisdiction, product);
    if (!rank || !possiblyInForce(rule, day)) continue;
    const isLater = best && !isMoreSpecific(best.rank, rank) && (rule.from ?? '') > (best.rule.from ?? '');
    if (!best || isMoreSpecific(rank, best.rank) || isLater) best = { rule, rank };
  }
  return best?.rule;
};

const stated = '_SEPARATELY_STATED';

/**
 * The state's shipping policy as a rule, for a shipping charge that no rule of its own names (content notes 4.4).
 *
 * Before the first policy's first day nothing is established; `from: null` has the caller say so.
 */
export const shippingRule = (release: Release, product: ProductTaxCode, day: string): Rule | undefined => {
  if (!product.path.startsWith('SHIPPING.')) return undefined;
  const [first] = release.settings.shipping;
  if (!first) return undefined;
  const setting = inForce(release.settings.shipping, day, '')[0] ?? { ...first, from: null };
  const isExempt = setting.policy === 'exempt_if_stated' && product.attributes.includes(stated);
  return {
    ...setting,
    id: `${release.state.slice(3).toLowerCase()}-shipping`,
    levels: null,
    ptcs: ['SHIPPING'],
    attributes: { any: [], none: [] },
    effect: isExempt ? { type: 'exempt' } : { type: setting.policy === 'always_taxable' ? 'taxable' : 'follows_goods' },
  };
};
