import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, type LocalLevy, startFaults, startLevy } from '../../core/test/levy.ts';
import { addresses, cents, centsOf, eventually, placeOrder, type Recorded, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  faults = await startFaults(levy.url);
  shop = await startShop({ url: faults.url, apiKey }, { LEVY_RECONCILE: '*/3 * * * * *' });
});
afterAll(async () => {
  await shop?.stop();
  await faults?.close();
  await levy?.stop();
});

const sum = (rows: Recorded['sales'], of: 'total_amount' | 'tax_amount') =>
  rows.reduce((all, row) => all + centsOf(row[of]), 0);
const leftOf = ({ sales, credits }: Recorded) => [
  sum(sales, 'total_amount') - sum(credits, 'total_amount'),
  sum(sales, 'tax_amount') - sum(credits, 'tax_amount'),
];

it('records an order edited to fewer units as a smaller sale, even after the difference is refunded', async () => {
  const { order, paid } = await placeOrder(shop, { items: [['Mug', 3]], address: addresses.MI });
  await staffOf(shop).capture(order.id);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  const edited = await staffOf(shop).edit(order.id, order.items[0]?.id as string, 2);
  const expected = [cents(edited.item_subtotal + edited.shipping_subtotal + edited.tax_total), cents(edited.tax_total)];
  expect(expected[0]).toBeLessThan(paid);
  expect(leftOf(await eventually(levy, order.id, (now) => leftOf(now)[0] === expected[0]))).toEqual(expected);
  await staffOf(shop).refund(order.id, paid - (expected[0] as number));
  // Waits for an event and a reconciliation run.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect(leftOf(await eventually(levy, order.id, (now) => leftOf(now)[0] === expected[0]))).toEqual(expected);
});

it('credits an order that is canceled after its payment', async () => {
  const { order } = await placeOrder(shop, { items: [['Mug', 1]], address: addresses.MI });
  await staffOf(shop).capture(order.id);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  await staffOf(shop).cancel(order.id);
  const recorded = await eventually(levy, order.id, ({ credits }) => credits.length > 0);
  expect([recorded.sales.length, leftOf(recorded)]).toEqual([1, [0, 0]]);
});

it('records a sale at the first partial capture', async () => {
  const { order, paid } = await placeOrder(shop, { items: [['Mug', 2]] });
  await staffOf(shop).capture(order.id, 1000);
  const { sales } = await eventually(levy, order.id, (now) => now.sales[0]?.status === 'finalized');
  expect(sales.map(({ status, total_amount }) => [status, centsOf(total_amount)])).toEqual([['finalized', paid]]);
});

it('finds a payment and a refund long after the order in the reconciliation', async () => {
  const { order } = await placeOrder(shop, { items: [['Mug', 2]] });
  await eventually(levy, order.id, ({ sales }) => sales.length > 0);
  shop.sql(`UPDATE \\"order\\" SET created_at = now() - interval '10 days' WHERE id = '${order.id}'`);
  faults.state.fault = 503;
  await staffOf(shop).capture(order.id);
  await staffOf(shop).refund(order.id, 500);
  shop.sql(`UPDATE \\"order\\" SET updated_at = now() - interval '10 days' WHERE id = '${order.id}'`);
  // Wait until the handlers of both events have given up.
  const failures = () => shop.output().split(`Recording order ${order.id} after`).length - 1;
  for (let tries = 0; tries < 300 && failures() < 2; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  faults.state.fault = 'none';
  const { sales, credits } = await eventually(levy, order.id, (now) => now.credits.length > 0);
  expect([sales.map(({ status }) => status), credits.map(({ total_amount }) => total_amount)]).toEqual([
    ['finalized'],
    ['5.00'],
  ]);
});

it('records a refunded return as a credit', async () => {
  const { order, paid } = await placeOrder(shop, { items: [['Mug', 3]], address: addresses.MI });
  await staffOf(shop).capture(order.id);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  await staffOf(shop).takeBack(order.id, order.items[0]?.id as string, 1);
  await staffOf(shop).refund(order.id, 2826);
  const recorded = await eventually(levy, order.id, ({ credits }) => credits.length > 0);
  // The sale and its tax do not change.
  const sold = [sum(recorded.sales, 'total_amount'), sum(recorded.sales, 'tax_amount')];
  expect([sold, leftOf(recorded)[0]]).toEqual([[paid, cents(order.tax_total)], paid - 2826]);
  // The tax of the returned unit, not of the shipping.
  expect(recorded.credits.map(({ tax_amount }) => tax_amount)).toEqual(['1.60']);
  expect(shop.output()).not.toContain('mismatch');
});
