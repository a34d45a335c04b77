import { DefaultMoneyStrategy, TransactionalConnection } from '@vendure/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { reconcileOrders, reconcileTask } from '../reconcile.ts';
import { addresses, cents, placeOrder, recordedOf, type ShopOrder, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  shop = await startShop({ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' });
});
afterAll(() => levy.stop());

const day = (ago: number) => new Date(Date.now() - ago * 24 * 60 * 60_000).toISOString().slice(0, 10);
const lineOf = (order: ShopOrder): string => order.lines[0]?.id as string;
const taxOf = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;

/** Returns the sale in Levy with its tax, minus all credits. */
const leftOf = async (order: ShopOrder, from: LocalLevy = levy) => {
  await shop.settled();
  const { sales, credits } = await recordedOf(from, order.code);
  const sum = (of: 'total_amount' | 'tax_amount') =>
    sales.reduce((all, sale) => all + cents(sale[of]), 0) - credits.reduce((all, credit) => all + cents(credit[of]), 0);
  return [sum('total_amount'), sum('tax_amount')];
};
const problemsOf = () => shop.logger.lines.filter((line) => /conflict|mismatch|excess|foreign/.test(line));

describe('an order that is edited', () => {
  it.each([true, false])(
    'to fewer units is the smaller sale, if it is paid back first: %s',
    async (isPaidBackFirst) => {
      const order = await placeOrder(shop, { items: [['Mug', 3]], address: addresses.MI });
      await shop.settled();
      await staffOf(shop).lower(order.id, lineOf(order), 2, 'PaymentSettled', isPaidBackFirst);
      const edited = await staffOf(shop).read(order.id);
      expect(edited.totalWithTax).toBeLessThan(order.totalWithTax);
      expect(await leftOf(edited)).toEqual([edited.totalWithTax, taxOf(edited)]);
      expect(problemsOf()).toEqual([]);
    },
  );

  it('is recorded after a partial shipment', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 3]], address: addresses.MI });
    await staffOf(shop).shipOne(lineOf(order));
    await shop.settled();
    await staffOf(shop).enlarge(order.id, lineOf(order), 5, 'PartiallyShipped');
    const larger = await staffOf(shop).read(order.id);
    expect(await leftOf(larger)).toEqual([larger.totalWithTax, taxOf(larger)]);
    await staffOf(shop).lower(order.id, lineOf(order), 4, 'PartiallyShipped', false);
    const smaller = await staffOf(shop).read(order.id);
    expect(await leftOf(smaller)).toEqual([smaller.totalWithTax, taxOf(smaller)]);
  });

  it('to a different city is recorded, even with the same amounts', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 1]], address: addresses.MI });
    await shop.settled();
    const staff = staffOf(shop);
    await staff.to(order.id, 'Modifying');
    const lansing = { city: 'Lansing', postalCode: '48933', streetLine1: '100 N Capitol Ave' };
    await staff.modify(order.id, { updateShippingAddress: lansing });
    await staff.to(order.id, 'PaymentSettled');
    expect(await leftOf(await staff.read(order.id))).toEqual([order.totalWithTax, taxOf(order)]);
    const { sales } = await recordedOf(levy, order.code);
    expect(sales).toMatchObject([
      { customer: { address: { city: 'Lansing' } }, metadata: { changed_at: expect.stringMatching(/^20.*Z$/) } },
    ]);
  });

  it('to a country abroad is voided', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 1]], address: addresses.MI });
    expect(await leftOf(order)).toEqual([order.totalWithTax, taxOf(order)]);
    const staff = staffOf(shop);
    await staff.to(order.id, 'Modifying');
    await staff.modify(order.id, { updateShippingAddress: { countryCode: 'DE', province: '', postalCode: '10115' } });
    // The shop's rate also applies to the shipping, which Michigan does not tax.
    await staff.to(order.id, 'ArrangingAdditionalPayment');
    const payment = { orderId: order.id, method: 'cash', transactionId: 'more', metadata: {} };
    const mutation = `mutation ($input: ManualPaymentInput!) { addManualPaymentToOrder(input: $input) { __typename } }`;
    await shop.send(mutation, { input: payment });
    await staff.to(order.id, 'PaymentSettled');
    expect(await leftOf(order)).toEqual([0, 0]);
    expect(problemsOf()).toEqual([]);
  });

  it('is not compared until the edit ends', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 1]], address: addresses.MI });
    await shop.settled();
    await staffOf(shop).to(order.id, 'Modifying');
    await staffOf(shop).modify(order.id, { adjustOrderLines: [{ orderLineId: lineOf(order), quantity: 2 }] });
    const options = { levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' };
    for (const state of [null, 'ArrangingAdditionalPayment']) {
      if (state) await staffOf(shop).to(order.id, state);
      const { recorded, problems, extra } = await reconcileOrders(shop.injector, options, { from: day(0), to: day(0) });
      expect([recorded, problems, extra]).toMatchObject([
        [],
        [{ reference: order.code, code: 'edit_unfinished', isFinal: false }],
        [],
      ]);
    }
    expect(await leftOf(order)).toEqual([order.totalWithTax, taxOf(order)]);
    await staffOf(shop).to(order.id, 'Cancelled');
  });
});

describe('a reconciliation', () => {
  const sql = (query: string) => shop.injector.get(TransactionalConnection).rawConnection.query(query);
  /** Backdates the placement of an order by ten days. */
  const backdate = ({ code }: ShopOrder) =>
    sql(`UPDATE "order" SET orderPlacedAt = '${day(10)} 12:00:00.000' WHERE code = '${code}'`);

  it('finds payments and refunds of orders placed before the range', async () => {
    const refunded = await placeOrder(shop, { items: [['Mug', 3]] });
    await staffOf(shop).refund(refunded.id, { amount: 1000 });
    await sql(`UPDATE refund SET updatedAt = '${day(9)} 12:00:00.000'`);
    await staffOf(shop).refund(refunded.id, { amount: 500 });
    const paid = await placeOrder(shop, { items: [['Mug', 1]], pay: 'authorize' });
    await staffOf(shop).settle(paid.id);
    for (const order of [refunded, paid]) await backdate(order);
    await shop.settled();
    // A new Levy has no transactions, as if it had been down.
    const empty = await startLevy();
    try {
      const options = { levy: createClient({ url: empty.url, apiKey }), shop: 'vendure' };
      await reconcileOrders(shop.injector, options, { from: day(0), to: day(0) });
      expect((await recordedOf(empty, refunded.code)).credits.map(({ total_amount }) => total_amount).sort()).toEqual([
        '10.00',
        '5.00',
      ]);
      expect((await recordedOf(empty, paid.code)).sales.map(({ status }) => status)).toEqual(['finalized']);
    } finally {
      await empty.stop();
    }
  });

  it('runs as a scheduler task that logs its findings', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 1]], address: addresses.MI });
    await shop.settled();
    // The shop loses an order, so its sale has no matching order.
    await sql(`UPDATE "order" SET customFieldsLevysale = NULL WHERE code = '${order.code}'`);
    const options = { levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' };
    const report = await reconcileTask(options).execute(shop.injector);
    expect(report).toMatchObject({ recorded: [], extra: 1 });
    const { sales } = await recordedOf(levy, order.code);
    expect(shop.logger.lines).toContain(`Levy has ${order.code}, but no order of this shop matches it.`);
    await sql(`UPDATE "order" SET customFieldsLevysale = 'null' WHERE code = '${order.code}'`);
    const { problems } = await reconcileOrders(shop.injector, options, { from: day(0), to: day(0) });
    expect(problems).toMatchObject([{ reference: order.code, code: 'invalid_order' }]);
    await sql(`UPDATE "order" SET orderPlacedAt = NULL WHERE code = '${order.code}'`);
    orThrow(
      await levy.levy.post('/transactions/{id}', { path: { id: sales[0]?.id as string }, body: { status: 'void' } }),
    );
  });

  it('reports no problems for foreign orders', async () => {
    const address = { streetLine1: 'x', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };
    const order = await placeOrder(shop, { items: [['Mug', 1]], address });
    await shop.settled();
    const options = { levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' };
    const { problems, extra } = await reconcileOrders(shop.injector, options, { from: day(0), to: day(0) });
    expect([problems, extra]).toEqual([[], []]);
    expect(problemsOf().filter((line) => line.includes(order.code))).toEqual([]);
  });
});

it('refuses to start with prices in tenths of a cent', async () => {
  // Two shops in one process share Vendure's configuration.
  await shop.stop();
  const moneyStrategy = Object.assign(new DefaultMoneyStrategy(), { precision: 3 });
  const options = { levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' };
  await expect(startShop(options, null, true, { entityOptions: { moneyStrategy } })).rejects.toThrow(
    'precision 2, not 3',
  );
});
