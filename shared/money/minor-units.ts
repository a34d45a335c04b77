import * as z from 'zod/mini';

/** Minor units as text: a JSON number cannot represent every bigint. */
export const minorUnits = z.codec(z.string().check(z.regex(/^-?\d+$/)), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
});
