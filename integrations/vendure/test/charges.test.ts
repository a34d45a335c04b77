import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  cents,
  createShopper,
  createStaff,
  expectSale,
  getTax,
  placeOrder,
  readCredits,
  readExpectedTax,
  type ShopOrder,
} from './orders.ts';
import { buildOptions, startShop, store } from './shop.ts';

const levy = await startLevy();
levy.set('retail_delivery_fee=add');
const shop = await startShop(buildOptions(levy.url, { fallback: 'block' }));
afterAll(shop.stop);
beforeEach(() => {
  shop.logger.lines.length = 0;
});

const staff = createStaff(shop);
const logged = () => shop.logger.lines.join('\n');

/** Returns the only sale of an order, and checks its amounts and the log. */
const toSale = async (order: ShopOrder) => {
  const sale = await expectSale(shop, levy, order);
  expect(logged()).not.toMatch(/mismatch|tax_difference/);
  return sale;
};

describe('gift cards', () => {
  it('does not allocate the shipping of other goods to a gift card', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1, Card: 1 }, address: addresses.NY });
    // 4 %, 4.5 % and 0.375 % of 26.66 + 5.00 are 1.27, 1.42 and 0.12.
    expect(getTax(order)).toBe(281);
    expect((await toSale(order)).shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '0.00' });
    expect(logged()).toBe('');
  });

  it('allocates shipping to a gift card whose variant is shipped, without a log entry', async () => {
    await staff.setProduct('Card', { levyFulfillment: 'ship' });
    const order = await placeOrder(shop, { items: { Card: 1 }, address: addresses.NY });
    await staff.setProduct('Card', { levyFulfillment: null });
    const { line_items, shipping } = await toSale(order);
    expect([line_items[0]?.fulfillment, shipping]).toMatchObject(['ship', { line_item_ids: null }]);
    expect(logged()).toBe('');
  });
});

describe('orders with a retail delivery fee that Levy adds', () => {
  it('adds the fee as a tax of the first line, in one sale', async () => {
    const order = await placeOrder(shop, { items: { Mug: 4 }, address: addresses.MN });
    // The tax is 9.025 % of 106.64 + 5.00, and the fee of 0.50.
    expect(getTax(order)).toBe(1008 + 50);
    expect(order.taxSummary).toContainEqual(
      expect.objectContaining({ description: 'Minnesota retail delivery fee', taxTotal: 50 }),
    );
    await toSale(order);
    await staff.refund(order.id, { amount: order.totalWithTax });
    expect((await readCredits(shop, levy, order)).amounts).toEqual([[order.totalWithTax, getTax(order)]]);
    await toSale(order);
  });
});

describe('orders that are picked up at the store', () => {
  const pickedUp = { fulfillment: 'pickup', ship_from: { address: { city: store.city, state: 'MI' } } };

  it.each([['NY'], ['nobody']] as const)('charges the tax of the store with an address of %s', async (where) => {
    const address = where === 'NY' ? addresses.NY : null;
    const order = await placeOrder(shop, { items: { Mug: 1 }, ship: 'pickup', address });
    // The tax is 6 % of 26.66.
    expect(getTax(order)).toBe(160);
    const { line_items, tax_summary } = await toSale(order);
    expect(line_items).toMatchObject([pickedUp]);
    expect(tax_summary.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-MI']);
    expect(logged()).toBe('');
  });

  it("lists the other methods with the buyer's tax, and applies the selected method", async () => {
    const shopper = createShopper(shop);
    await shopper.add('Mug', 1);
    await shopper.address(addresses.NY);
    expect(getTax(await shopper.ship('pickup'))).toBe(160);
    expect(await shopper.methods()).toContainEqual(
      // The tax is 8.875 % of 31.66 less 8.875 % of 26.66.
      expect.objectContaining({ code: 'standard', priceWithTax: 544 }),
    );
    expect(getTax(await shopper.ship('standard'))).toBe(281);
    expect(getTax(await shopper.ship('pickup'))).toBe(160);
    expect(logged()).toBe('');
  });

  it('allocates the charge of a shipping method only to the lines that are not picked up', async () => {
    const items = { Mug: 1, Table: 1 };
    const order = await placeOrder(shop, { items, ship: ['standard', 'pickup'], address: addresses.NY });
    // The taxes are 8.875 % of 26.66 + 5.00 in New York, and 6 % of 249.50 in Detroit.
    expect(getTax(order)).toBe(281 + 1497);
    const { line_items } = await toSale(order);
    expect(line_items.map(({ fulfillment }) => fulfillment)).toEqual([null, 'pickup']);
    expect(logged()).toBe('');
  });

  it("taxes the order at the buyer's address if an edit changes it to shipping", async () => {
    const order = await placeOrder(shop, {
      items: { Mug: 1 },
      ship: 'pickup',
      address: addresses.NY,
      pay: 'authorize',
    });
    await shop.settled();
    await staff.to(order.id, 'Modifying');
    const methods = await shop.send<{ shippingMethods: { items: { id: string; code: string }[] } }>(
      '{ shippingMethods { items { id code } } }',
    );
    const standard = methods.shippingMethods.items.find(({ code }) => code === 'standard')?.id;
    await staff.modify(order.id, { shippingMethodIds: [standard] });
    expect(getTax(await staff.read(order.id))).toBe(281);
  });
});

// New York exempts the shirt and its shipping. The taxes are 8.875 % of 26.66 + 5.00, and of 26.66 + 2.50.
it.each([
  [null, 833, 281],
  ['HALF', 416, 259],
] as const)(
  'taxes two shipping lines by the goods that each ships, with the coupon %s',
  async (coupon, shipping, expected) => {
    const order = await placeOrder(shop, {
      items: { Mug: 1, Shirt: 1 },
      address: addresses.NY,
      ship: ['standard', 'second'],
      ...(coupon && { coupon }),
    });
    expect(order.shipping).toBe(shipping);
    expect([getTax(order), await readExpectedTax(levy, order, addresses.NY)]).toEqual([expected, expected]);
    await toSale(order);
    await staff.refund(order.id, { shipping: order.shippingWithTax });
    const [credit] = (await readCredits(shop, levy, order)).credits;
    const credited = [credit?.shipping ?? []]
      .flat()
      .map(({ id, net_amount, tax_amount }) => [id, cents(net_amount), cents(tax_amount)]);
    const [first, second] = order.shippingLines.map(({ id, discountedPrice }) => [`shipping-${id}`, discountedPrice]);
    expect(credited).toEqual([
      [...(first ?? []), order.shippingWithTax - order.shipping],
      [...(second ?? []), 0],
    ]);
    expect(logged()).not.toMatch(/mismatch|difference/);
  },
);

it('taxes a fee on an order that is picked up at the store, without an address', async () => {
  const order = await placeOrder(shop, { items: { Mug: 1 }, ship: 'pickup', address: null, surcharges: [250] });
  // The tax is 6 % of 26.66 and of 2.50.
  expect(getTax(order)).toBe(175);
  await toSale(order);
});
