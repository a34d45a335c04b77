import * as z from 'zod/mini';

// Minor units as text: a JSON number cannot represent every bigint.
export const minorUnits = z.codec(z.string().check(z.regex(/^-?\d+$/)), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
});
const later = z.optional(minorUnits);

/** The stored form of a sum of entries (`Sum` of filings/totals.ts). */
export const StoredSum = z.object({
  ...{ taxable: minorUnits, exempt: minorUnits, tax: minorUnits, count: z.int() },
  // Absent where zero.
  ...{ resale: later, customer: later, snap: later, marketplace: later, not_registered: later, not_covered: later },
  ...{ difference: later, over_collected: later, credit: later, credits: z.optional(z.int()) },
});
