import { describe, expect, it } from 'vitest';
import { type Fault, readRecorded, startFaults, startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  cents,
  createShopper,
  createStaff,
  eventually,
  expectedTax,
  placeOrder,
  type Recorded,
  toCents,
} from './orders.ts';
import { openShop } from './shop.ts';

const levy = await startLevy();
const faults = await startFaults(levy.url);
const settings = { LEVY_TIMEOUT_MS: '500', LEVY_PAUSE_MS: '50', LEVY_RECONCILE: '*/3 * * * * *' };
const shop = await openShop(faults.url, settings);

it("records an order as a draft, a sale and a credit, with Levy's tax to the cent", async () => {
  const { cart, order, paid } = await placeOrder(shop, { items: { Mug: 3, Shirt: 1 }, coupon: 'SAVE7' });
  const tax = await expectedTax(levy, cart, addresses.HI);
  expect([cents(order.tax_total), paid]).toEqual([tax, cents(order.total)]);
  const drafts = await eventually(levy, order.id, ({ sales }) => sales.length > 0);
  expect(
    drafts.sales.map(({ status, total_amount, tax_amount }) => [status, toCents(total_amount), toCents(tax_amount)]),
  ).toEqual([['draft', paid, tax]]);
  await createStaff(shop).capture(order.id);
  await eventually(levy, order.id, ({ sales }) => sales[0]?.status === 'finalized');
  await createStaff(shop).refund(order.id, 1044);
  const { sales, credits } = await eventually(levy, order.id, (recorded) => recorded.credits.length > 0);
  expect(sales.map(({ status }) => status)).toEqual(['finalized']);
  expect(credits.map(({ total_amount }) => toCents(total_amount))).toEqual([1044]);
});

describe('the tax of a cart', () => {
  it("matches Levy's tax at the payment, after a coupon and changed quantities", async () => {
    const shopper = createShopper(shop);
    await shopper.create();
    await shopper.address(addresses.NY);
    let cart = await shopper.add('Mug', 2);
    for (const product of ['Shirt', 'Rice', 'Pin'] as const) cart = await shopper.add(product, 1);
    await shopper.ship('standard');
    await shopper.coupon('SAVE7');
    for (let quantity = 1; quantity < 6; quantity++) {
      const line = cart.items[quantity % cart.items.length];
      await shopper.adjust(line?.id as string, 1 + ((quantity * 7) % 9));
      await shopper.toPayment();
      cart = await shopper.cart();
      expect(cents(cart.tax_total)).toBe(await expectedTax(levy, cart, addresses.NY));
    }
  });

  it('charges no tax without an address', async () => {
    const shopper = createShopper(shop);
    await shopper.create();
    expect(cents((await shopper.add('Mug', 1)).tax_total)).toBe(0);
  });

  it('uses the rate of the tax region, and logs it, for an address without a state and a ZIP code', async () => {
    const shopper = createShopper(shop);
    await shopper.create();
    await shopper.add('Mug', 1);
    const { province, postal_code, ...incomplete } = addresses.HI;
    // The tax is 7 % of 26.66.
    expect(cents((await shopper.address(incomplete)).tax_total)).toBe(187);
    expect(shop.output()).toContain('The address has neither a state nor a postal code.');
  });

  it('recalculates the tax for a second address', async () => {
    const shopper = createShopper(shop);
    await shopper.create();
    await shopper.add('Table', 1);
    expect(cents((await shopper.address(addresses.NY)).tax_total)).toBe(2214);
    expect(cents((await shopper.address(addresses.MI)).tax_total)).toBe(1497);
  });
});

it('voids an order that is canceled before its payment', async () => {
  const { order } = await placeOrder(shop, { items: { Pin: 3 }, address: addresses.MI, ship: 'pickup' });
  await eventually(levy, order.id, ({ sales }) => sales.length > 0);
  await createStaff(shop).cancel(order.id);
  expect((await eventually(levy, order.id, ({ sales }) => sales.length === 0)).sales).toEqual([]);
});

describe('failures', () => {
  it.each<Fault>(['hang', 'hang up', 409, 422, 429, 500, 503])(
    'charges the rate of the shop when Levy returns %s',
    async (fault) => {
      faults.state.applies = ({ path }) => path.startsWith('/calculations');
      faults.state.fault = fault;
      const { order } = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.WA, ship: 'pickup' });
      faults.state.fault = 'none';
      faults.state.applies = () => true;
      // The tax is 7 % of 26.66.
      expect(cents(order.tax_total)).toBe(187);
      expect(shop.output()).toContain('Levy returned no tax for cart');
      const { sales } = await eventually(levy, order.id, (recorded) => recorded.sales.length > 0);
      expect(sales.map(({ tax_amount, metadata }) => [toCents(tax_amount), metadata?.['estimated']])).toEqual([
        [187, 'true'],
      ]);
    },
  );

  it.each<Fault>(['hang', 'hang up', 'response lost', 503])(
    'records an order once when Levy returns %s to a write',
    async (fault) => {
      faults.state.applies = ({ method, path }) => method === 'POST' && path.startsWith('/transactions');
      faults.state.fault = fault;
      const { order, paid } = await placeOrder(shop, { items: { Mug: 2 } });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      faults.state.fault = 'none';
      faults.state.applies = () => true;
      // The reconciliation job finds the order. A hanging call is retried after 30 s.
      const isRecorded = (recorded: Recorded) => recorded.sales.length > 0;
      for (let times = 0; times < 4 && !isRecorded(await eventually(levy, order.id, isRecorded)); times++);
      const { sales } = await readRecorded(levy, order.id);
      expect(sales.map(({ total_amount }) => toCents(total_amount))).toEqual([paid]);
      expect((await readRecorded(levy, order.id)).sales).toHaveLength(1);
    },
  );
});
