import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { ReadDocument } from './document.ts';
import type { Warning } from './response.ts';

const notPaid = [
  ...['FOOD.DIETARY_SUPPLEMENTS', 'FOOD.CATERING', 'FOOD.FOOD_BUNDLE', 'FOOD.PREPARED_FOOD', 'FOOD.VENDING_FOOD'],
  ...['BEVERAGES.BEER', 'BEVERAGES.WINE', 'BEVERAGES.SPIRITS'],
];

// SNAP benefits pay for food and drinks to have at home, except alcohol and hot food (7 U.S.C. 2012(k)).
const isEligibleFood = ({ path, attributes }: ProductTaxCode): boolean =>
  /^(FOOD|BEVERAGES)\./.test(path) && !notPaid.includes(path) && !attributes.includes('_HEATED');

/** Warnings about lines that were sent as paid with SNAP benefits, and are not eligible by their codes. */
export const benefitsWarnings = ({
  document: { lines },
  exemptions,
}: Pick<ReadDocument, 'document' | 'exemptions'>): Warning[] =>
  lines.flatMap(({ product }, index) =>
    exemptions[index]?.reason === 'snap' && !isEligibleFood(product)
      ? [
          {
            code: 'taxability_not_established',
            message: `SNAP benefits do not pay for ${product.canonical}, which was not taxed, as sent. Send the code of the food, or leave the exemption out.`,
            pointer: `/line_items/${index}/customer/exemption`,
          },
        ]
      : [],
  );
