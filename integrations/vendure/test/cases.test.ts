import {
  DefaultOrderPlacedStrategy,
  defaultOrderProcess,
  type Injector,
  type OrderProcess,
  type OrderSellerStrategy,
  OrderService,
} from '@vendure/core';
import { afterAll, describe, expect, it } from 'vitest';
import { orThrow } from '../../../shared/client/client.ts';
import { readRecorded, startLevy } from '../../core/test/levy.ts';
import {
  addresses,
  arrangePayment,
  berlin,
  createShopper,
  createStaff,
  expectSale,
  getTax,
  guam,
  placeOrder,
  readExpectedTax,
  type ShopOrder,
} from './orders.ts';
import { buildOptions, startShop } from './shop.ts';

let injector: Injector;
/** Splits an order of a table (249.50) and a pin into two orders of sellers, and pays for them, as a marketplace does. */
const sellers: OrderSellerStrategy = {
  init: (given) => {
    injector = given;
  },
  splitOrder: ({ channelId }, { lines, shippingLines }) =>
    lines.length === 2 && lines.some(({ listPrice }) => listPrice === 24_950)
      ? lines.map((line) => ({ channelId, state: 'ArrangingPayment', lines: [line], shippingLines }) as never)
      : [],
  afterSellerOrdersCreated: async (ctx, _order, sellerOrders) => {
    for (const { id } of sellerOrders)
      await injector.get(OrderService).addPaymentToOrder(ctx, id, { method: 'settle', metadata: {} });
  },
};

/** Orders that are placed before the customer transfers the money. */
const transfer: OrderProcess<'AwaitingTransfer'> = {
  transitions: {
    ArrangingPayment: { to: ['AwaitingTransfer'], mergeStrategy: 'merge' },
    AwaitingTransfer: { to: ['PaymentSettled', 'Cancelled'] },
  },
};
class PlacedStrategy extends DefaultOrderPlacedStrategy {
  override shouldSetAsPlaced(...[ctx, from, to, order]: Parameters<DefaultOrderPlacedStrategy['shouldSetAsPlaced']>) {
    return (to as string) === 'AwaitingTransfer' || super.shouldSetAsPlaced(ctx, from, to, order);
  }
}

const levy = await startLevy();
const shop = await startShop(buildOptions(levy.url), {
  orderOptions: {
    orderSellerStrategy: sellers,
    orderPlacedStrategy: new PlacedStrategy(),
    process: [defaultOrderProcess, transfer as OrderProcess<string>],
  },
});
afterAll(shop.stop);

const staff = createStaff(shop);
const oneMug = { items: { Mug: 1 }, address: addresses.MI };
const expectedTax = (order: ShopOrder, address: (typeof addresses)[keyof typeof addresses]) =>
  readExpectedTax(levy, order, address);
const expectRecorded = (order: ShopOrder, status = 'finalized') => expectSale(shop, levy, order, status);

describe('the tax of a cart', () => {
  it("matches Levy's tax after each change of a cart with a distributed discount", async () => {
    const shopper = createShopper(shop);
    let order = await shopper.add('Mug', 2);
    for (const product of ['Shirt', 'Rice', 'Pin'] as const) order = await shopper.add(product, 1);
    await shopper.address(addresses.NY);
    await shopper.ship('standard');
    await shopper.coupon('SAVE7');
    const taxes: [number, number][] = [];
    for (let quantity = 1; quantity < 14; quantity++) {
      const line = order.lines[quantity % order.lines.length];
      order = await shopper.adjust(line?.id as string, 1 + ((quantity * 7) % 9));
      taxes.push([getTax(order), await expectedTax(order, addresses.NY)]);
    }
    expect(taxes.map(([tax]) => tax)).toEqual(taxes.map(([, expected]) => expected));
  });

  it('recalculates the tax for a second address in the same zone', async () => {
    const shopper = createShopper(shop);
    await shopper.add('Table', 1);
    const inNewYork = await shopper.address(addresses.NY);
    expect(getTax(inNewYork)).toBe(await expectedTax(inNewYork, addresses.NY));
    const inDetroit = await shopper.address(addresses.MI);
    expect([getTax(inDetroit), getTax(inNewYork)]).toEqual([1497, 2214]);
  });

  it('charges no tax without an address', async () => {
    expect(getTax(await createShopper(shop).add('Mug', 1))).toBe(0);
  });

  it("uses the shop's rate, and logs it, for an address without a state and a ZIP code", async () => {
    const address = { streetLine1: 'x', city: 'Detroit', countryCode: 'US' };
    const order = await placeOrder(shop, { items: { Mug: 1 }, address });
    // The tax is 7 % of 26.66, and of shipping of 5.00.
    expect(getTax(order)).toBe(187 + 35);
    expect(shop.logger.lines.join('\n')).toContain(
      `Levy returned no tax for order ${order.code}; charging the shop's tax rate: The address has neither a state nor a postal code.`,
    );
  });

  it("uses the shop's rate abroad", async () => {
    const shopper = createShopper(shop);
    await shopper.add('Mug', 1);
    const order = await shopper.address(berlin);
    // The tax is 7 % of 26.66.
    expect(getTax(order)).toBe(187);
  });
});

describe('orders', () => {
  it('voids the draft of an order that is canceled before payment', async () => {
    const order = await placeOrder(shop, { items: { Mug: 2 }, pay: 'authorize' });
    await expectRecorded(order, 'draft');
    await staff.cancel(order.id);
    await shop.settled();
    expect((await readRecorded(levy, order.code)).sales).toEqual([]);
  });

  it('exempts a registered customer with a certificate, but not a guest with the same id', async () => {
    const exemption = {
      states: ['MI'],
      reason: 'resale',
      certificate_number: 'MI-1',
      valid_from: '2026-01-01',
      valid_to: null,
    } as const;
    const exempt = async (id: string) =>
      orThrow(await levy.levy.post('/customers', { body: { id, name: 'Reseller', exemptions: [exemption] } }));
    const email = 'reseller@shop.example';
    const reseller = await staff.register(email);
    await exempt(`vendure-${reseller}`);
    const shopper = createShopper(shop);
    await shopper.login(email);
    await arrangePayment(shop, oneMug, shopper);
    const order = await shopper.pay('settle');
    expect(getTax(order)).toBe(0);
    await expectRecorded(order);

    // The guest has the next id. A different shop of the account uses it.
    await exempt(String(Number(reseller) + 1));
    await exempt(`vendure-${Number(reseller) + 1}`);
    expect(getTax(await placeOrder(shop, oneMug))).toBe(160);
  });
});

it('records a draft of an order that the orderPlacedStrategy of the shop places before the payment', async () => {
  const shopper = await arrangePayment(shop, oneMug);
  await expectRecorded(await shopper.to('AwaitingTransfer'), 'draft');
});

/** Creates an order with a settled payment of 10.00 and an authorized payment of the rest. */
const partlyPaid = async () => {
  const shopper = await arrangePayment(shop, { items: { Mug: 2 }, address: addresses.MI });
  await shopper.pay('part', { amount: 1000 });
  const order = await shopper.pay('part');
  // The tax is 6 % of 53.32, because a payment, such as a gift card, does not reduce the tax.
  expect(order.totalWithTax - order.total).toBe(320);
  return order;
};
const listStates = async (code: string) => {
  await shop.settled();
  const { sales, credits } = await readRecorded(levy, code);
  return [...sales, ...credits].map(({ type, status, total_amount }) => `${type} ${status} ${total_amount}`);
};
const decimal = (cents: number) => (cents / 100).toFixed(2);

it('records no sale for an order that is canceled after a partial payment', async () => {
  const order = await partlyPaid();
  expect(await listStates(order.code)).toEqual([`sale draft ${decimal(order.totalWithTax)}`]);
  await staff.cancel(order.id);
  await staff.refund(order.id, { amount: 1000 });
  expect(await listStates(order.code)).toEqual([]);
});

it('records a sale when the last payment of an order is settled', async () => {
  const order = await partlyPaid();
  const { order: read } = await shop.send<{ order: { payments: { id: string; state: string }[] } }>(
    `{ order(id: "${order.id}") { payments { id state } } }`,
  );
  const rest = read.payments.find(({ state }) => state === 'Authorized');
  await shop.send(`mutation { settlePayment(id: "${rest?.id}") { __typename } }`);
  expect(await listStates(order.code)).toEqual([`sale finalized ${decimal(order.totalWithTax)}`]);
  await staff.cancel(order.id);
  await staff.refund(order.id, { amount: 1000 });
  expect(await listStates(order.code)).toEqual([
    `sale finalized ${decimal(order.totalWithTax)}`,
    'credit finalized 10.00',
  ]);
});

it('records the order of a customer, but not its parts for several sellers', async () => {
  const order = await placeOrder(shop, { items: { Table: 1, Pin: 1 }, address: addresses.MI });
  await shop.settled();
  const read = await shop.send<{ orders: { items: { code: string; type: string; totalWithTax: number }[] } }>(
    '{ orders(options: { sort: { id: DESC }, take: 3 }) { items { code type totalWithTax } } }',
  );
  expect(read.orders.items.map(({ type }) => type)).toEqual(['Seller', 'Seller', 'Aggregate']);
  expect(read.orders.items.every(({ totalWithTax }) => totalWithTax > 0)).toBe(true);
  const recorded = await Promise.all(read.orders.items.map(({ code }) => listStates(code)));
  expect(recorded).toEqual([[], [], [`sale finalized ${decimal(order.totalWithTax)}`]]);
});

it('does not tax an order that has a shipping method twice, and logs the reason', async () => {
  const basket = { items: { Mug: 1, Shirt: 1 }, address: addresses.NY, ship: ['second', 'second'] };
  const order = await placeOrder(shop, basket);
  await shop.settled();
  expect((await readRecorded(levy, order.code)).sales).toEqual([]);
  expect(shop.logger.lines).toContainEqual(
    expect.stringMatching(`${order.code}: repeated_shipping_method: Use a different`),
  );
});

it('logs an order once if Levy does not cover its address', async () => {
  const order = await placeOrder(shop, { items: { Mug: 1 }, address: guam });
  expect(getTax(order)).toBe(0);
  const logged = shop.logger.lines.filter((line) => line.includes(`Check the tax of order ${order.code}`));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/Guam/);
});
