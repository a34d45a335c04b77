import type * as z from 'zod/mini';
import { array, component, described, nullable, nullableString } from '../base/described.ts';
import { date, jurisdictionShape, objectType, reportingCode } from '../base/response-scalars.ts';
import { AddressResolution, contentReleases, TaxRowResponse, warnings } from '../calculations/response.ts';
import { confidence } from '../vocabulary/treatment.ts';

const sent = nullableString('A part of the address, as sent.');

const RatesAddress = component(
  'RatesAddress',
  'The address of the query, as sent. Parts that were not sent are `null`.',
  {
    line1: described(sent, 'House number and street.'),
    city: described(sent, 'City.'),
    county: described(sent, 'County.'),
    state: described(sent, 'State.'),
    postal_code: described(sent, 'ZIP code or ZIP+4.'),
    country: described(sent, 'Country.'),
  },
);

const JurisdictionRate = component('JurisdictionRate', 'The general rate of one jurisdiction.', {
  ...jurisdictionShape,
  tax_type: TaxRowResponse.shape.tax_type,
  rate: described(
    TaxRowResponse.shape.rate,
    'The rate as a fraction: `"0.06"` is 6 percent. In Hawaii, if the account passes on the general excise tax, it is a share of the maximum visible rate.',
  ),
  reporting_code: reportingCode,
  source: nullableString('The law or publication that states the rate.'),
  confidence,
});
export type JurisdictionRate = z.infer<typeof JurisdictionRate>;

/** The response of GET /rates. */
export const Rates = component('Rates', 'The general rates of an address on a date.', {
  object: objectType('rates'),
  date: described(date, 'The tax date of the rates.'),
  address: RatesAddress,
  address_resolution: AddressResolution,
  combined_rate: nullable(
    TaxRowResponse.shape.rate,
    'The exact sum of the rates: `"0.09025"` is 9.025 percent. `null` if the content does not cover the address or the date.',
  ),
  jurisdictions: array(
    JurisdictionRate,
    'The jurisdictions that tax the address, the state first. Empty if `combined_rate` is `null`.',
  ),
  warnings,
  content_releases: contentReleases,
});
export type Rates = z.infer<typeof Rates>;
