import { expect, it } from 'vitest';
import { startFaults, startLevy } from '../../core/test/levy.ts';
import { addresses, cents, expectedTax, guam, placeOrder, shopperOf } from './orders.ts';
import { openShop } from './shop.ts';

const levy = await startLevy();
const faults = await startFaults(levy.url);
const shop = await openShop(faults.url, { LEVY_TIMEOUT_MS: '500', LEVY_PAUSE_MS: '0', LEVY_FALLBACK: 'block' });

it('rejects an order without a tax from Levy', async () => {
  faults.state.fault = 503;
  await expect(placeOrder(shop, { items: [['Mug', 1]] })).rejects.toThrow('The sales tax cannot be calculated');
  faults.state.fault = 'none';
  const { cart, order } = await placeOrder(shop, { items: [['Mug', 1]] });
  expect(cents(order.tax_total)).toBe(await expectedTax(levy, cart, addresses.HI));
});

it('rejects an order to an address that Levy does not cover', async () => {
  await expect(placeOrder(shop, { items: [['Mug', 1]], address: guam })).rejects.toThrow('cannot be calculated');
});

it('rejects an order without a state and a ZIP code', async () => {
  const { province, postal_code, ...incomplete } = addresses.HI;
  await expect(placeOrder(shop, { items: [['Mug', 1]], address: incomplete })).rejects.toThrow('cannot be calculated');
});

it('recalculates a missing tax after an outage, even without a default rate', async () => {
  // The tax region's rates are removed, so only the mark shows that the tax lines are not from Levy.
  shop.sql('UPDATE tax_rate SET deleted_at = now()');
  const { postal_code, ...withoutZip } = addresses.MI;
  const shopper = shopperOf(shop);
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
