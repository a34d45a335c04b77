import type { Dated, Evidence, Jurisdiction, Rate, Release } from '../content/release.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Subject } from './case.ts';
import type { Doubt } from './document.ts';
import { type DecidingRule, stated } from './rule-choice.ts';

/** That the content does not reach back, or on, to a day: for a product, in one jurisdiction or (`null`) in all of them. */
export const notCovered = (
  { name, id }: Release,
  { product, day }: Pick<Subject, 'product' | 'day'>,
  jurisdiction: Jurisdiction | null,
): Doubt => ({
  code: 'not_covered',
  message: `${name}: what applied to ${product.path} on ${day} is not established in ${id}. No tax${jurisdiction ? ` of ${jurisdiction.name}` : ''} was calculated on it.`,
});

/** That a rule cannot be applied, because its amounts are in another currency than the document's. */
export const otherCurrency = (
  { name }: Jurisdiction,
  { id }: DecidingRule,
  state: string,
  document: string,
): Doubt => ({
  code: 'not_covered',
  message: `${name}, rule ${id}: its amounts are in ${state}, and no exchange rate is established for a document in ${document}. No tax of it was calculated.`,
});

/** That a state's mandatory table could not be applied, for the same reason. */
export const otherCurrencyTable = ({ name, currency }: Release, document: string): Doubt => ({
  code: 'content_unconfirmed',
  message: `${name}: its tax tables are in ${currency}; the tax on a document in ${document} was rounded half up.`,
});

/** Whether a value is below what is shipped as certain (content notes: below medium-high). */
export const isDoubtful = ({ confidence }: Evidence): boolean => confidence === 'medium' || confidence === 'low';

/** That a value is below what is shipped as certain. */
export const doubtsAbout = (evidence: Evidence & Partial<Dated>, what: string): readonly Doubt[] => {
  const { confidence, source } = evidence;
  if (!isDoubtful(evidence)) return [];
  // Some notes end as sentences do.
  const note = (evidence.note ?? 'not confirmed by a primary source').replace(/\.$/, '');
  return [{ code: 'content_unconfirmed', message: `${what}: ${note} (confidence ${confidence}, source ${source}).` }];
};

/** That the general rate of a jurisdiction is below what is shipped as certain. */
export const doubtsAboutRate = (rate: Rate, { name }: Jurisdiction): readonly Doubt[] =>
  doubtsAbout(rate, `${name}, general rate`);

/** That who taxes an address besides the state is not certain. */
export const doubtsAboutLocation = (evidence: Evidence, place: string): readonly Doubt[] =>
  doubtsAbout(evidence, `${place}, the local taxes of an address`);

/** That the end of a sale within the state where it is taxed is not certain. */
export const doubtsAboutSourcing = (evidence: Evidence, place: string): readonly Doubt[] =>
  doubtsAbout(evidence, `${place}, where sales within the state are taxed`);

/** That how the state rounds is not certain. */
export const doubtsAboutRounding = (evidence: Evidence, { name }: Release): readonly Doubt[] =>
  doubtsAbout(evidence, `${name}, rounding`);

/** That shipping was taxed as if it were not stated separately, which its code does not say. */
export const doubtsAboutShipping = (
  rule: DecidingRule | undefined,
  { canonical }: ProductTaxCode,
  { name }: Release,
): readonly Doubt[] =>
  rule?.isUnlessStated
    ? [
        {
          code: 'shipping_not_stated',
          message: `${name} does not tax shipping that is stated separately; this was taxed as not stated separately. Send ${canonical}.${stated} if it is.`,
        },
      ]
    : [];

/**
 * The doubt about the rule that decided about a product, or about there being none. The message about a rule names the
 * state, not the jurisdiction: the same rule gives the same message, so that clients get it once.
 */
export const doubtsAboutRule = (
  rule: DecidingRule | undefined,
  product: ProductTaxCode,
  jurisdiction: Jurisdiction,
  release: Release,
): readonly Doubt[] =>
  rule
    ? doubtsAbout(rule, `${release.name}, rule ${rule.id}`)
    : [
        {
          code: 'taxability_not_established',
          message: `${jurisdiction.name}: no rule names ${product.path}; it was taxed as general goods.`,
        },
      ];
