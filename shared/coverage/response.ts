import * as z from 'zod/mini';
import { localBases, localRates } from './local-rates.ts';

/** How a state treats a kind of goods. */
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

export const confidence = z.enum(['high', 'medium-high', 'medium', 'low']);

export const SubjectCoverage = z.object({
  treatment: z.enum(treatments),
  text: z.string(),
  confidence: z.nullable(confidence),
  rule_ids: z.array(z.string()),
  citations: z.array(z.string()),
});

export const GeneralRate = z.object({
  rate: z.string(),
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  confidence,
  citation: z.nullable(z.string()),
});

export const LocalCoverage = z.object({
  basis: z.enum(localBases),
  as_of: z.nullable(z.string()),
  areas: z.nullable(z.int()),
  places_missing: z.nullable(z.int()),
  share_missing: z.nullable(z.string()),
});

export const Attribution = z.object({
  name: z.string(),
  url: z.string(),
  license: z.string(),
  license_url: z.nullable(z.string()),
  text: z.string(),
});

export const StateCoverage = z.object({
  state: z.string(),
  name: z.string(),
  release: z.string(),
  as_of: z.string(),
  general_rate: z.nullable(GeneralRate),
  local_rates: z.enum(localRates),
  local: LocalCoverage,
  clothing: SubjectCoverage,
  groceries: SubjectCoverage,
  candy: SubjectCoverage,
  soft_drinks: SubjectCoverage,
  digital_goods: SubjectCoverage,
  saas: SubjectCoverage,
  shipping: SubjectCoverage,
  notes: z.array(z.string()),
});

/** The response of GET /coverage. */
export const Coverage = z.object({
  object: z.literal('coverage'),
  tax_date: z.string(),
  states: z.array(StateCoverage),
  attribution: z.array(Attribution),
});
export type Coverage = z.infer<typeof Coverage>;
