import { describe, expect, it } from 'vitest';
import type { Calculation } from '../../shared/calculations/response.ts';
import { newCaller } from '../support/api.ts';
import type { Answer } from '../support/http.ts';
import { type Client, clientOf, creditOf, goods, made, metaOf, refusalOf, sale, sold } from '../support/sales.ts';
import { onlyShipping } from '../support/shipping.ts';

const newClient = async () => clientOf(await newCaller());
const twoLines = { line_items: [goods({ id: 'shirt', quantity: '3', unit_price: '9.99' }), goods({ id: 'mug' })] };
const creditedOf = async (client: Client, { id }: { id: string }) => {
  const { credited_amount, credited_tax_amount, refund_status } = await made(client.get(id));
  return [credited_amount, credited_tax_amount, refund_status];
};
const detailOf = ({ body }: Answer): string => body.errors[0].detail;
const warningsOf = ({ warnings }: Pick<Calculation, 'warnings'>): string[] => warnings.map(({ code }) => code);

describe('the parent', () => {
  it('must exist in this account: otherwise 422 with the same detail', async () => {
    const [client, other] = await Promise.all([newClient(), newClient()]);
    const foreign = await sold(other);
    const answers = await Promise.all(
      [foreign.id, 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense'].map((id) => client.create(creditOf({ id }))),
    );
    for (const answer of answers)
      expect(refusalOf(answer)).toBe('422 | validation_parent_not_found /parent_transaction_id');
    expect(new Set(answers.map(({ body }) => body.errors[0].detail)).size).toBe(1);
    expect(refusalOf(await client.calculate(creditOf(foreign)))).toContain('422 | validation_parent_not_found');
    expect(await creditedOf(other, foreign)).toEqual(['0.00', '0.00', 'none']);
  });

  it('belongs to credits only: a sale with one is 422, an empty value is absent', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const refused = await client.create(sale({ parent_transaction_id: parent.id }));
    expect(refusalOf(refused)).toBe('422 | validation_invalid_format /parent_transaction_id');
    expect(refusalOf(await client.create(sale({ credit_remaining: true })))).toBe(
      '422 | validation_invalid_format /credit_remaining',
    );
  });

  it('sets the currency: another one is 422', async () => {
    const client = await newClient();
    const parent = await sold(client);
    expect(refusalOf(await client.create(creditOf(parent, { currency: 'EUR' })))).toBe(
      '422 | validation_invalid_format /currency',
    );
    expect((await client.create(creditOf(parent, { currency: 'USD' }))).status).toBe(201);
  });
});

describe('the units of a credit', () => {
  // Two units at 50.00.
  const mug = (quantity: string, unit_price?: string, others: object = {}) => ({
    ...{ parent_line_item_id: 'item_1', quantity, ...(unit_price && { unit_price }), ...others },
  });
  it.each([
    { lines: [mug('3', '10.00')], at: 0, because: 'three of two units for a lower price' },
    { lines: [mug('2.0000000001', '10.00')], at: 0, because: 'a part of a unit too many' },
    { lines: [mug('3', undefined, { discount_amount: '120.00' })], at: 0, because: 'a discount makes room' },
    {
      lines: [mug('2', undefined, { discount_amount: '60.00' }), mug('1', '50.00', { discount_amount: '30.00' })],
      at: 1,
      because: 'two lines together, at the price of the sale',
    },
  ])('are at most the units of the sale: $because', async ({ lines, at }) => {
    const client = await newClient();
    const parent = await sold(client);
    const body = creditOf(parent, { line_items: lines });
    for (const refused of [await client.calculate(body), await client.create(body)]) {
      expect(refusalOf(refused)).toBe(`409 | conflict_over_credit /line_items/${at}/quantity`);
      expect(detailOf(refused)).toContain('2 of line item_1. Send at most that quantity.');
      expect(metaOf(refused)).toMatchObject({ remaining_tax_amount: expect.any(String) });
    }
    expect(await creditedOf(client, parent)).toEqual(['0.00', '0.00', 'none']);
  });

  it.each([
    { lines: [mug('2', '10.00')], because: 'all units for a lower price' },
    { lines: [mug('1', '10.00'), mug('1', '10.00'), mug('1', '10.00')], because: 'amounts, one line each' },
    { lines: [mug('1', '0.00')], because: 'the line without an amount' },
  ])('may be $because', async ({ lines }) => {
    const client = await newClient();
    const parent = await sold(client);
    expect((await client.create(creditOf(parent, { line_items: lines }))).status).toBe(201);
  });

  it('is 1 for an amount of a line that has less than one', async () => {
    const client = await newClient();
    const parent = await sold(client, { line_items: [goods({ id: 'item_1', quantity: '0.5', unit_price: '80.00' })] });
    const credit = await made(client.create(creditOf(parent, { line_items: [mug('1', '10.00')] })));
    expect([credit.taxable_amount, credit.tax_amount]).toEqual(['10.00', '0.60']);
    const refused = await client.create(creditOf(parent, { line_items: [mug('0.6', '1.00')] }));
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /line_items/0/quantity');
  });

  it('of several credits are bounded by money', async () => {
    const client = await newClient();
    const parent = await sold(client);
    for (const _ of [1, 2]) await made(client.create(creditOf(parent, { line_items: [mug('2', '10.00')] })));
    expect((await made(client.create(creditOf(parent, { line_items: [mug('1')] })))).tax_amount).toBe('3.00');
    const refused = await client.create(creditOf(parent, { line_items: [mug('1')] }));
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /line_items/0');
  });
});

describe('inheritance of a credit', () => {
  const ohio = { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } };
  const pointersOf = ({ warnings }: Pick<Calculation, 'warnings'>) =>
    warnings.filter(({ code }) => code === 'credit_field_ignored').map(({ pointer }) => pointer);

  it('warns of a different product, customer or origin', async () => {
    const client = await newClient();
    const parent = await sold(client, twoLines);
    const item = { id: 'shirt', quantity: '1' };
    const credited = async (body: Record<string, unknown>) =>
      pointersOf(await made(client.calculate(creditOf(parent, body))));
    const others = { product_tax_code: 'CLOTHING.APPAREL', customer: ohio, ship_from: ohio.address };
    expect(
      await credited({
        customer: ohio,
        line_items: [item, { ...item, ...others, id: 'second', parent_line_item_id: 'shirt' }],
      }),
    ).toEqual(['/customer', ...['product_tax_code', 'customer', 'ship_from'].map((name) => `/line_items/1/${name}`)]);
    expect(await credited({ customer: ohio })).toEqual(['/customer']);
    const [sold0] = parent.line_items;
    const same = { product_tax_code: sold0?.product_tax_code, customer: parent.customer };
    expect(await credited({ customer: parent.customer, line_items: [{ ...item, ...same }] })).toEqual([]);
    const unmatched = [goods({ id: 'goodwill', quantity: '1', unit_price: '5.00' })];
    expect(await credited({ customer: { ...parent.customer, id: 'c1' }, line_items: unmatched })).toEqual([]);
  });

  it('warns of a credit that is dated before its sale', async () => {
    const client = await newClient();
    const parent = await sold(client, { tax_date: '2026-11-20' });
    const codes = async (tax_date: string) =>
      warningsOf(await made(client.calculate(creditOf(parent, { tax_date })))).filter((code) =>
        code.startsWith('credit'),
      );
    expect(await codes('2026-11-19')).toEqual(['credit_before_sale']);
    expect(await codes('2026-11-20')).toEqual([]);
  });
});

describe('a credit without line items', () => {
  it('copies lines, discounts, shipping and the recorded tax, independent of the rates on its own date', async () => {
    const client = await newClient();
    const parent = await sold(client, {
      ...twoLines,
      discount_amount: '7.77',
      third_party_discount_amount: '1.00',
      shipping: { amount: '5.00' },
      tax_amount: '8.31',
    });
    const credit = await made(client.create(creditOf(parent, { tax_date: '2026-11-01' })));
    const copied = [
      'subtotal_amount',
      'applied_discount_amount',
      'applied_third_party_discount_amount',
      'shipping_amount',
      'taxable_amount',
      'exempt_amount',
      'tax_amount',
      'total_amount',
      'shipping',
      'tax_summary',
      'content_releases',
    ] as const;
    for (const name of copied) expect([name, credit[name]]).toEqual([name, parent[name]]);
    for (const [index, line] of parent.line_items.entries())
      expect(credit.line_items[index]).toEqual({
        ...line,
        parent_line_item_id: line.id,
        discount_amount: line.applied_discount_amount,
        third_party_discount_amount: line.applied_third_party_discount_amount,
      });
    expect(credit).toMatchObject({ type: 'credit', parent_transaction_id: parent.id, tax_date: '2026-11-01' });
    expect(await creditedOf(client, parent)).toEqual([
      (Number(parent.subtotal_amount) - 7.77 + 5).toFixed(2),
      '8.31',
      'full',
    ]);
  });

  it('credits exactly what is left with credit_remaining, once', async () => {
    const client = await newClient();
    const parent = await sold(client, { ...twoLines, shipping: { amount: '4.99' } });
    await made(client.create(creditOf(parent, { line_items: [{ id: 'shirt', quantity: '1' }] })));
    const [amount, tax] = await creditedOf(client, parent);
    const rest = await made(client.create(creditOf(parent, { credit_remaining: true })));
    expect(Number(rest.tax_amount)).toBeCloseTo(Number(parent.tax_amount) - Number(tax), 6);
    expect(Number(rest.total_amount)).toBeCloseTo(Number(parent.total_amount) - Number(amount) - Number(tax), 6);
    expect(await creditedOf(client, parent)).toEqual(['134.96', parent.tax_amount, 'full']);
    const refused = await client.create(creditOf(parent, { credit_remaining: true }));
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /credit_remaining');
    expect(metaOf(refused)).toEqual({ remaining_amount: '0.00', remaining_tax_amount: '0.00' });
  });
});

describe('a credit with line items', () => {
  it('inherits the missing fields of a matched line: code, customer, price, discounts by amount', async () => {
    const client = await newClient();
    const parent = await sold(client, {
      line_items: [
        goods({
          id: 'a',
          product_tax_code: 'CLOTHING.APPAREL',
          description: 'Shirt',
          quantity: '4',
          discount_amount: '8.00',
          third_party_discount_amount: '2.00',
        }),
      ],
    });
    const credit = await made(client.create(creditOf(parent, { line_items: [{ id: 'a', quantity: '1' }] })));
    expect(credit.line_items[0]).toMatchObject({
      id: 'a',
      parent_line_item_id: 'a',
      description: 'Shirt',
      product_tax_code: 'CLOTHING.APPAREL',
      unit_price: '50.00',
      amount: '50.00',
      applied_discount_amount: '2.00',
      applied_third_party_discount_amount: '0.50',
      net_amount: '48.00',
      tax_amount: '2.88',
    });
    expect(credit.total_amount).toBe('50.38');
  });

  it('matches by parent_line_item_id before id', async () => {
    const client = await newClient();
    const parent = await sold(client, twoLines);
    const line = { id: 'mug', parent_line_item_id: 'shirt', quantity: '1' };
    const credit = await made(client.create(creditOf(parent, { line_items: [line] })));
    expect(credit.line_items[0]).toMatchObject({ id: 'mug', parent_line_item_id: 'shirt', amount: '9.99' });
    const { line_items } = await made(client.create(creditOf(parent, { credit_remaining: true })));
    expect(line_items.map(({ id, amount }) => [id, amount])).toEqual([
      ['shirt', '19.98'],
      ['mug', '100.00'],
    ]);
  });

  it('credits shipping only where it is sent, and no more than was charged', async () => {
    const client = await newClient();
    // Michigan taxes a charge that is included in the price.
    const product_tax_code = 'SHIPPING.DELIVERY._INCLUDED_IN_PRICE';
    const parent = await sold(client, { shipping: { amount: '10.00', product_tax_code } });
    const credit = (more: object) =>
      client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1' }], ...more }));
    expect((await made(credit({}))).shipping).toBeNull();
    const refused = await credit({ shipping: { amount: '10.01' } });
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /shipping/amount');
    expect(metaOf(refused)).toEqual({ remaining_amount: '10.00', remaining_tax_amount: '0.60' });
    expect(detailOf(refused)).toContain('exceeds what remains of the shipping.');
    expect(onlyShipping((await made(credit({ shipping: { amount: '10.00' } }))).shipping)?.tax_amount).toBe('0.60');
    expect(await creditedOf(client, parent)).toEqual(['110.00', '6.60', 'full']);
  });

  it('calculates an unmatched line at the parent’s releases and date, warns, and bounds it in total', async () => {
    const client = await newClient();
    const parent = await sold(client, twoLines);
    const unmatched = (unit_price: string) =>
      client.create(creditOf(parent, { line_items: [goods({ id: 'goodwill', quantity: '1', unit_price })] }));
    const refused = await unmatched('129.98');
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /line_items');
    expect(metaOf(refused)).toEqual({ remaining_amount: '129.97', remaining_tax_amount: '7.80' });
    const credit = await made(unmatched('110.00'));
    expect(credit.tax_amount).toBe('6.60');
    expect(credit.content_releases).toEqual(parent.content_releases);
    expect(warningsOf(credit)).toContain('credit_line_unmatched');
    const rest = await made(client.create(creditOf(parent, { credit_remaining: true })));
    expect([rest.subtotal_amount, rest.tax_amount]).toEqual(['19.97', '1.20']);
    expect(await creditedOf(client, parent)).toEqual(['129.97', '7.80', 'full']);
  });

  it('refuses an unmatched line in a state that the sale does not have; another city of its states is accepted', async () => {
    const client = await newClient();
    const parent = await sold(client, twoLines);
    const to = (address: object) => ({
      line_items: [goods({ id: 'goodwill', quantity: '1', unit_price: '50.00', customer: { address } })],
    });
    const honolulu = to({ city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' });
    for (const refused of [
      await client.create(creditOf(parent, honolulu)),
      await client.calculate(creditOf(parent, honolulu)),
    ]) {
      expect(refusalOf(refused)).toBe('422 | validation_invalid_format /line_items/0');
      expect(detailOf(refused)).toMatch(/is in US-HI, but the sale has US-MI\./);
    }
    expect(await creditedOf(client, parent)).toEqual(['0.00', '0.00', 'none']);
    const lansing = to({ city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' });
    expect((await made(client.create(creditOf(parent, lansing)))).tax_amount).toBe('3.00');
  });

  it('requires the price of an unmatched line, and no discount beyond it', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const by = (line: object) =>
      client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1' }, line] }));
    expect(refusalOf(await by({ id: 'new', quantity: '1' }))).toBe(
      '422 | validation_required_field /line_items/1/unit_price',
    );
    expect(refusalOf(await by({ id: 'new', quantity: '1', unit_price: '5.00', discount_amount: '5.01' }))).toBe(
      '422 | validation_invalid_format /line_items/1/discount_amount',
    );
  });

  it('refuses discounts above a matched line, so that a total is never negative', async () => {
    const client = await newClient();
    const parent = await sold(client);
    for (const name of ['discount_amount', 'third_party_discount_amount']) {
      const line = { id: 'item_1', quantity: '1', [name]: '50.01' };
      expect(refusalOf(await client.create(creditOf(parent, { line_items: [line] })))).toBe(
        `422 | validation_invalid_format /line_items/0/${name}`,
      );
    }
  });

  it.each(['constructor', '__proto__', 'toString'])('credits a line whose id is %s like any other', async (id) => {
    const client = await newClient();
    const parent = await sold(client, { line_items: [goods({ id }), goods({ id: 'other' })] });
    const half = creditOf(parent, { line_items: [{ id, quantity: '1' }] });
    const credit = await made(client.create(half));
    await made(client.create(half));
    expect(refusalOf(await client.create(half))).toBe('409 | conflict_over_credit /line_items/0');
    await made(client.update(credit.id, { status: 'void' }));
    expect(await creditedOf(client, parent)).toEqual(['50.00', '3.00', 'partial']);
  });

  it('counts a full credit on the lines of the sale, even if these name parents', async () => {
    const client = await newClient();
    const parent = await sold(client, {
      line_items: [goods({ id: 'a', parent_line_item_id: 'b' }), goods({ id: 'b', unit_price: '1.00' })],
    });
    const credit = await made(client.create(creditOf(parent)));
    expect(await creditedOf(client, parent)).toEqual(['102.00', '6.12', 'full']);
    await made(client.update(credit.id, { status: 'void' }));
    const line = await made(client.create(creditOf(parent, { line_items: [{ id: 'a', quantity: '2' }] })));
    expect(line.tax_amount).toBe('6.00');
  });
});

describe('a credit calculation, posted as it is', () => {
  it.each([
    ['the whole sale', () => ({})],
    ['what is left', () => ({ credit_remaining: true })],
    ['lines', () => ({ line_items: [{ id: 'shirt', quantity: '1' }], shipping: { amount: '1.00' } })],
  ])('records what was calculated: %s', async (what, request) => {
    const client = await newClient();
    const parent = await sold(client, {
      line_items: [goods({ id: 'shirt', quantity: '3', discount_amount: '4.00' }), goods({ id: 'mug' })],
      discount_amount: '7.77',
      third_party_discount_amount: '1.01',
      shipping: { amount: '4.99' },
    });
    if (what !== 'the whole sale')
      await made(client.create(creditOf(parent, { line_items: [{ id: 'shirt', quantity: '1' }] })));
    const calculation = await made(client.calculate({ ...creditOf(parent, request()), status: undefined }));
    const credit = await made(client.create({ ...calculation, status: 'finalized' }));
    const { object: _, ...figures } = calculation;
    expect(credit).toMatchObject(figures);
  });
});

describe('fields that a credit inherits from its sale (5)', () => {
  const ohio = { address: { state: 'OH', city: 'Columbus', postal_code: '43004', country: 'US' } };
  const line_items = [{ id: 'item_1', quantity: '1' }];
  it.each([
    ['/tax_included', { tax_included: true }],
    ['/collected_by', { collected_by: 'marketplace' }],
    ['/ship_from', { ship_from: ohio }],
    ['/currency', { currency: 'EUR' }],
    ['/discount_amount', { discount_amount: '1.00' }],
    ['/third_party_discount_amount', { third_party_discount_amount: '1.00' }],
  ])('%s: another value is 422, when it is calculated, created and edited', async (pointer, sent) => {
    const client = await newClient();
    const parent = await sold(client, { shipping: { amount: '5.00' } });
    const refused = `422 | validation_invalid_format ${pointer}`;
    expect(refusalOf(await client.calculate(creditOf(parent, { status: undefined, line_items, ...sent })))).toBe(
      refused,
    );
    expect(refusalOf(await client.create(creditOf(parent, sent)))).toBe(refused);
    for (const others of [{}, { line_items }]) {
      const draft = await made(client.create(creditOf(parent, { status: 'draft', ...others })));
      expect(refusalOf(await client.update(draft.id, sent))).toBe(refused);
      expect((await made(client.get(draft.id))).version).toBe(1);
    }
  });

  it('may be sent unchanged, and cannot be cleared by an update', async () => {
    const client = await newClient();
    const parent = await sold(client, { ship_from: ohio });
    const same = { ship_from: ohio, tax_included: false, collected_by: 'seller', currency: 'USD' };
    const draft = await made(client.create(creditOf(parent, { status: 'draft', line_items, ...same })));
    expect((await made(client.update(draft.id, same))).version).toBe(1);
    expect(refusalOf(await client.update(draft.id, { ship_from: null }))).toBe(
      '422 | validation_invalid_format /ship_from',
    );
  });

  it('returns all field problems at once, before the problem of the sale', async () => {
    const client = await newClient();
    const parent = await made(client.create(sale()));
    expect(refusalOf(await client.create(creditOf(parent, { currency: 'EUR', tax_included: true })))).toBe(
      '422 | validation_invalid_format /currency | validation_invalid_format /tax_included',
    );
  });

  it('refuses shipping without the lines, and credit_remaining beside them', async () => {
    const client = await newClient();
    const parent = await sold(client, { shipping: { amount: '5.00' } });
    const shipping = { amount: '2.00' };
    const refused = '422 | validation_invalid_format /shipping';
    expect(refusalOf(await client.create(creditOf(parent, { shipping })))).toBe(refused);
    expect(refusalOf(await client.create(creditOf(parent, { shipping, credit_remaining: true })))).toBe(refused);
    expect(refusalOf(await client.create(creditOf(parent, { credit_remaining: true, line_items })))).toBe(
      '422 | validation_invalid_format /credit_remaining',
    );
    const draft = await made(client.create(creditOf(parent, { status: 'draft' })));
    for (const sent of [shipping, null])
      expect(refusalOf(await client.update(draft.id, { shipping: sent }))).toBe(refused);
    expect((await made(client.get(draft.id))).version).toBe(1);
    const edited = await made(client.update(draft.id, { line_items, shipping }));
    expect(edited).toMatchObject({ version: 2, shipping_amount: '2.00', subtotal_amount: '50.00' });
  });
});

describe('a supplied tax on a credit', () => {
  it('is spread by what is left of the recorded tax, and bounded by it', async () => {
    const client = await newClient();
    const parent = await sold(client, twoLines);
    const credit = (tax_amount: string) =>
      client.create(creditOf(parent, { line_items: [{ id: 'mug', quantity: '1' }], tax_amount }));
    const refused = await credit('6.01');
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /tax_amount');
    // The net that is left of the sale, and the tax that is left of the mug.
    expect(metaOf(refused)).toEqual({ remaining_amount: '129.97', remaining_tax_amount: '6.00' });
    expect(detailOf(refused)).toContain('6.00');
    expect(await made(credit('4.00'))).toMatchObject({
      tax_amount: '4.00',
      calculated_tax_amount: '3.00',
      tax_amount_source: 'provided',
    });
    expect(refusalOf(await credit('2.01'))).toBe('409 | conflict_over_credit /tax_amount');
    await made(credit('2.00'));
    expect(await creditedOf(client, parent)).toEqual(['100.00', '6.00', 'partial']);
  });

  it('is bounded by the remainder of the sale where unmatched lines took some of it', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const goodwill = goods({ id: 'goodwill', quantity: '1', unit_price: '80.00' });
    await made(client.create(creditOf(parent, { line_items: [goodwill] })));
    const line_items = [{ id: 'item_1', quantity: '1', unit_price: '20.00' }];
    const credit = (tax_amount: string) => client.create(creditOf(parent, { line_items, tax_amount }));
    expect(refusalOf(await credit('1.21'))).toBe('409 | conflict_over_credit /tax_amount');
    await made(credit('1.20'));
    expect(await creditedOf(client, parent)).toEqual(['100.00', '6.00', 'full']);
  });

  it.each([
    { currency: 'JPY', price: '1000', fine: '60', wrong: '60.5' },
    { currency: 'KWD', price: '10.000', fine: '0.123', wrong: '0.1234' },
  ])('has the decimals of the currency of the sale, $currency', async (each) => {
    const client = await newClient();
    const { currency, price, fine, wrong } = each;
    const parent = await sold(client, { currency, line_items: [goods({ id: 'a', quantity: '1', unit_price: price })] });
    const line_items = [{ id: 'a', quantity: '1' }];
    expect(refusalOf(await client.create(creditOf(parent, { line_items, tax_amount: wrong })))).toBe(
      '422 | validation_invalid_format /tax_amount',
    );
    expect((await made(client.create(creditOf(parent, { line_items, tax_amount: fine })))).tax_amount).toBe(fine);
  });
});

describe('a credit without a parent', () => {
  it('needs line items, and is calculated at its own date', async () => {
    const client = await newClient();
    expect(refusalOf(await client.create({ type: 'credit' }))).toBe('422 | validation_required_field /line_items');
    const credit = await made(client.create(sale({ type: 'credit', status: 'finalized' })));
    expect(credit).toMatchObject({ type: 'credit', parent_transaction_id: null, tax_amount: '6.00' });
  });
});

describe('the bound', () => {
  it('is restored when a credit is voided, and then the sale can be voided', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const credit = await made(client.create(creditOf(parent)));
    expect(refusalOf(await client.update(parent.id, { status: 'void' }))).toBe('409 | conflict_has_credits /status');
    expect(refusalOf(await client.update(parent.id, { tax_amount: '5.00' }))).toBe(
      '409 | conflict_has_credits /tax_amount',
    );
    await made(client.update(credit.id, { status: 'void' }));
    expect(await creditedOf(client, parent)).toEqual(['0.00', '0.00', 'none']);
    const { version } = await made(client.get(parent.id));
    expect(version).toBe(3);
    expect((await client.create(creditOf(parent))).status).toBe(201);
  });
});

describe('a draft credit', () => {
  const third = (client: Client) =>
    sold(client, { line_items: [goods({ id: 'a', quantity: '3', unit_price: '1.39' })] });

  it('is stale if another credit took the cent: 409 with the present tax', async () => {
    const client = await newClient();
    // 4.17 at 6 % is 0.25: a third of it is 0.08, and the last third has 0.09.
    const parent = await third(client);
    const one = { line_items: [{ id: 'a', quantity: '1' }] };
    const draft = await made(client.create(creditOf(parent, { status: 'draft', ...one })));
    expect(draft.tax_amount).toBe('0.08');
    for (const _ of [1, 2]) await made(client.create(creditOf(parent, one)));
    const stale = await client.update(draft.id, { status: 'finalized' });
    expect(refusalOf(stale)).toBe('409 | conflict_credit_stale /status');
    expect(metaOf(stale)).toEqual({ tax_amount: '0.09' });
    expect((await made(client.get(draft.id))).version).toBe(1);
    const finalized = await made(client.update(draft.id, { status: 'finalized', tax_amount: '0.09' }));
    expect(finalized).toMatchObject({ status: 'finalized', tax_amount: '0.09', version: 2 });
    expect(await creditedOf(client, parent)).toEqual(['4.17', '0.25', 'full']);
  });

  it('a draft credit of the remainder is stale where less remains, even without tax', async () => {
    const client = await newClient();
    const parent = await sold(client, {
      customer: { address: { state: 'OR', city: 'Portland', postal_code: '97201', country: 'US' } },
    });
    const draft = await made(client.create(creditOf(parent, { status: 'draft', credit_remaining: true })));
    expect([draft.subtotal_amount, draft.tax_amount]).toEqual(['100.00', '0.00']);
    await made(client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1', unit_price: '40.00' }] })));
    expect(refusalOf(await client.update(draft.id, { status: 'finalized' }))).toBe(
      '409 | conflict_credit_stale /status',
    );
    expect((await creditedOf(client, parent))[0]).toBe('40.00');
  });
});

describe('the tax of a finalized credit', () => {
  it('can be changed, and changes the credited amounts of its sale', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const credit = await made(client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1' }] })));
    const refused = await client.update(credit.id, { tax_amount: '6.01' });
    expect(refusalOf(refused)).toBe('409 | conflict_over_credit /tax_amount');
    // The remainder without this credit, which it may take.
    expect(metaOf(refused)).toEqual({ remaining_amount: '100.00', remaining_tax_amount: '6.00' });
    const changed = await made(client.update(credit.id, { tax_amount: '1.00' }));
    expect(changed).toMatchObject({ tax_amount: '1.00', tax_amount_source: 'provided', calculated_tax_amount: '3.00' });
    expect(await creditedOf(client, parent)).toEqual(['50.00', '1.00', 'partial']);
    expect(await made(client.update(credit.id, { tax_amount: null }))).toMatchObject({
      tax_amount: '3.00',
      tax_amount_source: 'calculated',
    });
    expect(await creditedOf(client, parent)).toEqual(['50.00', '3.00', 'partial']);
    await made(client.update(credit.id, { tax_amount: '6.00' }));
    await made(client.update(credit.id, { status: 'void' }));
    expect(await creditedOf(client, parent)).toEqual(['0.00', '0.00', 'none']);
  });
});
