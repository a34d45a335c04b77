import * as z from 'zod/mini';
import { AddressResolution, TaxRowResponse, Warning } from '../calculations/response.ts';
import { confidence } from '../coverage/response.ts';

const sent = z.nullable(z.string());

/** The address as sent. */
export const RatesAddress = z.object({
  line1: sent,
  city: sent,
  county: sent,
  state: sent,
  postal_code: sent,
  country: sent,
});

const { jurisdiction_code, jurisdiction_name, jurisdiction_type, tax_type } = TaxRowResponse.shape;

/** One jurisdiction's general rate, a fraction as a decimal string. */
export const JurisdictionRate = z.object({
  jurisdiction_code,
  jurisdiction_name,
  jurisdiction_type,
  tax_type,
  rate: z.string(),
  reporting_code: z.nullable(z.string()),
  source: z.nullable(z.string()),
  confidence,
});
export type JurisdictionRate = z.infer<typeof JurisdictionRate>;

/** The response of GET /rates. */
export const Rates = z.object({
  object: z.literal('rates'),
  date: z.string(),
  address: RatesAddress,
  address_resolution: AddressResolution,
  combined_rate: z.nullable(z.string()),
  jurisdictions: z.array(JurisdictionRate),
  warnings: z.array(Warning),
  content_releases: z.record(z.string(), z.string()),
});
export type Rates = z.infer<typeof Rates>;
