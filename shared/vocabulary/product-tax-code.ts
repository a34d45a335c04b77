import { AssertionError } from '../base/assert.ts';
import { type Accepted, accept, type Problem, type Result, refuse } from '../base/result.ts';
import { closest } from './closest.ts';
import { crosswalkRows, systemNames } from './crosswalk.ts';
import type { Fulfillment } from './schema.ts';
import { appliesTo, codeFamily, codeLabel, type ProductAttribute, vocabulary } from './vocabulary.ts';

/** A suggestion for a string that is not a product tax code. */
type Hint = {
  readonly detail: string;
  /** At most ten product tax codes, most likely first. */
  readonly codes: readonly string[];
};

const codesMax = 10;

/** Suggests codes of families, equally many of each. `query` selects all of them in GET /product-tax-codes. */
const ofFamilies = (families: readonly string[], query: string): Hint => {
  const members = families.map((family) => vocabulary().codesByFamily.get(family) ?? []);
  const codes = members.flatMap((all) => all.slice(0, codesMax / families.length));
  const others = codes.length < members.flat().length ? ` or another code from GET /product-tax-codes?${query}` : '';
  return { detail: `Send one of ${codes.join(', ')}${others}.`, codes };
};

/** Suggests codes for a code of a different service, with or without a prefix as in order files: `taxjar:30070`. */
const ofCrosswalk = (text: string): Hint | undefined => {
  const rows = crosswalkRows(text.replace(/^(STRIPE|TAXJAR|AVALARA):/, ''));
  const [first] = rows;
  if (!first) return undefined;
  const { system, code, match } = first;
  const codes = rows.map(({ levyCode }) => levyCode);
  if (match === 'family') return ofFamilies(codes, `equivalent=${system}:${code}`);
  return { detail: `Send ${codes.join(' or ')} instead of the ${systemNames[system]} code ${code}.`, codes };
};

/** Finds a code with an attribute appended without its dot or underscore: `HEALTH.DRUGS_PRESCRIPTION`. */
const withAttribute = (name: string): string | undefined => {
  for (const [known, path] of vocabulary().pathByName) {
    if (!name.startsWith(known)) continue;
    const attribute = vocabulary().attributeByCode.get(name.slice(known.length).replace(/^[._]/, '_'));
    if (attribute && appliesTo(attribute, codeLabel(path))) return `${path}.${attribute.code}`;
  }
  return undefined;
};

/**
 * Finds the path that a name most likely means, including a name with an attribute appended. Within a family it may
 * differ by two characters.
 */
const pathMeant = (name: string, isInFamily: boolean): string | undefined => {
  const { codesByFamily, pathByName } = vocabulary();
  const known = pathByName.get(codeLabel(name));
  if (known !== undefined || codesByFamily.has(name)) return known;
  return withAttribute(name) ?? pathByName.get(closest(name, pathByName.keys(), isInFamily ? 2 : 3) ?? '');
};

/**
 * Suggests codes for a string in upper case: a code of a different service, a code under the wrong path, a code with an
 * attribute appended, a misspelled code, or a family with an unknown code or none.
 */
export const hintFor = (text: string): Hint | undefined => {
  const [name = '', ...attributes] = text.split('._');
  const translated = ofCrosswalk(name);
  if (translated) return translated;
  const { codesByFamily, attributeByCode } = vocabulary();
  const family = codeFamily(name);
  const isInFamily = codesByFamily.has(family);
  const path = pathMeant(name, isInFamily);
  if (path !== undefined) {
    const label = codeLabel(path.split('._')[0] as string);
    const fitting = attributes
      .map((name) => attributeByCode.get(`_${name}`))
      .filter((attribute) => attribute && appliesTo(attribute, label));
    const code = [path, ...fitting.map((attribute) => attribute?.code)].join('.');
    return { detail: `Send ${code}, the nearest product tax code.`, codes: [code] };
  }
  return isInFamily ? ofFamilies([family], `family=${family}`) : undefined;
};

// The caller adds the source, because the string can come from a body or a query parameter.

const suggestion = (text: string | undefined) => (text === undefined ? '' : ` Did you mean ${text}?`);

const unknownProductTaxCode = (title: string, advice: string, hint: Hint | undefined): Problem => ({
  code: 'validation_unknown_product_tax_code',
  title,
  detail: hint?.detail ?? advice,
  ...(hint && { meta: { did_you_mean: hint.codes } }),
});

/**
 * Reports a string that does not have the format of a product tax code. The problem does not repeat the string, because
 * it may be long.
 */
const malformedProblem = (text: string, lengthMax: number): Problem =>
  unknownProductTaxCode(
    'Malformed product tax code',
    `Send a code from GET /product-tax-codes, followed by attributes, as in CLOTHING.APPAREL._ATHLETIC: upper-case letters, digits and underscores, joined by dots, at most ${lengthMax} characters.`,
    text.length <= lengthMax ? hintFor(text.toUpperCase()) : undefined,
  );

/** Reports a well-formed code that does not exist. */
const unknownPathProblem = (name: string, text: string): Problem =>
  unknownProductTaxCode(
    `Unknown product tax code ${name}`,
    'Send a code that GET /product-tax-codes lists.',
    hintFor(text),
  );

/** Reports an attribute code that does not exist. */
const unknownAttributeProblem = (code: string): Problem => ({
  code: 'validation_unknown_product_attribute',
  title: `Unknown product attribute ${code}`,
  detail: `Send an attribute that GET /product-attributes lists.${suggestion(closest(code, vocabulary().attributeByCode.keys()))}`,
  meta: { attribute: code },
});

/** Reports an attribute that does not apply to the product. */
const notApplicableProblem = ({ code, ptcs }: ProductAttribute, path: string): Problem => ({
  code: 'validation_product_attribute_not_applicable',
  title: `${code} does not apply to ${path}`,
  detail: `Leave it out: it applies only to ${ptcs.join(', ')}. GET /product-attributes?ptc=${path} lists the attributes that apply to this code.`,
  meta: { attribute: code },
});

/** Reports several attributes of a group that allows only one. */
const conflictProblem = (group: string, attributes: readonly string[]): Problem => ({
  code: 'validation_product_attribute_conflict',
  title: `Conflicting attributes ${attributes.join(', ')}`,
  detail: `Send only one of them: a product has at most one attribute of the group ${group}.`,
  meta: { group, attributes },
});

/** Reports a repeated attribute. This is a format error, because the facts do not conflict. */
const duplicateProblem = (code: string): Problem => ({
  code: 'validation_invalid_format',
  title: `Repeated attribute ${code}`,
  detail: `Send ${code} only once.`,
  meta: { attribute: code },
});

/** A parsed product tax code. */
export type ProductTaxCode = {
  /** The full path without attributes: `CLOTHING.APPAREL`. */
  readonly path: string;
  /** Sorted attribute codes without duplicates. */
  readonly attributes: readonly string[];
  /** The path and the sorted attributes: equal for all spellings of the same code. */
  readonly canonical: string;
};

/** Returns whether a path equals a code or is below it: `CLOTHING.APPAREL` is within `CLOTHING`. */
export const isWithin = (path: string, code: string): boolean =>
  path.startsWith(code) && (path.length === code.length || path[code.length] === '.');

/** Longer than the longest code of the vocabulary with all attributes that apply to it. */
export const textLengthMax = 255;

/** The format of a code in the OpenAPI document. A well-formed code that does not exist has a different error. */
export const productTaxCodeKeywords = {
  pattern: '^[A-Z][A-Z0-9_]*(\\.[A-Z][A-Z0-9_]*)*(\\._[A-Z0-9_]+)*$',
  maxLength: textLengthMax,
  examples: ['CLOTHING.APPAREL._ATHLETIC'],
};

/** The components of a product tax code. */
type Components = {
  /** The full path; absent if no product tax code matches. */
  readonly path?: string;
  /** The attribute codes, known or not, sorted, possibly with duplicates. */
  readonly attributes: readonly string[];
  readonly problems: readonly Problem[];
};

const wellFormed = new RegExp(productTaxCodeKeywords.pattern);

/**
 * Splits a string into a product tax code and its attributes, the trailing components that start with an underscore.
 *
 * The code is a full path (`CLOTHING.APPAREL`) or its label alone (`APPAREL`): `ptcs` lists codes as labels, and labels
 * are unique. A family (`CLOTHING`) or a path that does not exist (`FOOD.APPAREL`) does not match.
 */
const readComponents = (text: string): Components => {
  if (text.length > textLengthMax || !wellFormed.test(text))
    return { attributes: [], problems: [malformedProblem(text, textLengthMax)] };
  const [name = '', ...parts] = text.split('._');
  const attributes = parts.map((part) => `_${part}`).sort();
  const path = vocabulary().pathByName.get(name);
  const unknown = new Set(attributes.filter((code) => !vocabulary().attributeByCode.has(code)));
  return {
    ...(path !== undefined && { path }),
    attributes,
    problems: [
      ...(path === undefined ? [unknownPathProblem(name, text)] : []),
      ...[...unknown].map(unknownAttributeProblem),
    ],
  };
};

const conflictsAmong = (attributes: readonly ProductAttribute[]): Problem[] =>
  [...Map.groupBy(attributes, ({ group }) => group.key)]
    .filter(([, members]) => members.length > 1 && members[0]?.group.mutually_exclusive)
    .map(([group, members]) =>
      conflictProblem(
        group,
        members.map(({ code }) => code),
      ),
    );

// Parsed codes are cached, because requests repeat them. The cache is cleared when it is full.
const read = new Map<string, Accepted<ProductTaxCode>>();
const readMax = 1000;

/**
 * Parses a product tax code with attributes in any order. Returns all problems at once, without a source and
 * independent of the order of the attributes.
 */
export const parseProductTaxCode = (text: string): Result<ProductTaxCode> => {
  const known = read.get(text);
  if (known) return known;
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  if (read.size >= readMax) read.clear();
  read.set(text, parsed);
  return parsed;
};

/** Returns the product of a code; `null` if the code is invalid. */
export const findProduct = (text: string): ProductTaxCode | null => {
  const parsed = parseProductTaxCode(text);
  return parsed.ok ? parsed.value : null;
};

/** Returns the product of a code that is known to be valid. Throws if it is invalid. */
export const requireProduct = (text: string): ProductTaxCode => {
  const product = findProduct(text);
  if (product === null) throw new AssertionError(`The product tax code ${text} is not valid.`);
  return product;
};

const parse = (text: string): Result<ProductTaxCode> => {
  const { path, attributes: written, problems } = readComponents(text);
  const codes = [...new Set(written)];
  const known = codes
    .map((code) => vocabulary().attributeByCode.get(code))
    .filter((attribute) => attribute !== undefined);
  const [first, ...others] = [
    ...problems,
    ...codes.filter((code) => written.lastIndexOf(code) !== written.indexOf(code)).map(duplicateProblem),
    ...(path === undefined
      ? []
      : known
          .filter((attribute) => !appliesTo(attribute, codeLabel(path)))
          .map((attribute) => notApplicableProblem(attribute, path))),
    ...conflictsAmong(known),
  ];
  if (first) return refuse(first, ...others);
  const fullPath = path as string;
  return accept({ path: fullPath, attributes: codes, canonical: [fullPath, ...codes].join('.') });
};

/**
 * Returns the attributes that apply to a product tax code, in vocabulary order.
 *
 * An attribute applies if its `ptcs` contains the code's label, because the vocabulary has no exclusions. Attributes in
 * `ptc` must exist, but are otherwise ignored.
 */
export const attributesFor = (ptc: string): Result<readonly ProductAttribute[]> => {
  const { path, problems } = readComponents(ptc);
  const [first, ...others] = problems;
  if (first) return refuse(first, ...others);
  const label = codeLabel(path as string);
  return accept(vocabulary().productAttributes.filter((attribute) => appliesTo(attribute, label)));
};

type Payload = { readonly value: string; readonly issues: object[] };

/** Returns a zod check that runs a parser and keeps each problem's code and text. */
export const checkWith =
  (read: (text: string) => Result<unknown>) =>
  ({ value, issues }: Payload): void => {
    const result = read(value);
    if (result.ok) return;
    for (const problem of result.problems)
      issues.push({ code: 'custom', input: value, message: problem.detail, params: { problem }, path: [] });
  };

/** Returns how a product usually reaches the buyer. An attribute that states the medium overrides the code. */
export const determineFulfillment = ({
  path,
  attributes,
}: Pick<ProductTaxCode, 'path' | 'attributes'>): Fulfillment => {
  const { fulfillmentByName } = vocabulary();
  for (const code of attributes) {
    const known = fulfillmentByName.get(code);
    if (known !== undefined) return known;
  }
  return fulfillmentByName.get(path) ?? 'shipped';
};
