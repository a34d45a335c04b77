// The amounts of credits are tested in test/unit/credit-sums.test.ts and, through requests, by the model test.

import { expect, it } from 'vitest';
import scenarioRows from '../fixtures/credits.json' with { type: 'json' };
import { newClient } from '../support/api.ts';
import { readCases } from '../support/facts.ts';
import type { ApiResponse } from '../support/http.ts';
import { buildCreditRequest, getMeta, getRefusal, goods, made, sale, sold } from '../support/sales.ts';

/** Returns a client with a finalized sale: two units of item_1 at 50.00 and 6 %, unless the test overrides it. */
const withSale = async (others: Record<string, unknown> = {}) => {
  const client = await newClient();
  const parent = await sold(client, others);
  type Body = Record<string, unknown>;
  return {
    client,
    parent,
    credit: (body: Body = {}) => client.create(buildCreditRequest(parent, body)),
    calculate: (body: Body) => client.calculate(buildCreditRequest(parent, { status: undefined, ...body })),
    credited: async () => {
      const { credited_amount, credited_tax_amount, refund_status } = await made(client.get(parent.id));
      return [credited_amount, credited_tax_amount, refund_status];
    },
  };
};
const twoLines = { line_items: [goods({ id: 'shirt', quantity: '3', unit_price: '9.99' }), goods({ id: 'mug' })] };
const one = (id = 'item_1', others: object = {}) => ({ line_items: [{ id, quantity: '1', ...others }] });
const ohio = { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } };

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

it('warns of a different product, customer or origin', async () => {
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

/** Requests about a sale and its credits, each with a part of its response, or with its refusal. */
type Scenario = {
  readonly title: string;
  readonly because?: string;
  /**
   * `sale` records another sale. `update` changes the last credit, a draft or not. A refusal is the
   * status, codes and fields of its errors; after `→`, a part of its detail; and after another `→`, its metadata.
   */
  readonly steps: readonly (readonly [request: string, body: Record<string, unknown>, expected: object | string])[];
};
const scenarios = readCases<Scenario>(scenarioRows, { required: ['title', 'steps'], optional: ['because'] });

it.each(scenarios)('$title: $because', async ({ steps }) => {
  const client = await newClient();
  /** The ids of the last sale, credit and draft credit, and of the last credit of both kinds. */
  const ids = { sale: '', credit: '', 'draft credit': '', last: '' };
  const ofSale = (body: object) => buildCreditRequest({ id: ids.sale }, { ...body });
  const requests: Readonly<Record<string, (body: Record<string, unknown>) => Promise<ApiResponse>>> = {
    sale: (body) => client.create(sale({ status: 'finalized', ...body })),
    credit: (body) => client.create(ofSale(body)),
    'draft credit': (body) => client.create(ofSale({ status: 'draft', ...body })),
    'calculate credit': (body) => client.calculate(ofSale({ status: undefined, ...body })),
    update: (body) => client.update(ids.last, body),
    'finalize draft': () => client.update(ids['draft credit'], { status: 'finalized' }),
    'void credit': () => client.update(ids.credit, { status: 'void' }),
    get: () => client.get(ids.sale),
  };
  for (const [request, body, expected] of steps) {
    const response = await requests[request]?.(body);
    if (!response) throw new Error(`Unknown request ${request}.`);
    if (typeof expected === 'string') {
      const [refused, detail = '', meta] = expected.split(' → ');
      expect([getRefusal(response), response.body.errors[0].detail]).toEqual([
        refused,
        expect.stringContaining(detail),
      ]);
      if (meta) expect(Object.entries(getMeta(response)).map((pair) => pair.join('='))).toEqual(meta.split(' '));
    } else expect([response.status < 300, response.body]).toMatchObject([true, expected]);
    const { id } = response.body as { readonly id?: string };
    if (response.status === 201) Object.assign(ids, { [request]: id }, request !== 'sale' && { last: id });
  }
});
