import type { ProductTaxCode } from './product-tax-code.ts';
import type { Fulfillment } from './schema.ts';
import { vocabulary } from './vocabulary.ts';

/** How a product usually reaches the buyer, by its code; an attribute that states the medium overrides the code. */
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
