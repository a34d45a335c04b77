import { expect, it } from 'vitest';
import { startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  cents,
  createShopper,
  eventually,
  expectedTax,
  guam,
  listChanges,
  paidOrder,
  placeOrder,
  readNet,
  toCents,
} from './orders.ts';
import { openShop, startShop } from './shop.ts';

// Disables the reconciliation, to test only Medusa's events.
const levy = await startLevy();
const shop = await openShop(levy.url);

const until = async (isTrue: () => boolean) => {
  for (let tries = 0; tries < 100 && !isTrue(); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
};

it('replaces the sale if a corrected address is in a different state', async () => {
  const { order } = await paidOrder(shop, levy, { items: { Rice: 3 }, ship: 'pickup' });
  await shop.admin('POST', `/orders/${order.id}`, { shipping_address: addresses.WA });
  const isMoved = ({ sales }: Awaited<ReturnType<typeof eventually>>) => sales[0]?.customer?.address?.state === 'WA';
  const { sales } = await eventually(levy, order.id, isMoved);
  expect(sales.map(({ status, customer }) => [status, customer?.address?.state])).toEqual([['finalized', 'WA']]);
});

it('records a received exchange and a claim on their events', async () => {
  const { order, paid } = await paidOrder(shop, levy, { items: { Mug: 3 } });
  const [changes, id] = [listChanges(shop, order.id), order.items[0]?.id as string];
  await changes.ship([{ id, quantity: 3 }]);
  await changes.receive(await changes.exchange([{ id, quantity: 1 }], ['Mug']), [{ id, quantity: 1 }]);
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  expect(await readNet(levy, order.id)).toEqual({ net: paid, tax: cents(order.tax_total), credits: 1 });
  const second = await paidOrder(shop, levy, { items: { Mug: 1 } });
  const replaced = listChanges(shop, second.order.id);
  const units = [{ id: second.order.items[0]?.id as string, quantity: 1 }];
  await replaced.ship(units);
  await replaced.claim(units, ['Mug']);
  await eventually(levy, second.order.id, ({ credits }) => credits.length === 1);
  expect(await readNet(levy, second.order.id)).toMatchObject({ net: second.paid, credits: 1 });
});

it('logs a second exchange of an order with credits as a problem', async () => {
  const { order } = await paidOrder(shop, levy, { items: { Mug: 2 } });
  const [changes, id] = [listChanges(shop, order.id), order.items[0]?.id as string];
  await changes.ship([{ id, quantity: 2 }]);
  const exchange = async () =>
    changes.receive(await changes.exchange([{ id, quantity: 1 }], ['Mug']), [{ id, quantity: 1 }]);
  await exchange();
  await eventually(levy, order.id, ({ credits }) => credits.length === 1);
  await exchange();
  await until(() => shop.output().includes(`${order.id}: conflict_has_credits`));
  expect(shop.output()).toContain(`${order.id}: conflict_has_credits`);
});

it('finalizes a free order', async () => {
  const shopper = createShopper(shop);
  await shopper.create();
  await shopper.address(addresses.NY);
  await shopper.add('Pin', 1);
  await shopper.ship('pickup');
  expect((await shopper.coupon('SAVE7')).total).toBe(0);
  const order = await shopper.complete();
  const { sales } = await eventually(levy, order.id, (now) => now.sales[0]?.status === 'finalized');
  expect(sales.map(({ status, total_amount }) => [status, toCents(total_amount)])).toEqual([['finalized', 0]]);
});

/** Creates an order that the staff enters. */
const draftOrder = async (more: object): Promise<string> => {
  const items = [{ variant_id: shop.variants.Mug, quantity: 3 }];
  const body = { email: 'buyer@shop.example', region_id: shop.region, items, ...more };
  const { draft_order } = await shop.admin<{ draft_order: { id: string } }>('POST', '/draft-orders', body);
  return draft_order.id;
};

it('taxes an order that the staff enters, and records it when it is placed', async () => {
  const id = await draftOrder({ shipping_address: addresses.MI });
  const { tax_total, items } = await listChanges(shop, id).read();
  const mugs = items.map((item) => ({ ...item, product_title: 'Mug' }));
  expect(cents(tax_total)).toBe(await expectedTax(levy, { items: mugs, shipping_subtotal: 0 }, addresses.MI));
  // The staff entered it on an earlier day.
  shop.sql(`UPDATE \\"order\\" SET created_at = now() - interval '10 days' WHERE id = '${id}'`);
  const start = new Date().toISOString();
  await shop.admin('POST', `/draft-orders/${id}/convert-to-order`, {});
  const { sales } = await eventually(levy, id, (now) => now.sales.length > 0);
  expect(sales.map((sale) => [sale.status, toCents(sale.tax_amount)])).toEqual([['draft', cents(tax_total)]]);
  expect((sales[0]?.tax_date as string) >= start).toBe(true);
});

it('logs an order without an address as a problem', async () => {
  const id = await draftOrder({});
  await shop.admin('POST', `/draft-orders/${id}/convert-to-order`, {});
  await until(() => shop.output().includes(`${id}: no_address`));
  expect(shop.output()).toContain(`${id}: no_address`);
});

it("does not exempt a guest who enters a customer's e-mail address", async () => {
  const { order } = await placeOrder(shop, { items: { Pin: 1 } });
  const { sales } = await eventually(levy, order.id, (now) => now.sales.length > 0);
  expect(sales.map(({ customer }) => customer?.id ?? null)).toEqual([null]);
});

it("logs Levy's warnings once per cart", async () => {
  const shopper = createShopper(shop);
  await shopper.create();
  await shopper.address(guam);
  for (const quantity of [1, 2]) await shopper.add('Mug', quantity);
  await shopper.ship('standard');
  await shopper.toPayment();
  const { id } = await shopper.cart();
  const lines = shop
    .output()
    .split('\n')
    .filter((line) => line.includes(`cart ${id}`));
  expect(lines).toHaveLength(1);
});

it('prevents Medusa from starting with an invalid setting', async () => {
  const wrong = startShop(levy.url, { LEVY_FALLBACK: 'Block' });
  await expect(wrong).rejects.toThrow('LEVY_FALLBACK must be');
});
