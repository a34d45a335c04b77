import { afterAll, expect, it } from 'vitest';
import { readRecorded, startLevy } from '../../core/test/levy.ts';
import { createRandom } from '../../core/test/orders.ts';
import { reconcileOrders } from '../reconcile.ts';
import {
  addresses,
  cents,
  createStaff,
  getSummary,
  getTax,
  placeOrder,
  readExpectedTax,
  type ShopOrder,
} from './orders.ts';
import { buildOptions, type ProductName, products, startShop } from './shop.ts';

const carts = Number(process.env['CARTS'] ?? 30);

const levy = await startLevy();
const shop = await startShop(buildOptions(levy.url));
afterAll(shop.stop);

const staff = createStaff(shop);
const random = createRandom(20_261_123);
const getPrice = (sku: string): number => products.find(({ name }) => name === sku)?.price as number;

const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

const charges = { standard: 500, pickup: 0, second: 333 } as const;

const randomBasket = () => {
  const names = products.map(({ name }) => name).filter(() => random.upTo(1) === 1);
  const chosen = names.length > 0 ? names : ['Mug' as const];
  const items: Partial<Record<ProductName, number>> = {};
  for (const name of chosen) items[name] = 1 + random.upTo(4);
  const goods = sum(chosen.map((name) => getPrice(name) * (items[name] ?? 0)));
  const coupon = random.pick([null, null, 'SAVE7', 'SHIP']);
  // A discount of 7.00 requires goods of at least that price.
  const isWorth = goods > 1000;
  // Each shipping line requires an order line.
  const both = chosen.length > 1 ? [['standard', 'second'] as const] : [];
  return {
    items,
    goods,
    address: addresses[random.pick(['HI', 'MI', 'NY', 'WA'] as const)],
    ship: random.pick([['standard'], ['pickup'], ...both] as (keyof typeof charges)[][]),
    surcharges: random.pick([[], [], [250], [-300], [-199, 1250]]).filter((price) => price > 0 || isWorth),
    pay: random.pick(['settle', 'settle', 'authorize'] as const),
    ...(coupon !== null && isWorth && { coupon }),
  };
};
type Basket = ReturnType<typeof randomBasket>;

/** Calculates the total of an order in whole cents from the test's prices. */
const getTotal = (order: ShopOrder, { goods, coupon, ship, surcharges }: Basket): number => {
  const shipping = coupon === 'SHIP' ? 0 : ship.reduce((sum, code) => sum + charges[code], 0);
  expect(order.shipping).toBe(shipping);
  return goods + sum(surcharges) - (coupon === 'SAVE7' ? 700 : 0) + shipping + getTax(order);
};

/** Returns the expected tax. Picked-up lines are taxed at the store in Detroit. */
const expectedTax = (order: ShopOrder, { ship, address }: Basket) =>
  readExpectedTax(levy, order, ship[0] === 'pickup' ? addresses.MI : address);

/** Places an order, and sometimes adds a unit to a line after its payment. */
const order = async (basket: Basket) => {
  const placed = await placeOrder(shop, basket);
  expect(getTax(placed)).toBe(await expectedTax(placed, basket));
  expect(placed.totalWithTax).toBe(getTotal(placed, basket));
  expect(getSummary(placed)).toBe(getTax(placed));
  if (basket.pay !== 'settle' || random.upTo(3) > 0) return { order: placed, paid: placed.totalWithTax };
  const line = placed.lines[0] as ShopOrder['lines'][number];
  await shop.settled();
  await staff.enlarge(placed.id, line.id, line.quantity + 1);
  const edited = await staff.read(placed.id);
  expect(getTax(edited)).toBe(await expectedTax(edited, basket));
  return { order: edited, paid: placed.totalWithTax };
};

/** The refunded amount, and its tax calculated independently. */
type PaidBack = { readonly amount: number; readonly tax: number };

type Part = { readonly id: string | null; readonly taxShare: number; left: number };

/**
 * The lines, surcharges and shipping of an order with tax, in cents, and their share of tax. Surcharges below zero
 * reduce the others.
 */
const listParts = (order: ShopOrder): Part[] => {
  const part = (id: string | null, net: number, tax: number) => ({
    id,
    left: net + tax,
    taxShare: net + tax === 0 ? 0 : tax / (net + tax),
  });
  const goods = [
    ...order.lines.map(({ id, proratedLinePrice: net, proratedLinePriceWithTax: gross }) => ({ id, net, gross })),
    ...order.surcharges.map(({ price: net, priceWithTax: gross }) => ({ id: null, net, gross })),
  ];
  const sold = goods.filter(({ net }) => net > 0);
  const sum = (rows: typeof goods) => rows.reduce((all, { net }) => all + net, 0);
  const paid = sum(goods) / sum(sold);
  return [
    ...sold.map(({ id, net, gross }) => part(id, net * paid, gross - net)),
    part(null, order.shipping, order.shippingWithTax - order.shipping),
  ];
};

/** Takes an amount first from the returned line, then in proportion from everything. Returns its tax. */
const take = (parts: readonly Part[], amount: number, line: string | null): number => {
  const own = parts.find(({ id }) => line !== null && id === line);
  const first = own ? Math.min(own.left, amount) : 0;
  if (own) own.left -= first;
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  const rest = left === 0 ? 0 : Math.min(amount - first, left) / left;
  let tax = first * (own?.taxShare ?? 0);
  for (const part of parts) {
    tax += part.left * rest * part.taxShare;
    part.left *= 1 - rest;
  }
  return tax;
};

/**
 * Makes random refunds of units or amounts, up to the first payment of the order; with `isAll`, also refunds the rest.
 * The shop refunds units at their rounded price, which can exceed the remaining amount by a cent.
 */
const refundSome = async (order: ShopOrder, limit: number, isAll: boolean): Promise<PaidBack[]> => {
  const parts = listParts(order);
  const paid: PaidBack[] = [];
  const units = new Map(order.lines.map(({ id, quantity }) => [id, quantity]));
  const rest = () => limit - paid.reduce((sum, { amount }) => sum + amount, 0);
  const add = (amount: number, line: string | null) => paid.push({ amount, tax: take(parts, amount, line) });
  for (let refunds = random.upTo(3); refunds > 0; refunds--) {
    const line = random.pick(order.lines);
    const quantity = units.get(line.id) as number;
    if (random.upTo(2) > 0 && quantity > 0) {
      const returned = 1 + random.upTo(quantity - 1);
      const input = { lines: [{ orderLineId: line.id, quantity: returned }] };
      const amount = await staff.refund(order.id, input).catch(() => null);
      if (amount === null) continue;
      units.set(line.id, quantity - returned);
      add(amount, line.id);
    } else if (rest() > 1) add(await staff.refund(order.id, { amount: 1 + random.upTo(rest() - 2) }), null);
  }
  if (isAll && rest() > 0) add(await staff.refund(order.id, { amount: rest() }), null);
  return paid;
};

type Ended = { readonly order: ShopOrder; readonly status: string | null; readonly paidBack: readonly PaidBack[] };

const readEnd = async (basket: Basket): Promise<Ended> => {
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
  return end('finalized', await refundSome(placed, paid, isCanceled || random.upTo(1) === 0));
};

const expectLedger = async ({ order: ended, status, paidBack }: Ended) => {
  const { sales, credits } = await readRecorded(levy, ended.code);
  expect(sales.map((sale) => [sale.status, cents(sale.total_amount), cents(sale.tax_amount)])).toEqual(
    status === null ? [] : [[status, ended.totalWithTax, getTax(ended)]],
  );
  const credited = sum(credits.map(({ total_amount }) => cents(total_amount)));
  const tax = sum(credits.map(({ tax_amount }) => cents(tax_amount)));
  expect([ended.code, credited]).toEqual([
    ended.code,
    Math.min(sum(paidBack.map(({ amount }) => amount)), ended.totalWithTax),
  ]);
  if (credited === ended.totalWithTax) expect(tax).toBe(getTax(ended));
  // Each credit rounds the tax of its lines, and later credits compensate, so rounding differences do not accumulate.
  const expected = sum(paidBack.map((paid) => paid.tax));
  expect(Math.abs(tax - expected), `${ended.code}: ${tax}, expected ${expected}`).toBeLessThanOrEqual(2);
};

it(`matches the ledger and the expected amounts to the cent for ${carts} random carts`, {
  timeout: 900_000,
}, async () => {
  const ended: Ended[] = [];
  const from = new Date().toISOString().slice(0, 10);
  for (let cart = 0; cart < carts; cart++) ended.push(await readEnd(randomBasket()));
  await shop.settled();
  for (const one of ended) await expectLedger(one);
  const to = new Date().toISOString().slice(0, 10);
  const report = await reconcileOrders(shop.injector, shop.options, { from, to });
  expect(report).toMatchObject({ checked: ended.length, recorded: [], extra: [] });
  expect(report.problems.filter(({ code }) => code !== 'excess')).toEqual([]);
});
