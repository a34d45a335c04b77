import { orThrow } from '../../../shared/client/client.ts';
import type { LocalLevy } from '../../core/test/levy.ts';
import { type addresses, cents, type ShopOrder } from './orders.ts';
import { products } from './shop.ts';

const decimal = (minor: number) =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`;

/**
 * The shipping charges of an order, each for its lines (`lineByLine`): for those that are not gift cards, whose product
 * tax code is not shipped by default, unless all of them are.
 */
const shippingOf = ({ lines, shippingLines }: ShopOrder) =>
  shippingLines
    .map(({ id, discountedPrice }, at) => {
      const own = lines.filter((_, index) => shippingLines.length < 2 || index % 2 === at);
      const goods = own.filter(({ productVariant: { sku } }) => sku !== 'Card');
      return {
        ...{ id: `charge ${id}`, amount: decimal(discountedPrice) },
        line_item_ids: (goods.length > 0 ? goods : own).map((line) => line.id),
      };
    })
    .filter(({ amount }) => amount !== '0.00');

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
        line_items: [
          ...order.lines
            .filter(({ quantity }) => quantity > 0)
            .map(({ id, quantity, unitPrice, proratedLinePrice, productVariant: { sku } }) => ({
              ...{ id, quantity: String(quantity), unit_price: decimal(unitPrice) },
              discount_amount: decimal(unitPrice * quantity - proratedLinePrice),
              product_tax_code: products.find(({ name }) => name === sku)?.levyTaxCode ?? 'GENERAL',
            })),
          ...order.surcharges.map(({ id, price }) => ({
            ...{ id: `surcharge ${id}`, quantity: '1', unit_price: decimal(price), fulfillment: 'none' as const },
          })),
        ],
        shipping: shippingOf(order),
      },
    }),
  );
  return cents(calculated.tax_amount);
};
