import { earlierEnd } from '../content/days.ts';
import { type Dated, isApproximateOn } from '../content/effective.ts';
import type { Release } from '../content/release.ts';
import type { Evidence, Jurisdiction } from '../content/release-values.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Doubt } from './assessment.ts';
import type { Subject } from './case.ts';
import { definitionOf } from './effects/effects.ts';
import { type DecidingRule, separatelyStated } from './rule-choice.ts';

/** The content does not cover a product on a day, in one jurisdiction or (`null`) in all of them. */
export const notCovered = (
  { name, id }: Release,
  { product, day }: Pick<Subject, 'product' | 'day'>,
  jurisdiction: Jurisdiction | null,
): Doubt => ({
  code: 'not_covered',
  message: `${name}: ${id} does not cover ${product.path} on ${day}. No tax${jurisdiction ? ` of ${jurisdiction.name}` : ''} was calculated on it.`,
});

/** A rule cannot be applied, because its amounts are in another currency than the document's. */
export const otherCurrency = (
  { name }: Jurisdiction,
  { id }: DecidingRule,
  state: string,
  document: string,
): Doubt => ({
  code: 'not_covered',
  message: `${name}, rule ${id}: its amounts are in ${state}, and the document is in ${document}. This tax was not calculated.`,
});

/** A state's mandatory table could not be applied, for the same reason. */
export const otherCurrencyTable = ({ name, currency }: Release, document: string): Doubt => ({
  code: 'content_unconfirmed',
  message: `${name}: its tax tables are in ${currency}, so the tax on this document in ${document} was rounded half up.`,
});

/** Whether the confidence in a value is below medium-high. */
export const isDoubtful = ({ confidence }: Evidence): boolean => confidence === 'medium' || confidence === 'low';

/** Doubt about a value of low or medium confidence. `what` names the place and the value, if there is a doubt. */
export const doubtsAbout = (evidence: Evidence & Partial<Dated>, what: () => string): readonly Doubt[] => {
  const { confidence, source } = evidence;
  if (!isDoubtful(evidence)) return [];
  // Some notes end as sentences do.
  const note = (evidence.note ?? 'not confirmed by a primary source').replace(/\.$/, '');
  return [{ code: 'content_unconfirmed', message: `${what()}: ${note} (confidence ${confidence}, source ${source}).` }];
};

/**
 * Doubt about a value that answers on a day before it is established, because no earlier one is on record. `what` names
 * the place and the value.
 */
export const doubtsAboutDay = (value: Dated, what: () => string, day: string, release: Release): readonly Doubt[] =>
  isApproximateOn(value, day, release)
    ? [
        {
          code: 'content_approximate',
          message: `${what()}: no value of ${day} is on record; that of ${earlierEnd(value.to, release.established_from)} was used. To replace it, import own rules (format rules).`,
        },
      ]
    : [];

/** Shipping was taxed as not separately stated, because its code does not say so. */
export const doubtsAboutShipping = (
  rule: DecidingRule | undefined,
  { canonical }: ProductTaxCode,
  { name }: Release,
): readonly Doubt[] =>
  rule?.isUnlessStated
    ? [
        {
          code: 'shipping_not_stated',
          message: `${name} exempts separately stated shipping; this was taxed as not separately stated. Send ${canonical}.${separatelyStated} if it is.`,
        },
      ]
    : [];

const nameOf = ({ id }: DecidingRule, { name }: Release): string => `${name}, rule ${id}`;

/**
 * Doubts about the rule of a product and its buyer, or about its absence. A message about a rule names the state, not the
 * jurisdiction: the same rule gives the same message, so that clients get it once.
 */
export const doubtsAboutRule = (
  rule: DecidingRule | undefined,
  { product, use }: Pick<Subject, 'product' | 'use'>,
  jurisdiction: Jurisdiction,
  release: Release,
): readonly Doubt[] => {
  if (!rule)
    return [
      {
        code: 'taxability_not_established',
        message: `${jurisdiction.name}: no rule for ${product.path}; it was taxed as general goods.`,
      },
    ];
  const doubt = definitionOf(rule.effect).doubt?.(rule.effect, { product, use });
  if (!doubt && !rule.assumption) return doubtsAbout(rule, () => nameOf(rule, release));
  const what = nameOf(rule, release);
  return [
    // That a treatment is not established says more than that it is not confirmed.
    ...(doubt?.code === 'taxability_not_established' ? [] : doubtsAbout(rule, () => what)),
    ...(doubt ? [{ ...doubt, message: `${what}: ${doubt.message}` }] : []),
    ...(rule.assumption ? [{ code: 'taxability_assumed' as const, message: `${what}: ${rule.assumption}` }] : []),
  ];
};
