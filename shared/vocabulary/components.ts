import type { Problem } from '../problem.ts';
import { malformedProblem, unknownAttributeProblem, unknownPathProblem } from './problems.ts';
import { vocabulary } from './vocabulary.ts';

/** The components of a text. */
export type Components = {
  /** The full path; absent if the text names no product tax code. */
  readonly path?: string;
  /** The attribute codes, known or not, sorted, with duplicates. */
  readonly attributes: readonly string[];
  readonly problems: readonly Problem[];
};

/** More than the longest code of the vocabulary with every attribute that it can carry. */
export const textLengthMax = 255;

const wellFormed = /^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*(\._[A-Z0-9_]+)*$/;

/**
 * Read a text as a product tax code and its attributes: the trailing components that start with an underscore (spec 1).
 *
 * The code is a full path (`CLOTHING.APPAREL`) or its label alone (`APPAREL`): `ptcs` lists codes as labels (spec 2.1), and
 * a label names one path only. A family (`CLOTHING`) or a path that does not exist (`FOOD.APPAREL`) names nothing.
 */
export const readComponents = (text: string): Components => {
  if (text.length > textLengthMax || !wellFormed.test(text))
    return { attributes: [], problems: [malformedProblem(text, textLengthMax)] };
  const start = text.indexOf('._');
  const name = start < 0 ? text : text.slice(0, start);
  const attributes =
    start < 0
      ? []
      : text
          .slice(start + 1)
          .split('.')
          .sort();
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
