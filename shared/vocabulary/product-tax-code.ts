import type { Problem } from '../problem.ts';
import { type Accepted, accept, type Result, refuse } from '../result.ts';
import { readComponents } from './components.ts';
import { conflictProblem, duplicateProblem, notApplicableProblem } from './problems.ts';
import { appliesTo, labelOf, type ProductAttribute, vocabulary } from './vocabulary.ts';

/** A parsed product tax code. */
export type ProductTaxCode = {
  /** As it was sent, for the response. */
  readonly text: string;
  /** The full path without attributes: `CLOTHING.APPAREL`. */
  readonly path: string;
  /** The last component of the path: `APPAREL`. */
  readonly label: string;
  /** Attribute codes, sorted, each once. */
  readonly attributes: readonly string[];
  /** The path and the sorted attributes: the same for every way to write the same code. */
  readonly canonical: string;
};

/** The format of a code in the OpenAPI document. Whether the code exists, an error of its own says. */
export const productTaxCodeKeywords = {
  pattern: '^[A-Z][A-Z0-9_]*(\\.[A-Z][A-Z0-9_]*)*(\\._[A-Z0-9_]+)*$',
  maxLength: 255,
  examples: ['CLOTHING.APPAREL._ATHLETIC'],
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
          .filter((attribute) => !appliesTo(attribute, labelOf(path)))
          .map((attribute) => notApplicableProblem(attribute, path))),
    ...conflictsAmong(known),
  ];
  if (first) return refuse(first, ...others);
  const fullPath = path as string;
  return accept({
    text,
    path: fullPath,
    label: labelOf(fullPath),
    attributes: codes,
    canonical: [fullPath, ...codes].join('.'),
  });
};
