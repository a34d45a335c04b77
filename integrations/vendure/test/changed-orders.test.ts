import { DefaultMoneyStrategy, TransactionalConnection } from '@vendure/core';
import { afterAll, describe, expect, it } from 'vitest';
import { orThrow } from '../../../shared/client/client.ts';
import { readRecorded, startLevy } from '../../core/test/levy.ts';
import { reconcileOrders, reconcileTask } from '../reconcile.ts';
import { addresses, berlin, cents, createStaff, expectSale, getTax, placeOrder, type ShopOrder } from './orders.ts';
import { buildOptions, startShop } from './shop.ts';

// The second service has no transactions, as if it had been down.
const [levy, empty] = [await startLevy(), await startLevy()];
const shop = await startShop(buildOptions(levy.url));
afterAll(shop.stop);

const staff = createStaff(shop);
const day = (ago: number) => new Date(Date.now() - ago * 24 * 60 * 60_000).toISOString().slice(0, 10);
const getLine = (order: ShopOrder): string => order.lines[0]?.id as string;

/** Returns the sale in Levy with its tax, minus all credits. */
const readLeft = async (order: ShopOrder) => {
  await shop.settled();
  const { sales, credits } = await readRecorded(levy, order.code);
  const sum = (field: 'total_amount' | 'tax_amount') =>
    sales.reduce((all, sale) => all + cents(sale[field]), 0) -
    credits.reduce((all, credit) => all + cents(credit[field]), 0);
  return [sum('total_amount'), sum('tax_amount')];
};
const reconcileToday = () => reconcileOrders(shop.injector, shop.options, { from: day(0), to: day(0) });
const listProblems = () => shop.logger.lines.filter((line) => /conflict|mismatch|excess|foreign|include/.test(line));
const setPricesIncludeTax = (value: boolean) =>
  shop.send(`mutation { updateChannel(input: { id: "1", pricesIncludeTax: ${value} }) { __typename } }`);

describe('edited orders', () => {
  it.each([true, false])(
    'records an edit to fewer units as a smaller sale after its refund: %s',
    async (isPaidBackFirst) => {
      const order = await placeOrder(shop, { items: { Mug: 3 }, address: addresses.MI });
      await shop.settled();
      await staff.lower(order.id, getLine(order), 2, 'PaymentSettled', isPaidBackFirst);
      const edited = await staff.read(order.id);
      expect(edited.totalWithTax).toBeLessThan(order.totalWithTax);
      expect(await readLeft(edited)).toEqual([edited.totalWithTax, getTax(edited)]);
      expect(listProblems()).toEqual([]);
    },
  );

  it("charges Levy's tax after an edit to fewer units of a discounted line", async () => {
    const order = await placeOrder(shop, { items: { Mug: 2, Shirt: 1, Rice: 3 }, coupon: 'SAVE7' });
    await shop.settled();
    await staff.lower(order.id, getLine(order), 1, 'PaymentSettled', true);
    const edited = await staff.read(order.id);
    // 4.5 % of 25.98, 94.87, 9.48 and 5.00 in Honolulu, each rounded.
    expect(getTax(edited)).toBe(117 + 427 + 43 + 23);
    await expectSale(shop, levy, edited);
  });

  it('records an edit after a partial shipment', async () => {
    const order = await placeOrder(shop, { items: { Mug: 3 }, address: addresses.MI });
    await staff.shipOne(getLine(order));
    await shop.settled();
    await staff.enlarge(order.id, getLine(order), 5, 'PartiallyShipped');
    const larger = await staff.read(order.id);
    expect(await readLeft(larger)).toEqual([larger.totalWithTax, getTax(larger)]);
    await staff.lower(order.id, getLine(order), 4, 'PartiallyShipped', false);
    const smaller = await staff.read(order.id);
    expect(await readLeft(smaller)).toEqual([smaller.totalWithTax, getTax(smaller)]);
  });

  it('records an edit to a different city, even with the same amounts', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.MI });
    await shop.settled();
    await staff.to(order.id, 'Modifying');
    const lansing = { city: 'Lansing', postalCode: '48933', streetLine1: '100 N Capitol Ave' };
    await staff.modify(order.id, { updateShippingAddress: lansing });
    await staff.to(order.id, 'PaymentSettled');
    expect(await readLeft(await staff.read(order.id))).toEqual([order.totalWithTax, getTax(order)]);
    const { sales } = await readRecorded(levy, order.code);
    expect(sales).toMatchObject([
      { customer: { address: { city: 'Lansing' } }, metadata: { changed_at: expect.stringMatching(/^20.*Z$/) } },
    ]);
  });

  it.each([false, true])(
    'voids the sale if an edit moves the order abroad, with an added tax-inclusive price: %s',
    async (isGross) => {
      const order = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.MI });
      expect(await readLeft(order)).toEqual([order.totalWithTax, getTax(order)]);
      await setPricesIncludeTax(isGross);
      await staff.to(order.id, 'Modifying');
      const addItems = isGross ? [{ productVariantId: shop.variants['Pin'], quantity: 1 }] : [];
      const updateShippingAddress = { countryCode: 'DE', province: '', postalCode: '10115' };
      await staff.modify(order.id, { addItems, updateShippingAddress });
      await setPricesIncludeTax(false);
      // The shop's rate also applies to the shipping, which Michigan does not tax.
      await staff.payMore(order.id);
      expect(await readLeft(order)).toEqual([0, 0]);
      expect(listProblems()).toEqual([]);
    },
  );

  it('records an edit that adds a discount as a sale with the lower tax', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1, Card: 1 }, address: addresses.MI });
    await shop.settled();
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
    expect([edited.totalWithTax, getTax(edited)]).toEqual([order.totalWithTax - 306, 154]);
    await expectSale(shop, levy, edited);
  });

  it('does not compare an order until its edit ends', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.MI });
    await shop.settled();
    await staff.to(order.id, 'Modifying');
    await staff.modify(order.id, { adjustOrderLines: [{ orderLineId: getLine(order), quantity: 2 }] });
    for (const state of [null, 'ArrangingAdditionalPayment']) {
      if (state) await staff.to(order.id, state);
      const { recorded, problems, extra } = await reconcileToday();
      expect([recorded, problems, extra]).toMatchObject([
        [],
        [{ reference: order.code, code: 'edit_unfinished', isFinal: false }],
        [],
      ]);
    }
    expect(await readLeft(order)).toEqual([order.totalWithTax, getTax(order)]);
    await staff.to(order.id, 'Cancelled');
  });
});

describe('reconciliations', () => {
  const sql = (query: string) => shop.injector.get(TransactionalConnection).rawConnection.query(query);
  /** Backdates the placement of an order by ten days. */
  const backdate = ({ code }: ShopOrder) =>
    sql(`UPDATE "order" SET orderPlacedAt = '${day(10)} 12:00:00.000' WHERE code = '${code}'`);

  it('finds payments and refunds of orders placed before the range', async () => {
    const refunded = await placeOrder(shop, { items: { Mug: 3 } });
    await staff.refund(refunded.id, { amount: 1000 });
    await sql(`UPDATE refund SET updatedAt = '${day(9)} 12:00:00.000'`);
    await staff.refund(refunded.id, { amount: 500 });
    const paid = await placeOrder(shop, { items: { Mug: 1 }, pay: 'authorize' });
    await staff.settle(paid.id);
    for (const order of [refunded, paid]) await backdate(order);
    await shop.settled();
    await reconcileOrders(shop.injector, buildOptions(empty.url), { from: day(0), to: day(0) });
    const { credits } = await readRecorded(empty, refunded.code);
    expect(credits.map(({ total_amount }) => total_amount).sort()).toEqual(['10.00', '5.00']);
    expect((await readRecorded(empty, paid.code)).sales.map(({ status }) => status)).toEqual(['finalized']);
  });

  it('runs as a scheduler task that logs its findings', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.MI });
    await shop.settled();
    // The shop loses an order, so its sale has no matching order.
    await sql(`UPDATE "order" SET customFieldsLevysale = NULL WHERE code = '${order.code}'`);
    const report = await reconcileTask(shop.options).execute(shop.injector);
    expect(report).toMatchObject({ recorded: [], extra: 1 });
    const { sales } = await readRecorded(levy, order.code);
    expect(shop.logger.lines).toContain(`Levy has ${order.code}, but no order of this shop matches it.`);
    await sql(`UPDATE "order" SET customFieldsLevysale = 'null' WHERE code = '${order.code}'`);
    const { problems } = await reconcileToday();
    expect(problems).toMatchObject([{ reference: order.code, code: 'invalid_order' }]);
    await sql(`UPDATE "order" SET orderPlacedAt = NULL WHERE code = '${order.code}'`);
    orThrow(
      await levy.levy.post('/transactions/{id}', { path: { id: sales[0]?.id as string }, body: { status: 'void' } }),
    );
  });

  it('reports no problems for foreign orders', async () => {
    const order = await placeOrder(shop, { items: { Mug: 1 }, address: berlin });
    await shop.settled();
    const { problems, extra } = await reconcileToday();
    expect([problems, extra]).toEqual([[], []]);
    expect(listProblems().filter((line) => line.includes(order.code))).toEqual([]);
  });
});

it('logs an order with prices that include tax, and reports it in the reconciliation', async () => {
  await shop.settled();
  await setPricesIncludeTax(true);
  const order = await placeOrder(shop, { items: { Mug: 1 }, address: addresses.MI });
  await shop.settled();
  const problem = { code: 'prices_include_tax', reference: order.code, isFinal: true };
  const logged = shop.logger.lines.join('\n');
  expect(logged).toContain(`Levy returned no tax for order ${order.code}`);
  expect(logged).toContain(`${order.code}: prices_include_tax`);
  expect((await reconcileToday()).problems).toContainEqual(expect.objectContaining(problem));
  const rows: { levyEstimated: number }[] = await shop.injector
    .get(TransactionalConnection)
    .rawConnection.query(`SELECT customFieldsLevyestimated AS levyEstimated FROM "order" WHERE code = '${order.code}'`);
  expect(rows).toEqual([{ levyEstimated: 1 }]);
});

it('refuses to start with prices in tenths of a cent', async () => {
  // Two shops in one process share Vendure's configuration.
  await shop.stop();
  const moneyStrategy = Object.assign(new DefaultMoneyStrategy(), { precision: 3 });
  await expect(startShop(shop.options, { entityOptions: { moneyStrategy } })).rejects.toThrow('precision 2, not 3');
});
