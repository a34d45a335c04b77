import { AssertionError } from '../assert.ts';
import type { Problem } from '../problem.ts';
import { type Accepted, accept, type Result, refuse } from '../result.ts';
import {
  conflictProblem,
  duplicateProblem,
  malformedProblem,
  notApplicableProblem,
  unknownAttributeProblem,
  unknownPathProblem,
} from './problems.ts';
import { appliesTo, codeLabel, type ProductAttribute, vocabulary } from './vocabulary.ts';

/** A parsed product tax code. */
export type ProductTaxCode = {
  /** The full path without attributes: `CLOTHING.APPAREL`. */
  readonly path: string;
  /** Attribute codes, sorted, each once. */
  readonly attributes: readonly string[];
  /** The path and the sorted attributes: the same for every way to write the same code. */
  readonly canonical: string;
};

/** Whether a path is a code or below it: `CLOTHING.APPAREL` is within `CLOTHING`. */
export const isWithin = (path: string, code: string): boolean =>
  path.startsWith(code) && (path.length === code.length || path[code.length] === '.');

/** More than the longest code of the vocabulary with every attribute that it can carry. */
export const textLengthMax = 255;

/** The format of a code in the OpenAPI document. A code that does not exist has another error. */
export const productTaxCodeKeywords = {
  pattern: '^[A-Z][A-Z0-9_]*(\\.[A-Z][A-Z0-9_]*)*(\\._[A-Z0-9_]+)*$',
  maxLength: textLengthMax,
  examples: ['CLOTHING.APPAREL._ATHLETIC'],
};

/** The components of a text. */
type Components = {
  /** The full path; absent if the text names no product tax code. */
  readonly path?: string;
  /** The attribute codes, known or not, sorted, with duplicates. */
  readonly attributes: readonly string[];
  readonly problems: readonly Problem[];
};

const wellFormed = new RegExp(productTaxCodeKeywords.pattern);

/**
 * Read a text as a product tax code and its attributes: the trailing components that start with an underscore (spec 1).
 *
 * The code is a full path (`CLOTHING.APPAREL`) or its label alone (`APPAREL`): `ptcs` lists codes as labels (spec 2.1), and
 * a label names one path only. A family (`CLOTHING`) or a path that does not exist (`FOOD.APPAREL`) names nothing.
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

// Requests repeat codes, so parsed codes are cached; the cache is cleared when it is full.
const read = new Map<string, Accepted<ProductTaxCode>>();
const readMax = 1000;

/**
 * Parse a product tax code with its attributes in any order. Returns all problems at once, without a source; they do not
 * depend on the order of the attributes.
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

/** The product of a code; `null` where the code is not valid. */
export const findProduct = (text: string): ProductTaxCode | null => {
  const parsed = parseProductTaxCode(text);
  return parsed.ok ? parsed.value : null;
};

/** The product of a code that is known to be valid. Throws on another one. */
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
 * The authoritative set for a product tax code, in the order of the vocabulary.
 *
 * It follows from the label in `ptcs`, because the vocabulary has no exclusions. Attributes in the text must exist and are
 * otherwise ignored.
 */
export const attributesFor = (ptc: string): Result<readonly ProductAttribute[]> => {
  const { path, problems } = readComponents(ptc);
  const [first, ...others] = problems;
  if (first) return refuse(first, ...others);
  const label = codeLabel(path as string);
  return accept(vocabulary().productAttributes.filter((attribute) => appliesTo(attribute, label)));
};

type Payload = { readonly value: string; readonly issues: object[] };

/** A zod check that runs a parser; each problem keeps its code and text. */
export const checkWith =
  (read: (text: string) => Result<unknown>) =>
  ({ value, issues }: Payload): void => {
    const result = read(value);
    if (result.ok) return;
    for (const problem of result.problems)
      issues.push({ code: 'custom', input: value, message: problem.detail, params: { problem }, path: [] });
  };
