import type { ProductTaxCode } from './product-tax-code.ts';
import type { Fulfillment } from './schema.ts';
import { vocabulary } from './vocabulary.ts';

/** How a product usually reaches the buyer, by its code; an attribute that states the medium overrides the code. */
export const fulfillmentOf = ({ path, attributes }: Pick<ProductTaxCode, 'path' | 'attributes'>): Fulfillment => {
  const { fulfillmentByName } = vocabulary();
  const ofAttribute = attributes.map((code) => fulfillmentByName.get(code)).find((known) => known !== undefined);
  return ofAttribute ?? fulfillmentByName.get(path) ?? 'shipped';
};
