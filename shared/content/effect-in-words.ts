import type { Effect, ShippingPolicy } from './release.ts';

/**
 * What a rule's effect does to one unit, as a clause that a sentence can begin with: `exempt below 110 a unit, …`.
 *
 * Amounts and rates stand as the content writes them.
 */
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

/** What a state's shipping policy does to a charge that no rule names, as a clause. */
export const policyInWords: Readonly<Record<ShippingPolicy, string>> = {
  follows_goods: 'shipping is taxed as the goods that it brings',
  any_taxable: 'all of the shipping is taxed once anything that it brings is',
  exempt_if_stated: 'shipping is exempt where it is stated separately, and otherwise taxed as the goods that it brings',
  always_taxable: 'shipping is taxed whatever it brings',
};

/** A clause as a sentence. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
