import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startFaults, startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  addSurcharge,
  cents,
  placeOrder,
  recordedOf,
  type ShopOrder,
  shopperOf,
  staffOf,
} from './orders.ts';
import { atStore, type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  faults = await startFaults(levy.url);
  shop = await startShop({
    levy: createClient({ url: faults.url, apiKey }),
    shop: 'vendure',
    fulfillment: atStore,
    pauseMs: 0,
  });
});
afterAll(async () => {
  await shop.stop();
  await faults.close();
  await levy.stop();
});

const taxOf = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;
const summaryOf = ({ taxSummary }: ShopOrder): number => taxSummary.reduce((sum, { taxTotal }) => sum + taxTotal, 0);

/** Checks that the sale of an order is recorded with its total and with the tax that Levy calculates. */
const expectRecorded = async (order: ShopOrder) => {
  await shop.settled();
  const { sales } = await recordedOf(levy, order.code);
  const amounts = sales.map((sale) => [sale.total_amount, sale.tax_amount, sale.calculated_tax_amount].map(cents));
  expect(amounts).toEqual([[order.totalWithTax, taxOf(order), taxOf(order)]]);
};

const mugAndCard = [
  ['Mug', 1],
  ['Card', 1],
] as const;

// 6 % in Michigan, which does not tax separate shipping, of the mug for 26.66. The gift card for 50.00 is not taxed.
it.each([
  ['a fee is taxed', [250], 175],
  // 3.00 is distributed over 26.66 and 50.00: 1.04 off the mug.
  ['a discount lowers the tax of the goods in proportion', [-300], 154],
  // 3.00 is distributed over 26.66, 50.00 and 10.00: 0.92 off the mug and 0.35 off the fee.
  ['a discount also lowers a fee', [1000, -300], 212],
])('%s: surcharges of %j', async (_, surcharges, tax) => {
  const order = await placeOrder(shop, { items: mugAndCard, address: addresses.MI, surcharges });
  expect([taxOf(order), summaryOf(order)]).toEqual([tax, tax]);
  await expectRecorded(order);
  await staffOf(shop).refund(order.id, { amount: order.totalWithTax });
  await shop.settled();
  const { credits } = await recordedOf(levy, order.code);
  expect(credits.map(({ total_amount, tax_amount }) => [cents(total_amount), cents(tax_amount)])).toEqual([
    [order.totalWithTax, tax],
  ]);
});

it('a fee on an order that is picked up is taxed at the store, without an address', async () => {
  const order = await placeOrder(shop, { items: [['Mug', 1]], ship: 'pickup', address: null, surcharges: [250] });
  // 6 % of 26.66 and 2.50.
  expect(taxOf(order)).toBe(175);
  await expectRecorded(order);
});

it("an edit's discount replaces the sale with one with the lower tax", async () => {
  const order = await placeOrder(shop, { items: mugAndCard, address: addresses.MI });
  await expectRecorded(order);
  const staff = staffOf(shop);
  await staff.to(order.id, 'Modifying');
  const { order: read } = await shop.send<{ order: { payments: { id: string }[] } }>(
    `{ order(id: "${order.id}") { payments { id } } }`,
  );
  // The form of the admin UI has this default.
  const surcharge = {
    description: 'Sorry',
    sku: '',
    price: -300,
    priceIncludesTax: true,
    taxRate: 0,
    taxDescription: '',
  };
  const refund = { paymentId: read.payments[0]?.id, amount: 306, reason: 'r' };
  await staff.modify(order.id, { surcharges: [surcharge], refunds: [refund] });
  await staff.to(order.id, 'PaymentSettled');
  const edited = await staff.read(order.id);
  expect([edited.totalWithTax, taxOf(edited)]).toEqual([order.totalWithTax - 306, 154]);
  await expectRecorded(edited);
});

it("keeps the shop's tax while Levy is down, and then gets Levy's", async () => {
  const shopper = shopperOf(shop);
  await shopper.add('Mug', 1);
  await shopper.address(addresses.MI);
  const { id } = await shopper.ship('standard');
  faults.state.fault = 503;
  await addSurcharge(shop, id, 1000);
  // 20 % of the surcharge.
  expect((await shopper.active())?.surcharges).toMatchObject([{ priceWithTax: 1200 }]);
  faults.state.fault = 'none';
  await shopper.customer('down@shop.example');
  const order = await shopper.toPayment();
  expect([order.surcharges[0]?.priceWithTax, taxOf(order)]).toEqual([1060, 220]);
  await expectRecorded(await shopper.pay('settle'));
});
