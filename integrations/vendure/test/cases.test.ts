import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { apiKey, type LocalLevy, startLevy } from '../../core/test/levy.ts';
import { expectedTaxOf } from './expected-tax.ts';
import { addresses, cents, placeOrder, recordedOf, type ShopOrder, shopperOf, staffOf } from './orders.ts';
import { type Shop, startShop } from './shop.ts';

let levy: LocalLevy;
let shop: Shop;
beforeAll(async () => {
  levy = await startLevy();
  shop = await startShop({ levy: createClient({ url: levy.url, apiKey }), shop: 'vendure' });
});
afterAll(async () => {
  await shop.stop();
  await levy.stop();
});

/** Returns the tax that a client without the plugin calculates from the shop API's data. */
const expectedTax = (order: ShopOrder, address: (typeof addresses)[keyof typeof addresses]) =>
  expectedTaxOf(levy, order, address);

const taxOf = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;
const summaryOf = ({ taxSummary }: ShopOrder): number => taxSummary.reduce((sum, { taxTotal }) => sum + taxTotal, 0);

const expectRecorded = async (order: ShopOrder, status: string) => {
  await shop.settled();
  const { sales } = await recordedOf(levy, order.code);
  expect(sales.map((sale) => [sale.status, cents(sale.total_amount), cents(sale.tax_amount)])).toEqual([
    [status, order.totalWithTax, taxOf(order)],
  ]);
  return sales[0] as (typeof sales)[number];
};

describe('the tax of a cart', () => {
  it("matches Levy's tax if a discount with the same total is distributed differently", async () => {
    const shopper = shopperOf(shop);
    const first = await shopper.add('Mug', 2);
    await shopper.add('Shirt', 1);
    await shopper.address(addresses.HI);
    await shopper.ship('standard');
    await shopper.coupon('SAVE7');
    await shopper.adjust(first.lines[0]?.id as string, 3);
    await shopper.adjust(first.lines[0]?.id as string, 2);
    await shopper.customer('a@shop.example');
    const order = await shopper.toPayment();
    expect(taxOf(order)).toBe(await expectedTax(order, addresses.HI));
    expect(summaryOf(order)).toBe(taxOf(order));
    await expectRecorded(await shopper.pay('settle'), 'finalized');
  });

  it("equals Levy's tax after each change of a cart with a distributed discount", async () => {
    const shopper = shopperOf(shop);
    let order = await shopper.add('Mug', 2);
    for (const product of ['Shirt', 'Rice', 'Pin'] as const) order = await shopper.add(product, 1);
    await shopper.address(addresses.NY);
    await shopper.ship('standard');
    await shopper.coupon('SAVE7');
    const taxes: [number, number][] = [];
    for (let quantity = 1; quantity < 14; quantity++) {
      const line = order.lines[quantity % order.lines.length];
      order = await shopper.adjust(line?.id as string, 1 + ((quantity * 7) % 9));
      taxes.push([taxOf(order), await expectedTax(order, addresses.NY)]);
    }
    expect(taxes.map(([tax]) => tax)).toEqual(taxes.map(([, expected]) => expected));
  });

  it('changes with a second address in the same zone', async () => {
    const shopper = shopperOf(shop);
    await shopper.add('Table', 1);
    const inNewYork = await shopper.address(addresses.NY);
    expect(taxOf(inNewYork)).toBe(await expectedTax(inNewYork, addresses.NY));
    const inDetroit = await shopper.address(addresses.MI);
    expect([taxOf(inDetroit), taxOf(inNewYork)]).toEqual([1497, 2214]);
  });

  it('is zero without an address', async () => {
    expect(taxOf(await shopperOf(shop).add('Mug', 1))).toBe(0);
  });

  it("uses the shop's rate, and logs it, for an address without a state and a ZIP code", async () => {
    const address = { streetLine1: 'x', city: 'Detroit', countryCode: 'US' };
    const order = await placeOrder(shop, { items: [['Mug', 1]], address });
    // 7 % of 26.66, and of shipping 5.00.
    expect(taxOf(order)).toBe(187 + 35);
    expect(shop.logger.lines.join('\n')).toContain(
      `Levy returned no tax for order ${order.code}; charging the shop's tax rate: The address has neither a state nor a postal code.`,
    );
  });

  it("uses the shop's rate abroad", async () => {
    const shopper = shopperOf(shop);
    await shopper.add('Mug', 1);
    const order = await shopper.address({ streetLine1: 'x', city: 'Berlin', postalCode: '10115', countryCode: 'DE' });
    // 7 % of 26.66.
    expect(taxOf(order)).toBe(187);
  });

  it("matches Levy's tax to the cent on three lines of ten cents and free shipping", async () => {
    const order = await placeOrder(shop, {
      items: [
        ['Pin', 3],
        ['Rice', 1],
      ],
      address: addresses.MI,
      coupon: 'SHIP',
    });
    expect(order.shipping).toBe(0);
    expect(taxOf(order)).toBe(await expectedTax(order, addresses.MI));
    await expectRecorded(order, 'finalized');
  });

  it('makes one call for all lines of a cart', async () => {
    const shopper = shopperOf(shop);
    await shopper.add('Mug', 1);
    await shopper.add('Shirt', 1);
    await shopper.add('Rice', 1);
    const order = await shopper.address(addresses.WA);
    expect(taxOf(order)).toBe(await expectedTax(order, addresses.WA));
  });
});

describe('an order', () => {
  it('is a draft until its payment is settled', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 2]], pay: 'authorize' });
    await expectRecorded(order, 'draft');
    await staffOf(shop).settle(order.id);
    const sale = await expectRecorded(order, 'finalized');
    expect(sale.reference_id).toBe(order.code);
  });

  it('is voided if it is canceled before payment', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 2]], pay: 'authorize' });
    await expectRecorded(order, 'draft');
    await staffOf(shop).cancel(order.id);
    await shop.settled();
    expect((await recordedOf(levy, order.code)).sales).toEqual([]);
  });

  it('keeps its sale if it is canceled after payment, and its refund is a credit', async () => {
    const order = await placeOrder(shop, { items: [['Mug', 2]] });
    await staffOf(shop).cancel(order.id);
    await staffOf(shop).refund(order.id, { amount: order.totalWithTax });
    await expectRecorded(order, 'finalized');
    const { credits } = await recordedOf(levy, order.code);
    expect(credits.map(({ total_amount, tax_amount }) => [cents(total_amount), cents(tax_amount)])).toEqual([
      [order.totalWithTax, taxOf(order)],
    ]);
  });

  it('is credited completely if its units are refunded one by one', async () => {
    const order = await placeOrder(shop, {
      items: [
        ['Mug', 3],
        ['Pin', 2],
      ],
    });
    const amounts: number[] = [];
    const refund = async (input: object) => void amounts.push(await staffOf(shop).refund(order.id, input));
    const [mugs, pins] = order.lines;
    for (const line of [mugs, mugs, mugs, pins, pins])
      await refund({ lines: [{ orderLineId: line?.id, quantity: 1 }] });
    const paid = amounts.reduce((sum, amount) => sum + amount, 0);
    await refund({ amount: order.totalWithTax - paid });
    await shop.settled();
    const { credits } = await recordedOf(levy, order.code);
    expect(credits.map(({ total_amount }) => cents(total_amount)).sort()).toEqual([...amounts].sort());
    const sum = (of: 'total_amount' | 'tax_amount') => credits.reduce((all, credit) => all + cents(credit[of]), 0);
    expect([sum('total_amount'), sum('tax_amount')]).toEqual([order.totalWithTax, taxOf(order)]);
  });

  it('has one sale with the new amounts if it is edited after payment', async () => {
    const order = await placeOrder(shop, {
      items: [
        ['Mug', 1],
        ['Shirt', 1],
      ],
      address: addresses.MI,
    });
    await expectRecorded(order, 'finalized');
    await staffOf(shop).enlarge(order.id, order.lines[0]?.id as string, 3);
    const edited = await staffOf(shop).read(order.id);
    expect(taxOf(edited)).toBe(await expectedTax(edited, addresses.MI));
    await expectRecorded(edited, 'finalized');
  });

  it('is exempt for a registered customer with a certificate, but not for a guest with the same id', async () => {
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
    const reseller = await staffOf(shop).register(email);
    await exempt(`vendure-${reseller}`);
    const shopper = shopperOf(shop);
    await shopper.login(email);
    await shopper.add('Mug', 1);
    await shopper.address(addresses.MI);
    await shopper.ship('standard');
    await shopper.toPayment();
    const order = await shopper.pay('settle');
    expect(taxOf(order)).toBe(0);
    await expectRecorded(order, 'finalized');

    const guest = shopperOf(shop);
    await guest.add('Mug', 1);
    await guest.address(addresses.MI);
    await guest.ship('standard');
    await guest.customer('guest@shop.example');
    // A different shop of the account uses this id.
    await exempt(String(Number(reseller) + 1));
    await exempt(`vendure-${Number(reseller) + 1}`);
    await guest.toPayment();
    expect(taxOf(await guest.pay('settle'))).toBe(160);
  });
});
