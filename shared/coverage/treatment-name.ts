import { type Effect, rateDecimals } from '../content/release.ts';
import { decimal, rescale } from '../money/decimal.ts';

/** How a state treats a kind of goods, in a word. */
export const treatments = [
  'taxable',
  'exempt',
  'reduced_rate',
  'higher_rate',
  'threshold',
  'capped',
  'part_of_price',
  'by_use',
  'by_level',
  'by_product',
  'follows_goods',
  'any_taxable',
  'exempt_if_stated',
  'exempt_unless_included',
  'taxable_unless_avoidable',
  'not_subject_to_tax',
  'not_established',
] as const;
export type TreatmentName = (typeof treatments)[number];

/** The word for what a rule's effect does, beside a general rate in units of `10^-rateDecimals`. */
export const treatmentOf = (effect: Effect, general: bigint): TreatmentName => {
  switch (effect.type) {
    case 'rate':
      return rescale(decimal(effect.rate), rateDecimals) < general ? 'reduced_rate' : 'higher_rate';
    case 'threshold_cliff':
    case 'threshold_excess':
    case 'threshold_rate':
      return 'threshold';
    case 'base_cap':
    case 'band':
    case 'tax_cap':
      return 'capped';
    case 'base_percent':
      return 'part_of_price';
    case 'use_split':
      return 'by_use';
    case 'taxable':
    case 'exempt':
    case 'follows_goods':
      return effect.type;
    case 'flat_fee':
    case 'holiday':
      return 'taxable';
  }
};
