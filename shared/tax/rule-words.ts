import type { CouponPolicy, Effect, Rule, ShippingPolicy } from '../catalog/release.ts';
import { effectDefinition } from './effects/effects.ts';

/** Describes a rule's effect on one unit, as a clause after `is`: `exempt below 110 a unit`. */
export const effectInWords = (effect: Effect): string => effectDefinition(effect).describe(effect);

const months = 'January February March April May June July August September October November December'.split(' ');
const dayOfYear = (monthDay: string): string =>
  `${months[Number(monthDay.slice(0, 2)) - 1]} ${Number(monthDay.slice(3))}`;

/** Describes the days of the year on which a rule is in force; empty without a season. */
export const seasonInWords = ({ season }: Rule): string =>
  season ? `each year from ${dayOfYear(season.from)} to ${dayOfYear(season.to)}` : '';

const few = (items: readonly string[]): string =>
  items.length > 10 ? `${items.slice(0, 10).join(', ')} and ${items.length - 10} more` : items.join(', ');

/** Describes a rule's season and its limits by place and tax (apart from its levels), as clauses. */
export const limitsInWords = (rule: Rule): readonly string[] => [
  ...(rule.season ? [seasonInWords(rule)] : []),
  ...(rule.kinds ? [`only taxes of kind ${few(rule.kinds)}`] : []),
  ...(rule.counties ? [`only in counties ${few(rule.counties)}`] : []),
];

/** Describes a state's shipping policy for a charge that no rule matches, as a clause. */
export const policyInWords: Readonly<Record<ShippingPolicy, string>> = {
  follows_goods: 'shipping is taxed like the goods it ships with',
  any_taxable: 'all shipping is taxable if any of the goods are taxable',
  exempt_unless_included:
    'separately stated shipping is exempt; shipping in the price (_INCLUDED_IN_PRICE) is taxed like the goods it ships with',
  taxable_unless_avoidable:
    'shipping is taxed like the goods it ships with, and exempt if the buyer can avoid it (_OPTIONAL_CHARGE)',
  always_taxable: 'shipping is always taxable',
};

/** Describes how a state treats a third party's discount, as a clause. */
export const couponsInWords: Readonly<Record<CouponPolicy, string>> = {
  reduces_price: 'a discount that a third party pays lowers the taxable price',
  full_price: 'a discount that a third party pays does not lower the taxable price',
};

/** Turns a clause into a sentence. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
