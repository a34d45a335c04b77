import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startFaults, startLevy } from '../../core/test/levy.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, placeOrder, shopperOf, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  faults = await startFaults(levy.url);
  const client = createClient({ url: faults.url, apiKey, maxTries: 2, timeoutMs: 300 });
  shop = await startShop({ levy: client, shop: 'vendure', timeoutMs: 400, pauseMs: 0, fallback: 'block' });
});
beforeEach(() => {
  faults.state.applies = ({ path }) => path.startsWith('/calculations');
});
afterEach(() => {
  faults.state.fault = 'none';
});
afterAll(async () => {
  await shop.stop();
  await faults.close();
  await levy.stop();
});

const mug = [['Mug', 1]] as const;
const guam = {
  streetLine1: '1 Marine Corps Dr',
  city: 'Hagatna',
  province: 'GU',
  postalCode: '96910',
  countryCode: 'US',
};
const berlin = { streetLine1: 'x', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };

const shopperAtPayment = async () => {
  const shopper = shopperOf(shop);
  await shopper.add('Mug', 1);
  await shopper.address(addresses.MI);
  await shopper.ship('standard');
  await shopper.customer('block@shop.example');
  await shopper.toPayment();
  return shopper;
};

it('rejects the payment of an order for which Levy returns no tax', async () => {
  faults.state.fault = 503;
  await expect(placeOrder(shop, { items: mug })).rejects.toThrow(/ORDER_STATE_TRANSITION_ERROR/);
  faults.state.fault = 'none';
  expect((await placeOrder(shop, { items: mug })).state).toBe('PaymentSettled');
});

it('rejects the payment of an order to an address that Levy does not cover', async () => {
  await expect(placeOrder(shop, { items: mug, address: guam })).rejects.toThrow(/ORDER_STATE_TRANSITION_ERROR/);
});

it('asks the shopper to contact the shop about a product with an unknown tax code, and logs the product', async () => {
  const staff = staffOf(shop);
  await staff.setProduct('Table', { levyTaxCode: 'HOME.TABEL' });
  await expect(placeOrder(shop, { items: [['Table', 1]] })).rejects.toThrow('Contact the shop.');
  await staff.setProduct('Table', { levyTaxCode: null });
  expect(shop.logger.lines.join('\n')).toMatch(/checkout is blocked: validation_unknown_product_tax_code: Table /);
});

it('accepts the payment of a foreign order', async () => {
  expect((await placeOrder(shop, { items: mug, address: berlin })).state).toBe('PaymentSettled');
});

it('requires a tax from Levy after an address change', async () => {
  const shopper = await shopperAtPayment();
  faults.state.fault = 503;
  await expect(shopper.address(addresses.NY)).rejects.toThrow('The sales tax cannot be calculated at the moment.');
  const order = await shopper.pay('settle');
  expect([order.state, order.totalWithTax - order.total]).toEqual([
    'PaymentSettled',
    await expectedTaxOf(levy, order, addresses.MI),
  ]);
});

it('accepts a payment if Levy went down after the calculation', async () => {
  const shopper = await shopperAtPayment();
  faults.state.fault = 503;
  expect((await shopper.pay('authorize')).state).toBe('PaymentAuthorized');
});

it('lists shipping methods during an outage', async () => {
  const shopper = await shopperAtPayment();
  faults.state.fault = 503;
  expect((await shopper.methods()).map(({ code }) => code).sort()).toEqual(['pickup', 'standard']);
});

it('requires a tax from Levy for an edit', async () => {
  const order = await placeOrder(shop, { items: mug, address: addresses.MI });
  const staff = staffOf(shop);
  await staff.to(order.id, 'Modifying');
  const adjustOrderLines = [{ orderLineId: order.lines[0]?.id, quantity: 2 }];
  faults.state.fault = 503;
  await expect(staff.modify(order.id, { adjustOrderLines })).rejects.toThrow('cannot be calculated at the moment');
  faults.state.fault = 'none';
  await staff.modify(order.id, { adjustOrderLines });
  const edited = await staff.read(order.id);
  expect(edited.totalWithTax - edited.total).toBe(await expectedTaxOf(levy, edited, addresses.MI));
});

it('logs the cause of a rejection', () => {
  expect(shop.logger.lines.join('\n')).toMatch(/Levy returned no tax for order \w+; checkout is blocked: /);
});
