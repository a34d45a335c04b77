// The amounts of credits are tested in test/unit/credit-sums.test.ts and, through requests, by the model test.

import { describe, expect, it } from 'vitest';
import { newClient } from '../support/api.ts';
import type { ApiResponse } from '../support/http.ts';
import { buildCreditRequest, getMeta, getRefusal, goods, made, michigan, sale, sold } from '../support/sales.ts';

/** Returns a client with a finalized sale: two units of item_1 at 50.00 and 6 %, unless the test overrides it. */
const withSale = async (others: Record<string, unknown> = {}) => {
  const client = await newClient();
  const parent = await sold(client, others);
  type Body = Record<string, unknown>;
  return {
    client,
    parent,
    credit: (body: Body = {}) => client.create(buildCreditRequest(parent, body)),
    draft: (body: Body = {}) => made(client.create(buildCreditRequest(parent, { status: 'draft', ...body }))),
    calculate: (body: Body) => client.calculate(buildCreditRequest(parent, { status: undefined, ...body })),
    credited: async () => {
      const { credited_amount, credited_tax_amount, refund_status } = await made(client.get(parent.id));
      return [credited_amount, credited_tax_amount, refund_status];
    },
  };
};
const twoLines = { line_items: [goods({ id: 'shirt', quantity: '3', unit_price: '9.99' }), goods({ id: 'mug' })] };
const one = (id = 'item_1', others: object = {}) => ({ line_items: [{ id, quantity: '1', ...others }] });
const getDetail = ({ body }: ApiResponse): string => body.errors[0].detail;
const ohio = { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } };

it('rejects a credit of more units than the sale has', async () => {
  const { calculate, credit, credited } = await withSale();
  const units = (quantity: string, discount_amount: string) => {
    return { parent_line_item_id: 'item_1', quantity, discount_amount };
  };
  const atPrice = { ...units('1', '30.00'), unit_price: '50.00' };
  for (const line_items of [
    [units('2.0000000001', '90.00')],
    [units('2', '60.00'), units('1', '30.00')],
    [units('2', '60.00'), atPrice],
  ])
    for (const refused of [await calculate({ line_items }), await credit({ line_items })]) {
      expect(getRefusal(refused)).toBe(`409 | conflict_over_credit /line_items/${line_items.length - 1}/quantity`);
      expect(getDetail(refused)).toContain('2 of line item_1. Send at most that quantity.');
    }
  expect(await credited()).toEqual(['0.00', '0.00', 'none']);
});

it('accepts a credit of one unit of a line with less than one unit, at a different price', async () => {
  const line_items = [goods({ id: 'item_1', quantity: '0.5', unit_price: '80.00' })];
  const { credit } = await withSale({ line_items });
  expect((await made(credit(one('item_1', { unit_price: '10.00' })))).tax_amount).toBe('0.60');
  const more = { line_items: [{ id: 'item_1', quantity: '0.6', unit_price: '1.00' }] };
  expect(getRefusal(await credit(more))).toBe('409 | conflict_over_credit /line_items/0/quantity');
});

it('returns a credit of the remainder that can be posted as it is', async () => {
  const post = async (sale: Record<string, unknown>, before: Record<string, unknown> | null = null) => {
    const { client, credit, calculate, credited } = await withSale(sale);
    if (before) await made(credit(before));
    const calculated = await made(calculate({ credit_remaining: true }));
    const posted = await made(client.create({ ...calculated, status: 'finalized' }));
    expect(posted.total_amount).toBe(calculated.total_amount);
    expect(await made(client.update(posted.id, { line_items: posted.line_items }))).toEqual(posted);
    return [calculated.line_items.map(({ amount }) => amount), calculated.total_amount, ...(await credited())];
  };
  // Only shipping remains, which is exempt in Michigan.
  const whole = { line_items: [{ id: 'item_1', quantity: '2' }] };
  expect(await post({ shipping: { amount: '5.00' } }, whole)).toEqual([['0.00'], '5.00', '105.00', '6.00', 'full']);
  // Half a unit at 0.01 is 0.01, so the remainder has the price of one unit.
  const half = { line_items: [goods({ id: 'half', quantity: '0.5', unit_price: '0.01' })], tax_amount: '0.02' };
  const taxOnly = { ...one('half', { unit_price: '0' }), tax_amount: '0.01' };
  expect(await post(half, taxOnly)).toEqual([['0.01'], '0.02', '0.01', '0.02', 'full']);
});

it('warns if a credit sends a product, customer or origin other than the sale has', async () => {
  const { calculate, parent } = await withSale(twoLines);
  const ignored = async (body: Record<string, unknown>) =>
    (await made(calculate(body))).warnings.flatMap((one) => (one.code === 'credit_field_ignored' ? one.pointer : []));
  const item = { id: 'shirt', quantity: '1' };
  const others = { product_tax_code: 'CLOTHING.APPAREL', customer: ohio, ship_from: ohio.address };
  const second = { ...item, ...others, id: 'second', parent_line_item_id: 'shirt' };
  expect(await ignored({ customer: ohio, line_items: [item, second] })).toEqual([
    ...['/customer', '/line_items/1/product_tax_code', '/line_items/1/customer', '/line_items/1/ship_from'],
  ]);
  const same = { product_tax_code: parent.line_items[0]?.product_tax_code, customer: parent.customer };
  expect(await ignored({ customer: parent.customer, line_items: [{ ...item, ...same }] })).toEqual([]);
  const unmatched = goods({ id: 'goodwill', quantity: '1', unit_price: '5.00' });
  expect(await ignored({ customer: { ...parent.customer, id: 'c1' }, line_items: [unmatched] })).toEqual([]);
});

// Colorado Department of Revenue, retail delivery fee refunds: not refundable if the goods are returned.
it('warns if a credit refunds a retail delivery fee', async () => {
  const customer = { address: { city: 'Denver', state: 'CO', postal_code: '80202', country: 'US' } };
  const fee = { id: 'fee', product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', quantity: '1', unit_price: '0.00' };
  const { credit, calculate } = await withSale({ customer, line_items: [goods({ id: 'mug' }), fee] });
  const listFees = ({ warnings }: { warnings: readonly { code: string; pointer: string | null }[] }) =>
    warnings.filter(({ code }) => code === 'retail_delivery_fee_refunded');
  const message = expect.stringContaining('Colorado retail delivery fee: the credit refunds 0.28.');
  expect(listFees(await made(calculate({})))).toMatchObject([{ pointer: '/parent_transaction_id', message }]);
  const both = {
    line_items: [
      { id: 'mug', quantity: '1' },
      { id: 'fee', quantity: '1' },
    ],
  };
  expect(listFees(await made(calculate(both)))).toMatchObject([{ pointer: '/line_items/1', message }]);
  expect(listFees(await made(credit(one('mug'))))).toEqual([]);
});

it('copies the lines, discounts, shipping and releases of the sale to a credit without line items', async () => {
  const discounts = { discount_amount: '7.77', third_party_discount_amount: '1.00' };
  const { credit, parent } = await withSale({ ...twoLines, ...discounts, shipping: { amount: '5.00' } });
  const whole = await made(credit({ tax_date: '2026-11-01' }));
  expect(whole).toMatchObject({ parent_transaction_id: parent.id, tax_date: '2026-11-01', discount_amount: null });
  for (const name of ['shipping', 'tax_summary', 'content_releases', 'applied_discount_amount'] as const)
    expect([name, whole[name]]).toEqual([name, parent[name]]);
  expect(whole.line_items).toEqual(
    parent.line_items.map((line) => ({
      ...line,
      parent_line_item_id: line.id,
      discount_amount: line.applied_discount_amount,
      third_party_discount_amount: line.applied_third_party_discount_amount,
    })),
  );
});

it('copies the missing fields of a credit line from its sale line: code, customer, price, and discounts by amount', async () => {
  const terms = { product_tax_code: 'CLOTHING.APPAREL', description: 'Shirt' };
  const discounts = { discount_amount: '8.00', third_party_discount_amount: '2.00' };
  const { credit } = await withSale({ line_items: [goods({ id: 'a', ...terms, quantity: '4', ...discounts })] });
  const { total_amount, line_items } = await made(credit(one('a')));
  expect(total_amount).toBe('50.38');
  const applied = { applied_discount_amount: '2.00', applied_third_party_discount_amount: '0.50' };
  const amounts = { unit_price: '50.00', amount: '50.00', net_amount: '48.00', tax_amount: '2.88' };
  expect(line_items).toMatchObject([{ id: 'a', parent_line_item_id: 'a', ...terms, ...amounts, ...applied }]);
});

it('adds a negative discount to a credit of a price reduction and a part of the reduced goods', async () => {
  const line_items = ['a', 'b'].map((id) => goods({ id, quantity: '1' }));
  const reduction = { id: 'reduction', quantity: '1', unit_price: '-10.00' };
  const { credit, credited } = await withSale({ line_items: [...line_items, reduction] });
  // The reduction of 10.00 lowered both lines to 45.00.
  const part = await made(credit({ line_items: ['a', 'reduction'].map((id) => ({ id, quantity: '1' })) }));
  expect([part.subtotal_amount, part.applied_discount_amount]).toEqual(['40.00', '-5.00']);
  expect([part.tax_amount, part.total_amount]).toEqual(['2.70', '47.70']);
  expect(await credited()).toEqual(['45.00', '2.70', 'partial']);
});

it('rejects a credit above the price that the buyer paid after a third-party discount', async () => {
  // The tax is on 100.00, of which the manufacturer paid 10.00.
  const line_items = [goods({ id: 'mug', third_party_discount_amount: '10.00' })];
  const { credit, credited, parent } = await withSale({ line_items });
  expect([parent.tax_amount, parent.total_amount]).toEqual(['6.00', '96.00']);
  const mugs = (quantity: string, third_party_discount_amount: string) =>
    credit({ line_items: [{ id: 'mug', quantity, third_party_discount_amount }] });
  const refused = await mugs('2', '9.99');
  expect([getRefusal(refused), getDetail(refused), getMeta(refused)]).toEqual([
    '409 | conflict_over_credit /line_items/0/third_party_discount_amount',
    'The credit exceeds the amount that the buyer paid for the line. Send a third_party_discount_amount of at least 10.00.',
    { remaining_amount: '100.00', remaining_tax_amount: '6.00' },
  ]);
  // The buyer gets 53.00 for the first mug, so 43.00 remains for the second.
  expect((await made(mugs('1', '0'))).total_amount).toBe('53.00');
  // At 48.00, the second mug needs a discount of at least 8.00, because the buyer paid only 40.00 for it.
  const second = await credit({
    line_items: [{ id: 'mug', quantity: '1', unit_price: '48.00', third_party_discount_amount: '7.99' }],
  });
  expect(getDetail(second)).toContain('third_party_discount_amount of at least 8.00.');
  expect(getMeta(second)).toEqual({ remaining_amount: '50.00', remaining_tax_amount: '3.00' });
  expect((await made(mugs('1', '10.00'))).total_amount).toBe('43.00');
  expect(await credited()).toEqual(['100.00', '6.00', 'full']);
});

// A coupon reduces the price in Massachusetts, but not in Michigan.
const boston = { city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' };
it.each([
  ['MI', michigan, '96.00', '48.00', '43.00', '53.00'],
  ['MA', boston, '95.63', '47.82', '42.50', '53.13'],
] as const)(
  'rejects more than the remaining third-party discount in %s',
  async (_state, address, total, half, without, rest) => {
    const line_items = [goods({ id: 'mug', third_party_discount_amount: '10.00' })];
    const mugs = (quantity: string, others: object = {}) => ({ line_items: [{ id: 'mug', quantity, ...others }] });
    const { client, credit, draft, parent } = await withSale({ customer: { address }, line_items });
    expect(parent.total_amount).toBe(total);
    const drafted = await draft(mugs('1'));
    expect(drafted.total_amount).toBe(half);
    const refused = await credit(mugs('2', { third_party_discount_amount: '10.01' }));
    expect([getRefusal(refused), getDetail(refused)]).toEqual([
      '409 | conflict_over_credit /line_items/0/third_party_discount_amount',
      'The third-party discount of the credit exceeds the remaining third-party discount of the line. Send a third_party_discount_amount of at most 10.00.',
    ]);
    // The first mug takes the whole discount, so the second one is returned without a part of it.
    expect((await made(credit(mugs('1', { third_party_discount_amount: '10.00' })))).total_amount).toBe(without);
    const tooMuch = await credit(mugs('1', { third_party_discount_amount: '0.01' }));
    expect(getDetail(tooMuch)).toMatch(/at most 0\.00\.$/);
    expect(getRefusal(await client.update(drafted.id, { status: 'finalized' }))).toBe(getRefusal(tooMuch));
    expect((await made(credit(mugs('1')))).total_amount).toBe(rest);
  },
);

it('inherits at most the part of a discount that earlier credits have left', async () => {
  const line_items = [goods({ id: 'mug', discount_amount: '10.00' })];
  const { credit, credited } = await withSale({ line_items, shipping: { amount: '20.00', discount_amount: '4.00' } });
  const mug = { id: 'mug', quantity: '1' };
  const shipping = { amount: '10.00', discount_amount: '4.00' };
  const first = await made(credit({ line_items: [{ ...mug, discount_amount: '10.00' }], shipping }));
  expect(first.total_amount).toBe('48.40');
  expect((await made(credit({ line_items: [mug], shipping: { amount: '10.00' } }))).total_amount).toBe('63.00');
  expect(await credited()).toEqual(['106.00', '5.40', 'full']);
});

it('limits credit lines that match no sale line to what the buyer paid after a third-party discount', async () => {
  const coupon = { third_party_discount_amount: '10.00' };
  const goodwill = (unit_price: string) => ({ line_items: [goods({ id: 'goodwill', quantity: '1', unit_price })] });
  const { credit, credited } = await withSale({ line_items: [goods({ id: 'mug', ...coupon })] });
  const refused = await credit(goodwill('90.01'));
  expect([getRefusal(refused), getMeta(refused)]).toEqual([
    '409 | conflict_over_credit /line_items',
    { remaining_amount: '90.00', remaining_tax_amount: '6.00' },
  ]);
  // The buyer paid 96.00.
  expect((await made(credit(goodwill('45.00')))).total_amount).toBe('47.70');
  expect((await made(credit({ credit_remaining: true }))).total_amount).toBe('48.30');
  expect(await credited()).toEqual(['100.00', '6.00', 'full']);
  // The buyer paid 40.00 and the tax of 3.00, and nothing for the free line.
  const paid = goods({ id: 'paid', quantity: '1', unit_price: '40.00' });
  const free = goods({ id: 'free', quantity: '1', unit_price: '10.00', ...coupon });
  const other = await withSale({ line_items: [paid, free] });
  expect((await made(other.credit(goodwill('20.00')))).total_amount).toBe('21.20');
  const rest = await made(other.credit({ credit_remaining: true }));
  expect([rest.total_amount, rest.applied_third_party_discount_amount]).toEqual(['21.80', '10.00']);
});

it('rejects a discount above the amount of a line that was free', async () => {
  const { credit } = await withSale({ line_items: [goods({ id: 'paid' }), goods({ id: 'free', unit_price: '0.00' })] });
  const line_items = [{ id: 'free', quantity: '1', discount_amount: '0.01' }];
  const refused = await credit({ line_items });
  expect(getRefusal(refused)).toBe('422 | validation_invalid_format /line_items/0/discount_amount');
});

it("rejects an unmatched line outside the sale's states, and accepts another city in them", async () => {
  const { credit, calculate } = await withSale();
  const to = (city: string, state: string, postal_code: string) => ({
    line_items: [goods({ id: 'goodwill', customer: { address: { city, state, postal_code, country: 'US' } } })],
  });
  for (const refused of [await credit(to('Honolulu', 'HI', '96813')), await calculate(to('Honolulu', 'HI', '96813'))])
    expect([getRefusal(refused), getDetail(refused)]).toEqual([
      '422 | validation_invalid_format /line_items/0',
      expect.stringMatching(/is in US-HI, but the sale has US-MI\./),
    ]);
  expect((await made(credit(to('Lansing', 'MI', '48933')))).tax_amount).toBe('6.00');
});

it.each(['constructor', '__proto__', 'toString'])('credits a line whose id is %s like any other line', async (id) => {
  const { client, credit, credited } = await withSale({ line_items: [goods({ id }), goods({ id: 'other' })] });
  const first = await made(credit(one(id)));
  await made(credit(one(id)));
  expect(getRefusal(await credit(one(id)))).toBe('409 | conflict_over_credit /line_items/0');
  await made(client.update(first.id, { status: 'void' }));
  expect(await credited()).toEqual(['50.00', '3.00', 'partial']);
});

it("writes the amounts of a credit with the decimals of its sale's currency", async () => {
  const line_items = [goods({ id: 'item_1', quantity: '1', unit_price: '1000' })];
  const { credit } = await withSale({ currency: 'JPY', line_items });
  const wrong = await credit({ ...one(), tax_amount: '60.5' });
  expect(getRefusal(wrong)).toBe('422 | validation_invalid_format /tax_amount');
  expect((await made(credit({ ...one(), tax_amount: '60' }))).tax_amount).toBe('60');
});

it('rejects a shipping charge without or with an unknown id if the sale has several, and names them', async () => {
  const { credit } = await withSale({ shipping: ['a', 'b'].map((id) => ({ id, amount: '5.00' })) });
  for (const shipping of [{ amount: '1.00' }, { id: 'c', amount: '1.00' }]) {
    const refused = await credit({ ...one(), shipping });
    expect(getRefusal(refused)).toBe('422 | validation_invalid_format /shipping/id');
    expect(getDetail(refused)).toContain('a, b');
  }
});

describe('fields that a credit inherits from its sale', () => {
  it.each<[string, Record<string, unknown>]>([
    ['/tax_included', { tax_included: true }],
    ['/collected_by', { collected_by: 'marketplace' }],
    ['/ship_from', { ship_from: ohio }],
    ['/currency', { currency: 'EUR' }],
    ['/discount_amount', { discount_amount: '1.00' }],
    ['/third_party_discount_amount', { third_party_discount_amount: '1.00' }],
  ])('returns 422 for a different value of %s on calculation, creation and edit', async (pointer, sent) => {
    const { client, calculate, credit, draft } = await withSale({ shipping: { amount: '5.00' } });
    const edited = [await draft(), await draft(one())].map(({ id }) => client.update(id, sent));
    for (const response of await Promise.all([calculate({ ...one(), ...sent }), credit(sent), ...edited]))
      expect(getRefusal(response)).toBe(`422 | validation_invalid_format ${pointer}`);
  });

  it('accepts inherited fields unchanged, and rejects an update that clears them', async () => {
    const { client, draft } = await withSale({ ship_from: ohio });
    const same = { ship_from: ohio, tax_included: false, collected_by: 'seller', currency: 'USD' };
    const { id } = await draft({ ...one(), ...same });
    expect((await made(client.update(id, same))).version).toBe(1);
    expect(getRefusal(await client.update(id, { ship_from: null }))).toBe('422 | validation_invalid_format /ship_from');
  });

  it('reports all changed fields at once, before errors of the sale', async () => {
    const client = await newClient();
    const parent = await made(client.create(sale()));
    expect(getRefusal(await client.create(buildCreditRequest(parent, { currency: 'EUR', tax_included: true })))).toBe(
      '422 | validation_invalid_format /currency | validation_invalid_format /tax_included',
    );
  });

  it('inherits shipping, and requires it in an update of the lines', async () => {
    const { client, draft } = await withSale({ shipping: { amount: '5.00' } });
    const { id } = await draft();
    for (const shipping of [{ amount: '2.00' }, null])
      expect(getRefusal(await client.update(id, { shipping }))).toBe('422 | validation_invalid_format /shipping');
    const edited = await made(client.update(id, { ...one(), shipping: { amount: '2.00' } }));
    expect(edited).toMatchObject({ version: 2, shipping_amount: '2.00', subtotal_amount: '50.00' });
  });
});

it('reports a draft credit of the remainder as stale if less remains, even without tax', async () => {
  const address = { state: 'OR', city: 'Portland', postal_code: '97201', country: 'US' };
  const { client, credit, draft } = await withSale({ customer: { address } });
  const { id } = await draft({ credit_remaining: true });
  await made(credit(one('item_1', { unit_price: '40.00' })));
  expect(getRefusal(await client.update(id, { status: 'finalized' }))).toBe('409 | conflict_credit_stale /status');
});

it('refuses a change of a finalized credit, and advises to record a sale', async () => {
  const { client, credit } = await withSale();
  const { id } = await made(credit(one()));
  const refused = await client.update(id, { tax_date: '2026-01-02' });
  expect(getRefusal(refused)).toBe('409 | conflict_immutable_field /tax_date');
  expect(getDetail(refused)).toContain('record a sale.');
});
