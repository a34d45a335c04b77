import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { randomOf } from '../../core/test/orders.ts';
import { reconcileOrders } from '../reconcile.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, cents, placeOrder, recordedOf, type ShopOrder, staffOf } from './orders.ts';
import { type PaidBack, refundSome } from './random-refunds.ts';
import { atStore, createShipping, lineByLine, type ProductName, products, type Shop, startShop } from './shop.ts';

const carts = Number(process.env['CARTS'] ?? 30);

let levy: LocalLevy;
let shop: Shop;
// Longer than the default, because the machine may be busy.
const options = () => ({
  ...{ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure', fulfillment: atStore, timeoutMs: 30_000 },
});
beforeAll(async () => {
  levy = await startLevy();
  const more = { shippingOptions: { shippingLineAssignmentStrategy: lineByLine } };
  shop = await startShop(options(), null, true, more);
  await createShipping(shop.send, 'second', 333);
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

const random = randomOf(20_261_123);
const priceOf = (sku: string): number => products.find(({ name }) => name === sku)?.price as number;
const taxOf = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;

const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

const charges = { standard: 500, pickup: 0, second: 333 } as const;

const randomBasket = () => {
  const names = products.map(({ name }) => name).filter(() => random.upTo(1) === 1);
  const items = (names.length > 0 ? names : ['Mug' as const]).map((name): [ProductName, number] => [
    name,
    1 + random.upTo(4),
  ]);
  const coupon = random.pick([null, null, 'SAVE7', 'SHIP']);
  // A discount of 7.00 requires goods of at least that price.
  const isWorth = items.reduce((sum, [name, quantity]) => sum + priceOf(name) * quantity, 0) > 1000;
  // Each shipping line requires an order line.
  const both = items.length > 1 ? [['standard', 'second'] as const] : [];
  return {
    items,
    address: addresses[random.pick(['HI', 'MI', 'NY', 'WA'] as const)],
    ship: random.pick([['standard'], ['pickup'], ...both] as (keyof typeof charges)[][]),
    surcharges: random.pick([[], [], [250], [-300], [-199, 1250]]).filter((price) => price > 0 || isWorth),
    pay: random.pick(['settle', 'settle', 'authorize'] as const),
    ...(coupon !== null && isWorth && { coupon }),
  };
};
type Basket = ReturnType<typeof randomBasket>;

/** Calculates the total of an order in whole cents from the test's prices. */
const totalOf = (order: ShopOrder, { items, coupon, ship, surcharges }: Basket): number => {
  const goods = items.reduce((sum, [name, quantity]) => sum + priceOf(name) * quantity, 0);
  const shipping = coupon === 'SHIP' ? 0 : ship.reduce((sum, code) => sum + charges[code], 0);
  expect(order.shipping).toBe(shipping);
  return goods + sum(surcharges) - (coupon === 'SAVE7' ? 700 : 0) + shipping + taxOf(order);
};

/** Returns the expected tax. Picked-up lines are taxed at the store in Detroit. */
const expectedTax = (order: ShopOrder, { ship, address }: Basket) =>
  expectedTaxOf(levy, order, ship[0] === 'pickup' ? addresses.MI : address);

/** Places an order, and sometimes adds a unit to a line after its payment. */
const order = async (basket: Basket) => {
  const placed = await placeOrder(shop, basket);
  expect(taxOf(placed)).toBe(await expectedTax(placed, basket));
  expect(placed.totalWithTax).toBe(totalOf(placed, basket));
  expect(placed.taxSummary.reduce((sum, { taxTotal }) => sum + taxTotal, 0)).toBe(taxOf(placed));
  if (basket.pay !== 'settle' || random.upTo(3) > 0) return { order: placed, paid: placed.totalWithTax };
  const line = placed.lines[0] as ShopOrder['lines'][number];
  await shop.settled();
  await staffOf(shop).enlarge(placed.id, line.id, line.quantity + 1);
  const edited = await staffOf(shop).read(placed.id);
  expect(taxOf(edited)).toBe(await expectedTax(edited, basket));
  return { order: edited, paid: placed.totalWithTax };
};

type Ended = { readonly order: ShopOrder; readonly status: string | null; readonly paidBack: readonly PaidBack[] };

const endOf = async (basket: Basket): Promise<Ended> => {
  const staff = staffOf(shop);
  const { order: placed, paid } = await order(basket);
  const end = (status: string | null, paidBack: readonly PaidBack[] = []) => ({ order: placed, status, paidBack });
  if (basket.pay === 'authorize' && random.upTo(1) === 0) {
    await staff.cancel(placed.id);
    return end(null);
  }
  if (basket.pay === 'authorize' && random.upTo(2) === 0) return end('draft');
  if (basket.pay === 'authorize') await staff.settle(placed.id);
  const isCanceled = random.upTo(3) === 0;
  if (isCanceled) await staff.cancel(placed.id);
  return end('finalized', await refundSome(shop, random, placed, paid, isCanceled || random.upTo(1) === 0));
};

const expectLedger = async ({ order: ended, status, paidBack }: Ended) => {
  const { sales, credits } = await recordedOf(levy, ended.code);
  expect(sales.map((sale) => [sale.status, cents(sale.total_amount), cents(sale.tax_amount)])).toEqual(
    status === null ? [] : [[status, ended.totalWithTax, taxOf(ended)]],
  );
  const credited = sum(credits.map(({ total_amount }) => cents(total_amount)));
  const tax = sum(credits.map(({ tax_amount }) => cents(tax_amount)));
  expect([ended.code, credited]).toEqual([
    ended.code,
    Math.min(sum(paidBack.map(({ amount }) => amount)), ended.totalWithTax),
  ]);
  if (credited === ended.totalWithTax) expect(tax).toBe(taxOf(ended));
  // Each credit rounds the tax of its lines, and later credits compensate, so rounding differences do not accumulate.
  const expected = sum(paidBack.map((paid) => paid.tax));
  expect(Math.abs(tax - expected), `${ended.code}: ${tax}, expected ${expected}`).toBeLessThanOrEqual(2);
};

it(`matches the ledger and the expected amounts to the cent for ${carts} random carts`, {
  timeout: 900_000,
}, async () => {
  const ended: Ended[] = [];
  const from = new Date().toISOString().slice(0, 10);
  for (let cart = 0; cart < carts; cart++) ended.push(await endOf(randomBasket()));
  await shop.settled();
  for (const one of ended) await expectLedger(one);
  const to = new Date().toISOString().slice(0, 10);
  const report = await reconcileOrders(shop.injector, options(), { from, to });
  expect(report).toMatchObject({ checked: ended.length, recorded: [], extra: [] });
  expect(report.problems.filter(({ code }) => code !== 'excess')).toEqual([]);
});
