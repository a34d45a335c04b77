import * as z from 'zod/mini';
import { attributesFor } from './applicability.ts';
import { readableBy } from './check.ts';

// All that is wrong with it comes together with what is wrong with the other parameters.
const ptc = z.string().check(readableBy(attributesFor));
const limit = z._default(
  z.pipe(
    z.string().check(z.regex(/^([1-9]\d{0,2}|1000)$/, 'Send a whole number from 1 to 1000.')),
    z.transform(Number),
  ),
  1000,
);
// An empty cursor is a variable that nobody set: to start over for it would page for ever.
const startingAfter = z
  .string()
  .check(z.minLength(1, 'Send the code of the last attribute received, or leave it out to start at the first.'));

/** The query parameters of GET /product-attributes (specification 4.1). */
export const ProductAttributesQuery = z.object({
  ptc: z.optional(ptc),
  limit,
  starting_after: z.optional(startingAfter),
});

z.globalRegistry.add(ptc, {
  description:
    'Narrows the list to the attributes that apply to this product tax code: a full path (CLOTHING.APPAREL) or its label (APPAREL). Attributes in it are ignored.',
});
z.globalRegistry.add(limit, {
  description: 'Page size. The default returns the whole vocabulary in one call.',
  // zod-openapi: text on the wire, a number to the client.
  override: { type: 'integer', minimum: 1, maximum: 1000, default: 1000, pattern: undefined },
});
z.globalRegistry.add(startingAfter, {
  description: 'Returns the attributes after this code: that of the last item of the previous page. It need not exist.',
});
