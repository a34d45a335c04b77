import { accept, type Result, refuse } from '../result.ts';
import { readComponents } from './components.ts';
import { appliesTo, labelOf, type ProductAttribute, vocabulary } from './vocabulary.ts';

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
