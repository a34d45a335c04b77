import { getOrAdd } from '../base/collections.ts';
import { firstDayOn, mayBeInForce, settingOn } from '../catalog/effective.ts';
import { isOwn } from '../catalog/own-rules.ts';
import type { Release, Rule, ShippingPolicy } from '../catalog/release.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import { isWithin, type ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { isShippingCharge } from './document.ts';

const matchedCode = (ptcs: readonly string[], path: string): string | undefined => {
  let longest: string | undefined;
  for (const ptc of ptcs) if (isWithin(path, ptc) && ptc.length > (longest?.length ?? 0)) longest = ptc;
  return longest;
};

/** A rule that matches a product, and how many components of its code match. A custom rule ranks above all others. */
type Candidate = { readonly rule: Rule; readonly depth: number };

// Cached by list of rules, which all parts of a release share: releases are immutable, and there are few codes.
const candidatesByRules = new WeakMap<Release['rules'], Map<string, readonly Candidate[]>>();

// The rank of a custom rule. It exceeds the number of components of any code.
const ownDepth = 100;

const listCandidates = ({ rules }: Release, path: string): readonly Candidate[] => {
  const byPath = getOrAdd(candidatesByRules, rules, () => new Map<string, readonly Candidate[]>());
  return getOrAdd(byPath, path, () =>
    rules.flatMap((rule) => {
      const code = matchedCode(rule.ptcs, path);
      return code === undefined ? [] : [{ rule, depth: code.split('.').length + (isOwn(rule) ? ownDepth : 0) }];
    }),
  );
};

/** A jurisdiction that taxes a sale, with the ZIP and county (FIPS) where the sale is sourced, if known. */
export type Taxing = Pick<Jurisdiction, 'type' | 'code'> & {
  readonly kind?: Jurisdiction['kind'] | undefined;
  readonly zip5?: string | null;
  readonly county?: string | null;
};

/** Returns whether a rule applies in a jurisdiction. */
export const appliesIn = (rule: Rule, { type, code, kind, zip5, county }: Taxing): boolean => {
  const { levels, jurisdictions, kinds, zips, counties } = rule;
  return (
    (levels === null || levels.includes(type)) &&
    (!jurisdictions || jurisdictions.includes(code)) &&
    (!kinds || (kind !== undefined && kinds.includes(kind))) &&
    (!zips || (typeof zip5 === 'string' && zips.some(([low, high]) => low <= zip5 && zip5 <= high))) &&
    (!counties || (typeof county === 'string' && counties.includes(county)))
  );
};

/** Returns whether a rule is limited to certain places or kinds of taxes. */
const namesPlaces = ({ jurisdictions, kinds, zips, counties }: Rule): boolean =>
  Boolean(jurisdictions || kinds || zips || counties);

/**
 * Returns whether each rule for a product taxes or exempts it in all jurisdictions, at any price. Places with equal
 * combined rates then charge equal taxes.
 */
export const isTaxedAlike = (release: Release, product: ProductTaxCode): boolean =>
  listCandidates(release, product.path).every(
    ({ rule }) =>
      countCarried(rule, product) === undefined ||
      (rule.levels === null && !namesPlaces(rule) && (rule.effect.type === 'taxable' || rule.effect.type === 'exempt')),
  );

/** Kinds of goods that most states exempt. */
const separateKinds: ReadonlySet<string> = new Set(['_BULLION', '_COINS']);

/**
 * Returns whether a content rule does not establish the tax on a product: the rule taxes goods in general, and the
 * product is of a separate kind. A custom rule applies to every product of its codes.
 */
const leavesOpen = (rule: Rule, { attributes }: ProductTaxCode): boolean => {
  const { any, all = [] } = rule.attributes;
  const named = [...any, ...all];
  const isOpen = attributes.some((attribute) => separateKinds.has(attribute) && !named.includes(attribute));
  return isOpen && rule.effect.type === 'taxable' && !isOwn(rule);
};

/** Returns how many of a rule's attributes the product has; `undefined` if the rule does not apply to it. */
const countCarried = (rule: Rule, product: ProductTaxCode): number | undefined => {
  const { any, all, none } = rule.attributes;
  const { attributes } = product;
  // A shortcut, because most products have no attributes.
  if (attributes.length === 0) return any.length > 0 || all ? undefined : 0;
  const carried = any.filter((attribute) => attributes.includes(attribute)).length;
  if ((carried === 0 && any.length > 0) || leavesOpen(rule, product)) return undefined;
  if (none.some((attribute) => attributes.includes(attribute))) return undefined;
  if (!all) return carried;
  return all.every((attribute) => attributes.includes(attribute)) ? carried + all.length : undefined;
};

// Codes have fewer than 10 components and products fewer than 100 attributes.
const rankCandidate = ({ rule, depth }: Candidate, carried: number): number =>
  depth * 1000 + carried * 10 + (namesPlaces(rule) ? 2 : rule.levels === null ? 0 : 1);

/**
 * Chooses the rule for a product in a jurisdiction on a tax day. Precedence: custom rules, then the most specific code,
 * then the most attributes, then the most specific jurisdiction (named by code, kind, county or ZIP, then by type),
 * then the latest first day. The first day of a seasonal rule is the start of the current season. Only rules for which
 * `isEligible` is true are considered.
 *
 * A rule whose first day is not established is also considered on earlier days, so the caller can return `not_covered`
 * if it would apply. `undefined`: no rule matches the product.
 */
export const chooseRule = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
  isEligible: (rule: Rule) => boolean = () => true,
): Rule | undefined => {
  let best: Rule | undefined;
  let highest = -1;
  let firstDay = '';
  for (const candidate of listCandidates(release, product.path)) {
    const { rule } = candidate;
    if (!appliesIn(rule, jurisdiction) || !mayBeInForce(rule, day) || !isEligible(rule)) continue;
    const carried = countCarried(rule, product);
    if (carried === undefined) continue;
    const rank = rankCandidate(candidate, carried);
    if (rank < highest || (rank === highest && firstDayOn(rule, day) <= firstDay)) continue;
    best = rule;
    highest = rank;
    firstDay = firstDayOn(rule, day);
  }
  return best;
};

/** A rule of the content, or the state's shipping policy in the form of a rule. */
export type DecidingRule = Rule & {
  /** Whether the tax day is before the state's first shipping policy. The caller then returns `not_covered`. */
  readonly isBeforeFirst?: boolean;
};

const included = '_INCLUDED_IN_PRICE';
const avoidable = '_OPTIONAL_CHARGE';

/**
 * Returns the state's shipping policy as a rule, for a shipping charge that no rule matches.
 *
 * Before the first policy's first day, the policy is unknown: `isBeforeFirst`.
 */
export const shippingRule = (release: Release, product: ProductTaxCode, day: string): DecidingRule | undefined => {
  if (!isShippingCharge(product)) return undefined;
  const [first] = release.settings.shipping;
  if (!first) return undefined;
  const inForce = settingOn(release.settings.shipping, day);
  const setting = inForce ?? first;
  return {
    ...setting,
    isBeforeFirst: inForce === undefined,
    id: `${stateOfJurisdiction(release.state).toLowerCase()}-shipping`,
    levels: null,
    ptcs: ['SHIPPING'],
    attributes: { any: [], none: [] },
    effect: { type: shippingEffect(setting.policy, product) },
  };
};

const shippingEffect = (policy: ShippingPolicy, { attributes }: ProductTaxCode) => {
  switch (policy) {
    case 'exempt_unless_included':
      return attributes.includes(included) ? 'follows_goods' : 'exempt';
    // The buyer cannot avoid a charge that is included in the price of the goods.
    case 'taxable_unless_avoidable':
      return attributes.includes(avoidable) && !attributes.includes(included) ? 'exempt' : 'follows_goods';
    case 'always_taxable':
      return 'taxable';
    case 'follows_goods':
    case 'any_taxable':
      return policy;
    default:
      return policy satisfies never;
  }
};
