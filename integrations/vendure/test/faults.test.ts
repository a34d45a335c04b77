import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type Fault, readRecorded, startFaults, startLevy } from '../../core/test/levy.ts';
import { reconcileOrders } from '../reconcile.ts';
import {
  addresses,
  addSurcharge,
  arrangePayment,
  berlin,
  cents,
  createShopper,
  createStaff,
  expectSale,
  getTax,
  guam,
  placeOrder,
  readExpectedTax,
} from './orders.ts';
import { buildOptions, startShop } from './shop.ts';

const timeoutMs = 400;
const today = new Date().toISOString().slice(0, 10);
const levy = await startLevy();
const faults = await startFaults(levy.url);
// Job retries end soon, so the test can check what remains to be reconciled.
const client = createClient({ url: faults.url, apiKey, maxTries: 2, timeoutMs: 300 });
const options = buildOptions(faults.url, { levy: client, timeoutMs, pauseMs: 50 });
// A reconciliation must succeed on a slow machine.
const reconciling = { ...options, levy: createClient({ url: faults.url, apiKey }) };
let shop = await startShop(options);
afterAll(() => shop.stop());
afterEach(() => {
  faults.state.fault = 'none';
  faults.state.applies = () => true;
});

const mug = { Mug: 1 };
const calculations = ({ path }: { readonly path: string }) => path.startsWith('/calculations');

const everyFault: readonly Fault[] = ['hang', 'hang up', 429, 409, 422, 500, 503];

describe('checkout', () => {
  it.each(everyFault)('charges the rate of the shop, and logs the order, after the fault %s of Levy', async (fault) => {
    const logged = shop.logger.lines.length;
    faults.state.fault = fault;
    faults.state.applies = calculations;
    const order = await placeOrder(shop, { items: { Mug: 1, Shirt: 2 }, address: addresses.MI });
    // The taxes are 7 % of each line (1.87 and 14.00) and of the shipping (0.35).
    expect(order.totalWithTax - order.total).toBe(187 + 1400 + 35);
    expect(shop.logger.lines.slice(logged).join('\n')).toContain(order.code);
    faults.state.fault = 'none';
    await shop.settled();
    const { sales } = await readRecorded(levy, order.code);
    // The ledger has the collected tax and the estimate mark.
    expect(sales.map(({ tax_amount, metadata }) => [cents(tax_amount), metadata?.['estimated']])).toEqual([
      [1622, 'true'],
    ]);
  });

  it('waits no longer than its time limit for each request of the shopper', async () => {
    const shopper = createShopper(shop);
    for (const product of ['Mug', 'Shirt', 'Rice', 'Pin'] as const) await shopper.add(product, 1);
    faults.state.fault = 'hang';
    const start = performance.now();
    await shopper.address(addresses.NY);
    // All four lines of the request share one time limit. The shop adds its processing time.
    expect(performance.now() - start).toBeLessThan(3 * timeoutMs);
  });
});

it('makes one call per cart change, regardless of the number of lines', async () => {
  const shopper = createShopper(shop);
  for (const product of ['Mug', 'Shirt', 'Rice', 'Pin', 'Table'] as const) await shopper.add(product, 2);
  const before = faults.state.seen.length;
  await shopper.address(addresses.WA);
  expect(faults.state.seen.slice(before)).toEqual(['POST /calculations']);
});

describe('orders', () => {
  it.each(['hang up', 'response lost', 429, 503, 'hang'] as const)(
    'records an order once if Levy returns %s to a write, and finds it by reconciliation if all retries failed',
    async (fault) => {
      faults.state.applies = ({ method, path }) => method === 'POST' && path.startsWith('/transactions');
      faults.state.fault = fault;
      const order = await placeOrder(shop, { items: { Mug: 2 } });
      // Some attempts of the job fail.
      await new Promise((resolve) => setTimeout(resolve, 700));
      faults.state.fault = 'none';
      await reconcileOrders(shop.injector, reconciling, { from: today, to: today });
      const { sales } = await readRecorded(levy, order.code);
      expect(sales.map(({ total_amount, status }) => [cents(total_amount), status])).toEqual([
        [order.totalWithTax, 'finalized'],
      ]);
      const again = await reconcileOrders(shop.injector, reconciling, { from: today, to: today });
      expect([again.recorded, again.problems]).toEqual([[], []]);
    },
  );
});

it("keeps the shop's tax while Levy is down, and uses Levy's tax afterwards", async () => {
  const shopper = createShopper(shop);
  await shopper.add('Mug', 1);
  await shopper.address(addresses.MI);
  const { id } = await shopper.ship('standard');
  Object.assign(faults.state, { fault: 503, applies: calculations });
  await addSurcharge(shop, id, 1000);
  // The tax is 20 % of the surcharge.
  expect((await shopper.active())?.surcharges).toMatchObject([{ priceWithTax: 1200 }]);
  faults.state.fault = 'none';
  await shopper.customer('down@shop.example');
  // The pause after the failure ends.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const order = await shopper.toPayment();
  expect([order.surcharges[0]?.priceWithTax, getTax(order)]).toEqual([1060, 220]);
  await expectSale(shop, levy, await shopper.pay('settle'));
});

it('records the order after a restart if the shop stops between the event and the job', async () => {
  await shop.stop();
  const location = join(mkdtempSync(join(tmpdir(), 'levy-vendure-')), 'shop.sqlite');
  shop = await startShop(options, {}, location);
  faults.state.applies = ({ method, path }) => method === 'POST' && path.startsWith('/transactions');
  faults.state.fault = 503;
  const order = await placeOrder(shop, { items: { Mug: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await shop.stop();
  expect((await readRecorded(levy, order.code)).sales).toEqual([]);
  faults.state.fault = 'none';
  shop = await startShop(options, {}, location, false);
  await shop.settled();
  expect((await readRecorded(levy, order.code)).sales).toHaveLength(1);
});

describe('the fallback "block"', () => {
  beforeAll(async () => {
    await shop.stop();
    shop = await startShop({ ...options, pauseMs: 0, fallback: 'block' });
  });
  beforeEach(() => {
    faults.state.applies = calculations;
  });

  const shopperAtPayment = () => arrangePayment(shop, { items: mug, address: addresses.MI });

  it('rejects the payment of an order for which Levy returns no tax', async () => {
    faults.state.fault = 503;
    await expect(placeOrder(shop, { items: mug })).rejects.toThrow(/ORDER_STATE_TRANSITION_ERROR/);
    faults.state.fault = 'none';
    expect((await placeOrder(shop, { items: mug })).state).toBe('PaymentSettled');
  });

  it('rejects the payment of an order to an address that Levy does not cover', async () => {
    await expect(placeOrder(shop, { items: mug, address: guam })).rejects.toThrow(/ORDER_STATE_TRANSITION_ERROR/);
  });

  it('tells the shopper to contact the shop about a product with an unknown tax code, and logs the product', async () => {
    const staff = createStaff(shop);
    await staff.setProduct('Table', { levyTaxCode: 'HOME.TABEL' });
    await expect(placeOrder(shop, { items: { Table: 1 } })).rejects.toThrow('Contact the shop.');
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
      await readExpectedTax(levy, order, addresses.MI),
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
    expect((await shopper.methods()).map(({ code }) => code).sort()).toEqual([
      'pickup',
      'pickup-fee',
      'second',
      'standard',
    ]);
  });

  it('requires a tax from Levy for an edit', async () => {
    const order = await placeOrder(shop, { items: mug, address: addresses.MI });
    const staff = createStaff(shop);
    await staff.to(order.id, 'Modifying');
    const adjustOrderLines = [{ orderLineId: order.lines[0]?.id, quantity: 2 }];
    faults.state.fault = 503;
    await expect(staff.modify(order.id, { adjustOrderLines })).rejects.toThrow('cannot be calculated at the moment');
    faults.state.fault = 'none';
    await staff.modify(order.id, { adjustOrderLines });
    const edited = await staff.read(order.id);
    expect(edited.totalWithTax - edited.total).toBe(await readExpectedTax(levy, edited, addresses.MI));
  });

  it('logs the cause of a rejection', () => {
    expect(shop.logger.lines.join('\n')).toMatch(/Levy returned no tax for order \w+; checkout is blocked: /);
  });

  it('accepts the payment of a foreign order with prices that include tax', async () => {
    await shop.send('mutation { updateChannel(input: { id: "1", pricesIncludeTax: true }) { __typename } }');
    expect((await placeOrder(shop, { items: mug, address: berlin })).state).toBe('PaymentSettled');
    await expect(placeOrder(shop, { items: mug, address: addresses.MI })).rejects.toThrow(
      /ORDER_STATE_TRANSITION_ERROR/,
    );
  });
});
