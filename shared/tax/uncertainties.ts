import { earlierEnd } from '../content/days.ts';
import { type Dated, isApproximateOn } from '../content/effective.ts';
import type { Release } from '../content/release.ts';
import type { Evidence, Jurisdiction } from '../content/release-values.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Uncertainty } from './assessment.ts';
import { effectDefinition } from './effects/effects.ts';
import { type DecidingRule, separatelyStated } from './rule-choice.ts';
import type { TaxedProduct } from './taxed-jurisdiction.ts';

/** The content does not cover a product on a day, in one jurisdiction or (`null`) in all of them. */
export const notCovered = (
  { name, id }: Release,
  { product, day }: Pick<TaxedProduct, 'product' | 'day'>,
  jurisdiction: Jurisdiction | null,
): Uncertainty => ({
  code: 'not_covered',
  message: `${name}: ${id} does not cover ${product.path} on ${day}. No tax${jurisdiction ? ` of ${jurisdiction.name}` : ''} was calculated on it.`,
});

/** A rule cannot be applied, because its amounts are in another currency than the document's. */
export const otherCurrency = (
  { name }: Jurisdiction,
  { id }: DecidingRule,
  state: string,
  document: string,
): Uncertainty => ({
  code: 'not_covered',
  message: `${name}, rule ${id}: its amounts are in ${state}, and the document is in ${document}. This tax was not calculated.`,
});

/** A state's mandatory table could not be applied, for the same reason. */
export const otherCurrencyTable = ({ name, currency }: Release, document: string): Uncertainty => ({
  code: 'content_unconfirmed',
  message: `${name}: its tax tables are in ${currency}, so the tax on this document in ${document} was rounded half up.`,
});

/** Whether the confidence in a value is below medium-high. */
export const isUnconfirmed = ({ confidence }: Evidence): boolean => confidence === 'medium' || confidence === 'low';

/** Uncertainty about a value of low or medium confidence. `what` names the place and the value, if there is an uncertainty. */
export const uncertaintiesAbout = (evidence: Evidence & Partial<Dated>, what: () => string): readonly Uncertainty[] => {
  const { confidence, source } = evidence;
  if (!isUnconfirmed(evidence)) return [];
  // Some notes end as sentences do.
  const note = (evidence.note ?? 'not confirmed by a primary source').replace(/\.$/, '');
  return [{ code: 'content_unconfirmed', message: `${what()}: ${note} (confidence ${confidence}, source ${source}).` }];
};

/**
 * Uncertainty about a value that answers on a day before it is established, because no earlier one is on record. `what` names
 * the place and the value.
 */
export const uncertaintiesAboutDay = (
  value: Dated,
  what: () => string,
  day: string,
  release: Release,
): readonly Uncertainty[] =>
  isApproximateOn(value, day, release)
    ? [
        {
          code: 'content_approximate',
          message: `${what()}: no value of ${day} is on record; that of ${earlierEnd(value.to, release.established_from)} was used. To replace it, import own rules (format rules).`,
        },
      ]
    : [];

/** Shipping was taxed as not separately stated, because its code does not say so. */
export const uncertaintiesAboutShipping = (
  rule: DecidingRule | undefined,
  { canonical }: ProductTaxCode,
  { name }: Release,
): readonly Uncertainty[] =>
  rule?.isUnlessStated
    ? [
        {
          code: 'shipping_not_stated',
          message: `${name} exempts separately stated shipping; this was taxed as not separately stated. Send ${canonical}.${separatelyStated} if it is.`,
        },
      ]
    : [];

const ruleName = ({ id }: DecidingRule, { name }: Release): string => `${name}, rule ${id}`;

/**
 * Uncertainties about the rule of a product and its buyer, or about its absence. A message about a rule names the state, not the
 * jurisdiction: the same rule gives the same message, so that clients get it once.
 */
export const uncertaintiesAboutRule = (
  rule: DecidingRule | undefined,
  { product, use }: Pick<TaxedProduct, 'product' | 'use'>,
  jurisdiction: Jurisdiction,
  release: Release,
): readonly Uncertainty[] => {
  if (!rule)
    return [
      {
        code: 'taxability_not_established',
        message: `${jurisdiction.name}: no rule for ${product.path}; it was taxed as general goods.`,
      },
    ];
  const uncertainty = effectDefinition(rule.effect).uncertainty?.(rule.effect, { product, use });
  if (!uncertainty && !rule.assumption) return uncertaintiesAbout(rule, () => ruleName(rule, release));
  const what = ruleName(rule, release);
  return [
    // That a treatment is not established says more than that it is not confirmed.
    ...(uncertainty?.code === 'taxability_not_established' ? [] : uncertaintiesAbout(rule, () => what)),
    ...(uncertainty ? [{ ...uncertainty, message: `${what}: ${uncertainty.message}` }] : []),
    ...(rule.assumption ? [{ code: 'taxability_assumed' as const, message: `${what}: ${rule.assumption}` }] : []),
  ];
};
