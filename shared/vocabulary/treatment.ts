import * as z from 'zod/mini';
import { stringEnum } from '../base/described.ts';

/** How a state treats a kind of goods. */
const treatments = [
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
  'other_tax',
  'follows_goods',
  'any_taxable',
  'exempt_unless_included',
  'taxable_unless_avoidable',
  'not_subject_to_tax',
  'not_established',
] as const;
export type TreatmentName = (typeof treatments)[number];

export const treatment = z.enum(treatments);

export const confidence = stringEnum(
  'Confidence',
  ['high', 'medium-high', 'medium', 'low'],
  'How reliable the source is: `high` (law or revenue department), `medium-high` (a vendor, or arithmetic on an official rate), `medium` (one secondary source) or `low` (unconfirmed).',
);
