import { expect, it, vi } from 'vitest';
import { startFaults, startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  cents,
  createStaff,
  eventually,
  expectedTax,
  listChanges,
  paidOrder,
  placeOrder,
  readNet,
  settle,
} from './orders.ts';
import { openShop } from './shop.ts';

const levy = await startLevy();
const faults = await startFaults(levy.url);
const shop = await openShop(faults.url, { LEVY_RECONCILE: '*/3 * * * * *', LEVY_PAUSE_MS: '50' });

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
const getItem = (order: { readonly items: readonly { readonly id: string }[] }): string => order.items[0]?.id as string;

/** Waits until the ledger has the net total, the tax and the credits of an order. */
const expectNet = (order: string, expected: object) =>
  vi.waitFor(async () => expect(await readNet(levy, order)).toEqual(expected), { timeout: 20_000, interval: 200 });

it('taxes items that an edit adds, and records them when they are paid', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 1 } });
  const changes = listChanges(shop, order.id);
  const problems = watch(order.id);
  // Rice is exempt in Michigan.
  await changes.add('Rice', 3);
  const edited = await changes.read();
  expect(cents(edited.tax_total)).toBe(cents(order.tax_total));
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: paid, tax: cents(order.tax_total), credits: 0 });
  expect(problems().join('\n')).toContain('9.99 of the changed order is neither paid nor covered by returns');
  await changes.markAsPaid();
  await eventually(levy, order.id, ({ sales }) => sales[0]?.total_amount === `${(paid + 999) / 100}`);
  expect(await readNet(levy, order.id)).toEqual({ net: paid + 999, tax: cents(order.tax_total), credits: 0 });
});

it('lowers the tax if an edit adds an item with a negative price', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const changes = listChanges(shop, order.id);
  const problems = watch(order.id);
  await changes.add('Table', 1, -3);
  const edited = await changes.read();
  // The tax is 6 % of 53.32 - 3.00.
  expect([cents(edited.total), cents(edited.tax_total)]).toEqual([paid - 318, 302]);
  await createStaff(shop).refund(order.id, 318);
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: paid - 318, tax: 302, credits: 0 });
  expect(problems()).toEqual([]);
});

it('lowers the tax of a draft order that has an item with a negative price', async () => {
  const { draft_order } = await shop.admin<{ draft_order: { id: string } }>('POST', '/draft-orders', {
    region_id: shop.region,
    email: 'buyer@shop.example',
    shipping_address: addresses.MI,
    items: [
      { variant_id: shop.variants.Mug, quantity: 2 },
      { title: 'Sorry', quantity: 1, unit_price: -3 },
    ],
  });
  const { id } = draft_order;
  const problems = watch(id);
  await shop.admin('POST', `/draft-orders/${id}/convert-to-order`, {});
  const { total, tax_total } = await listChanges(shop, id).read();
  // The tax is 6 % of 53.32 - 3.00.
  expect([cents(total), cents(tax_total)]).toEqual([5334, 302]);
  await eventually(levy, id, ({ sales }) => sales.length > 0);
  expect(await readNet(levy, id)).toEqual({ net: 5334, tax: 302, credits: 0 });
  expect(problems()).toEqual([]);
});

it("applies and logs the shop's rate for items that an edit adds while Levy is down", async () => {
  const { order } = await paidOrder(shop, levy, { items: { Mug: 1 } });
  const problems = watch(order.id);
  faults.state.applies = ({ path }) => path.startsWith('/calculations');
  faults.state.fault = 503;
  await listChanges(shop, order.id).add('Rice', 3);
  faults.state.fault = 'none';
  faults.state.applies = () => true;
  // The tax is 7 % of 9.99.
  expect(cents((await listChanges(shop, order.id).read()).tax_total)).toBe(cents(order.tax_total) + 70);
  expect(problems().join('\n')).toContain(`Levy returned no tax for order ${order.id}; charging the shop's tax rate`);
});

it('credits a return only once if it is settled with store credit and a refund follows', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const staff = createStaff(shop);
  await staff.takeBack(order.id, getItem(order), 1);
  const { summary, total } = await listChanges(shop, order.id).read();
  const settlement = { amount: summary.pending_difference, reference: 'refund', reference_id: order.id };
  // Levy is down until the order has a later version, whose credit line is a copy.
  faults.state.fault = 503;
  await shop.admin('POST', `/orders/${order.id}/credit-lines`, settlement);
  const between = new Date().toISOString();
  expect(cents(total)).toBe(paid - 2826);
  await staff.refund(order.id, 500);
  faults.state.fault = 'none';
  const { credits } = await eventually(levy, order.id, (now) => now.credits.length === 2);
  // The credit is 26.66 and 6 % of it.
  const [given] = credits.filter(({ total_amount }) => total_amount === '28.26');
  expect([given?.tax_amount, (given?.tax_date as string) < between]).toEqual(['1.60', true]);
  await settle();
  expect(await readNet(levy, order.id)).toMatchObject({ net: paid - 3326, credits: 2 });
});

it('keeps the amount of the order after an even exchange', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const [changes, tax, id] = [listChanges(shop, order.id), cents(order.tax_total), getItem(order)];
  await changes.ship([{ id, quantity: 2 }]);
  const back = await changes.exchange([{ id, quantity: 1 }], ['Mug']);
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: paid, tax, credits: 0 });
  await changes.receive(back, [{ id, quantity: 1 }]);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  // A run that read the order before the return reports a difference.
  await settle();
  const problems = watch(order.id);
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: paid, tax, credits: 1 });
  expect(cents((await changes.read()).total)).toBe(paid);
  expect(problems()).toEqual([]);
});

it('records an exchange for a cheaper item as an order with the lower amount, after the refund', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const [changes, id] = [listChanges(shop, order.id), getItem(order)];
  await changes.ship([{ id, quantity: 2 }]);
  await changes.receive(await changes.exchange([{ id, quantity: 1 }], ['Rice']), [{ id, quantity: 1 }]);
  const { summary, total, tax_total } = await changes.read();
  await createStaff(shop).refund(order.id, -cents(summary.pending_difference));
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  const problems = watch(order.id);
  await settle();
  expect(cents(total)).toBe(paid - 2826 + 333);
  expect(await readNet(levy, order.id)).toEqual({ net: cents(total), tax: cents(tax_total), credits: 2 });
  expect(problems()).toEqual([]);
});

it('counts units replaced by a claim only once', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const [changes, id] = [listChanges(shop, order.id), getItem(order)];
  await changes.ship([{ id, quantity: 2 }]);
  const problems = watch(order.id);
  await changes.claim([{ id, quantity: 1 }], ['Mug']);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: paid, tax: cents(order.tax_total), credits: 1 });
  expect(problems()).toEqual([]);
});

it('keeps the credit of units that a claim replaces after a goodwill refund and a return', async () => {
  const { order } = await paidOrder(shop, levy, { items: { Mug: 2, Shirt: 1 } });
  const find = (name: string) => order.items.find(({ product_title }) => product_title === name)?.id as string;
  const [changes, staff, mugs] = [listChanges(shop, order.id), createStaff(shop), find('Mug')];
  const waitFor = (count: number) => eventually(levy, order.id, ({ credits }) => credits.length === count);
  await changes.ship([{ id: mugs, quantity: 2 }]);
  await changes.claim([{ id: mugs, quantity: 1 }], ['Mug']);
  await waitFor(1);
  await staff.refund(order.id, 200);
  await waitFor(2);
  await staff.takeBack(order.id, find('Shirt'), 1);
  const { summary } = await changes.read();
  await staff.refund(order.id, -cents(summary.pending_difference));
  await waitFor(3);
  const problems = watch(order.id);
  await settle();
  const { total } = await changes.read();
  expect(await readNet(levy, order.id)).toMatchObject({ net: cents(total), credits: 3 });
  expect(problems()).toEqual([]);
});

it('keeps a return fee in the ledger with its tax', async () => {
  const { order, cart } = await paidOrder(shop, levy, { items: { Mug: 1 }, address: addresses.HI });
  const [changes, id] = [listChanges(shop, order.id), getItem(order)];
  await changes.ship([{ id, quantity: 1 }]);
  await changes.receive(await changes.takeBackFor(4, [{ id, quantity: 1 }]), [{ id, quantity: 1 }]);
  const { summary, total, tax_total } = await changes.read();
  // This is the total tax of the shipping and the fee.
  const charged = { items: cart.items.map((item) => ({ ...item, quantity: 1 })), shipping_subtotal: 9 };
  const goods = await expectedTax(levy, { ...charged, shipping_subtotal: 0 }, addresses.HI);
  expect(cents(tax_total)).toBe((await expectedTax(levy, charged, addresses.HI)) - goods);
  await createStaff(shop).refund(order.id, -cents(summary.pending_difference));
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  // Before the refund, the fee is unpaid, and the subscriber may report it.
  const problems = watch(order.id);
  await settle();
  expect(await readNet(levy, order.id)).toMatchObject({ net: cents(total), credits: 2 });
  expect(problems()).toEqual([]);
});

it('credits the whole sale of an order that is canceled after a partial payment', async () => {
  const { order } = await placeOrder(shop, { items: { Mug: 2 } });
  const problems = watch(order.id);
  await createStaff(shop).capture(order.id, 1000);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  await createStaff(shop).cancel(order.id);
  await eventually(levy, order.id, ({ credits }) => credits.length === 2);
  await settle();
  expect(await readNet(levy, order.id)).toEqual({ net: 0, tax: 0, credits: 2 });
  expect(problems()).toEqual([]);
});

it('records an order edited to fewer units as a smaller sale, even after the difference is refunded', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 3 } });
  const { item_subtotal, shipping_subtotal, tax_total } = await createStaff(shop).edit(order.id, getItem(order), 2);
  const net = cents(item_subtotal + shipping_subtotal + tax_total);
  expect(net).toBeLessThan(paid);
  await expectNet(order.id, { net, tax: cents(tax_total), credits: 0 });
  await createStaff(shop).refund(order.id, paid - net);
  await settle();
  await expectNet(order.id, { net, tax: cents(tax_total), credits: 0 });
});

it('reports no difference after a credited refund and an edit back to the recorded sale', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const [staff, changes, item] = [createStaff(shop), listChanges(shop, order.id), getItem(order)];
  await staff.refund(order.id, 500);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  await staff.edit(order.id, item, 3);
  await changes.markAsPaid();
  await settle();
  await staff.edit(order.id, item, 2);
  await settle();
  const problems = watch(order.id);
  await settle();
  expect(problems()).toEqual([]);
  expect(await readNet(levy, order.id)).toMatchObject({ net: paid - 500, credits: 1 });
});

it('credits an order that is canceled after its payment', async () => {
  const { order } = await paidOrder(shop, levy, { items: { Mug: 1 } });
  await createStaff(shop).cancel(order.id);
  await expectNet(order.id, { net: 0, tax: 0, credits: 1 });
});

it('records a sale at the first partial capture', async () => {
  const { order, paid } = await placeOrder(shop, { items: { Mug: 2 } });
  await createStaff(shop).capture(order.id, 1000);
  const { sales } = await eventually(levy, order.id, (now) => now.sales[0]?.status === 'finalized');
  expect(sales.map(({ status, total_amount }) => [status, total_amount])).toEqual([
    ['finalized', (paid / 100).toFixed(2)],
  ]);
});

it('finds a payment and a refund long after the order in the reconciliation', async () => {
  const { order } = await placeOrder(shop, { items: { Mug: 2 } });
  await eventually(levy, order.id, ({ sales }) => sales.length > 0);
  shop.sql(`UPDATE \\"order\\" SET created_at = now() - interval '10 days' WHERE id = '${order.id}'`);
  faults.state.fault = 503;
  await createStaff(shop).capture(order.id);
  await createStaff(shop).refund(order.id, 500);
  shop.sql(`UPDATE \\"order\\" SET updated_at = now() - interval '10 days' WHERE id = '${order.id}'`);
  // Wait until the retries of both event handlers have ended.
  const failures = () => shop.output().split(`Recording order ${order.id} after`).length - 1;
  for (let tries = 0; tries < 300 && failures() < 2; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  faults.state.fault = 'none';
  const { sales, credits } = await eventually(levy, order.id, (now) => now.credits.length > 0);
  expect([sales.map(({ status }) => status), credits.map(({ total_amount }) => total_amount)]).toEqual([
    ['finalized'],
    ['5.00'],
  ]);
});

it('records a refunded return as a credit, even if its units arrive one by one', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 3, Rice: 3 } });
  const problems = watch(order.id);
  const mugs = order.items.find(({ product_title }) => product_title === 'Mug');
  await createStaff(shop).takeBack(order.id, mugs?.id as string, 2);
  await createStaff(shop).refund(order.id, 5652);
  // The tax of the returned mugs, not of the shipping. Rice is exempt.
  await expectNet(order.id, { net: paid - 5652, tax: cents(order.tax_total) - 320, credits: 1 });
  expect(problems()).toEqual([]);
});
