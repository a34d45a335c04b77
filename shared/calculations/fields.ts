import * as z from 'zod/mini';
import { instantMs, isDay } from '../base/calendar.ts';
import { component, described } from '../base/described.ts';
import { PostalAddress } from '../catalog/location/address.ts';
import { isCurrency } from '../money/currency.ts';
import { decimalPattern, signedDecimalPattern } from '../money/decimal.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { checkWith, parseProductTaxCode, productTaxCodeKeywords } from '../vocabulary/product-tax-code.ts';

const identifierAdvice =
  'Send 1 to 255 characters, without control characters and without white space at the start or the end.';
const isIdentifier = (value: string): boolean => /^[^\p{Cc}\p{Cs}]+$/u.test(value);

// Returns the value to send, or general advice if the value is only whitespace.
const paddedAdvice = ({ input }: { readonly input?: unknown }): string => {
  const trimmed = String(input).trim();
  return isIdentifier(trimmed) && trimmed.length <= 255
    ? `Send ${JSON.stringify(trimmed)}, without white space at the start or the end.`
    : identifierAdvice;
};

/**
 * An identifier that the client chooses: 1 to 255 characters without control characters, and without leading or
 * trailing whitespace. Otherwise `" o1"` and `"o1"` would be two documents.
 */
export const identifier = described(
  z.string(identifierAdvice).check(
    z.maxLength(255, identifierAdvice),
    z.refine(isIdentifier, { error: identifierAdvice, abort: true }),
    z.refine((value) => value.trim().length === value.length, { error: paddedAdvice }),
  ),
  'An identifier that the client chooses.',
  {
    minLength: 1,
    // The class of control characters is spelled out, because not every regular expression dialect has a name for it.
    pattern:
      '^[^\\s\\u0000-\\u001F\\u007F-\\u009F]([^\\u0000-\\u001F\\u007F-\\u009F]*[^\\s\\u0000-\\u001F\\u007F-\\u009F])?$',
  },
);

/**
 * The fields that requests share, each with what to send instead of an invalid value.
 *
 * A `pattern` documents a check in the code. It never rejects a value that the code accepts.
 */

export const text = (max: number) =>
  z.string('Send a string.').check(z.maxLength(max, `Send at most ${max} characters.`));

const decimalAdvice =
  'Send a decimal as a string, such as "12.50": not negative, at most 12 digits before and 10 after the point.';
export const decimalString = z.string(decimalAdvice).check(z.regex(decimalPattern, decimalAdvice));

const priceAdvice =
  'Send a decimal as a string, such as "12.50": at most 12 digits before and 10 after the point. A negative price reduces other line items or shipping charges.';
export const price = z.string(priceAdvice).check(z.regex(signedDecimalPattern, priceAdvice));

export const quantity = described(
  decimalString.check(z.refine((value) => !/^[0.]*$/.test(value), 'Send a quantity above zero.')),
  'The quantity, above zero.',
  { pattern: '^(?![0.]*$)\\d{1,12}(\\.\\d{1,10})?$', examples: ['2'] },
);

export const flag = z.boolean('Send true or false.');

const instantAdvice = 'Send an ISO 8601 timestamp with Z or an offset, such as "2026-10-08T20:00:00-04:00", or a date.';

export const instantKeywords = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-](0\\d|1[0-4]):[0-5]\\d))?$',
  examples: ['2026-10-08T20:00:00-04:00', '2026-10-08'],
};

export const instant = described(
  z.string(instantAdvice).check(z.refine((value) => instantMs(value) !== null, instantAdvice)),
  'A timestamp, or a date.',
  instantKeywords,
);

const dayAdvice = 'Send a date, such as "2026-10-08".';
export const day = described(z.string(dayAdvice).check(z.refine(isDay, dayAdvice)), 'A date.', {
  format: 'date',
  examples: ['2026-10-08'],
});

export const currency = described(
  z
    .string('Send a currency code.')
    .check(z.refine(isCurrency, 'Send an ISO 4217 currency code in upper case, such as "USD".')),
  'ISO 4217 code. It determines the number of decimals of amounts. Default: `USD`.',
  { pattern: '^[A-Z]{3}$', examples: ['USD'] },
);

/** A product tax code. Each problem with it has a separate error code. */
export const productTaxCode = described(
  z.string('Send a product tax code, such as "CLOTHING.APPAREL".').check(checkWith(parseProductTaxCode)),
  'A product tax code, with any attributes appended.',
  productTaxCodeKeywords,
);

export const metadataMax = { keys: 50, key: 40, value: 500 };
export const metadataAdvice = `Send an object of at most ${metadataMax.keys} keys of at most ${metadataMax.key} characters, with string values.`;

/** The client's key-value data. A null value deletes its key. */
export const metadata = described(
  z
    .record(z.string().check(z.maxLength(metadataMax.key)), z.nullable(text(metadataMax.value)), metadataAdvice)
    .check(z.refine((value) => Object.keys(value).length <= metadataMax.keys, metadataAdvice)),
  'Key-value data of the client: at most 50 keys of 40 characters, with values of 500.',
  { maxProperties: metadataMax.keys },
);

/** Why a certificate exempts its holder. */
export const certificateReasons = ['resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const;
/** Why a buyer is exempt: a certificate, or SNAP benefits that pay for a line item (7 U.S.C. 2013(a)). */
export const exemptionTypes = [...certificateReasons, 'snap'] as const;

const regionsAdvice = 'Send an array of state codes, or leave it out for all states.';
// An unknown region would exempt nothing without an error.
const region = described(
  text(50).check(
    z.refine(
      (value) => stateJurisdiction(value) !== null,
      'Send the code of a state, such as IN or US-IN, or its name.',
    ),
  ),
  'A state.',
  { minLength: 2, pattern: '^[A-Za-z.\\s-]+$', examples: ['IN'] },
);

export const Exemption = described(
  z
    .object(
      {
        type: described(
          z.enum(exemptionTypes, `Send one of ${exemptionTypes.join(', ')}.`),
          'The reason for the exemption. `snap` is for a line item that is paid with SNAP benefits, which no state taxes; it needs no certificate.',
          { title: 'ExemptionReason' },
        ),
        certificate_id: described(z.nullish(text(255)), 'The number of the certificate, for audits.'),
        regions: described(
          z.nullish(
            z
              .array(region, regionsAdvice)
              .check(z.minLength(1, regionsAdvice), z.maxLength(60, 'Send at most 60 regions.')),
          ),
          'The states in which the certificate is valid, by code (`IN` or `US-IN`). Default: all states.',
        ),
        valid_from: described(z.nullish(day), 'The first day on which the certificate is valid.'),
        valid_to: described(z.nullish(day), 'The last day on which the certificate is valid.'),
      },
      'Send an object.',
    )
    .check(
      z.refine(({ valid_from, valid_to }) => !valid_from || !valid_to || valid_from <= valid_to, {
        error: 'Send a `valid_to` that is not before `valid_from`.',
        path: ['valid_to'],
      }),
    ),
  'A certificate that exempts the buyer. It applies if it is valid on the tax date.',
);
export type Exemption = z.infer<typeof Exemption>;

const exemptionAdvice = 'Send an object, or none to tax a buyer who has certificates.';

const noExemption = described(
  z.string(exemptionAdvice).check(z.refine((value) => value === 'none', exemptionAdvice)),
  'Taxes the buyer.',
  { pattern: '^none$' },
);

/** A certificate, or the string `none`, which disables the certificates of the stored customer and of the document. */
const SentExemption = described(
  z.union([Exemption, noExemption], exemptionAdvice),
  'A certificate that exempts the buyer. It applies if it is valid on the tax date. `none` instead of an object taxes the buyer.',
  { id: 'Exemption' },
);

export const Customer = component(
  'Customer',
  'The buyer.',
  {
    id: described(z.nullish(identifier), 'The id of the buyer in your system.'),
    address: described(
      z.nullish(PostalAddress),
      'Where the buyer receives the goods. A line item with its own address uses that address as a whole.',
    ),
    use: described(
      z.nullish(z.enum(['business', 'personal'], 'Send business or personal.')),
      'Whether the buyer is a business or a person, for states whose tax depends on it.',
      { title: 'BuyerUse' },
    ),
    exemption: described(
      z.nullish(SentExemption),
      'Why the buyer is exempt, in place of the certificates of `GET /customers/{id}` in its `regions`. `none` taxes the buyer despite these certificates. If absent or `null`, the certificates apply, and `applied_exemption` of the line items shows which.',
    ),
  },
  'Send an object.',
);
export type Customer = z.infer<typeof Customer>;

export const ShipFrom = component(
  'ShipFrom',
  'Where the seller ships the goods from.',
  { address: described(z.nullish(PostalAddress), 'Where the seller ships the goods from.') },
  'Send an object with an address.',
);
export type ShipFrom = z.infer<typeof ShipFrom>;

export const ShipTo = component(
  'ShipTo',
  'Where a shipping charge delivers the goods.',
  { address: described(z.nullish(PostalAddress), 'Where the goods are delivered.') },
  'Send an object with an address.',
);
export type ShipTo = z.infer<typeof ShipTo>;
