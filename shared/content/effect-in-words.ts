import type { Effect, Rule, ShippingPolicy } from './release.ts';

/** Describe a rule's effect on one unit as a clause: `exempt below 110 a unit, …`. Amounts and rates are as in the content. */
export const effectInWords = (effect: Effect): string => {
  switch (effect.type) {
    case 'taxable':
      return 'taxable';
    case 'exempt':
      return 'exempt';
    case 'rate':
      return `taxed at the rate ${effect.rate}`;
    case 'threshold_cliff':
      return effect.inclusive
        ? `exempt up to ${effect.amount} a unit; above that the whole price is taxed`
        : `exempt below ${effect.amount} a unit; from there on the whole price is taxed`;
    case 'threshold_excess':
      return `taxed on what exceeds ${effect.amount} a unit`;
    case 'threshold_rate':
      return `taxable; above ${effect.amount} a unit the whole price is taxed at the rate ${effect.rate}`;
    case 'base_cap':
      return `taxed on the first ${effect.amount} of each unit`;
    case 'band':
      return `of each unit, what lies above ${effect.above} and not above ${effect.to} is taxed at the rate ${effect.rate}`;
    case 'tax_cap':
      return `taxed at the rate ${effect.rate}, with at most ${effect.amount} of tax for each unit`;
    case 'base_percent':
      return `taxed on the fraction ${effect.percent} of the price`;
    case 'flat_fee':
      return `a fee of ${effect.amount} for each unit${effect.order_minimum === null ? '' : `, once the taxable goods reach ${effect.order_minimum}`}`;
    case 'holiday':
      return effect.amount === null
        ? 'exempt on the holiday'
        : `exempt on the holiday ${effect.inclusive ? 'up to' : 'below'} ${effect.amount} a unit`;
    case 'use_split':
      return `${effectInWords(effect.business)} for a business, ${effectInWords(effect.personal)} for a person`;
    case 'follows_goods':
      return 'taxed as the goods that it brings';
  }
};

const months = 'January February March April May June July August September October November December'.split(' ');
const dayOfYear = (monthDay: string): string =>
  `${months[Number(monthDay.slice(0, 2)) - 1]} ${Number(monthDay.slice(3))}`;

/** The days of the year on which a rule is in force; empty without a season. */
export const seasonInWords = ({ season }: Rule): string =>
  season ? `each year from ${dayOfYear(season.from)} to ${dayOfYear(season.to)}` : '';

const few = (items: readonly string[], max = 10): string =>
  items.length > max ? `${items.slice(0, max).join(', ')} and ${items.length - max} more` : items.join(', ');

/** The season, kinds of taxes and counties that a rule is limited to, as clauses. */
export const limitsInWords = (rule: Rule): readonly string[] => [
  ...(rule.season ? [seasonInWords(rule)] : []),
  ...(rule.kinds ? [`only taxes of kind ${few(rule.kinds)}`] : []),
  ...(rule.counties ? [`only in counties ${few(rule.counties)}`] : []),
];

/** The effect of a state's shipping policy on a charge that no rule names, as a clause. */
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
