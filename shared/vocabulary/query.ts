import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { systemNames } from './crosswalk.ts';
import { isStateOrPuertoRico, stateJurisdiction, stateOfJurisdiction } from './jurisdiction.ts';
import { attributesFor, checkWith, productTaxCodeKeywords } from './product-tax-code.ts';
import { resultsMax } from './search.ts';
import { state } from './state-field.ts';
import { vocabulary } from './vocabulary.ts';

const limit = described(
  z._default(
    z.pipe(
      z.string().check(z.regex(/^([1-9]\d{0,2}|1000)$/, 'Send a whole number from 1 to 1000.')),
      z.transform(Number),
    ),
    1000,
  ),
  'Page size. The default returns the whole list in one page.',
  // In the OpenAPI document: a string in the query, a number for the client.
  { override: { type: 'integer', minimum: 1, maximum: 1000, default: 1000, examples: [100], pattern: undefined } },
);

const startingAfter = described(
  z.optional(
    z
      .string()
      // An empty cursor is usually an unset variable. Treating it as the start would make the client page forever.
      .check(z.minLength(1, 'Send the code of the last item of the previous page, or leave the parameter out.')),
  ),
  'Returns the items after this code. Send the code of the last item of the previous page. The code need not exist.',
  { examples: ['CLOTHING'] },
);

/** The query parameters of GET /product-attributes. */
export const ProductAttributesQuery = z.object({
  ptc: described(
    z.optional(z.string().check(checkWith(attributesFor))),
    'Only the attributes that apply to this product tax code: a full path (`CLOTHING.APPAREL`) or its label (`APPAREL`). Attributes in the code are ignored.',
    productTaxCodeKeywords,
  ),
  limit,
  starting_after: startingAfter,
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

const qLengthMax = 100;
const qAdvice = `Send 1 to ${qLengthMax} characters that name a product, such as protein powder.`;
const q = z.string().check(z.refine((text) => text.trim() !== '' && text.length <= qLengthMax, qAdvice));

const taxabilityState = state.check(
  z.refine((text) => {
    const code = stateJurisdiction(text);
    return code === null || isStateOrPuertoRico(stateOfJurisdiction(code));
  }, 'Send a state, the District of Columbia (DC) or Puerto Rico (PR).'),
);

/** The query parameters of GET /product-tax-codes. */
export const ProductTaxCodesQuery = z
  .object({
    q: described(
      z.optional(q),
      `Search by keywords (\`protein powder\`), or by a code of Stripe, TaxJar or Avalara. Names, descriptions, examples and synonyms are searched; plurals, prefixes and single typos also match. Returns at most ${resultsMax} codes in one page, the best match first: leave out \`starting_after\`.`,
      { minLength: 1, maxLength: qLengthMax, examples: ['protein powder'] },
    ),
    state: described(
      z.optional(taxabilityState),
      'Adds `taxability`: how this state taxes each product. Send a two-letter code, a jurisdiction code or a name of a state, of the District of Columbia or of Puerto Rico.',
    ),
    family: described(z.optional(family), 'Only codes of this family: the first component of the code.', {
      examples: ['CLOTHING'],
    }),
    equivalent: described(
      z.optional(equivalent),
      'Only codes that correspond to this code of another service, written as the system, a colon and the code. A general code, such as stripe:txcd_20030000 for all services, returns the whole family. An unknown code returns an empty list.',
      { override: { type: 'string', pattern: equivalentPattern.source, examples: ['stripe:txcd_30011000'] } },
    ),
    limit,
    starting_after: startingAfter,
  })
  .check(({ value, issues }) => {
    if (value.q === undefined || value.starting_after === undefined) return;
    const message = 'Leave it out: q returns its results in one page, the best match first.';
    issues.push({ code: 'custom', input: value, path: ['starting_after'], message });
  });
