import { type Order, TransactionalConnection } from '@vendure/core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { documentOf } from '../../core/document.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { cartOf } from '../cart.ts';
import { reconcileOrders } from '../reconcile.ts';
import { addresses, placeOrder } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
const options = (fallback: 'shop_rate' | 'block' = 'shop_rate') => ({
  ...{ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure', fallback },
});
beforeAll(async () => {
  levy = await startLevy();
  shop = await startShop(options());
});
beforeEach(() => {
  shop.logger.lines.length = 0;
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

const today = new Date().toISOString().slice(0, 10);
const mug = [['Mug', 1]] as const;
const berlin = { streetLine1: 'x', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };
const guam = {
  streetLine1: '1 Marine Corps Dr',
  city: 'Hagatna',
  province: 'GU',
  postalCode: '96910',
  countryCode: 'US',
};

it('logs an order to an address that Levy does not cover once', async () => {
  const order = await placeOrder(shop, { items: mug, address: guam });
  expect(order.totalWithTax - order.total).toBe(0);
  const logged = shop.logger.lines.filter((line) => line.includes(`Check the tax of order ${order.code}`));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/Guam/);
});

it('logs an order with prices that include tax, and reports it in the reconciliation', async () => {
  await shop.settled();
  await shop.send('mutation { updateChannel(input: { id: "1", pricesIncludeTax: true }) { __typename } }');
  const order = await placeOrder(shop, { items: mug, address: addresses.MI });
  await shop.settled();
  const problem = { code: 'prices_include_tax', reference: order.code, isFinal: true };
  const logged = shop.logger.lines.join('\n');
  expect(logged).toContain(`Levy returned no tax for order ${order.code}`);
  expect(logged).toContain(`${order.code}: prices_include_tax`);
  const report = await reconcileOrders(shop.injector, options(), { from: today, to: today });
  expect(report.problems).toMatchObject([problem]);
  const rows: { levyEstimated: number }[] = await shop.injector
    .get(TransactionalConnection)
    .rawConnection.query(`SELECT customFieldsLevyestimated AS levyEstimated FROM "order" WHERE code = '${order.code}'`);
  expect(rows).toEqual([{ levyEstimated: 1 }]);
});

it('accepts the payment of a foreign order with prices that include tax, with fallback "block"', async () => {
  await shop.stop();
  shop = await startShop(options('block'));
  await shop.send('mutation { updateChannel(input: { id: "1", pricesIncludeTax: true }) { __typename } }');
  expect((await placeOrder(shop, { items: mug, address: berlin })).state).toBe('PaymentSettled');
  await expect(placeOrder(shop, { items: mug, address: addresses.MI })).rejects.toThrow(/ORDER_STATE_TRANSITION_ERROR/);
});

const orderIn = (currencyCode: string, listPrice: number): Order => {
  const line = { id: 1, quantity: 1, listPrice, proratedLinePrice: listPrice, listPriceIncludesTax: false };
  const shippingAddress = { ...addresses.MI, streetLine1: 'x' };
  return { currencyCode, lines: [line], shippingLines: [], shippingAddress } as unknown as Order;
};

it.each([
  ['JPY', 88_900, '53'],
  ['USD', 88_950, '53.37'],
])('treats orders in %s as having two decimals in Vendure: %i', async (currency, listPrice, tax) => {
  const built = cartOf(orderIn(currency, listPrice), { customerId: null, shippingTaxCode: null });
  const documented = built.ok ? documentOf(built.cart) : null;
  if (!documented?.ok) throw new Error(JSON.stringify(built));
  const calculated = orThrow(await levy.levy.post('/calculations', { body: documented.document }));
  expect(calculated.tax_amount).toBe(tax);
});

it.each([
  ['JPY', 'currency_fraction'],
  ['KWD', 'currency_decimals'],
])(
  'rejects an order with fractions of a yen, and one in dinars, whose tax has three decimals: %s',
  (currency, code) => {
    expect(cartOf(orderIn(currency, 88_950), { customerId: null, shippingTaxCode: null })).toMatchObject({
      unsupported: { code },
    });
  },
);
