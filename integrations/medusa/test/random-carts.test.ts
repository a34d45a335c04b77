import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { randomOf } from '../../core/test/orders.ts';
import { addresses, cents, centsOf, eventually, expectedTax, placeOrder, recordedOf, staffOf } from './orders.ts';
import { type ProductName, products, type Shop, startShop } from './shop.ts';

const carts = 40;

let levy: LocalLevy;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  // The reconciliation runs all the time, and races with the events of the orders.
  shop = await startShop({ url: levy.url, apiKey }, { LEVY_RECONCILE: '*/3 * * * * *' });
});
afterAll(async () => {
  await shop?.stop();
  await levy?.stop();
});

const random = randomOf(20_261_123);
const priceOf = (name: ProductName): number =>
  cents(products.find((product) => product.name === name)?.price as number);

const randomBasket = () => {
  const names = products.map(({ name }) => name).filter(() => random.upTo(1) === 1);
  const items = (names.length > 0 ? names : ['Mug' as const]).map((name): [ProductName, number] => [
    name,
    1 + random.upTo(4),
  ]);
  const goods = items.reduce((sum, [name, quantity]) => sum + priceOf(name) * quantity, 0);
  return {
    items,
    goods,
    address: addresses[random.pick(['HI', 'MI', 'NY', 'WA'] as const)],
    ship: random.pick(['standard', 'pickup'] as const),
    // A discount of 7.00 needs goods for it.
    ...(goods > 1000 && { coupon: random.pick([undefined, 'SAVE7', 'PERCENT'] as const) }),
  };
};

const shippingOf = ({ ship }: ReturnType<typeof randomBasket>) => (ship === 'standard' ? 500 : 0);
const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

it(`${carts} random carts agree to the cent in the shop, in the ledger and by hand`, { timeout: 600_000 }, async () => {
  const staff = staffOf(shop);
  const ended: { id: string; status: string | null; total: number; tax: number; refunds: number[] }[] = [];
  for (let count = 0; count < carts; count++) {
    const basket = randomBasket();
    const { cart, order, paid } = await placeOrder(shop, basket);
    const tax = cents(order.tax_total);
    expect(tax).toBe(await expectedTax(levy, cart, basket.address));
    // By hand, in whole cents. The shop rounds half a cent of a discount either way.
    const percent = basket.goods * 15;
    const discounts = {
      none: [0],
      SAVE7: [700],
      PERCENT: [Math.floor((percent + 49) / 100), Math.floor((percent + 50) / 100)],
    };
    const totals = discounts[basket.coupon ?? 'none'].map(
      (discount) => basket.goods - discount + shippingOf(basket) + tax,
    );
    const total = cents(order.total);
    expect([paid, totals]).toEqual([total, expect.arrayContaining([total])]);
    const kind = random.pick(['paid', 'paid', 'paid', 'open', 'canceled'] as const);
    const refunds: number[] = [];
    if (kind === 'canceled') await staff.cancel(order.id);
    if (kind === 'paid') {
      await staff.capture(order.id);
      for (let times = random.upTo(3); times > 0 && total - sum(refunds) > 0; times--) {
        const rest = total - sum(refunds);
        const amount = random.upTo(3) === 0 ? rest : 1 + random.upTo(rest - 1);
        await staff.refund(order.id, amount);
        refunds.push(amount);
      }
    }
    const status = { paid: 'finalized', open: 'draft', canceled: null }[kind];
    ended.push({ id: order.id, status, total, tax, refunds });
  }
  for (const { id, status, total, tax, refunds } of ended) {
    const { sales, credits } = await eventually(
      levy,
      id,
      (now) => (now.sales[0]?.status ?? null) === status && now.credits.length === refunds.length,
    );
    expect(sales.map((sale) => [sale.status, centsOf(sale.total_amount), centsOf(sale.tax_amount)])).toEqual(
      status === null ? [] : [[status, total, tax]],
    );
    const credited = credits.map(({ total_amount }) => centsOf(total_amount));
    expect(credited.sort((a, b) => a - b)).toEqual(refunds.sort((a, b) => a - b));
    // All units of a sale that is paid back are all of its tax.
    if (sum(refunds) === total) expect(sum(credits.map(({ tax_amount }) => centsOf(tax_amount)))).toBe(tax);
  }
  const before = shop.output().length;
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  expect(shop.output().slice(before)).toContain('Levy: 0 recorded, 0 problems, 0 extra');
  expect(await Promise.all(ended.map(async ({ id }) => (await recordedOf(levy, id)).sales.length))).toEqual(
    ended.map(({ status }) => (status === null ? 0 : 1)),
  );
});
