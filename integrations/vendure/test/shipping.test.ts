import { defaultPromotionActions, LanguageCode, PromotionShippingAction } from '@vendure/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, cents, placeOrder, recordedOf } from './orders.ts';
import { createPromotion, createShipping, lineByLine, type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
const half = new PromotionShippingAction({
  code: 'half_shipping',
  description: [{ languageCode: LanguageCode.en, value: 'Half price' }],
  args: {},
  execute: (_, line) => -Math.round(line.price / 2),
});
beforeAll(async () => {
  levy = await startLevy();
  const more = {
    shippingOptions: { shippingLineAssignmentStrategy: lineByLine },
    promotionOptions: { promotionActions: [...defaultPromotionActions, half] },
  };
  shop = await startShop({ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' }, null, true, more);
  await createShipping(shop.send, 'second', 333);
  await createPromotion(shop.send, 'HALF', { code: 'half_shipping', arguments: [] });
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

it.each([
  [null, 833],
  ['HALF', 416],
] as const)('two shipping lines have the tax of their sum, with the coupon %s', async (coupon, shipping) => {
  const order = await placeOrder(shop, {
    items: [
      ['Mug', 1],
      ['Shirt', 1],
    ],
    address: addresses.NY,
    ship: ['standard', 'second'],
    ...(coupon && { coupon }),
  });
  expect(order.shipping).toBe(shipping);
  const tax = order.totalWithTax - order.total;
  expect(tax).toBe(await expectedTaxOf(levy, order, addresses.NY));
  await shop.settled();
  const { sales } = await recordedOf(levy, order.code);
  expect(sales.map((sale) => [cents(sale.tax_amount), cents(sale.calculated_tax_amount)])).toEqual([[tax, tax]]);
  expect(shop.logger.lines.filter((line) => /mismatch|difference/.test(line))).toEqual([]);
});
