import type { Effect, Rule, ShippingPolicy } from '../content/release.ts';
import { definitionOf } from './effects/effects.ts';

/** What a rule's effect does to one unit, as a clause after `is`: `exempt below 110 a unit`. */
export const effectInWords = (effect: Effect): string => definitionOf(effect).describe(effect);

const months = 'January February March April May June July August September October November December'.split(' ');
const dayOfYear = (monthDay: string): string =>
  `${months[Number(monthDay.slice(0, 2)) - 1]} ${Number(monthDay.slice(3))}`;

/** The days of the year on which a rule is in force; nothing of one without a season. */
export const seasonInWords = ({ season }: Rule): string =>
  season ? `each year from ${dayOfYear(season.from)} to ${dayOfYear(season.to)}` : '';

const few = (items: readonly string[], max = 10): string =>
  items.length > max ? `${items.slice(0, max).join(', ')} and ${items.length - max} more` : items.join(', ');

/** When in the year a rule is in force, and which places and taxes it binds beside those of its levels, as clauses. */
export const limitsInWords = (rule: Rule): readonly string[] => [
  ...(rule.season ? [seasonInWords(rule)] : []),
  ...(rule.kinds ? [`only taxes of kind ${few(rule.kinds)}`] : []),
  ...(rule.counties ? [`only in counties ${few(rule.counties)}`] : []),
];

/** What a state's shipping policy does to a charge that no rule names, as a clause. */
export const policyInWords: Readonly<Record<ShippingPolicy, string>> = {
  follows_goods: 'shipping is taxed as the goods that it brings',
  any_taxable: 'all of the shipping is taxed once anything that it brings is',
  exempt_if_stated: 'shipping is exempt where it is stated separately, and otherwise taxed as the goods that it brings',
  exempt_unless_included:
    'shipping is exempt, because it is stated separately; as a part of the price (_INCLUDED_IN_PRICE) it is taxed as the goods that it brings',
  taxable_unless_avoidable:
    'shipping is taxed as the goods that it brings, unless the buyer can avoid it (_OPTIONAL_CHARGE): then it is exempt',
  always_taxable: 'shipping is taxed whatever it brings',
};

/** A clause as a sentence. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
