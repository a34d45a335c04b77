import * as z from 'zod/mini';
import { PostalAddress } from '../content/location/postal-address.ts';
import { stateJurisdiction } from '../content/location/zip-states.ts';
import { isCurrency } from '../money/currency.ts';
import { decimalPattern } from '../money/decimal.ts';
import type { Problem } from '../problem.ts';
import { readableBy } from '../vocabulary/check.ts';
import { parseProductTaxCode } from '../vocabulary/product-tax-code.ts';

/** Fields that requests share, each with advice on what to send instead (interface decisions 1 and 2). */

export const text = (max: number) =>
  z.string('Send a string.').check(z.maxLength(max, `Send at most ${max} characters.`));

const identifierAdvice = 'Send 1 to 255 characters, without control characters.';
const isControl = (code: number) => code < 32 || (code > 126 && code < 160);
const isIdentifier = (value: string) => {
  for (let index = 0; index < value.length; index++) if (isControl(value.charCodeAt(index))) return false;
  return value.length > 0;
};

/** An identifier of the client's own: 1 to 255 characters without control characters. */
export const identifier = z
  .string(identifierAdvice)
  .check(z.maxLength(255, identifierAdvice), z.refine(isIdentifier, identifierAdvice));

const decimalAdvice =
  'Send a decimal as a string, such as "12.50": not negative, at most 12 digits before and 10 after the point.';
export const decimalString = z.string(decimalAdvice).check(z.regex(decimalPattern, decimalAdvice));

export const quantity = decimalString.check(z.refine((value) => !/^[0.]*$/.test(value), 'Send a quantity above zero.'));

export const flag = z.boolean('Send true or false.');

const instantPattern = /^(\d{4}-\d{2}-\d{2})(T(?!24)\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|\+00:00))?$/;
const isDay = (day: string) => new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
const isInstant = (value: string) => {
  const day = instantPattern.exec(value)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(value));
};
const instantAdvice = 'Send an ISO 8601 instant in UTC, such as "2026-10-08T12:00:00Z", or a date.';

/** An instant in UTC, or a day. */
export const instant = z.string(instantAdvice).check(z.refine(isInstant, instantAdvice));

const dayAdvice = 'Send a date, such as "2026-10-08".';
export const day = z
  .string(dayAdvice)
  .check(z.refine((value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value), dayAdvice));

export const currency = z
  .string('Send a currency code.')
  .check(z.refine(isCurrency, 'Send an ISO 4217 currency code in upper case, such as "USD".'));

/** Everything that is wrong with a product tax code, each with its own code (interface decisions 9). */
export const productTaxCode = z
  .string('Send a product tax code, such as "CLOTHING.APPAREL".')
  .check(readableBy(parseProductTaxCode));

export const metadataMax = { keys: 50, key: 40, value: 500 };
export const metadataAdvice = `Send an object of at most ${metadataMax.keys} keys with string values.`;

/** Free data of the client's. A null value deletes its key. */
export const metadata = z
  .record(
    z.string().check(z.maxLength(metadataMax.key, `Send keys of at most ${metadataMax.key} characters.`)),
    z.nullable(text(metadataMax.value)),
    metadataAdvice,
  )
  .check(z.refine((value) => Object.keys(value).length <= metadataMax.keys, metadataAdvice));

const exemptionTypes = ['resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const;

const regionsAdvice = 'Send an array of state codes, or leave it out for everywhere.';
// An unknown region would exempt nowhere, without a warning.
const region = text(50).check(
  z.refine((value) => stateJurisdiction(value) !== null, 'Send the code of a state, such as IN or US-IN.'),
);

/** A certificate that exempts the buyer, tested on the tax day. Without regions it holds everywhere. */
export const Exemption = z
  .object(
    {
      type: z.enum(exemptionTypes, `Send one of ${exemptionTypes.join(', ')}.`),
      certificate_id: z.nullish(text(255)),
      regions: z.nullish(
        z
          .array(region, regionsAdvice)
          .check(z.minLength(1, regionsAdvice), z.maxLength(60, 'Send at most 60 regions.')),
      ),
      valid_from: z.nullish(day),
      valid_to: z.nullish(day),
    },
    'Send an object.',
  )
  .check(
    z.refine(({ valid_from, valid_to }) => !valid_from || !valid_to || valid_from <= valid_to, {
      error: 'Send a valid_to that is not before valid_from.',
      path: ['valid_to'],
    }),
  );
export type Exemption = z.infer<typeof Exemption>;

export const Customer = z.object(
  {
    id: z.nullish(identifier),
    address: z.nullish(PostalAddress),
    use: z.nullish(z.enum(['business', 'personal'], 'Send business or personal.')),
    exemption: z.nullish(Exemption),
  },
  'Send an object.',
);
export type Customer = z.infer<typeof Customer>;

export const ShipFrom = z.object({ address: z.nullish(PostalAddress) }, 'Send an object with an address.');
export type ShipFrom = z.infer<typeof ShipFrom>;

/** A problem of a request that is no single field's format. */
export const invalidFormat = (pointer: string, title: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title,
  detail,
  source: { pointer },
});
