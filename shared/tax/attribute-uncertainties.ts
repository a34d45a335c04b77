/** Uncertainties about products whose code lacks an attribute that decides their tax. */
import type { Effect, Release } from '../content/release.ts';
import { getOrAdd } from '../get-or-add.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Uncertainty } from './assessment.ts';
import { type DecidingAttribute, decidingAttributes, permanentRule } from './deciding-attributes.ts';
import { isShippingCharge } from './document.ts';
import { effectInWords } from './rule-words.ts';

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

// Releases are immutable, and all parts of one share a list of rules. Parsed products are shared too, so no key is built.
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
