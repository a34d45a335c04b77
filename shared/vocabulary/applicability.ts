import { accept, type Result, refuse } from '../result.ts';
import { readComponents } from './components.ts';
import { appliesTo, labelOf, type ProductAttribute, vocabulary } from './vocabulary.ts';

/**
 * The authoritative set for a product tax code, in the order of the vocabulary (specification 4.1, interface decisions 7).
 *
 * It follows from the label in `ptcs`, because the vocabulary has no exclusions. Attributes in the text must exist and are
 * otherwise ignored.
 */
export const attributesFor = (ptc: string): Result<readonly ProductAttribute[]> => {
  const { path, problems } = readComponents(ptc);
  const [first, ...others] = problems;
  if (first) return refuse(first, ...others);
  const label = labelOf(path as string);
  return accept(vocabulary().productAttributes.filter((attribute) => appliesTo(attribute, label)));
};
