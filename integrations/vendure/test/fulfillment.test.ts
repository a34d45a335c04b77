import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { addresses, cents, placeOrder, recordedOf, type ShopOrder, shopperOf, staffOf } from './orders.ts';
import { atStore, createShipping, lineByLine, type Shop, startShop, store } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  levy.set('retail_delivery_fee=add');
  // Longer than the default, because the machine may be busy.
  const options = {
    ...{ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure', fulfillment: atStore, timeoutMs: 30_000 },
  };
  const shippingOptions = { shippingLineAssignmentStrategy: lineByLine };
  shop = await startShop({ ...options, fallback: 'block' }, null, true, { shippingOptions });
  await createShipping(shop.send, 'pickup-fee', 300);
});
beforeEach(() => {
  shop.logger.lines.length = 0;
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

const taxOf = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;
const logged = () => shop.logger.lines.join('\n');

/** Reads a transaction with its lines, which lists omit. */
const readTransaction = async (id: string) => orThrow(await levy.levy.get('/transactions/{id}', { path: { id } }));

/** Returns the sale of an order, and checks that its tax and total match. */
const saleOf = async (order: ShopOrder) => {
  await shop.settled();
  const { sales } = await recordedOf(levy, order.code);
  expect(sales).toHaveLength(1);
  const [sale] = sales as [(typeof sales)[number]];
  const amounts = [sale.total_amount, sale.tax_amount, sale.calculated_tax_amount].map(cents);
  expect(amounts).toEqual([order.totalWithTax, taxOf(order), taxOf(order)]);
  expect(logged()).not.toMatch(/mismatch|tax_difference/);
  return readTransaction(sale.id);
};

describe('a gift card', () => {
  it('has no share of the shipping of other goods', async () => {
    const order = await placeOrder(shop, {
      items: [
        ['Mug', 1],
        ['Card', 1],
      ],
      address: addresses.NY,
    });
    // 4 %, 4.5 % and 0.375 % of 26.66 + 5.00 are 1.27, 1.42 and 0.12.
    expect(taxOf(order)).toBe(281);
    expect((await saleOf(order)).shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '0.00' });
    expect(logged()).toBe('');
  });

  it('can be sold alone with shipping, and the log names the product', async () => {
    const order = await placeOrder(shop, { items: [['Card', 1]], address: addresses.NY });
    expect([order.state, taxOf(order)]).toEqual(['PaymentSettled', 0]);
    expect((await saleOf(order)).shipping).toMatchObject({ line_item_ids: [order.lines[0]?.id] });
    expect(shop.logger.lines).toEqual([
      expect.stringMatching(/^Check the tax of order \w+: .* none of Card is shipped/),
    ]);
  });

  it('has a share of the shipping if its variant is shipped, without a log entry', async () => {
    await staffOf(shop).setProduct('Card', { levyFulfillment: 'ship' });
    const order = await placeOrder(shop, { items: [['Card', 1]], address: addresses.NY });
    await staffOf(shop).setProduct('Card', { levyFulfillment: null });
    const { line_items, shipping } = await saleOf(order);
    expect([line_items[0]?.fulfillment, shipping]).toMatchObject(['ship', { line_item_ids: null }]);
    expect(logged()).toBe('');
  });
});

describe('an order with a retail delivery fee that Levy adds', () => {
  it('has the fee as a tax of its first line, in one sale', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 4]], address: addresses.MN });
    // 9.025 % of 106.64 + 5.00, and 0.50.
    expect(taxOf(order)).toBe(1008 + 50);
    expect(order.taxSummary).toContainEqual(
      expect.objectContaining({ description: 'Minnesota retail delivery fee', taxTotal: 50 }),
    );
    await saleOf(order);
    await staffOf(shop).refund(order.id, { amount: order.totalWithTax });
    await shop.settled();
    const { credits } = await recordedOf(levy, order.code);
    expect(credits.map(({ total_amount }) => cents(total_amount))).toEqual([order.totalWithTax]);
    await saleOf(order);
  });
});

describe('an order with the shipping method of the store', () => {
  const pickedUp = { fulfillment: 'pickup', ship_from: { address: { city: store.city, state: 'MI' } } };

  it.each([['NY'], ['nobody']] as const)('has the tax of the store with an address of %s', async (where) => {
    const address = where === 'NY' ? addresses.NY : null;
    const order = await placeOrder(shop, { items: [['Mug', 1]], ship: 'pickup', address });
    // 6 % of 26.66.
    expect(taxOf(order)).toBe(160);
    const { line_items, tax_summary } = await saleOf(order);
    expect(line_items).toMatchObject([pickedUp]);
    expect(tax_summary.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-MI']);
    expect(logged()).toBe('');
  });

  it("lists the other methods with the buyer's tax, and applies the selected method", async () => {
    const shopper = shopperOf(shop);
    await shopper.add('Mug', 1);
    await shopper.address(addresses.NY);
    expect(taxOf(await shopper.ship('pickup'))).toBe(160);
    expect(await shopper.methods()).toContainEqual(
      // 8.875 % of 31.66 less 8.875 % of 26.66.
      expect.objectContaining({ code: 'standard', priceWithTax: 544 }),
    );
    expect(taxOf(await shopper.ship('standard'))).toBe(281);
    expect(taxOf(await shopper.ship('pickup'))).toBe(160);
    expect(logged()).toBe('');
  });

  it('taxes a fee at the store, and refunds it as shipping', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 1]], ship: 'pickup-fee', address: addresses.NY });
    // 6 % of 26.66 + 3.00.
    expect([order.shipping, taxOf(order)]).toEqual([300, 178]);
    await saleOf(order);
    expect(shop.logger.lines).toEqual([expect.stringMatching(/ships none of Mug: .* taxed as general goods/)]);
    await staffOf(shop).refund(order.id, { shipping: order.shippingWithTax });
    await staffOf(shop).refund(order.id, { amount: order.totalWithTax - order.shippingWithTax });
    await shop.settled();
    const listed = (await recordedOf(levy, order.code)).credits;
    const credits = await Promise.all(listed.map(({ id }) => readTransaction(id)));
    const ofFee = credits.map(({ line_items }) => line_items.map(({ id, net_amount }) => [id, net_amount]));
    expect(ofFee).toContainEqual([[expect.stringMatching(/^shipping-/), '3.00']]);
    const credited = credits.map(({ total_amount }) => cents(total_amount));
    expect(credited.reduce((sum, amount) => sum + amount, 0)).toBe(order.totalWithTax);
  });

  it('allocates other shipping to the shipped lines', async () => {
    const items = [
      ['Mug', 1],
      ['Table', 1],
    ] as const;
    const order = await placeOrder(shop, { items, ship: ['standard', 'pickup'], address: addresses.NY });
    // 8.875 % of 26.66 + 5.00 in New York, and 6 % of 249.50 in Detroit.
    expect(taxOf(order)).toBe(281 + 1497);
    const { line_items } = await saleOf(order);
    expect(line_items.map(({ fulfillment }) => fulfillment)).toEqual([null, 'pickup']);
    expect(logged()).toBe('');
  });

  it("is taxed at the buyer's address if an edit changes it to shipping", async () => {
    const order = await placeOrder(shop, {
      items: [['Mug', 1]],
      ship: 'pickup',
      address: addresses.NY,
      pay: 'authorize',
    });
    await shop.settled();
    const staff = staffOf(shop);
    await staff.to(order.id, 'Modifying');
    const methods = await shop.send<{ shippingMethods: { items: { id: string; code: string }[] } }>(
      '{ shippingMethods { items { id code } } }',
    );
    const standard = methods.shippingMethods.items.find(({ code }) => code === 'standard')?.id;
    await staff.modify(order.id, { shippingMethodIds: [standard] });
    expect(taxOf(await staff.read(order.id))).toBe(281);
  });
});
