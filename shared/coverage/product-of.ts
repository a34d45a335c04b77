import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';

/** Read a product tax code that the coverage itself asks for: a wrong one is a bug. */
export const productOf = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  if (!parsed.ok) throw new Error(`Coverage asks for a product tax code that there is not: ${text}.`);
  return parsed.value;
};
