import { describe, expect, it } from 'vitest';
import { orThrow } from '../../../shared/client/client.ts';
import { startFaults, startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  cents,
  createShopper,
  createStaff,
  eventually,
  expectedTax,
  guam,
  listChanges,
  type Order,
  placeOrder,
  toCents,
} from './orders.ts';
import { openShop } from './shop.ts';

const levy = await startLevy();
levy.set('retail_delivery_fee=add');
const settings = {
  // Longer than the default, because the machine may be busy.
  LEVY_TIMEOUT_MS: '10000',
  LEVY_PAUSE_MS: '0',
  LEVY_FALLBACK: 'block',
  LEVY_RECONCILE: '*/3 * * * * *',
};
const faults = await startFaults(levy.url);
const shop = await openShop(faults.url, settings);

const readTransaction = async (id: string) => orThrow(await levy.levy.get('/transactions/{id}', { path: { id } }));

/** Returns the sale of an order, and checks that it has the shop's tax. */
const toSale = async (order: Order) => {
  const { sales } = await eventually(levy, order.id, (recorded) => recorded.sales.length > 0);
  expect(sales).toHaveLength(1);
  const sale = await readTransaction(sales[0]?.id as string);
  const tax = cents(order.tax_total);
  expect([sale.total_amount, sale.tax_amount, sale.calculated_tax_amount].map(toCents)).toEqual([
    ...[cents(order.total), tax, tax],
  ]);
  return sale;
};
/** Returns the log lines about an order's cart. */
const listNotes = ({ id }: { readonly id: string }) =>
  shop
    .output()
    .split('\n')
    .filter((line) => line.includes(id) && line.includes('shipping charge'));

describe('the shipping of an order', () => {
  it('allocates shipping to a mug, not to a gift card and a course that Medusa does not ship', async () => {
    const items = { Mug: 1, Card: 1, Course: 1 };
    const { cart, order } = await placeOrder(shop, { items, address: addresses.NY });
    // 4 %, 4.5 % and 0.375 % of 26.66 + 8.00 + 5.00 are 1.59, 1.78 and 0.15.
    expect(cents(order.tax_total)).toBe(352);
    const { shipping, line_items } = await toSale(order);
    expect(shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '0.00' });
    expect(line_items.map(({ fulfillment }) => fulfillment).sort()).toEqual(['none', null, null]);
    expect(listNotes(cart)).toEqual([]);
  });
});

describe('several shipping methods', () => {
  it('taxes each method by the goods that it ships, and refunds each by its id', async () => {
    const items = { Mug: 1, Feed: 1 };
    const { order } = await placeOrder(shop, { items, address: addresses.NY, ship: ['standard', 'freight'] });
    // The taxes are 4 %, 4.5 % and 0.375 % of 26.66 + 5.00. The feed and its freight are exempt.
    expect(cents(order.tax_total)).toBe(281);
    const { shipping } = await toSale(order);
    // Medusa's ids are not in the order of creation.
    const charges = [shipping ?? []].flat().sort((a, b) => a.net_amount.length - b.net_amount.length);
    expect(charges.map(({ net_amount, tax_amount }) => [net_amount, tax_amount])).toEqual([
      ['5.00', '0.44'],
      ['12.00', '0.00'],
    ]);
    const staff = createStaff(shop);
    await staff.capture(order.id);
    await staff.refund(order.id, cents(order.total));
    const { credits } = await eventually(levy, order.id, (recorded) => recorded.credits.length === 1);
    const credit = await readTransaction(credits[0]?.id as string);
    const credited = new Map([credit.shipping ?? []].flat().map(({ id, net_amount }) => [id, net_amount]));
    expect(credited).toEqual(new Map(charges.map(({ id, net_amount }) => [id, net_amount])));
  });
});

describe('gift cards', () => {
  const items = { Mug: 1, Voucher: 1 };

  it('charges no tax on a Medusa gift card, which needs no tax code', async () => {
    const { order } = await placeOrder(shop, { items, address: addresses.NY });
    // The taxes are 4 %, 4.5 % and 0.375 % of 26.66 + 5.00.
    expect(cents(order.tax_total)).toBe(281);
    const { line_items } = await toSale(order);
    const card = { description: 'Voucher', product_tax_code: 'FEES.GIFT_CARDS', tax_amount: '0.00' };
    expect(line_items).toContainEqual(expect.objectContaining(card));
  });

  it('does not reduce the tax of an order that a gift card pays in part', async () => {
    const shopper = createShopper(shop);
    const { id } = await shopper.create();
    await shopper.address(addresses.MI);
    await shopper.add('Mug', 1);
    await shopper.ship('standard');
    shop.sql(
      `INSERT INTO credit_line (id, cart_id, reference, amount, raw_amount) VALUES ('cacl_1', '${id}', 'gift-card', 10, '{\\"value\\": \\"10\\"}')`,
    );
    // The tax is 6 % of 26.66; the order is 31.66 with the shipping.
    expect(await shopper.toPayment()).toBe(3166 + 160 - 1000);
    const order = await shopper.complete();
    await createStaff(shop).capture(order.id);
    const { sales } = await eventually(levy, order.id, (now) => now.sales[0]?.status === 'finalized');
    expect(sales.map(({ total_amount, tax_amount }) => [total_amount, tax_amount])).toEqual([['33.26', '1.60']]);
  });
});

describe('pickup orders', () => {
  it('taxes a picked-up order at the location', async () => {
    const { cart, order } = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.NY, ship: 'store' });
    // The tax is 6 % of 26.66.
    expect(cents(order.tax_total)).toBe(160);
    const { line_items, tax_summary } = await toSale(order);
    const ship_from = { address: { city: 'Detroit', state: 'MI', postal_code: '48226' } };
    expect(line_items).toMatchObject([{ fulfillment: 'pickup', ship_from }]);
    expect(tax_summary.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-MI']);
    expect(listNotes(cart)).toEqual([]);
  });

  it("taxes an order at the buyer's address when it is shipped instead", async () => {
    const shopper = createShopper(shop);
    await shopper.create();
    await shopper.address(addresses.NY);
    await shopper.add('Mug', 1);
    await shopper.ship('store');
    await shopper.toPayment();
    expect(cents((await shopper.cart()).tax_total)).toBe(160);
    // 4 %, 4.5 % and 0.375 % of 26.66 + 5.00 are 1.27, 1.42 and 0.12.
    await shopper.ship('standard');
    await shopper.toPayment();
    expect(cents((await shopper.cart()).tax_total)).toBe(281);
  });
});

it('records an added retail delivery fee as a tax of the shipping, in one sale', async () => {
  const { order } = await placeOrder(shop, { items: { Mug: 4 }, address: addresses.MN });
  // The tax is 9.025 % of 106.64 + 5.00, and the fee of 0.50.
  expect(cents(order.tax_total)).toBe(1008 + 50);
  await toSale(order);
  const staff = createStaff(shop);
  await staff.capture(order.id);
  await staff.refund(order.id, cents(order.total));
  const { credits } = await eventually(levy, order.id, (recorded) => recorded.credits.length === 1);
  expect(credits.map(({ total_amount }) => toCents(total_amount))).toEqual([cents(order.total)]);
  await toSale(order);
});

it('keeps a retail delivery fee if an edit changes the quantity of an item or adds an item', async () => {
  const { order } = await placeOrder(shop, { items: { Mug: 4 }, address: addresses.MN });
  const edited = await createStaff(shop).edit(order.id, order.items[0]?.id as string, 8);
  // The tax is 9.025 % of 213.28 + 5.00, and the fee of 0.50.
  expect(cents(edited.tax_total)).toBe(1970 + 50);
  await listChanges(shop, order.id).add('Table', 2);
  const added = await listChanges(shop, order.id).read();
  // The tax is 9.025 % of 499.00.
  expect(cents(added.tax_total)).toBe(1970 + 50 + 4503);
});

it('reports no problem with any order of this file', () => {
  expect(shop.output()).not.toMatch(/"level":"error"/);
});

describe('the fallback "block"', () => {
  it('rejects an order without a tax from Levy', async () => {
    faults.state.fault = 503;
    await expect(placeOrder(shop, { items: { Mug: 1 } })).rejects.toThrow('The sales tax cannot be calculated');
    faults.state.fault = 'none';
    const { cart, order } = await placeOrder(shop, { items: { Mug: 1 } });
    expect(cents(order.tax_total)).toBe(await expectedTax(levy, cart, addresses.HI));
  });

  it('rejects an order to an address that Levy does not cover', async () => {
    await expect(placeOrder(shop, { items: { Mug: 1 }, address: guam })).rejects.toThrow('cannot be calculated');
  });

  it('rejects an order without a state and a ZIP code', async () => {
    const { province, postal_code, ...incomplete } = addresses.HI;
    await expect(placeOrder(shop, { items: { Mug: 1 }, address: incomplete })).rejects.toThrow('cannot be calculated');
  });

  it('recalculates a missing tax after an outage, even without a default rate', async () => {
    // The tax region's rates are removed, so only the mark shows that the tax lines are not from Levy.
    shop.sql('UPDATE tax_rate SET deleted_at = now()');
    const { postal_code, ...withoutZip } = addresses.MI;
    const shopper = createShopper(shop);
    await shopper.create();
    faults.state.fault = 503;
    await shopper.address(withoutZip);
    await shopper.add('Mug', 1);
    await shopper.ship('standard');
    await shopper.toPayment();
    faults.state.fault = 'none';
    await expect(shopper.complete()).rejects.toThrow('The sales tax cannot be calculated');
    await shopper.toPayment();
    expect(cents((await shopper.complete()).tax_total)).toBe(160);
  });
});
