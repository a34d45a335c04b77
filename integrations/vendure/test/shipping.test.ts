import { defaultPromotionActions, LanguageCode, PromotionShippingAction } from '@vendure/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, cents, placeOrder, recordedOf, staffOf } from './orders.ts';
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

// New York exempts the shirt and its shipping. 8.875 % of 26.66 + 5.00, and of 26.66 + 2.50.
it.each([
  [null, 833, 281],
  ['HALF', 416, 259],
] as const)(
  'two shipping lines are taxed by the goods that each ships, with the coupon %s',
  async (coupon, shipping, expected) => {
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
    expect([tax, await expectedTaxOf(levy, order, addresses.NY)]).toEqual([expected, expected]);
    await shop.settled();
    const { sales } = await recordedOf(levy, order.code);
    expect(sales.map((sale) => [cents(sale.tax_amount), cents(sale.calculated_tax_amount)])).toEqual([[tax, tax]]);
    await staffOf(shop).refund(order.id, { shipping: order.shippingWithTax });
    await shop.settled();
    const [credit] = (await recordedOf(levy, order.code)).credits;
    const read = orThrow(await levy.levy.get('/transactions/{id}', { path: { id: credit?.id as string } }));
    const credited = [read.shipping ?? []]
      .flat()
      .map(({ id, net_amount, tax_amount }) => [id, cents(net_amount), cents(tax_amount)]);
    const [first, second] = order.shippingLines.map(({ id, discountedPrice }) => [`shipping-${id}`, discountedPrice]);
    expect(credited).toEqual([
      [...(first ?? []), order.shippingWithTax - order.shipping],
      [...(second ?? []), 0],
    ]);
    expect(shop.logger.lines.filter((line) => /mismatch|difference/.test(line))).toEqual([]);
  },
);

it('does not tax an order that has a shipping method twice, and logs the reason', async () => {
  const items = [
    ['Mug', 1],
    ['Shirt', 1],
  ] as const;
  const order = await placeOrder(shop, { items, address: addresses.NY, ship: ['second', 'second'] });
  await shop.settled();
  expect((await recordedOf(levy, order.code)).sales).toEqual([]);
  expect(shop.logger.lines).toContainEqual(
    expect.stringMatching(`${order.code}: repeated_shipping_method: Use a different`),
  );
});
