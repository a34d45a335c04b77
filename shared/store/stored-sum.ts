import * as z from 'zod/mini';

// Minor units as text: a JSON number cannot represent every bigint.
export const minorUnits = z.codec(z.string().check(z.regex(/^-?\d+$/)), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
});
const later = z.optional(minorUnits);

/** The stored form of `Amounts`. Parts are absent where zero. */
export const StoredAmounts = z.object({
  taxable: minorUnits,
  exempt: minorUnits,
  tax: minorUnits,
  resale: later,
  customer: later,
  snap: later,
  marketplace: later,
  not_registered: later,
  not_covered: later,
  difference: later,
  over_collected: later,
  credit: later,
});

/** The stored form of a `Sum`. */
export const StoredSum = z.extend(StoredAmounts, { count: z.int(), credits: z.optional(z.int()) });
