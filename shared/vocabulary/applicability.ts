import { accept, type Result, refuse } from '../result.ts';
import { readComponents } from './components.ts';
import { labelOf, type ProductAttribute, vocabulary } from './vocabulary.ts';

/** Tell whether an attribute applies to the product tax code that ends in a label; no labels means every product. */
export const appliesTo = ({ ptcs }: ProductAttribute, label: string): boolean =>
  ptcs.length === 0 || ptcs.includes(label);

/**
 * The authoritative set for a product tax code, in the order of the vocabulary (specification 4.1, interface decisions 7).
 *
 * That is what `ptcs` says of its label: the vocabulary names no exclusions. Attributes that the text carries narrow
 * nothing, whether they apply or not, but they have to exist.
 */
export const attributesFor = (ptc: string): Result<readonly ProductAttribute[]> => {
  const { path, problems } = readComponents(ptc);
  const [first, ...others] = problems;
  if (first) return refuse(first, ...others);
  const label = labelOf(path as string);
  return accept(vocabulary().productAttributes.filter((attribute) => appliesTo(attribute, label)));
};
