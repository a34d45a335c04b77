import { orThrow } from '../../../shared/client/client.ts';
import type { LocalLevy } from '../../core/test/levy.ts';
import { type addresses, cents, type ShopOrder } from './orders.ts';
import { products } from './shop.ts';

const decimal = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;

/**
 * The gift cards of an order that contains only gift cards: the shop mails them, but their product tax code is not
 * shipped by default.
 */
const namedCards = ({ lines }: ShopOrder) => {
  const sold = lines.filter(({ quantity }) => quantity > 0);
  const areCards = sold.every(({ productVariant: { sku } }) => sku === 'Card');
  return areCards ? { line_item_ids: sold.map(({ id }) => id) } : {};
};

/** Returns the tax in cents that Levy calculates from the shop API's data of an order, without the plugin. */
export const expectedTaxOf = async (
  { levy }: LocalLevy,
  order: ShopOrder,
  address: (typeof addresses)[keyof typeof addresses],
): Promise<number> => {
  const calculated = orThrow(
    await levy.post('/calculations', {
      body: {
        customer: {
          address: {
            line1: address.streetLine1,
            city: address.city,
            state: address.province.replace('us-', '').toUpperCase(),
            postal_code: address.postalCode,
            country: 'US',
          },
        },
        line_items: order.lines
          .filter(({ quantity }) => quantity > 0)
          .map(({ id, quantity, unitPrice, proratedLinePrice, productVariant: { sku } }) => ({
            ...{ id, quantity: String(quantity), unit_price: decimal(unitPrice) },
            discount_amount: decimal(unitPrice * quantity - proratedLinePrice),
            product_tax_code: products.find(({ name }) => name === sku)?.levyTaxCode ?? 'GENERAL',
          })),
        ...(order.shipping > 0 && { shipping: { amount: decimal(order.shipping), ...namedCards(order) } }),
      },
    }),
  );
  return cents(calculated.tax_amount);
};
