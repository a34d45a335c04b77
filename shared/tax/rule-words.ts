import type { CouponPolicy, Effect, Rule, ShippingPolicy } from '../catalog/release.ts';
import { effectDefinition } from './effects/effects.ts';

/** A description of a rule's effect on one unit, as a clause after `is`: `exempt below 110 a unit`. */
export const effectInWords = (effect: Effect): string => effectDefinition(effect).describe(effect);

const months = 'January February March April May June July August September October November December'.split(' ');
const dayOfYear = (monthDay: string): string =>
  `${months[Number(monthDay.slice(0, 2)) - 1]} ${Number(monthDay.slice(3))}`;

/** The days of the year on which a rule is in force; nothing of one without a season. */
export const seasonInWords = ({ season }: Rule): string =>
  season ? `each year from ${dayOfYear(season.from)} to ${dayOfYear(season.to)}` : '';

const few = (items: readonly string[]): string =>
  items.length > 10 ? `${items.slice(0, 10).join(', ')} and ${items.length - 10} more` : items.join(', ');

/** The season of a rule and its limits by place and tax (beyond its levels), as clauses. */
export const limitsInWords = (rule: Rule): readonly string[] => [
  ...(rule.season ? [seasonInWords(rule)] : []),
  ...(rule.kinds ? [`only taxes of kind ${few(rule.kinds)}`] : []),
  ...(rule.counties ? [`only in counties ${few(rule.counties)}`] : []),
];

/** A description of a state's shipping policy for a charge that no rule names, as a clause. */
export const policyInWords: Readonly<Record<ShippingPolicy, string>> = {
  follows_goods: 'shipping is taxed like the goods it ships with',
  any_taxable: 'all of the shipping is taxable if any of the goods is',
  exempt_if_stated: 'shipping is exempt if it is stated separately; otherwise it is taxed like the goods it ships with',
  exempt_unless_included:
    'separately stated shipping is exempt; shipping in the price (_INCLUDED_IN_PRICE) is taxed like the goods it ships with',
  taxable_unless_avoidable:
    'shipping is taxed like the goods it ships with, and exempt if the buyer can avoid it (_OPTIONAL_CHARGE)',
  always_taxable: 'shipping is always taxable',
};

/** A description of a state's treatment of a third party's discount, as a clause. */
export const couponsInWords: Readonly<Record<CouponPolicy, string>> = {
  reduces_price: 'a discount that a third party pays lowers the taxable price',
  full_price: 'a discount that a third party pays does not lower the taxable price',
};

/** A clause as a sentence. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
