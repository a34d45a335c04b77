import * as z from 'zod/mini';
import { described } from './described.ts';

/** Scalars of responses. Their patterns are documentation: Levy writes these values and never parses them. */

export const amount = described(z.string(), 'An amount in the currency, not negative.', {
  pattern: '^\\d+(\\.\\d{1,3})?$',
});

/** An amount of a filing, from which credits are subtracted. */
export const signedAmount = described(z.string(), 'An amount in the currency. Negative if credits exceed sales.', {
  pattern: '^-?\\d+(\\.\\d{1,3})?$',
});

/** An amount of a line item, which a negative price reduces. */
export const lineAmount = described(
  z.string(),
  'An amount in the currency. Negative on a line with a negative price.',
  {
    pattern: '^-?\\d+(\\.\\d{1,3})?$',
  },
);

/** A price from the request, returned unchanged. */
export const sentPrice = described(z.string(), 'A decimal, as sent.', { pattern: '^-?\\d{1,12}(\\.\\d{1,10})?$' });

/** A decimal from the request, returned unchanged. */
export const sentDecimal = described(z.string(), 'A decimal, as sent.', { pattern: '^\\d{1,12}(\\.\\d{1,10})?$' });

export const rate = described(z.string(), 'A rate as a fraction: `"0.06"` is 6 percent.', {
  pattern: '^\\d+(\\.\\d+)?$',
});

export const currencyCode = described(z.string(), 'ISO 4217 code.', { pattern: '^[A-Z]{3}$' });

export const timestamp = described(z.string(), 'A timestamp in UTC, with milliseconds.', {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

export const date = described(z.string(), 'A date.', { format: 'date' });

export const count = described(z.int(), 'A count.', { minimum: 0 });

/** Increments with each change of a transaction. */
export const version = described(
  z.int(),
  'Increments with each change, from 1. In double quotes, it is the `ETag` of the transaction.',
  { minimum: 1 },
);

export const objectType = <const Name extends string>(name: Name) =>
  described(z.literal(name), `The object type, always \`${name}\`.`);

export const hasMore = described(z.boolean(), 'True if there are more results after this page.');

export const nextCursor = described(
  z.nullable(z.string()),
  'Send it as `starting_after` to get the next page. Opaque. `null` on the last page.',
);

/** Defines the fields of a list page from its path, the schema of a row and the description of the rows. */
export const listShape = <Url extends z.ZodMiniType, Row extends z.ZodMiniType>(url: Url, row: Row, rows: string) => ({
  object: objectType('list'),
  url: described(url, 'The path of this list.'),
  has_more: hasMore,
  next_cursor: nextCursor,
  data: described(z.array(row), rows),
});

/** The code that the state assigns to a jurisdiction. */
export const reportingCode = described(
  z.nullable(z.string()),
  "The code of the jurisdiction in the state's return. `null` if the content has none.",
);

/** Jurisdiction codes, names and types. */
export const jurisdictionShape = {
  jurisdiction_code: described(z.string(), 'The code of the jurisdiction, such as `US-MI`.'),
  jurisdiction_name: described(z.string(), 'The name of the jurisdiction.'),
  jurisdiction_type: described(z.enum(['state', 'county', 'city', 'district']), 'The level of the jurisdiction.', {
    title: 'JurisdictionType',
  }),
};
