import * as z from 'zod/mini';
import { array, boolean, described, integer, nullableString, string, stringEnum } from './described.ts';

/** Scalars of responses. Their patterns are documentation: Levy writes these values and never parses them. */

export const amount = string('An amount in the currency, not negative.', { pattern: '^\\d+(\\.\\d{1,3})?$' });

/** An amount of a filing, from which credits are subtracted. */
export const signedAmount = string('An amount in the currency. Negative if credits exceed sales.', {
  pattern: '^-?\\d+(\\.\\d{1,3})?$',
});

/** An amount of a line item, which a negative price reduces. */
export const lineAmount = string('An amount in the currency. Negative on a line with a negative price.', {
  pattern: '^-?\\d+(\\.\\d{1,3})?$',
});

/** A price from the request, returned unchanged. */
export const sentPrice = string('A decimal, as sent.', { pattern: '^-?\\d{1,12}(\\.\\d{1,10})?$' });

/** A decimal from the request, returned unchanged. */
export const sentDecimal = string('A decimal, as sent.', { pattern: '^\\d{1,12}(\\.\\d{1,10})?$' });

export const rate = string('A rate as a fraction: `"0.06"` is 6 percent.', { pattern: '^\\d+(\\.\\d+)?$' });

export const currencyCode = string('ISO 4217 code.', { pattern: '^[A-Z]{3}$' });

export const timestamp = string('A timestamp in UTC, with milliseconds.', {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

export const date = string('A date.', { format: 'date' });

export const count = integer('A count.', { minimum: 0 });

/** Increments with each change of a transaction. */
export const version = integer(
  'Increments with each change, from 1. In double quotes, it is the `ETag` of the transaction.',
  { minimum: 1 },
);

export const objectType = <const Name extends string>(name: Name) =>
  described(z.literal(name), `The object type, always \`${name}\`.`);

export const hasMore = boolean('True if there are more results after this page.');

export const nextCursor = nullableString(
  'Send it as `starting_after` to get the next page. Opaque. `null` on the last page.',
);

/** Defines the fields of a list page from its path, the schema of a row and the description of the rows. */
export const listShape = <Url extends z.ZodMiniType, Row extends z.ZodMiniType>(url: Url, row: Row, rows: string) => ({
  object: objectType('list'),
  url: described(url, 'The path of this list.'),
  has_more: hasMore,
  next_cursor: nextCursor,
  data: array(row, rows),
});

/** The code that the state assigns to a jurisdiction. */
export const reportingCode = nullableString(
  "The code of the jurisdiction in the state's return. `null` if the content has none.",
);

/** Jurisdiction codes, names and types. */
export const jurisdictionShape = {
  jurisdiction_code: string('The code of the jurisdiction, such as `US-MI`.'),
  jurisdiction_name: string('The name of the jurisdiction.'),
  jurisdiction_type: stringEnum(
    'JurisdictionType',
    ['state', 'county', 'city', 'district'],
    'The level of the jurisdiction.',
  ),
};
