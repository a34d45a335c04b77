import * as z from 'zod/mini';
import { day, text } from '../calculations/fields.ts';
import { described } from '../described.ts';

const part = z.optional(text(500));

const example = (value: string) => ({ param: { example: value } });

/** The query parameters of GET /rates: the parts of an address, and a tax date. */
export const RatesQuery = z.object({
  postal_code: described(part, 'ZIP code or ZIP+4. Required unless `city` and `state` are sent.', example('55401')),
  city: described(part, 'City. Default: the main city of the ZIP code.', example('Minneapolis')),
  state: described(part, 'State: its two-letter code or its name.', example('MN')),
  county: described(part, 'County. It decides if a ZIP code spans several counties.'),
  line1: described(
    part,
    'House number and street. It decides in ZIP codes whose content has street addresses.',
    example('150 N Main St'),
  ),
  country: described(part, 'ISO 3166 two-letter code. Default: `US`.'),
  date: described(
    z.optional(day),
    "The tax date, past or future. Default: today in the account's time zone.",
    example('2026-11-22'),
  ),
});
export type RatesQuery = z.infer<typeof RatesQuery>;
