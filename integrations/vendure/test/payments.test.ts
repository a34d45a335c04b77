import {
  dummyPaymentHandler,
  type Injector,
  LanguageCode,
  type OrderSellerStrategy,
  OrderService,
  PaymentMethodHandler,
} from '@vendure/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { addresses, cents, placeOrder, recordedOf, shopperOf, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
/** A payment of the amount in its metadata, such as a gift card. */
const part = new PaymentMethodHandler({
  code: 'part',
  description: [{ languageCode: LanguageCode.en, value: 'A part of the order' }],
  args: {},
  createPayment: (_ctx, _order, amount, _args, metadata) => ({
    ...{ amount: Number(metadata['amount'] ?? amount), transactionId: 'x', metadata: {} },
    state: metadata['amount'] ? 'Settled' : 'Authorized',
  }),
  settlePayment: () => ({ success: true }),
});

let injector: Injector;
/** Splits the orders of two mugs into two orders of sellers, and pays for them, as a marketplace does. */
const sellers: OrderSellerStrategy = {
  init: (given) => {
    injector = given;
  },
  splitOrder: ({ channelId }, { lines, shippingLines }) =>
    lines.length < 2
      ? []
      : lines.map((line) => ({ channelId, state: 'ArrangingPayment', lines: [line], shippingLines }) as never),
  afterSellerOrdersCreated: async (ctx, _order, sellerOrders) => {
    for (const { id } of sellerOrders)
      await injector.get(OrderService).addPaymentToOrder(ctx, id, { method: 'settle', metadata: {} });
  },
};

beforeAll(async () => {
  levy = await startLevy();
  const more = {
    paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler, part] },
    orderOptions: { orderSellerStrategy: sellers },
  };
  shop = await startShop({ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' }, null, true, more);
  const translations = [{ languageCode: 'en', name: 'part' }];
  const input = { code: 'part', enabled: true, handler: { code: 'part', arguments: [] }, translations };
  await shop.send('mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { id } }', {
    input,
  });
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

/** Creates an order of which 10.00 is settled and the rest is authorized. */
const partlyPaid = async () => {
  const shopper = shopperOf(shop);
  await shopper.add('Mug', 2);
  await shopper.address(addresses.MI);
  await shopper.ship('standard');
  await shopper.customer('gift@shop.example');
  await shopper.toPayment();
  await shopper.pay('part', { amount: 1000 });
  const order = await shopper.pay('part');
  // 6 % of 53.32: a payment, such as a gift card, does not reduce the tax.
  expect(order.totalWithTax - order.total).toBe(320);
  return order;
};
const statesOf = async (code: string) => {
  await shop.settled();
  const { sales, credits } = await recordedOf(levy, code);
  return [...sales, ...credits].map(({ type, status, total_amount }) => [type, status, cents(total_amount)]);
};

it('records no sale for an order that is canceled after a partial payment', async () => {
  const order = await partlyPaid();
  expect(await statesOf(order.code)).toEqual([['sale', 'draft', order.totalWithTax]]);
  await staffOf(shop).cancel(order.id);
  await staffOf(shop).refund(order.id, { amount: 1000 });
  expect(await statesOf(order.code)).toEqual([]);
});

it('records a sale when the last payment of an order is settled', async () => {
  const order = await partlyPaid();
  const { order: read } = await shop.send<{ order: { payments: { id: string; state: string }[] } }>(
    `{ order(id: "${order.id}") { payments { id state } } }`,
  );
  const rest = read.payments.find(({ state }) => state === 'Authorized');
  await shop.send(`mutation { settlePayment(id: "${rest?.id}") { __typename } }`);
  expect(await statesOf(order.code)).toEqual([['sale', 'finalized', order.totalWithTax]]);
  await staffOf(shop).cancel(order.id);
  await staffOf(shop).refund(order.id, { amount: 1000 });
  expect(await statesOf(order.code)).toEqual([
    ['sale', 'finalized', order.totalWithTax],
    ['credit', 'finalized', 1000],
  ]);
});

it('records the order of a customer, and not its parts for several sellers', async () => {
  const items = [
    ['Mug', 1],
    ['Shirt', 1],
  ] as const;
  const order = await placeOrder(shop, { items, address: addresses.MI });
  await shop.settled();
  const read = await shop.send<{ orders: { items: { code: string; type: string; totalWithTax: number }[] } }>(
    '{ orders(options: { sort: { id: DESC }, take: 3 }) { items { code type totalWithTax } } }',
  );
  expect(read.orders.items.map(({ type }) => type)).toEqual(['Seller', 'Seller', 'Aggregate']);
  expect(read.orders.items.every(({ totalWithTax }) => totalWithTax > 0)).toBe(true);
  const recorded = await Promise.all(read.orders.items.map(({ code }) => statesOf(code)));
  expect(recorded).toEqual([[], [], [['sale', 'finalized', order.totalWithTax]]]);
});
