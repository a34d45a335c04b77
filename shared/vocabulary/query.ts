import * as z from 'zod/mini';
import { attributesFor } from './applicability.ts';
import { readableBy } from './check.ts';
import { systemNames } from './crosswalk.ts';
import { vocabulary } from './vocabulary.ts';

// Its problems are returned together with those of the other parameters.
const ptc = z.string().check(readableBy(attributesFor));
const limit = z._default(
  z.pipe(
    z.string().check(z.regex(/^([1-9]\d{0,2}|1000)$/, 'Send a whole number from 1 to 1000.')),
    z.transform(Number),
  ),
  1000,
);
// An empty cursor is usually an unset variable. Starting at the first item for it would page forever.
const startingAfter = z
  .string()
  .check(z.minLength(1, 'Send the code of the last item received, or leave it out to start at the first.'));

/** The query parameters of GET /product-attributes (specification 4.1). */
export const ProductAttributesQuery = z.object({
  ptc: z.optional(ptc),
  limit,
  starting_after: z.optional(startingAfter),
});

const families = () => [...vocabulary().codesByFamily.keys()].sort();
const family = z.string().check(
  z.refine((text) => vocabulary().codesByFamily.has(text), {
    error: () => `Send one of the families ${families().join(', ')}.`,
  }),
);
const equivalentPattern = new RegExp(`^(${Object.keys(systemNames).join('|')}):(\\w{1,64})$`);
const equivalent = z.pipe(
  z
    .string()
    .check(
      z.regex(
        equivalentPattern,
        `Send a system (${Object.keys(systemNames).join(', ')}), a colon and its code, as in stripe:txcd_30011000.`,
      ),
    ),
  z.transform((text) => {
    const [, system = '', code = ''] = equivalentPattern.exec(text) ?? [];
    return { system, code };
  }),
);

/** The query parameters of GET /product-tax-codes. */
export const ProductTaxCodesQuery = z.object({
  family: z.optional(family),
  equivalent: z.optional(equivalent),
  limit,
  starting_after: z.optional(startingAfter),
});

z.globalRegistry.add(family, {
  description: 'Only the codes of this family: the first component of the code.',
  examples: ['CLOTHING'],
});
z.globalRegistry.add(equivalent, {
  description:
    'Only the codes that stand for this code of another service: the system, a colon and its code. A general code of theirs, such as stripe:txcd_20030000 for all services, lists the family to choose from. A code that Levy does not know lists nothing.',
  override: { type: 'string', pattern: equivalentPattern.source, examples: ['stripe:txcd_30011000'] },
});
z.globalRegistry.add(ptc, {
  description:
    'Narrows the list to the attributes that apply to this product tax code: a full path (CLOTHING.APPAREL) or its label (APPAREL). Attributes in it are ignored.',
});
z.globalRegistry.add(limit, {
  description: 'Page size. The default returns the whole list in one call.',
  // zod-openapi: text on the wire, a number to the client.
  override: { type: 'integer', minimum: 1, maximum: 1000, default: 1000, pattern: undefined },
});
z.globalRegistry.add(startingAfter, {
  description: 'Returns the items after this code: that of the last item of the previous page. It need not exist.',
});
