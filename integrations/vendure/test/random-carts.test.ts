import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { randomOf } from '../../core/test/orders.ts';
import { reconcileOrders } from '../reconcile.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, cents, placeOrder, recordedOf, type ShopOrder, staffOf } from './orders.ts';
import { type ProductName, products, type Shop, startShop } from './shop.ts';

const carts = Number(process.env['CARTS'] ?? 30);

let levy: LocalLevy;
let shop: Shop;
const options = () => ({ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' });
beforeAll(async () => {
  levy = await startLevy();
  shop = await startShop(options());
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

const random = randomOf(20_261_123);
const priceOf = (sku: string): number => products.find(({ name }) => name === sku)?.price as number;

const randomBasket = () => {
  const names = products.map(({ name }) => name).filter(() => random.upTo(1) === 1);
  const items = (names.length > 0 ? names : ['Mug' as const]).map((name): [ProductName, number] => [
    name,
    1 + random.upTo(4),
  ]);
  const coupon = random.pick([null, null, 'SAVE7', 'SHIP']);
  // A discount of 7.00 needs goods for it.
  const isWorth = items.reduce((sum, [name, quantity]) => sum + priceOf(name) * quantity, 0) > 1000;
  return {
    items,
    address: addresses[random.pick(['HI', 'MI', 'NY', 'WA'] as const)],
    ship: random.pick(['standard', 'pickup'] as const),
    pay: random.pick(['settle', 'settle', 'authorize'] as const),
    ...(coupon !== null && isWorth && { coupon }),
  };
};

/** The sum of an order by whole cents, from prices that the test knows. */
const totalOf = (order: ShopOrder, basket: ReturnType<typeof randomBasket>, tax: number): number => {
  const goods = basket.items.reduce((sum, [name, quantity]) => sum + priceOf(name) * quantity, 0);
  const discount = basket.coupon === 'SAVE7' ? 700 : 0;
  const shipping = basket.ship === 'standard' && basket.coupon !== 'SHIP' ? 500 : 0;
  expect(order.shipping).toBe(shipping);
  return goods - discount + shipping + tax;
};

/** Some refunds: of units, or of an amount. Returns what the shop paid back. */
const refundSome = async (order: ShopOrder): Promise<number[]> => {
  const staff = staffOf(shop);
  const paid: number[] = [];
  const left = new Map(order.lines.map(({ id, quantity }) => [id, quantity]));
  for (let refunds = random.upTo(3); refunds > 0; refunds--) {
    const rest = order.totalWithTax - paid.reduce((sum, amount) => sum + amount, 0);
    const line = random.pick(order.lines);
    const quantity = left.get(line.id) as number;
    if (random.upTo(2) > 0 && quantity > 0) {
      const units = 1 + random.upTo(quantity - 1);
      const input = { lines: [{ orderLineId: line.id, quantity: units }] };
      // The shop refunds units by their rounded price, which can be a cent more than is left.
      const amount = await staff.refund(order.id, input).catch(() => null);
      if (amount === null) continue;
      left.set(line.id, quantity - units);
      paid.push(amount);
    } else if (rest > 1) paid.push(await staff.refund(order.id, { amount: 1 + random.upTo(rest - 2) }));
  }
  return paid;
};

it(`${carts} random carts agree to the cent in the shop, in the ledger and by hand`, { timeout: 600_000 }, async () => {
  const staff = staffOf(shop);
  const ended: { order: ShopOrder; status: string | null; paid: number[] }[] = [];
  for (let cart = 0; cart < carts; cart++) {
    const basket = randomBasket();
    const order = await placeOrder(shop, basket);
    const tax = order.totalWithTax - order.total;
    expect([tax, order.totalWithTax]).toEqual([
      await expectedTaxOf(levy, order, basket.address),
      totalOf(order, basket, tax),
    ]);
    expect(order.taxSummary.reduce((sum, { taxTotal }) => sum + taxTotal, 0)).toBe(tax);
    if (basket.pay === 'authorize' && random.upTo(1) === 0) {
      await staff.cancel(order.id);
      ended.push({ order, status: null, paid: [] });
      continue;
    }
    if (basket.pay === 'authorize' && random.upTo(2) === 0) {
      ended.push({ order, status: 'draft', paid: [] });
      continue;
    }
    if (basket.pay === 'authorize') await staff.settle(order.id);
    ended.push({ order, status: 'finalized', paid: await refundSome(order) });
  }
  await shop.settled();
  for (const { order, status, paid } of ended) {
    const { sales, credits } = await recordedOf(levy, order.code);
    const tax = order.totalWithTax - order.total;
    expect(sales.map((sale) => [sale.status, cents(sale.total_amount), cents(sale.tax_amount)])).toEqual(
      status === null ? [] : [[status, order.totalWithTax, tax]],
    );
    const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);
    expect([order.code, sum(credits.map(({ total_amount }) => cents(total_amount)))]).toEqual([
      order.code,
      Math.min(sum(paid), order.totalWithTax),
    ]);
  }
  const today = new Date().toISOString().slice(0, 10);
  const report = await reconcileOrders(shop.injector, options(), { from: today, to: today });
  expect(report).toMatchObject({ checked: ended.length, recorded: [], extra: [] });
  expect(report.problems.filter(({ code }) => code !== 'excess')).toEqual([]);
});
