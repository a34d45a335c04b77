import * as z from 'zod/mini';
import { described } from '../../base/described.ts';

const text = z.nullish(z.string('Send a string.').check(z.maxLength(500, 'Send at most 500 characters.')));

// As a number, a ZIP code loses its leading zero.
const zip = z.nullish(
  z.string('Send a string, such as "02108".').check(z.maxLength(500, 'Send at most 500 characters.')),
);

/** The five digits that a ZIP code begins with; `null` for a code of another country. */
export const fiveDigitZip = (postalCode: string): string | null => /^\s*(\d{5})/.exec(postalCode)?.[1] ?? null;

/** A postal address as a request carries it. */
export const PostalAddress = described(
  z.object(
    {
      line1: described(
        text,
        'House number and street, as in `150 N Main St Apt 4`. It decides in ZIP codes whose content has street addresses. Send `postal_code`, too.',
      ),
      city: described(text, 'City.'),
      county: described(text, 'County. It decides if a ZIP code spans several counties.'),
      state: described(text, 'State: its two-letter code or its name.'),
      postal_code: described(zip, 'ZIP code. ZIP+4 is more precise.'),
      country: described(text, 'ISO 3166 two-letter code. Default: `US`.'),
    },
    'Send an object.',
  ),
  'A postal address. In the United States, it has at least a state or a ZIP code.',
  { id: 'PostalAddress' },
);
export type PostalAddress = z.infer<typeof PostalAddress>;
