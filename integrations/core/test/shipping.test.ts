import { describe, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { determineFulfillment, findProduct } from '../../../shared/vocabulary/product-tax-code.ts';
import { vocabulary } from '../../../shared/vocabulary/vocabulary.ts';
import { toDocument } from '../document.ts';
import { toMinor } from '../money.ts';
import type { Cart, Line, Order } from '../order.ts';
import { noTaxMessage } from '../quotes.ts';
import { recordOrder } from '../sales.ts';
import { getShipping, isShipped } from '../shipping.ts';
import type { Ledger } from '../transactions.ts';
import { apiKey, startLevy } from './levy.ts';
import {
  buildOrder,
  buildRefund,
  createRandom,
  detroit,
  randomCart,
  randomRefunds,
  readQuote,
  readQuoted,
  recorded,
} from './orders.ts';

const service = await startLevy();
const ledger: Ledger = { levy: createClient({ url: service.url, apiKey }), shop: 'test' };

const newYork = { line1: '1 Wall St', city: 'New York', province: 'NY', postalCode: '10005', country: 'US' };
const buildLine = (id: string, unitPrice: string, more: Partial<Line> = {}): Line => ({
  id,
  quantity: 1,
  unitPrice,
  discount: '0.00',
  taxCode: 'GENERAL',
  description: `The ${id}`,
  ...more,
});
const mug = buildLine('mug', '20.00');
const card = buildLine('card', '80.00', { taxCode: 'FEES.GIFT_CARDS' });
const pickedUp = buildLine('mug', '20.00', { fulfillment: 'pickup', shipFrom: detroit });
const buildCart = (lines: Line[], shipping: string | null, address: Cart['address'] = newYork): Cart => ({
  currency: 'USD',
  address,
  lines,
  shipping: shipping === null ? [] : [{ id: 'a', amount: shipping }],
});

/** Returns the tax of a cart, the tax of its shipping, and the messages for the shop's staff. */
const readTax = async (cart: Cart) => {
  const { calculation, warnings } = await readQuoted(ledger, cart);
  const notes = warnings.filter((text) => text.includes('shipping charge'));
  return { tax: calculation.tax_amount, ofShipping: getShipping(calculation, { id: 'a' })?.tax_amount, notes };
};
const read = (order: Order) => recorded(ledger, order);
const paidBack = (total: string, shipping = '0') => buildRefund(total, total, { shipping });

describe('the tax on shipping', () => {
  it('allocates shipping to a mug, not to a gift card', async () => {
    // 1.20, 1.35 and 0.11 are 4 %, 4.5 % and 0.375 % of 30.00; 1.78 of it is for the mug.
    expect(await readTax(buildCart([mug, card], '10.00'))).toEqual({ tax: '2.66', ofShipping: '0.88', notes: [] });
  });

  it('allocates shipping to a shipped mug, not to a mug picked up in Detroit', async () => {
    const other = { ...pickedUp, id: 'other' };
    // The tax is 6 % of 20.00 in Michigan.
    expect(await readTax(buildCart([mug, other], '10.00'))).toEqual({ tax: '3.86', ofShipping: '0.88', notes: [] });
  });

  it('taxes the shipping of a single gift card like the card, and logs the product', async () => {
    const { tax, notes } = await readTax(buildCart([card], '10.00'));
    expect(tax).toBe('0.00');
    expect(notes).toEqual([expect.stringMatching(/none of The card is shipped.*Set the fulfillment "ship"/)]);
    const shipped = await readTax(buildCart([{ ...card, fulfillment: 'ship' }], '10.00'));
    expect(shipped).toMatchObject({ tax: '0.00', notes: [] });
  });

  it('taxes the shipping of a download like the download if all other goods are picked up', async () => {
    const download = buildLine('app', '50.00', { taxCode: 'DIGITAL.EBOOKS' });
    const { notes } = await readTax(buildCart([download, pickedUp], '10.00'));
    expect(notes).toEqual([expect.stringContaining('none of The app is shipped')]);
  });

  it('excludes gift wrap and postage from the goods of a shipping charge', async () => {
    const [wrap, stamps] = ['FEES.GIFT_WRAP', 'SHIPPING.POSTAGE'].map((taxCode) =>
      buildLine(taxCode, '4.00', { taxCode, fulfillment: taxCode === 'FEES.GIFT_WRAP' ? null : 'ship' }),
    ) as [Line, Line];
    for (const lines of [
      [card, wrap],
      [card, wrap, stamps],
      [wrap, stamps],
    ]) {
      const cart = buildCart(lines, '10.00');
      expect(await readQuote(ledger, cart)).toMatchObject({ ok: true });
      const documented = toDocument(cart);
      const ids = [(lines[0] as Line).id];
      expect(documented.ok && documented.document.shipping).toMatchObject({ line_item_ids: ids });
    }
    // A line that is a shipping charge is for the same goods.
    const { notes } = await readTax(buildCart([card, stamps], null));
    expect(notes).toEqual([expect.stringContaining('none of The card is shipped')]);
    // The taxes are 6 % of 20.00, 4.00 and 3.00.
    expect(await readTax(buildCart([pickedUp, wrap], '3.00'))).toMatchObject({ tax: '1.62', ofShipping: '0.18' });
  });

  it('taxes the shipping of picked-up goods as a fee at the store, and logs it', async () => {
    // The taxes are 6 % of 20.00 and of 3.00.
    const { notes, ...taxes } = await readTax(buildCart([pickedUp], '3.00'));
    expect(taxes).toEqual({ tax: '1.38', ofShipping: '0.18' });
    expect(notes).toEqual([expect.stringMatching(/ships none of The mug: .* taxed as general goods/)]);
    expect(await readTax(buildCart([pickedUp], '0.00'))).toMatchObject({ tax: '1.20', notes: [] });
  });
});

describe('several shipping charges', () => {
  const rice = buildLine('rice', '100.00', { taxCode: 'FOOD.GROCERY' });
  const charges = (lineIds: Record<string, string[] | null>): Cart['shipping'] =>
    Object.entries(lineIds).map(([id, ids]) => ({ id, amount: id === 'a' ? '10.00' : '4.00', lineIds: ids }));
  const cartWith = (lines: Line[], shipping: Cart['shipping']): Cart => ({ ...buildCart(lines, null), shipping });

  it.each([
    // 8.875 % of 20.00 is 1.78, and of 10.00 it is 0.88 or, rounded together with the goods, 0.89.
    ['exempt goods', { a: ['mug'], b: ['rice'] }, '2.66', ['0.88', '0.00']],
    ['the gift card is not shipped', { a: ['mug', 'card'], b: ['rice'] }, '2.66', ['0.88', '0.00']],
    // The tax is 8.875 % of 4.00.
    ['exempt goods for the larger charge', { a: ['rice'], b: ['mug'] }, '2.13', ['0.00', '0.35']],
  ] as const)('taxes each charge by the goods that it ships: %s', async (_, lineIds, tax, expected) => {
    const { calculation, warnings } = await readQuoted(ledger, cartWith([mug, rice, card], charges(lineIds as never)));
    const taxes = ['a', 'b'].map((id) => getShipping(calculation, { id })?.tax_amount);
    expect([calculation.tax_amount, taxes, warnings]).toEqual([tax, expected, []]);
  });

  it('assigns charges without lines to all shipped lines, and sends a charge for picked-up lines as a line', () => {
    const other = { ...pickedUp, id: 'other' };
    const documented = toDocument(cartWith([mug, other, card], charges({ a: null, b: [], c: ['other'], d: ['card'] })));
    expect(documented).toMatchObject({ ok: true });
    expect(documented.ok && documented.document.shipping).toEqual([
      { id: 'shipping-a', amount: '10.00' },
      { id: 'shipping-b', amount: '4.00' },
      { id: 'shipping-d', amount: '4.00', line_item_ids: ['card'] },
    ]);
    expect(documented.ok && documented.document.line_items.at(-1)).toMatchObject({
      id: 'shipping-c',
      unit_price: '4.00',
      fulfillment: 'pickup',
      ship_from: { address: { city: 'Detroit' } },
    });
  });

  it('records each charge with its id, and refunds it by that id', async () => {
    const cart = cartWith([mug, rice], charges({ a: ['mug'], b: ['rice'] }));
    const order = buildOrder(cart, 'two', '2.66');
    const sale = await read(order);
    expect(sale).toMatchObject({
      calculated_tax_amount: '2.66',
      shipping: [{ id: 'shipping-a' }, { id: 'shipping-b' }],
    });
    await read({ ...order, refunds: [paidBack('14.88', '14.88')] });
    const query = { parent_transaction_id: sale.id, expand: 'line_items', limit: 1 } as const;
    const [credit] = orThrow(await service.levy.get('/transactions', { query })).data;
    const rows = [
      ['shipping-a', '10.00', '0.88'],
      ['shipping-b', '4.00', '0.00'],
    ];
    expect(credit).toMatchObject({
      total_amount: '14.88',
      shipping: rows.map(([id, net_amount, tax_amount]) => ({ id, net_amount, tax_amount })),
    });
  });
});

describe('the table of products that are not shipped', () => {
  const codes = [...vocabulary().pathByName.keys()];
  it.each(codes)('matches the vocabulary: %s', (code) => {
    const attributes = ['ELECTRONIC_DELIVERY', 'LOAD_AND_LEAVE', 'REMOTE_ACCESS', 'TANGIBLE_MEDIA'];
    for (const written of [code, ...attributes.map((attribute) => `${code}._${attribute}`)]) {
      const product = findProduct(written);
      if (product)
        expect([written, isShipped({ code: written, fulfillment: null })]).toEqual([
          written,
          determineFulfillment(product) === 'shipped',
        ]);
    }
  });
});

describe('lines with a negative price', () => {
  it('reduces all goods by a negative line in proportion, and reduces a credit of one of them equally', async () => {
    // The discount is 12.00 off 20.00 and 100.00. The tax is 8.875 % of 18.00; 90.00 is exempt.
    const rice = buildLine('rice', '100.00', { taxCode: 'FOOD.GROCERY' });
    const less = { id: 'less', quantity: 1, unitPrice: '-12.00', discount: '0.00' };
    const order = buildOrder(buildCart([mug, rice, less], null), 'less', '1.60');
    expect(await read(order)).toMatchObject({ calculated_tax_amount: '1.60', total_amount: '109.60' });
    expect(await recordOrder(ledger, order)).toMatchObject({ isChanged: false, problems: [] });
    const back = buildRefund('19.60', '19.60', { lines: [{ id: 'mug', quantity: 1 }] });
    expect(await read({ ...order, refunds: [back] })).toMatchObject({
      credited_amount: '18.00',
      credited_tax_amount: '1.60',
    });
    expect(await read({ ...order, refunds: [back, paidBack('90.00')] })).toMatchObject({ refund_status: 'full' });
  });

  it('refuses a negative line that exceeds the goods', async () => {
    const quote = await readQuote(
      ledger,
      buildCart([mug, { id: 'less', quantity: 1, unitPrice: '-20.01', discount: '0.00' }], '5.00'),
    );
    expect(quote).toMatchObject({ ok: false, reason: 'refused', detail: expect.stringContaining('20.01') });
  });
});

describe('carts that are picked up', () => {
  it.each([null, { country: 'us' }, { city: 'Berlin', postalCode: '10115', country: 'DE' }])(
    'charges the tax of the store at the address %j',
    async (address) => {
      expect(await readTax(buildCart([pickedUp], null, address))).toMatchObject({ tax: '1.20' });
      const documented = toDocument(buildCart([pickedUp, { ...mug, id: 'other' }], null, address));
      expect(documented.ok).toBe(false);
    },
  );
});

describe('orders with shipping or pickup', () => {
  it('records an order of a gift card with shipping from its draft to its refunds', async () => {
    const draft = buildOrder(buildCart([card], '10.00'), 'card', '0.00', { wanted: 'draft' });
    expect(await read(draft)).toMatchObject({ status: 'draft', shipping: { line_item_ids: ['card'] } });
    const edited = buildOrder(buildCart([card], '12.00'), 'card', '0.00', {
      placedAt: draft.placedAt,
      wanted: 'draft',
    });
    expect(await read(edited)).toMatchObject({ shipping_amount: '12.00' });
    const paid = { ...edited, wanted: 'finalized' } as const;
    expect(await read(paid)).toMatchObject({ status: 'finalized', total_amount: '92.00' });
    expect(await recordOrder(ledger, paid)).toMatchObject({ isChanged: false, problems: [] });
    const refunded = await read({ ...paid, refunds: [paidBack('12.00', '12.00'), paidBack('80.00')] });
    expect(refunded).toMatchObject({ refund_status: 'full', credited_amount: '92.00' });
  });

  it('records an order with a pickup fee once, and refunds the fee as shipping', async () => {
    const order = buildOrder(buildCart([pickedUp], '3.00'), 'pickup', '1.38');
    expect(await read(order)).toMatchObject({
      calculated_tax_amount: '1.38',
      tax_summary: [{ jurisdiction_code: 'US-MI' }],
    });
    expect(await recordOrder(ledger, order)).toMatchObject({ isChanged: false, problems: [] });
    const fee = await recordOrder(ledger, { ...order, refunds: [paidBack('3.18', '3.18')] });
    expect(fee).toMatchObject({ isChanged: true, problems: [] });
    const query = { parent_transaction_id: fee.sale?.id as string, expand: 'line_items' } as const;
    const [credit] = orThrow(await service.levy.get('/transactions', { query: { ...query, limit: 1 } })).data;
    const line_items = [{ id: 'shipping-a', net_amount: '3.00' }];
    expect(credit).toMatchObject({ total_amount: '3.18', tax_amount: '0.18', line_items });
  });

  it('keeps a recorded order if the fulfillment of a product changes later', async () => {
    const order = buildOrder(buildCart([mug], '10.00'), 'changed', '2.66');
    await read(order);
    const electronic = { ...order, lines: [{ ...mug, fulfillment: 'electronic' as const }] };
    expect(await recordOrder(ledger, electronic)).toMatchObject({ isChanged: false, problems: [] });
  });
});

describe('messages of refusals', () => {
  it("names a refused product in the staff's message, and tells the shopper to contact the shop", async () => {
    const quote = await readQuote(ledger, buildCart([mug, { ...card, taxCode: 'FEES.GIFT' }], null));
    expect(quote).toMatchObject({
      ok: false,
      reason: 'refused',
      detail: expect.stringContaining('The card /line_items/1'),
    });
    expect(noTaxMessage('refused')).toMatch(/Contact the shop/);
  });

  it('tells the shopper to check a refused address', async () => {
    const quote = await readQuote(ledger, buildCart([mug], null, { ...newYork, province: 'ZZ' }));
    expect(quote).toMatchObject({ ok: false, reason: 'address' });
    expect(noTaxMessage('address')).toMatch(/state and the ZIP code/);
  });
});

// The default of the setting is a warning.
const addingLevy = await startLevy();
addingLevy.set('retail_delivery_fee=add');
const adding: Ledger = { levy: addingLevy.levy, shop: 'test' };

const minneapolis = { city: 'Minneapolis', province: 'MN', postalCode: '55401', country: 'US' };
const inMinneapolis = (...lines: Line[]) => buildCart(lines, '10.00', minneapolis);
const mugs = (unitPrice: string) => buildLine('mug', unitPrice, { quantity: 2 });
const readLines = async (ledger: Ledger, cart: Cart) =>
  (await readQuoted(ledger, cart)).calculation.line_items.map(({ id, tax_amount, taxes }) => [
    ...[id, tax_amount, taxes.filter(({ tax_type }) => tax_type === 'fee').map((row) => row.tax_amount)],
  ]);

// In Minneapolis, the six taxes on 100.00 total 9.03, each rounded; the fee is 0.50 (Minn. Stat. 168E).
describe('retail delivery fees that Levy adds', () => {
  it('adds the fee as a tax of the first taxed line with a price', async () => {
    expect(await readLines(adding, inMinneapolis(mugs('50.00')))).toEqual([['mug', '9.53', ['0.50']]]);
    const bowl = { ...pickedUp, id: 'bowl', unitPrice: '100.00' };
    expect(await readLines(adding, inMinneapolis(buildLine('gift', '0.00'), bowl, mugs('50.00')))).toEqual([
      ['gift', '0.00', []],
      ['bowl', '6.00', []],
      ['mug', '9.53', ['0.50']],
    ]);
  });

  it('adds the fee as a tax of the first shipping charge with an amount if the shop sets that option', async () => {
    const readTaxes = async (cart: Cart) => {
      const { line_items, shipping, tax_amount } = (await readQuoted(adding, cart, 'shipping')).calculation;
      return [[...line_items, ...[shipping ?? []].flat()].map((charge) => charge.tax_amount), tax_amount];
    };
    // The tax on the shipping is 0.90.
    expect(await readTaxes(inMinneapolis(mugs('50.00')))).toEqual([['9.03', '1.40'], '10.43']);
    expect(await readTaxes(buildCart([mugs('50.00')], null, minneapolis))).toEqual([['9.53'], '9.53']);
  });

  it('adds no fee below the threshold', async () => {
    expect(await readLines(adding, inMinneapolis(mugs('40.00')))).toMatchObject([['mug', expect.anything(), []]]);
  });

  it('includes the fee in the sale, which is recorded once and refunded in parts', async () => {
    const cart = inMinneapolis(mugs('50.00'));
    // The taxes are 9.03 and 0.90 for the lines and the shipping. The fee is 0.50.
    const order = buildOrder(cart, 'fee-1', (await readQuoted(adding, cart)).calculation.tax_amount);
    const stored = { tax_amount: '10.43', calculated_tax_amount: '10.43', total_amount: '120.43' };
    expect(await recorded(adding, order)).toMatchObject(stored);
    expect(await recordOrder(adding, order)).toMatchObject({ problems: [], isChanged: false });
    const half = buildRefund('half', '54.77', { lines: [{ id: 'mug', quantity: 1 }] });
    const refunds = [half, buildRefund('some', '20.00'), buildRefund('rest', '45.66')];
    for (let count = 1; count < refunds.length; count++)
      await recorded(adding, { ...order, refunds: refunds.slice(0, count) });
    const refunded = { credited_amount: '110.00', credited_tax_amount: '10.43' };
    expect(await recorded(adding, { ...order, refunds })).toMatchObject(refunded);
  });

  it('refunds the fee to the cent in random orders and refunds', async () => {
    const random = createRandom(23);
    for (let carts = 0; carts < 15; carts++) {
      const cart = { ...randomCart(random), address: minneapolis };
      const { calculation } = await readQuoted(adding, cart);
      const order = buildOrder(cart, `random-${carts}`, calculation.tax_amount);
      const refunds = randomRefunds(cart, toMinor(order.total, 2), random);
      expect((await recorded(adding, { ...order, refunds })).credited_tax_amount).toBe(order.tax);
    }
  });
});

it("warns the shop's staff of a fee that is due and not charged", async () => {
  const { warnings, calculation } = await readQuoted(ledger, inMinneapolis(mugs('50.00')));
  expect(calculation.tax_amount).toBe('9.93');
  expect(warnings).toEqual([expect.stringMatching(/^Minnesota retail delivery fee: 0\.50 is due/)]);
});
