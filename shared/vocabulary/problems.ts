import type { Problem } from '../problem.ts';
import { closest } from './closest.ts';
import { type Hint, hintFor } from './hint.ts';
import { type ProductAttribute, vocabulary } from './vocabulary.ts';

// The caller adds the source: the text may come from a body or a query parameter.

const suggestion = (text: string | undefined) => (text === undefined ? '' : ` Did you mean ${text}?`);

const unknownProductTaxCode = (title: string, advice: string, hint: Hint | undefined): Problem => ({
  code: 'validation_unknown_product_tax_code',
  title,
  detail: hint?.detail ?? advice,
  ...(hint && { meta: { did_you_mean: hint.codes } }),
});

/** A text that is not shaped like a product tax code. The problem does not repeat it, because it may be long. */
export const malformedProblem = (text: string, lengthMax: number): Problem =>
  unknownProductTaxCode(
    'Malformed product tax code',
    `Send a code of GET /product-tax-codes, with attributes last, as in CLOTHING.APPAREL._ATHLETIC: upper-case letters, digits and underscores, joined by dots, at most ${lengthMax} characters.`,
    text.length <= lengthMax ? hintFor(text.toUpperCase()) : undefined,
  );

/** A well-formed code that does not exist. */
export const unknownPathProblem = (name: string, text: string): Problem =>
  unknownProductTaxCode(
    `Unknown product tax code ${name}`,
    'Send a code that GET /product-tax-codes lists.',
    hintFor(text),
  );

/** An attribute code that does not exist. */
export const unknownAttributeProblem = (code: string): Problem => ({
  code: 'validation_unknown_product_attribute',
  title: `Unknown product attribute ${code}`,
  detail: `GET /product-attributes lists the attributes.${suggestion(closest(code, vocabulary().attributeByCode.keys()))}`,
  meta: { attribute: code },
});

/** An attribute that does not apply to the product. */
export const notApplicableProblem = ({ code, ptcs }: ProductAttribute, path: string): Problem => ({
  code: 'validation_product_attribute_not_applicable',
  title: `${code} does not apply to ${path}`,
  detail: `Leave it out: it applies to ${ptcs.join(', ')}. GET /product-attributes?ptc=${path} lists what applies here.`,
  meta: { attribute: code },
});

/** Several attributes of a group that allows one. */
export const conflictProblem = (group: string, attributes: readonly string[]): Problem => ({
  code: 'validation_product_attribute_conflict',
  title: `Conflicting attributes ${attributes.join(', ')}`,
  detail: `A product has at most one attribute of the group ${group}: keep one of them.`,
  meta: { group, attributes },
});

/** The same attribute twice: a format error, because the facts do not conflict. */
export const duplicateProblem = (code: string): Problem => ({
  code: 'validation_invalid_format',
  title: `Repeated attribute ${code}`,
  detail: `Write ${code} once.`,
  meta: { attribute: code },
});
