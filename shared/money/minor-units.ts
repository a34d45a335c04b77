import * as z from 'zod/mini';

/** Encodes minor units as strings, because a JSON number cannot represent every bigint. */
export const minorUnits = z.codec(z.string().check(z.regex(/^-?\d+$/)), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
});
