import { describe, expect, it } from 'vitest';
import type { Calculation } from '../../shared/calculations/response.ts';
import { newCaller } from '../support/api.ts';
import type { Answer } from '../support/http.ts';
import { type Client, clientOf, creditOf, goods, made, metaOf, refusalOf, sale, sold } from '../support/sales.ts';

const newClient = async () => clientOf(await newCaller());
/** Returns a client with a finalized sale: two units of item_1 at 50.00 and 6 %, unless the test overrides it. */
const withSale = async (others: Record<string, unknown> = {}) => {
  const client = await newClient();
  const parent = await sold(client, others);
  return {
    client,
    parent,
    credit: (body: Record<string, unknown> = {}) => client.create(creditOf(parent, body)),
    draft: (body: Record<string, unknown> = {}) => made(client.create(creditOf(parent, { status: 'draft', ...body }))),
    calculate: (body: Record<string, unknown>) => client.calculate(creditOf(parent, { status: undefined, ...body })),
    credited: () => creditedOf(client, parent),
  };
};
const creditedOf = async (client: Client, { id }: { id: string }) => {
  const { credited_amount, credited_tax_amount, refund_status } = await made(client.get(id));
  return [credited_amount, credited_tax_amount, refund_status];
};
const nothing = ['0.00', '0.00', 'none'];
const twoLines = { line_items: [goods({ id: 'shirt', quantity: '3', unit_price: '9.99' }), goods({ id: 'mug' })] };
const one = (id = 'item_1', others: object = {}) => ({ line_items: [{ id, quantity: '1', ...others }] });
const goodwill = (unit_price: string, others: object = {}) => ({
  line_items: [goods({ id: 'goodwill', quantity: '1', unit_price, ...others })],
});
const detailOf = ({ body }: Answer): string => body.errors[0].detail;
const warningsOf = ({ warnings }: Pick<Calculation, 'warnings'>): string[] => warnings.map(({ code }) => code);

describe('parent_transaction_id', () => {
  it('is accepted only for credits', async () => {
    const { client, parent } = await withSale();
    for (const [field, value] of [['parent_transaction_id', parent.id] as const, ['credit_remaining', true] as const])
      expect(refusalOf(await client.create(sale({ [field]: value })))).toBe(
        `422 | validation_invalid_format /${field}`,
      );
  });

  it('is optional: a credit without it needs line items, and is calculated at its own date', async () => {
    const client = await newClient();
    expect(refusalOf(await client.create({ type: 'credit' }))).toBe('422 | validation_required_field /line_items');
    const credit = await made(client.create(sale({ type: 'credit', status: 'finalized' })));
    expect(credit).toMatchObject({ type: 'credit', parent_transaction_id: null, tax_amount: '6.00' });
  });
});

describe('the units of a credit', () => {
  const units = (quantity: string, unit_price?: string, others: object = {}) => ({
    parent_line_item_id: 'item_1',
    quantity,
    ...(unit_price && { unit_price }),
    ...others,
  });
  it.each([
    { because: 'three of two units for a lower price', lines: [units('3', '10.00')] },
    { because: 'a part of a unit too many', lines: [units('2.0000000001', '10.00')] },
    { because: 'a discount makes room', lines: [units('3', undefined, { discount_amount: '120.00' })] },
    {
      because: 'two lines together, at the price of the sale',
      lines: [units('2', undefined, { discount_amount: '60.00' }), units('1', '50.00', { discount_amount: '30.00' })],
    },
  ])('cannot exceed the units of the sale: $because', async ({ lines }) => {
    const { calculate, credit, credited } = await withSale();
    for (const refused of [await calculate({ line_items: lines }), await credit({ line_items: lines })]) {
      expect(refusalOf(refused)).toBe(`409 | conflict_over_credit /line_items/${lines.length - 1}/quantity`);
      expect(detailOf(refused)).toContain('2 of line item_1. Send at most that quantity.');
      expect(metaOf(refused)).toMatchObject({ remaining_tax_amount: expect.any(String) });
    }
    expect(await credited()).toEqual(nothing);
  });

  it.each([
    { because: 'all units for a lower price', lines: [units('2', '10.00')] },
    { because: 'amounts, one line each', lines: ['10.00', '10.00', '10.00'].map((price) => units('1', price)) },
    { because: 'the line without an amount', lines: [units('1', '0.00')] },
  ])('can be $because', async ({ lines }) => {
    const { credit } = await withSale();
    expect((await credit({ line_items: lines })).status).toBe(201);
  });

  it('default to 1 for an amount of a line with less than one unit', async () => {
    const line_items = [goods({ id: 'item_1', quantity: '0.5', unit_price: '80.00' })];
    const { credit } = await withSale({ line_items });
    const { taxable_amount, tax_amount } = await made(credit({ line_items: [units('1', '10.00')] }));
    expect([taxable_amount, tax_amount]).toEqual(['10.00', '0.60']);
    expect(refusalOf(await credit({ line_items: [units('0.6', '1.00')] }))).toBe(
      '409 | conflict_over_credit /line_items/0/quantity',
    );
  });

  it('of several credits are limited by amount', async () => {
    const { credit } = await withSale();
    for (const _ of [1, 2]) await made(credit({ line_items: [units('2', '10.00')] }));
    expect((await made(credit(one()))).tax_amount).toBe('3.00');
    expect(refusalOf(await credit(one()))).toBe('409 | conflict_over_credit /line_items/0');
  });
});

describe('warnings of a credit', () => {
  it('report a different product, customer or origin', async () => {
    const ohio = { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } };
    const { calculate, parent } = await withSale(twoLines);
    const ignored = async (body: Record<string, unknown>) =>
      (await made(calculate(body))).warnings
        .filter(({ code }) => code === 'credit_field_ignored')
        .map(({ pointer }) => pointer);
    const item = { id: 'shirt', quantity: '1' };
    const others = { product_tax_code: 'CLOTHING.APPAREL', customer: ohio, ship_from: ohio.address };
    const second = { ...item, ...others, id: 'second', parent_line_item_id: 'shirt' };
    expect(await ignored({ customer: ohio, line_items: [item, second] })).toEqual([
      ...['/customer', '/line_items/1/product_tax_code', '/line_items/1/customer', '/line_items/1/ship_from'],
    ]);
    expect(await ignored({ customer: ohio })).toEqual(['/customer']);
    const same = { product_tax_code: parent.line_items[0]?.product_tax_code, customer: parent.customer };
    expect(await ignored({ customer: parent.customer, line_items: [{ ...item, ...same }] })).toEqual([]);
    expect(await ignored({ customer: { ...parent.customer, id: 'c1' }, ...goodwill('5.00') })).toEqual([]);
  });

  it('report a date before the sale', async () => {
    const { calculate } = await withSale({ tax_date: '2026-11-20' });
    expect(warningsOf(await made(calculate({ tax_date: '2026-11-19' })))).toContain('credit_before_sale');
    expect(warningsOf(await made(calculate({ tax_date: '2026-11-20' })))).not.toContain('credit_before_sale');
  });
});

describe('a credit without line items', () => {
  it('copies lines, discounts, shipping and the recorded tax, regardless of the rates on its own date', async () => {
    const discounts = { discount_amount: '7.77', third_party_discount_amount: '1.00' };
    const { credit, credited, parent } = await withSale({
      ...twoLines,
      ...discounts,
      shipping: { amount: '5.00' },
      tax_amount: '8.31',
    });
    const whole = await made(credit({ tax_date: '2026-11-01' }));
    expect(whole).toMatchObject({ type: 'credit', parent_transaction_id: parent.id, tax_date: '2026-11-01' });
    const copied = [
      ...(['subtotal_amount', 'shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount'] as const),
      ...(['applied_discount_amount', 'applied_third_party_discount_amount', 'total_amount'] as const),
      ...(['shipping', 'tax_summary', 'content_releases'] as const),
    ];
    for (const name of copied) expect([name, whole[name]]).toEqual([name, parent[name]]);
    expect(whole.line_items).toEqual(
      parent.line_items.map((line) => ({
        ...line,
        parent_line_item_id: line.id,
        discount_amount: line.applied_discount_amount,
        third_party_discount_amount: line.applied_third_party_discount_amount,
      })),
    );
    expect(await credited()).toEqual([(Number(parent.subtotal_amount) - 7.77 + 5).toFixed(2), '8.31', 'full']);
  });

  it('credits exactly the remainder with credit_remaining, once', async () => {
    const { credit, credited } = await withSale({ ...twoLines, shipping: { amount: '4.99' } });
    await made(credit(one('shirt')));
    expect(await credited()).toEqual(['9.99', '0.60', 'partial']);
    const { subtotal_amount, shipping_amount, tax_amount } = await made(credit({ credit_remaining: true }));
    expect([subtotal_amount, shipping_amount, tax_amount]).toEqual(['119.98', '4.99', '7.20']);
    expect(await credited()).toEqual(['134.96', '7.80', 'full']);
    const refused = await credit({ credit_remaining: true });
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /credit_remaining');
    expect(metaOf(refused)).toEqual({ remaining_amount: '0.00', remaining_tax_amount: '0.00' });
  });

  it("is counted on the sale's lines, even if they have parent line ids", async () => {
    const line_items = [goods({ id: 'a', parent_line_item_id: 'b' }), goods({ id: 'b', unit_price: '1.00' })];
    const { client, credit, credited } = await withSale({ line_items });
    const { id } = await made(credit());
    expect(await credited()).toEqual(['102.00', '6.12', 'full']);
    await made(client.update(id, { status: 'void' }));
    expect((await made(credit({ line_items: [{ id: 'a', quantity: '2' }] }))).tax_amount).toBe('6.00');
  });
});

describe('a credit with line items', () => {
  it('inherits the missing fields of a matched line: code, customer, price, and discounts by amount', async () => {
    const terms = { product_tax_code: 'CLOTHING.APPAREL', description: 'Shirt' };
    const discounts = { discount_amount: '8.00', third_party_discount_amount: '2.00' };
    const { credit } = await withSale({ line_items: [goods({ id: 'a', ...terms, quantity: '4', ...discounts })] });
    expect(await made(credit(one('a')))).toMatchObject({
      total_amount: '50.38',
      line_items: [
        {
          id: 'a',
          parent_line_item_id: 'a',
          ...terms,
          unit_price: '50.00',
          amount: '50.00',
          applied_discount_amount: '2.00',
          applied_third_party_discount_amount: '0.50',
          net_amount: '48.00',
          tax_amount: '2.88',
        },
      ],
    });
  });

  it('matches by parent_line_item_id before id', async () => {
    const { credit } = await withSale(twoLines);
    const amounts = async (body: Record<string, unknown>) =>
      (await made(credit(body))).line_items.map((line) => [line.id, line.parent_line_item_id, line.amount]);
    expect(await amounts(one('mug', { parent_line_item_id: 'shirt' }))).toEqual([['mug', 'shirt', '9.99']]);
    expect(await amounts({ credit_remaining: true })).toEqual([
      ['shirt', 'shirt', '19.98'],
      ['mug', 'mug', '100.00'],
    ]);
  });

  it('credits shipping only if it is sent, and no more than was charged', async () => {
    // Michigan taxes a charge that is included in the price.
    const product_tax_code = 'SHIPPING.DELIVERY._INCLUDED_IN_PRICE';
    const { credit, credited } = await withSale({ shipping: { amount: '10.00', product_tax_code } });
    expect((await made(credit(one()))).shipping).toBeNull();
    const refused = await credit({ ...one(), shipping: { amount: '10.01' } });
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /shipping/amount');
    expect(metaOf(refused)).toEqual({ remaining_amount: '10.00', remaining_tax_amount: '0.60' });
    expect(detailOf(refused)).toContain('exceeds the remaining amount of the shipping.');
    const { shipping } = await made(credit({ ...one(), shipping: { amount: '10.00' } }));
    expect(shipping).toMatchObject({ tax_amount: '0.60' });
    expect(await credited()).toEqual(['110.00', '6.60', 'full']);
  });

  it('calculates an unmatched line with the parent’s releases and date, warns, and limits it in total', async () => {
    const { credit, credited, parent } = await withSale(twoLines);
    const refused = await credit(goodwill('129.98'));
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /line_items');
    expect(metaOf(refused)).toEqual({ remaining_amount: '129.97', remaining_tax_amount: '7.80' });
    const unmatched = await made(credit(goodwill('110.00')));
    expect(unmatched).toMatchObject({ tax_amount: '6.60', content_releases: parent.content_releases });
    expect(warningsOf(unmatched)).toContain('credit_line_unmatched');
    const rest = await made(credit({ credit_remaining: true }));
    expect([rest.subtotal_amount, rest.tax_amount]).toEqual(['19.97', '1.20']);
    expect(await credited()).toEqual(['129.97', '7.80', 'full']);
  });

  it("rejects an unmatched line outside the sale's states, and accepts another city in them", async () => {
    const { credit, calculate, credited } = await withSale(twoLines);
    const to = (city: string, state: string, postal_code: string) =>
      goodwill('50.00', { customer: { address: { city, state, postal_code, country: 'US' } } });
    const honolulu = to('Honolulu', 'HI', '96813');
    for (const refused of [await credit(honolulu), await calculate(honolulu)]) {
      expect(refusalOf(refused)).toBe('422 | validation_invalid_format /line_items/0');
      expect(detailOf(refused)).toMatch(/is in US-HI, but the sale has US-MI\./);
    }
    expect(await credited()).toEqual(nothing);
    expect((await made(credit(to('Lansing', 'MI', '48933')))).tax_amount).toBe('3.00');
  });

  it.each<[string, object, string]>([
    ['an unmatched line has no price', { id: 'new' }, 'required_field /line_items/0/unit_price'],
    [
      'a discount exceeds an unmatched line',
      { id: 'new', unit_price: '5.00', discount_amount: '5.01' },
      'invalid_format /line_items/0/discount_amount',
    ],
    ...['discount_amount', 'third_party_discount_amount'].map((name): [string, object, string] => [
      `the ${name} exceeds a matched line`,
      { [name]: '50.01' },
      `invalid_format /line_items/0/${name}`,
    ]),
  ])('is rejected if %s', async (_, line, refused) => {
    const { credit } = await withSale();
    expect(refusalOf(await credit(one('item_1', line)))).toBe(`422 | validation_${refused}`);
  });

  it.each(['constructor', '__proto__', 'toString'])('credits a line whose id is %s like any other line', async (id) => {
    const { client, credit, credited } = await withSale({ line_items: [goods({ id }), goods({ id: 'other' })] });
    const first = await made(credit(one(id)));
    await made(credit(one(id)));
    expect(refusalOf(await credit(one(id)))).toBe('409 | conflict_over_credit /line_items/0');
    await made(client.update(first.id, { status: 'void' }));
    expect(await credited()).toEqual(['50.00', '3.00', 'partial']);
  });
});

it.each<[string, Record<string, unknown>]>([
  ['the whole sale', {}],
  ['the remainder', { credit_remaining: true }],
  ['lines', { ...one('shirt'), shipping: { amount: '1.00' } }],
])('records the calculation of a credit unchanged: %s', async (_, body) => {
  const { calculate, client, credit } = await withSale({
    line_items: [goods({ id: 'shirt', quantity: '3', discount_amount: '4.00' }), goods({ id: 'mug' })],
    discount_amount: '7.77',
    third_party_discount_amount: '1.01',
    shipping: { amount: '4.99' },
  });
  if (Object.keys(body).length > 0) await made(credit(one('shirt')));
  const { object, ...calculation } = await made(calculate(body));
  const recorded = await made(client.create({ object, ...calculation, status: 'finalized' }));
  expect(recorded).toMatchObject(calculation);
});

describe('fields that a credit inherits from its sale', () => {
  const ohio = { address: { state: 'OH', city: 'Columbus', postal_code: '43004', country: 'US' } };
  it.each<[string, Record<string, unknown>]>([
    ['/tax_included', { tax_included: true }],
    ['/collected_by', { collected_by: 'marketplace' }],
    ['/ship_from', { ship_from: ohio }],
    ['/currency', { currency: 'EUR' }],
    ['/discount_amount', { discount_amount: '1.00' }],
    ['/third_party_discount_amount', { third_party_discount_amount: '1.00' }],
  ])('%s: a different value returns 422 on calculation, creation and edit', async (pointer, sent) => {
    const { client, calculate, credit, draft } = await withSale({ shipping: { amount: '5.00' } });
    const edited = [await draft(), await draft(one())].map(({ id }) => client.update(id, sent));
    for (const answer of await Promise.all([calculate({ ...one(), ...sent }), credit(sent), ...edited]))
      expect(refusalOf(answer)).toBe(`422 | validation_invalid_format ${pointer}`);
  });

  it('can be sent unchanged, and cannot be cleared by an update', async () => {
    const { client, draft } = await withSale({ ship_from: ohio });
    const same = { ship_from: ohio, tax_included: false, collected_by: 'seller', currency: 'USD' };
    const { id } = await draft({ ...one(), ...same });
    expect((await made(client.update(id, same))).version).toBe(1);
    expect(refusalOf(await client.update(id, { ship_from: null }))).toBe('422 | validation_invalid_format /ship_from');
  });

  it('are rejected all at once, before errors of the sale', async () => {
    const client = await newClient();
    const parent = await made(client.create(sale()));
    expect(refusalOf(await client.create(creditOf(parent, { currency: 'EUR', tax_included: true })))).toBe(
      '422 | validation_invalid_format /currency | validation_invalid_format /tax_included',
    );
  });

  it('include shipping: it needs lines, and credit_remaining excludes other fields', async () => {
    const { client, credit, draft } = await withSale({ shipping: { amount: '5.00' } });
    const shipping = { amount: '2.00' };
    const { id } = await draft();
    for (const [answer, field] of [
      [await credit({ shipping }), 'shipping'],
      [await credit({ shipping, credit_remaining: true }), 'shipping'],
      [await credit({ credit_remaining: true, ...one() }), 'credit_remaining'],
      [await client.update(id, { shipping }), 'shipping'],
      [await client.update(id, { shipping: null }), 'shipping'],
    ] as const)
      expect(refusalOf(answer)).toBe(`422 | validation_invalid_format /${field}`);
    const edited = await made(client.update(id, { ...one(), shipping }));
    expect(edited).toMatchObject({ version: 2, shipping_amount: '2.00', subtotal_amount: '50.00' });
  });
});

describe('a supplied tax on a credit', () => {
  it('is distributed in proportion to the remaining recorded tax, and limited by it', async () => {
    const { credit: create, credited } = await withSale(twoLines);
    const credit = (tax_amount: string) => create({ ...one('mug'), tax_amount });
    const refused = await credit('6.01');
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /tax_amount');
    // The net that remains of the sale, and the tax that remains of the mug.
    expect(metaOf(refused)).toEqual({ remaining_amount: '129.97', remaining_tax_amount: '6.00' });
    expect(detailOf(refused)).toContain('6.00');
    expect(await made(credit('4.00'))).toMatchObject({
      tax_amount: '4.00',
      calculated_tax_amount: '3.00',
      tax_amount_source: 'provided',
    });
    expect(refusalOf(await credit('2.01'))).toBe('409 | conflict_over_credit /tax_amount');
    await made(credit('2.00'));
    expect(await credited()).toEqual(['100.00', '6.00', 'partial']);
  });

  it("is limited by the sale's remaining tax if unmatched lines used part of it", async () => {
    const { credit, credited } = await withSale();
    await made(credit(goodwill('80.00')));
    const rest = (tax_amount: string) => credit({ ...one('item_1', { unit_price: '20.00' }), tax_amount });
    expect(refusalOf(await rest('1.21'))).toBe('409 | conflict_over_credit /tax_amount');
    await made(rest('1.20'));
    expect(await credited()).toEqual(['100.00', '6.00', 'full']);
  });

  it.each([
    { currency: 'JPY', price: '1000', fine: '60', wrong: '60.5' },
    { currency: 'KWD', price: '10.000', fine: '0.123', wrong: '0.1234' },
  ])("has the decimals of the sale's currency, $currency", async ({ currency, price, fine, wrong }) => {
    const line_items = [goods({ id: 'item_1', quantity: '1', unit_price: price })];
    const { credit } = await withSale({ currency, line_items });
    const refused = await credit({ ...one(), tax_amount: wrong });
    expect(refusalOf(refused)).toBe('422 | validation_invalid_format /tax_amount');
    expect((await made(credit({ ...one(), tax_amount: fine }))).tax_amount).toBe(fine);
  });

  it('replaces the tax of a finalized credit, and changes the credited amounts of its sale', async () => {
    const { client, credit, credited } = await withSale();
    const { id } = await made(credit(one()));
    const refused = await client.update(id, { tax_amount: '6.01' });
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /tax_amount');
    // The remainder without this credit, which is its limit.
    expect(metaOf(refused)).toEqual({ remaining_amount: '100.00', remaining_tax_amount: '6.00' });
    for (const [sent, tax_amount, tax_amount_source] of [
      ['1.00', '1.00', 'provided'],
      [null, '3.00', 'calculated'],
      ['6.00', '6.00', 'provided'],
    ] as const) {
      const changed = await made(client.update(id, { tax_amount: sent }));
      expect(changed).toMatchObject({ tax_amount, tax_amount_source, calculated_tax_amount: '3.00' });
      expect(await credited()).toEqual(['50.00', tax_amount, 'partial']);
    }
    await made(client.update(id, { status: 'void' }));
    expect(await credited()).toEqual(nothing);
  });
});

it('restores the limit when a credit is voided, and then the sale can be voided', async () => {
  const { client, credit, credited, parent } = await withSale();
  const { id } = await made(credit());
  for (const [field, value] of Object.entries({ status: 'void', tax_amount: '5.00' }))
    expect(refusalOf(await client.update(parent.id, { [field]: value }))).toBe(`409 | conflict_has_credits /${field}`);
  await made(client.update(id, { status: 'void' }));
  expect(await credited()).toEqual(nothing);
  expect((await made(client.get(parent.id))).version).toBe(3);
  expect((await credit()).status).toBe(201);
});

describe('a draft credit', () => {
  it('is stale if another credit used the last cent: 409 with the current tax', async () => {
    // 4.17 at 6 % is 0.25: a third of it is 0.08, and the last third has 0.09.
    const line_items = [goods({ id: 'item_1', quantity: '3', unit_price: '1.39' })];
    const { client, credit, credited, draft } = await withSale({ line_items });
    const { id, tax_amount } = await draft(one());
    expect(tax_amount).toBe('0.08');
    for (const _ of [1, 2]) await made(credit(one()));
    const stale = await client.update(id, { status: 'finalized' });
    expect(refusalOf(stale)).toBe('409 | conflict_credit_stale /status');
    expect(metaOf(stale)).toEqual({ tax_amount: '0.09' });
    const finalized = await made(client.update(id, { status: 'finalized', tax_amount: '0.09' }));
    expect(finalized).toMatchObject({ status: 'finalized', tax_amount: '0.09', version: 2 });
    expect(await credited()).toEqual(['4.17', '0.25', 'full']);
  });

  it('of the remainder is stale if less remains, even without tax', async () => {
    const address = { state: 'OR', city: 'Portland', postal_code: '97201', country: 'US' };
    const { client, credit, credited, draft } = await withSale({ customer: { address } });
    const { id, ...rest } = await draft({ credit_remaining: true });
    expect([rest.subtotal_amount, rest.tax_amount]).toEqual(['100.00', '0.00']);
    await made(credit(one('item_1', { unit_price: '40.00' })));
    expect(refusalOf(await client.update(id, { status: 'finalized' }))).toBe('409 | conflict_credit_stale /status');
    expect((await credited())[0]).toBe('40.00');
  });
});
