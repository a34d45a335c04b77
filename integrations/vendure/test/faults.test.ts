import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type Fault, type LocalLevy, startFaults, startLevy } from '../../core/test/levy.ts';
import { reconcileOrders } from '../reconcile.ts';
import { addresses, cents, placeOrder, recordedOf, shopperOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let shop: Shop;
const timeoutMs = 400;
// Job retries end soon, so the test can check what remains to be reconciled.
const client = () => createClient({ url: faults.url, apiKey, maxTries: 2, timeoutMs: 300 });
const options = () => ({ levy: client(), shop: 'vendure', timeoutMs, pauseMs: 50 });
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  levy = await startLevy();
  faults = await startFaults(levy.url);
  shop = await startShop(options());
});
afterEach(() => {
  faults.state.fault = 'none';
  faults.state.applies = () => true;
});
afterAll(async () => {
  await shop.stop();
  await faults.close();
  await levy.stop();
});

const everyFault: readonly Fault[] = ['hang', 'hang up', 429, 409, 422, 500, 503];

describe('a checkout', () => {
  it.each(everyFault)('charges the rate of the shop and says so when Levy answers with %s', async (fault) => {
    const logged = shop.logger.lines.length;
    faults.state.fault = fault;
    faults.state.applies = ({ path }) => path.startsWith('/calculations');
    const order = await placeOrder(shop, {
      items: [
        ['Mug', 1],
        ['Shirt', 2],
      ],
      address: addresses.MI,
    });
    // 7 % of each line: 1.87 and 14.00; of shipping 0.35.
    expect(order.totalWithTax - order.total).toBe(187 + 1400 + 35);
    expect(shop.logger.lines.slice(logged).join('\n')).toContain(order.code);
    faults.state.fault = 'none';
    await shop.settled();
    const { sales } = await recordedOf(levy, order.code);
    // The ledger has the collected tax and the estimate mark.
    expect(sales.map(({ tax_amount, metadata }) => [cents(tax_amount), metadata?.['estimated']])).toEqual([
      [1622, 'true'],
    ]);
  });

  it('waits no longer than its time limit for each request of the shopper', async () => {
    const shopper = shopperOf(shop);
    for (const product of ['Mug', 'Shirt', 'Rice', 'Pin'] as const) await shopper.add(product, 1);
    faults.state.fault = 'hang';
    const start = performance.now();
    await shopper.address(addresses.NY);
    // One time limit for all four lines of the request, plus the shop's processing time.
    expect(performance.now() - start).toBeLessThan(3 * timeoutMs);
  });
});

it('makes one call per cart change, regardless of the number of lines', async () => {
  const shopper = shopperOf(shop);
  for (const product of ['Mug', 'Shirt', 'Rice', 'Pin', 'Table'] as const) await shopper.add(product, 2);
  const before = faults.state.seen.length;
  await shopper.address(addresses.WA);
  expect(faults.state.seen.slice(before)).toEqual(['POST /calculations']);
});

describe('an order', () => {
  it.each(['hang up', 'reply lost', 429, 503, 'hang'] as const)(
    'is recorded once when Levy answers a write with %s, and found by a reconciliation if the jobs gave up',
    async (fault) => {
      faults.state.applies = ({ method, path }) => method === 'POST' && path.startsWith('/transactions');
      faults.state.fault = fault;
      const order = await placeOrder(shop, { items: [['Mug', 2]] });
      // Some attempts of the job fail.
      await new Promise((resolve) => setTimeout(resolve, 700));
      faults.state.fault = 'none';
      await reconcileOrders(shop.injector, options(), { from: today, to: today });
      const { sales } = await recordedOf(levy, order.code);
      expect(sales.map(({ total_amount, status }) => [cents(total_amount), status])).toEqual([
        [order.totalWithTax, 'finalized'],
      ]);
      const again = await reconcileOrders(shop.injector, options(), { from: today, to: today });
      expect([again.recorded, again.problems]).toEqual([[], []]);
    },
  );
});

it('records the order after a restart if the shop stops between the event and the job', async () => {
  await shop.stop();
  const location = join(mkdtempSync(join(tmpdir(), 'levy-vendure-')), 'shop.sqlite');
  shop = await startShop(options(), location);
  faults.state.applies = ({ method, path }) => method === 'POST' && path.startsWith('/transactions');
  faults.state.fault = 503;
  const order = await placeOrder(shop, { items: [['Mug', 1]] });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await shop.stop();
  expect((await recordedOf(levy, order.code)).sales).toEqual([]);
  faults.state.fault = 'none';
  shop = await startShop(options(), location, false);
  await shop.settled();
  expect((await recordedOf(levy, order.code)).sales).toHaveLength(1);
});
