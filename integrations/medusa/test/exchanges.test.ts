import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, type LocalLevy, startFaults, startLevy } from '../../core/test/levy.ts';
import { changesOf, netOf, paidOrder, settle } from './changes.ts';
import { addresses, cents, eventually, expectedTax, placeOrder, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  faults = await startFaults(levy.url);
  const more = { LEVY_RECONCILE: '*/3 * * * * *', LEVY_PAUSE_MS: '50' };
  shop = await startShop({ url: faults.url, apiKey }, more);
});
afterAll(async () => {
  await shop?.stop();
  await faults?.close();
  await levy?.stop();
});

/** Returns the log lines about problems of an order since a given time. */
const watch = (order: string) => {
  const start = shop.output().length;
  return () =>
    shop
      .output()
      .slice(start)
      .split('\n')
      .filter((line) => line.includes(order) && /mismatch|conflict|tax_difference|failed|no tax/.test(line));
};
const itemOf = (order: { readonly items: readonly { readonly id: string }[] }): string => order.items[0]?.id as string;

it('taxes items that an edit adds, and records them when they are paid', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: [['Mug', 1]] });
  const changes = changesOf(shop, order.id);
  const problems = watch(order.id);
  // Rice is exempt in Michigan.
  await changes.add('Rice', 3);
  const edited = await changes.read();
  expect(cents(edited.tax_total)).toBe(cents(order.tax_total));
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: paid, tax: cents(order.tax_total), credits: 0 });
  expect(problems().join('\n')).toContain('9.99 of the changed order is neither paid nor covered by returns');
  await changes.markAsPaid();
  await eventually(levy, order.id, ({ sales }) => sales[0]?.total_amount === `${(paid + 999) / 100}`);
  expect(await netOf(levy, order.id)).toEqual({ net: paid + 999, tax: cents(order.tax_total), credits: 0 });
});

it('lowers the tax by an item with a negative price that an edit adds', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: [['Mug', 2]] });
  const changes = changesOf(shop, order.id);
  const problems = watch(order.id);
  await changes.add('Table', 1, -3);
  const edited = await changes.read();
  // 6 % of 53.32 - 3.00.
  expect([cents(edited.total), cents(edited.tax_total)]).toEqual([paid - 318, 302]);
  await staffOf(shop).refund(order.id, 318);
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: paid - 318, tax: 302, credits: 0 });
  expect(problems()).toEqual([]);
});

it('lowers the tax of the goods of a draft order by an item with a negative price', async () => {
  const { draft_order } = await shop.admin<{ draft_order: { id: string } }>('POST', '/draft-orders', {
    ...{ region_id: shop.region, email: 'buyer@shop.example', shipping_address: addresses.MI },
    items: [
      { variant_id: shop.variants.Mug, quantity: 2 },
      { title: 'Sorry', quantity: 1, unit_price: -3 },
    ],
  });
  const { id } = draft_order;
  const problems = watch(id);
  await shop.admin('POST', `/draft-orders/${id}/convert-to-order`, {});
  const { total, tax_total } = await changesOf(shop, id).read();
  // 6 % of 53.32 - 3.00.
  expect([cents(total), cents(tax_total)]).toEqual([5334, 302]);
  await eventually(levy, id, ({ sales }) => sales.length > 0);
  expect(await netOf(levy, id)).toEqual({ net: 5334, tax: 302, credits: 0 });
  expect(problems()).toEqual([]);
});

it("applies and logs the shop's rate for items that an edit adds while Levy is down", async () => {
  const { order } = await paidOrder(shop, levy, { items: [['Mug', 1]] });
  const problems = watch(order.id);
  faults.state.applies = ({ path }) => path.startsWith('/calculations');
  faults.state.fault = 503;
  await changesOf(shop, order.id).add('Rice', 3);
  faults.state.fault = 'none';
  faults.state.applies = () => true;
  // 7 % of 9.99.
  expect(cents((await changesOf(shop, order.id).read()).tax_total)).toBe(cents(order.tax_total) + 70);
  expect(problems().join('\n')).toContain(`Levy returned no tax for order ${order.id}; charging the shop's tax rate`);
});

it('keeps the amount of the order after an even exchange', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: [['Mug', 2]] });
  const [changes, tax, id] = [changesOf(shop, order.id), cents(order.tax_total), itemOf(order)];
  await changes.ship([{ id, quantity: 2 }]);
  const back = await changes.exchange([{ id, quantity: 1 }], ['Mug']);
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: paid, tax, credits: 0 });
  await changes.receive(back, [{ id, quantity: 1 }]);
  const problems = watch(order.id);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: paid, tax, credits: 1 });
  expect(cents((await changes.read()).total)).toBe(paid);
  expect(problems()).toEqual([]);
});

it('records an exchange for something cheaper as the cheaper order after its refund', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: [['Mug', 2]] });
  const [changes, id] = [changesOf(shop, order.id), itemOf(order)];
  await changes.ship([{ id, quantity: 2 }]);
  await changes.receive(await changes.exchange([{ id, quantity: 1 }], ['Rice']), [{ id, quantity: 1 }]);
  const { summary, total, tax_total } = await changes.read();
  await staffOf(shop).refund(order.id, -cents(summary.pending_difference));
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  const problems = watch(order.id);
  await settle();
  expect(cents(total)).toBe(paid - 2826 + 333);
  expect(await netOf(levy, order.id)).toEqual({ net: cents(total), tax: cents(tax_total), credits: 2 });
  expect(problems()).toEqual([]);
});

it('does not count units that a claim replaces twice', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: [['Mug', 2]] });
  const [changes, id] = [changesOf(shop, order.id), itemOf(order)];
  await changes.ship([{ id, quantity: 2 }]);
  const problems = watch(order.id);
  await changes.claim([{ id, quantity: 1 }], ['Mug']);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: paid, tax: cents(order.tax_total), credits: 1 });
  expect(problems()).toEqual([]);
});

it('keeps a return fee in the ledger with its tax', async () => {
  const { order, cart } = await paidOrder(shop, levy, { items: [['Mug', 1]], address: addresses.HI });
  const [changes, id] = [changesOf(shop, order.id), itemOf(order)];
  await changes.ship([{ id, quantity: 1 }]);
  const problems = watch(order.id);
  await changes.receive(await changes.takeBackFor(4, [{ id, quantity: 1 }]), [{ id, quantity: 1 }]);
  const { summary, total, tax_total } = await changes.read();
  // The tax of the shipping and the fee in total.
  const charged = { items: cart.items.map((item) => ({ ...item, quantity: 1 })), shipping_subtotal: 9 };
  const goods = await expectedTax(levy, { ...charged, shipping_subtotal: 0 }, addresses.HI);
  expect(cents(tax_total)).toBe((await expectedTax(levy, charged, addresses.HI)) - goods);
  await staffOf(shop).refund(order.id, -cents(summary.pending_difference));
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  await settle();
  expect(await netOf(levy, order.id)).toMatchObject({ net: cents(total), credits: 2 });
  expect(problems()).toEqual([]);
});

it('records nothing for an order that is canceled after a partial payment', async () => {
  const { order } = await placeOrder(shop, { items: [['Mug', 2]] });
  const problems = watch(order.id);
  await staffOf(shop).capture(order.id, 1000);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  await staffOf(shop).cancel(order.id);
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  await settle();
  expect(await netOf(levy, order.id)).toEqual({ net: 0, tax: 0, credits: 2 });
  expect(problems()).toEqual([]);
});
