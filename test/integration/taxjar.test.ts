/** The TaxJar-compatible API, called by TaxJar's own client for Node. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { Decimal } from 'decimal.js';
import Taxjar from 'taxjar';
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { zipRows } from '../../shared/catalog/local/text-tables.ts';
import openApi from '../../shared/taxjar/openapi.json' with { type: 'json' };
import { routes } from '../../shared/taxjar/routes.ts';
import { type Caller, newCaller, startApi } from '../support/api.ts';
import { closedFiling, createFiler, expectVerified } from '../support/filings.ts';
import { accounts } from '../support/run-command.ts';
import { made } from '../support/sales.ts';

let url: string;
beforeAll(async () => {
  ({ url } = await startApi());
});

type Refused = { readonly status: number; readonly error: string; readonly detail: string };
const amounts = ['amount', 'shipping', 'sales_tax', 'unit_price', 'discount'];
/** Converts the amounts of orders and refunds, which TaxJar returns as strings, to the numbers of the client's types. */
const withNumbers = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (name, text) =>
    amounts.includes(name) && typeof text === 'string' ? Number(text) : text,
  );
const connectClient = ({ key }: Pick<Caller, 'key'>) =>
  new Proxy(new Taxjar({ apiKey: key, apiUrl: `${url}/taxjar` }), {
    get:
      (client, name) =>
      async (...sent: unknown[]) =>
        withNumbers(await (client[name as 'createOrder'] as (...sent: unknown[]) => Promise<unknown>)(...sent)),
  });
const newClient = async (settings: object = {}) => {
  const caller = await newCaller({ settings });
  return { caller, client: connectClient(caller) };
};
const refusal = async (call: Promise<unknown>): Promise<string> => {
  const { status, error, detail } = (await call.then(
    () => ({ status: 200, error: '', detail: '' }),
    (thrown: Refused) => thrown,
  )) as Refused;
  return `${status} ${error}: ${detail}`;
};

type Content = { readonly 'application/json': { readonly schema: object; readonly example?: unknown } };
type Reference = { readonly $ref?: string };
type Documented = {
  readonly requestBody?: Reference & { readonly content: Content };
  readonly responses: Readonly<Record<string, Reference & { readonly content: Content }>>;
};
/** Returns a value of the OpenAPI document, or the component that it refers to. */
const resolved = <Value extends Reference>(value: Value): Value =>
  value.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((inner, part) => (inner as never)[part], openApi as unknown as Value)
    : value;

const to = { to_country: 'US', to_zip: '10001', to_state: 'NY', to_city: 'New York' };
const order = {
  ...to,
  transaction_id: '123',
  transaction_date: '2026/10/14',
  amount: 16.5,
  shipping: 1.5,
  sales_tax: 1.46,
};
/** A refund of an order, by ids, with its amount, shipping and tax. */
const buildRefund = (
  transaction_id: string,
  transaction_reference_id: string,
  amounts: readonly number[],
  more = {},
) => {
  const [amount = 0, shipping = 0, sales_tax = 0] = amounts;
  const sent = { ...order, transaction_date: '2026/10/20', transaction_id, transaction_reference_id };
  return { ...sent, amount, shipping, sales_tax, ...more };
};
const lines = [{ id: '1', quantity: 1, product_tax_code: '31000', product_identifier: 'sku', unit_price: 15 }];

describe('taxes', () => {
  it('returns the amounts of a calculation, and a breakdown that adds up', async () => {
    const { client } = await newClient();
    const { tax } = await client.taxForOrder({
      ...to,
      amount: 15,
      shipping: 1.5,
      line_items: [{ ...lines[0], discount: 2 }],
    });
    // The taxes in New York City are 4 %, 4.5 % and 0.375 % of 13.00 and of 1.50.
    expect(tax).toMatchObject({
      order_total_amount: 14.5,
      taxable_amount: 14.5,
      amount_to_collect: 1.29,
      rate: 0.08875,
      has_nexus: true,
      freight_taxable: true,
      tax_source: 'destination',
      jurisdictions: { state: 'NY', city: 'NEW YORK CITY' },
      breakdown: {
        tax_collectable: 1.29,
        combined_tax_rate: 0.08875,
        state_tax_rate: 0.04,
        special_tax_rate: 0.00375,
        special_district_taxable_amount: 14.5,
        shipping: { special_taxable_amount: 1.5, special_tax_rate: 0.00375 },
        line_items: [{ id: '1', taxable_amount: 13, state_sales_tax_rate: 0.04, special_district_taxable_amount: 13 }],
      },
    });
    const { breakdown } = tax as unknown as { breakdown: Record<string, number> };
    const parts = ['state', 'county', 'city', 'special_district'].map(
      (level) => breakdown[`${level}_tax_collectable`] ?? 0,
    );
    expect(Decimal.sum(...parts).toNumber()).toBe(1.29);
  });

  // The first is the example of TaxJar's API reference.
  it.each([
    ['CA', '92093', '90002', 'destination'],
    ['TX', '78701', '77002', 'origin'],
  ])('returns the source of the tax within %s', async (state, from, zip, source) => {
    const { client } = await newClient();
    const address = {
      from_country: 'US',
      from_zip: from,
      from_state: state,
      to_country: 'US',
      to_zip: zip,
      to_state: state,
    };
    expect((await client.taxForOrder({ ...address, amount: 15, shipping: 1.5 })).tax.tax_source).toBe(source);
  });

  it('returns whether shipping would be taxed if an order has none', async () => {
    const { client } = await newClient();
    const isTaxable = async (to_state: string, to_zip: string, product_tax_code?: string) => {
      const line_items = [{ id: '1', quantity: 1, unit_price: 15, ...(product_tax_code && { product_tax_code }) }];
      const { tax } = await client.taxForOrder({ to_country: 'US', to_state, to_zip, shipping: 0, line_items });
      const { taxable_amount, tax_collectable, combined_tax_rate } = tax.breakdown?.shipping ?? {};
      return [tax.freight_taxable, tax.shipping, taxable_amount, tax_collectable, combined_tax_rate];
    };
    const untaxed = [false, 0, undefined, undefined, undefined];
    // Texas taxes shipping with its goods (rule 3.303), and California exempts it (Regulation 1628). Plugins multiply the
    // rate of taxable freight, which TaxJar also returns for free shipping (issue 22 of taxjar-go).
    expect(await isTaxable('TX', '78701')).toEqual([true, 0, 0, 0, 0.0825]);
    expect(await isTaxable('CA', '90404')).toEqual(untaxed);
    // Texas exempts food. A subscription is not shipped.
    expect(await isTaxable('TX', '78701', '40030')).toEqual(untaxed);
    expect(await isTaxable('TX', '78701', '30070')).toEqual(untaxed);
  });

  it('accepts shipping of goods that are usually not shipped, such as goods without tax and gift cards', async () => {
    const { client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 5 };
    for (const product_tax_code of ['99999', '14111803A0001']) {
      const line_items = [{ id: '1', quantity: 2, unit_price: 10, product_tax_code }];
      const { tax } = await client.taxForOrder({ ...michigan, amount: 20, line_items });
      expect(tax).toMatchObject({ order_total_amount: 25, shipping: 5, taxable_amount: 0, amount_to_collect: 0 });
      const id = `o${product_tax_code}`;
      const sent = { ...order, ...michigan, transaction_id: id, amount: 25, sales_tax: 0, line_items };
      expect((await client.createOrder(sent)).order).toMatchObject({ amount: 25, shipping: 5, sales_tax: 0 });
      const changed = await client.updateOrder({ transaction_id: id, shipping: 4 } as never);
      expect(changed.order).toMatchObject({ amount: 24, shipping: 4 });
      for (const reference of [id, 'unknown']) {
        const more = { ...michigan, shipping: -4, line_items: [{ ...line_items[0], quantity: 1 }] };
        const { refund } = await client.createRefund(buildRefund(`r${id}${reference}`, reference, [-14, -4, 0], more));
        expect(refund).toMatchObject({ amount: -14, shipping: -4, sales_tax: 0 });
      }
    }
  });

  it('returns the rate of the taxed part: zero for exempt goods, a share for partly taxed shipping', async () => {
    const { client } = await newClient();
    const readBreakdown = async (order: Parameters<typeof client.taxForOrder>[0]) =>
      (await client.taxForOrder(order)).tax.breakdown;
    // Ind. Code 6-2.5-5-20 exempts food, and the shipping follows the goods (Bulletin 92): half of it is taxed at 7 %.
    const bread = { id: 'bread', quantity: 1, unit_price: 50, product_tax_code: '40030' };
    const mug = { id: 'mug', quantity: 1, unit_price: 50 };
    const indiana = { to_country: 'US', to_zip: '46204', to_state: 'IN', shipping: 10 };
    expect(await readBreakdown({ ...indiana, line_items: [bread, mug] })).toMatchObject({
      combined_tax_rate: 0.07,
      shipping: { taxable_amount: 5, tax_collectable: 0.35, combined_tax_rate: 0.035, state_sales_tax_rate: 0.035 },
      line_items: [
        { id: 'bread', taxable_amount: 0, combined_tax_rate: 0, state_sales_tax_rate: 0 },
        { id: 'mug', taxable_amount: 50, combined_tax_rate: 0.07, state_sales_tax_rate: 0.07 },
      ],
    });
    // TCA 67-6-702: 7 % of 5,000.00, 2.75 % of 1,600.00 to 3,200.00, and the local 2.75 % of the first 1,600.00 are 438.00.
    // The plugin for Magento multiplies the taxable amount by the combined rate.
    const nashville = { to_country: 'US', to_zip: '37203', to_state: 'TN', to_city: 'Nashville', shipping: 0 };
    expect(await readBreakdown({ ...nashville, line_items: [{ ...mug, unit_price: 5000 }] })).toMatchObject({
      taxable_amount: 5000,
      combined_tax_rate: 0.0876,
      line_items: [{ taxable_amount: 5000, tax_collectable: 438, combined_tax_rate: 0.0876 }],
    });
    // California exempts separately stated shipping (Regulation 1628). A plugin for Saleor charges the taxable amount of
    // the group as the shipping, unless the group is absent.
    const california = { to_country: 'US', to_zip: '90404', to_state: 'CA', shipping: 10 };
    for (const line_items of [[mug], [bread]])
      expect(await readBreakdown({ ...california, line_items })).not.toHaveProperty('shipping');
    // Mo. Rev. Stat. 144.014: food has the state rate 1.225 % instead of 4.225 %.
    const missouri = { to_country: 'US', to_zip: '65101', to_state: 'MO', shipping: 0 };
    const items = [bread, mug].map((one) => ({ ...one, unit_price: 1000 }));
    const mixed = await readBreakdown({ ...missouri, line_items: items });
    expect(mixed).toMatchObject({
      state_tax_collectable: 54.5,
      state_tax_rate: 0.02725,
      line_items: [{ state_sales_tax_rate: 0.01225 }, { state_sales_tax_rate: 0.04225 }],
    });
  });

  it('returns only states of the United States, and a territory without a state', async () => {
    const registrations = [{ state: 'PR', from: '2026-01-01', to: null, frequency: 'month' }];
    const { caller, client } = await newClient({ registrations });
    const one = { amount: 100, shipping: 0 };
    // The rates are 10.5 % and 1 % (13 L.P.R.A. 32021, 32024).
    const { tax } = await client.taxForOrder({ ...one, to_country: 'PR', to_zip: '00901' });
    expect(tax).toMatchObject({
      has_nexus: true,
      amount_to_collect: 11.5,
      jurisdictions: { country: 'PR', state: 'PR' },
    });
    const seattle = { ...one, to_country: 'US', to_zip: '98109', to_state: 'WA' };
    const perth = { country: 'AU', state: 'WA', zip: '6000' };
    expect((await client.taxForOrder({ ...seattle, nexus_addresses: [perth] })).tax.has_nexus).toBe(false);
    const both = [perth, { country: 'US', state: 'WA', zip: '98109' }];
    expect((await client.taxForOrder({ ...seattle, nexus_addresses: both })).tax).toMatchObject({
      has_nexus: true,
      amount_to_collect: 10.55,
    });
    const everywhere = await newClient({ registrations: 'all' });
    const abroad = { ...one, to_country: 'AU', to_zip: '6000', to_state: 'WA' };
    expect((await everywhere.client.taxForOrder(abroad)).tax).toMatchObject({ has_nexus: false, amount_to_collect: 0 });
    const exempt = { customer_id: 'c1', exemption_type: 'wholesale', name: 'Acme' } as const;
    const exempt_regions = [{ country: 'AU', state: 'WA' }];
    expect((await client.createCustomer({ ...exempt, exempt_regions })).customer.exemption_type).toBe('non_exempt');
    expect(await made(caller.call('GET', '/customers/c1' as '/customers/{id}'))).toMatchObject({ exemptions: [] });
  });

  it('returns zero without nexus and for exempt customers, and the tax that a marketplace charges', async () => {
    const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' }];
    const { client } = await newClient({ registrations });
    const taxed = async (more: object) => (await client.taxForOrder({ ...to, amount: 10, shipping: 0, ...more })).tax;
    expect(await taxed({})).toMatchObject({ has_nexus: false, amount_to_collect: 0, tax_source: null });
    expect(await taxed({ to_state: 'New York' })).toMatchObject({ jurisdictions: { state: 'NY' } });
    const nexus_addresses = [{ country: 'US', state: 'NY', zip: '10001' }];
    expect(await taxed({ nexus_addresses })).toMatchObject({ has_nexus: true, amount_to_collect: 0.89 });
    await client.createCustomer({
      customer_id: 'c1',
      exemption_type: 'wholesale',
      name: 'Acme',
      exempt_regions: [{ country: 'US', state: 'NY' }],
    });
    expect(await taxed({ nexus_addresses, customer_id: 'c1' })).toMatchObject({
      amount_to_collect: 0,
      taxable_amount: 0,
    });
    // "A value of marketplace or non_exempt will return calculated tax amounts in the response, regardless of any
    // potential customer exemption" (TaxJar's API reference, exemption_type).
    for (const [exemption_type, amount_to_collect] of [
      ['wholesale', 0],
      ['non_exempt', 0.89],
      ['marketplace', 0.89],
    ])
      expect(await taxed({ nexus_addresses, customer_id: 'c1', exemption_type })).toMatchObject({
        amount_to_collect,
        exemption_type,
      });
  });

  it('accepts amounts as numbers and strings, exactly, and lists warnings in a header', async () => {
    const { caller } = await newClient();
    const send = (body: string, headers: Record<string, string> = { Authorization: `Bearer ${caller.key}` }) =>
      fetch(`${url}/taxjar/v2/taxes`, { method: 'POST', body, headers });
    const body = (price: string) =>
      `{"to_country":"US","to_zip":"48933","to_state":"MI","shipping":"0","line_items":[{"quantity":3,"unit_price":${price},"product_tax_code":"nope"}]}`;
    // The tax is 6 % of 3 x 33.335, which is 100.005 and rounds to 100.01. The last value is the result of
    // floating-point arithmetic.
    for (const price of ['33.335', '"33.335"', '33.335000000000001']) {
      const reply = await send(body(price));
      expect(await reply.text()).toContain('"amount_to_collect":6.00');
      expect(reply.headers.get('Levy-Warnings')?.split(',')).toContain('product_tax_code_missing');
    }
    // N.Y. Tax Law 1115(a)(30) exempts clothing below 110.00, and 1105(a) does not tax shipping with it.
    const shirt = { quantity: 1, unit_price: 25, product_tax_code: '20010' };
    const goods = { quantity: 1, unit_price: 100, product_tax_code: '' };
    for (const [line, tax] of [
      [shirt, 0],
      [goods, 8.88],
    ] as const) {
      const reply = await send(JSON.stringify({ ...to, shipping: 0, line_items: [line] }));
      expect(await reply.json()).toMatchObject({ tax: { amount_to_collect: tax } });
      expect(reply.headers.get('Levy-Warnings')).not.toContain('product_tax_code_missing');
    }
    // The line items are taxed, not a different amount.
    for (const [amount, warns] of [
      [100, false],
      [90, true],
    ] as const) {
      const reply = await send(JSON.stringify({ ...to, amount, shipping: 5, line_items: [goods] }));
      expect(await reply.json()).toMatchObject({ tax: { order_total_amount: 105, amount_to_collect: 9.32 } });
      expect(reply.headers.get('Levy-Warnings')?.includes('line_amount_differs') ?? false).toBe(warns);
    }
    const token = { Authorization: `Token token="${caller.key}"` };
    expect((await send(body('1'), token)).status).toBe(200);
    expect([(await send('{')).status, (await send('[]')).status]).toEqual([400, 406]);
  });
});

describe('orders and refunds', () => {
  it('records orders and refunds once, and lists, changes and deletes them', async () => {
    const { caller, client } = await newClient();
    const sent = { ...order, provider: 'shop', line_items: lines };
    const { order: created } = await client.createOrder(sent);
    expect(created).toMatchObject({
      transaction_id: '123',
      amount: 16.5,
      shipping: 1.5,
      sales_tax: 1.46,
      provider: 'shop',
    });
    expect(created.line_items).toMatchObject([{ id: '1', product_identifier: 'sku', product_tax_code: '31000' }]);
    // TaxJar's client for Go reads amounts only as strings.
    const headers = { Authorization: `Bearer ${caller.key}` };
    expect(await (await fetch(`${url}/taxjar/v2/transactions/orders/123`, { headers })).json()).toMatchObject({
      order: {
        amount: '16.50',
        shipping: '1.50',
        sales_tax: '1.46',
        line_items: [{ quantity: 1, unit_price: '15', discount: '0' }],
      },
    });
    // A repetition after a lost reply.
    expect(await client.createOrder(sent)).toEqual({ order: created });
    for (const other of [{ amount: 17.5 }, { to_zip: '10002' }, { line_items: [{ ...lines[0], unit_price: 14 }] }])
      expect(await refusal(client.createOrder({ ...sent, ...other }))).toMatch(/^422 Unprocessable Entity: .*PUT/);
    expect(await client.showOrder('123')).toEqual({ order: created });
    const day = { transaction_date: '2026/10/14' };
    expect(await client.listOrders({ ...day, provider: 'shop' })).toEqual({ orders: ['123'] });
    expect(await client.listOrders({ ...day, provider: 'other' })).toEqual({ orders: [] });
    for (const none of [{ transaction_date: '2026/10/15' }, { to_transaction_date: '2026-10-13' }])
      expect(await client.listOrders(none)).toEqual({ orders: [] });
    // The last day is included whole.
    const evening = { ...order, transaction_id: '124', transaction_date: '2026-10-14T23:59:59Z' };
    await client.createOrder(evening);
    const days = { from_transaction_date: '2026-10-14', to_transaction_date: '2026/10/14' };
    expect(await client.listOrders(days)).toEqual({ orders: ['124', '123'] });
    await client.deleteOrder('124');
    const changed = await client.updateOrder({ transaction_id: '123', amount: 17, shipping: 2, sales_tax: 1.51 });
    expect(changed.order).toMatchObject({ amount: 17, shipping: 2, sales_tax: 1.51, provider: 'shop' });
    // The refund is half of the goods, of the shipping and of the tax of 1.51.
    const { refund: half } = await client.createRefund(buildRefund('r1', '123', [-8.5, -1, -0.76]));
    expect(half).toMatchObject({ transaction_reference_id: '123', amount: -8.5, shipping: -1, sales_tax: -0.76 });
    expect(await client.listRefunds({ transaction_date: '2026/10/20' })).toEqual({ refunds: ['r1'] });
    const whole = {
      transaction_id: 'r1',
      transaction_reference_id: '123',
      amount: -17,
      shipping: -2,
      sales_tax: -1.51,
    };
    expect((await client.updateRefund(whole)).refund).toMatchObject({ amount: -17, sales_tax: -1.51 });
    expect(await refusal(client.deleteOrder('123'))).toMatch(/^422 Unprocessable Entity: The order has refunds/);
    expect((await client.deleteRefund('r1')).refund.transaction_id).toBe('r1');
    expect((await client.deleteOrder('123')).order.transaction_id).toBe('123');
    expect(await refusal(client.showOrder('123'))).toMatch(/^404 Not Found: /);
    expect(await refusal(client.updateOrder({ transaction_id: '123', amount: 1 }))).toMatch(/^404 /);
    const { data } = await made(caller.call('GET', '/transactions'));
    expect(data.map(({ status }) => status)).toEqual(Array(5).fill('void'));
  });

  it('keeps the old order if the new one is refused, and rejects changes after the period is closed', async () => {
    const registrations = [{ state: 'NY', from: '2026-09-01', to: null, frequency: 'month' }];
    const { caller, client } = await newClient({ registrations, books_open_from: '2026-09-01' });
    const september = { ...order, transaction_date: '2026-09-14', line_items: lines };
    const { order: created } = await client.createOrder(september);
    const broken = { transaction_id: '123', to_zip: 'nowhere' };
    expect(await refusal(client.updateOrder(broken))).toMatch(/^406 Not Acceptable: to_zip: /);
    expect(await client.showOrder('123')).toEqual({ order: created });
    await closedFiling(createFiler(caller), 'NY', '2026-09-30');
    for (const change of [
      () => client.updateOrder({ transaction_id: '123', amount: 17, shipping: 2 }),
      () => client.deleteOrder('123'),
    ])
      expect(await refusal(change())).toMatch(
        /^422 .*: A return includes this transaction\. Record another refund or order instead\.$/,
      );
    expect(await client.showOrder('123')).toEqual({ order: created });
  });

  it('accepts a PUT that changes nothing, even for an order with refunds or in a closed period', async () => {
    const registrations = [{ state: 'NY', from: '2026-09-01', to: null, frequency: 'month' }];
    const { caller, client } = await newClient({ registrations, books_open_from: '2026-09-01' });
    const plugin = { plugin: 'magento', customer_id: 'c1', to_street: '1 Main', exemption_type: '' };
    const mug = {
      id: '31',
      quantity: 2,
      product_identifier: 'mug',
      description: 'A mug',
      unit_price: 7.5,
      discount: 0,
    };
    const body = { ...order, ...plugin, transaction_date: '2026-09-14', line_items: [mug] };
    await client.createOrder(body);
    const sent = buildRefund('r', '123', [-7.5, 0, -0.67], { line_items: [{ ...mug, quantity: -1 }] });
    const { refund } = await client.createRefund({ ...sent, transaction_date: '2026-09-20' });
    // A PUT with changes records its merged fields, which a repetition must match.
    await client.deleteRefund('r');
    const { order: changed } = await client.updateOrder({ ...body, sales_tax: 1.5 });
    await client.createRefund({ ...sent, transaction_date: '2026-09-20' });
    const listed = await createFiler(caller).call('GET', '/transactions');
    for (const isClosed of [false, true]) {
      if (isClosed) await closedFiling(createFiler(caller), 'NY', '2026-09-30');
      expect(await client.updateOrder({ ...body, sales_tax: '1.50' } as never)).toEqual({ order: changed });
      expect((await client.updateRefund({ ...sent, transaction_date: '2026-09-20' })).refund).toEqual(refund);
      for (const change of [{ to_street: '2 Main' }, { shipping: 1 }, { line_items: [{ ...mug, description: 'Two' }] }])
        expect(await refusal(client.updateOrder({ ...body, sales_tax: 1.5, ...change }))).toMatch(/^422 /);
    }
    const ids = ({ body: { data } }: typeof listed) => data.map(({ id }: { id: string }) => id);
    expect(ids(await createFiler(caller).call('GET', '/transactions'))).toEqual(ids(listed));
  });

  it('replaces orders atomically, so each request finds one order, even during concurrent changes', async () => {
    const { caller, client } = await newClient();
    await client.createOrder({ ...order, line_items: lines });
    await client.createRefund(buildRefund('r0', '123', [-1]));
    await client.createRefund(buildRefund('r1', '123', [-8, -1, -0.7]));
    // An order with refunds is not changed, because voiding it would leave its refunds without an order.
    expect(await refusal(client.updateOrder({ transaction_id: '123', shipping: 2 }))).toMatch(/^422 /);
    const change = (at: number) => buildRefund('r1', '123', [-8 - at / 100, -1, -0.7]);
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => [client.updateRefund(change(at)), client.showRefund('r1')]).flat(),
    );
    const reads = results.filter((_, at) => at % 2 === 1);
    expect(reads.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(reads.length);
    const { data } = await made(caller.call('GET', '/transactions?type=credit&limit=100'));
    const live = data.filter(({ status, reference_id }) => status === 'finalized' && reference_id === 'r1');
    const { refund: last } = await client.showRefund('r1');
    expect(live).toHaveLength(1);
    const { data: sales } = await made(caller.call('GET', '/transactions?type=sale'));
    expect(sales[0]).toMatchObject({
      credited_amount: new Decimal(1).minus(last.amount).toFixed(2),
      credited_tax_amount: '0.70',
    });
    await expectVerified(caller);
  });

  it('distributes a changed refund as if the replaced refund did not exist', async () => {
    const { caller, client } = await newClient();
    const sold = [
      { id: '1', quantity: 1, unit_price: 60 },
      { id: '2', quantity: 1, unit_price: 40 },
    ];
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', transaction_date: '2026/10/14' };
    const hundred = { ...michigan, amount: 100, shipping: 0, sales_tax: 6 };
    await client.createOrder({ ...hundred, transaction_id: 'o', line_items: sold });
    const first = [{ id: '1', quantity: 1, unit_price: -60 }];
    await client.createRefund(buildRefund('r', 'o', [-60, 0, -3.6], { ...michigan, line_items: first }));
    const changed = async (transaction_id: string, transaction_reference_id: string, change: object) => {
      const { refund } = await client.updateRefund({ transaction_id, transaction_reference_id, ...change });
      return refund.line_items?.map(({ unit_price }) => unit_price);
    };
    expect(await changed('r', 'o', { amount: -80, sales_tax: -4.8 })).toEqual([-48, -32]);
    expect(await changed('r', 'o', { amount: -100, sales_tax: -6 })).toEqual([-60, -40]);
    expect(await refusal(changed('r', 'p', { amount: -1, sales_tax: 0 }))).toMatch(
      /^406 Not Acceptable: transaction_reference_id: It cannot change/,
    );
    // A refund that was recorded before its order then becomes a credit of the order.
    await client.createRefund(buildRefund('early', 'p', [-10, 0, -0.6], michigan));
    await client.createOrder({ ...hundred, transaction_id: 'p', line_items: sold });
    expect(await changed('early', 'p', { amount: -12, sales_tax: -0.72 })).toEqual([-7.2, -4.8]);
    await expectVerified(caller);
  });

  it('keeps the line items that a PUT does not send, with the sent amounts', async () => {
    const { caller, client } = await newClient();
    const put = async (kind: 'orders' | 'refunds', id: string, body: object) => {
      const headers = { Authorization: `Bearer ${caller.key}` };
      const path = `${url}/taxjar/v2/transactions/${kind}/${id}`;
      const reply = await fetch(path, { method: 'PUT', headers, body: JSON.stringify(body) });
      const differs = reply.headers.get('Levy-Warnings')?.includes('line_amount_differs') ?? false;
      return { status: reply.status, differs, ...withNumbers(await reply.json()) };
    };
    const items = [
      { id: 'a', quantity: 2, product_identifier: 'shirt', product_tax_code: '20010', unit_price: 5 },
      { id: 'b', quantity: 1, product_identifier: 'mug', unit_price: 5 },
    ];
    const { order: sold } = await client.createOrder({ ...order, line_items: items });
    const kept = sold.line_items?.map(({ sales_tax: _, ...line }) => line);
    for (const [change, amount, shipping] of [
      [{ shipping: 2.5 }, 17.5, 2.5],
      [{ shipping: 3, line_items: [] }, 18, 3],
      [{ shipping: 2, amount: null, line_items: null, to_country: null, to_zip: null, customer_id: null }, 17, 2],
      [{ amount: 16, shipping: 1 }, 16, 1],
      [{ sales_tax: 1.5 }, 16, 1],
    ] as const)
      expect(await put('orders', '123', change)).toMatchObject({
        status: 200,
        differs: false,
        order: { amount, shipping, line_items: kept },
      });
    expect(await put('orders', '123', { amount: 20 })).toMatchObject({
      status: 406,
      detail: expect.stringContaining('line items are 15.00'),
    });
    expect(await put('orders', '123', { line_items: [{ ...items[1], quantity: 2 }] })).toMatchObject({
      differs: false,
      order: { amount: 11, shipping: 1, line_items: [{ id: 'b', quantity: 2, product_identifier: 'mug' }] },
    });
    // A refund repeats its order's TaxJar codes.
    await client.createOrder({ ...order, transaction_id: '125', line_items: items });
    for (const line_items of [null, [{ id: 'a', quantity: 1, unit_price: -5 }]]) {
      const sent = buildRefund(`r of ${line_items}`, '125', [-3, 0, 0], { line_items });
      const { refund } = await client.createRefund(sent);
      expect(refund.line_items?.[0]).toMatchObject({ product_identifier: 'shirt', product_tax_code: '20010' });
    }
    // A standalone refund, and a refund of the order.
    for (const [id, reference] of [
      ['r1', 'unknown'],
      ['r2', '123'],
    ] as const) {
      const line_items = [{ id: 'b', quantity: 1, product_identifier: 'mug', unit_price: -5 }];
      const { refund } = await client.createRefund(buildRefund(id, reference, [-5.5, -0.5, -0.4], { line_items }));
      expect(await put('refunds', id, { shipping: 1 })).toMatchObject({
        status: 200,
        refund: { amount: -6, shipping: -1, sales_tax: -0.4, line_items: refund.line_items?.map(({ id }) => ({ id })) },
      });
    }
    expect(await put('refunds', 'r1', { amount: -9 })).toMatchObject({ status: 406 });
    expect(await put('refunds', 'r2', { amount: -9 })).toMatchObject({ refund: { amount: -9, shipping: -1 } });
    // An order without line items has the amount as its goods.
    await client.createOrder({ ...order, transaction_id: '124' });
    expect(await put('orders', '124', { amount: 20 })).toMatchObject({ differs: false, order: { amount: 20 } });
    await expectVerified(caller);
  });

  it('refuses a change of transactions from the API that would lose a field', async () => {
    const { caller, client } = await newClient();
    const customer = { address: { postal_code: '10001', state: 'NY', country: 'US' } };
    const item = { id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' };
    const record = (reference_id: string, others: object) =>
      made(
        caller.call('POST', '/transactions', {
          body: { status: 'finalized', reference_id, tax_date: '2026-10-14', customer, line_items: [item], ...others },
        }),
      );
    await record('order-2', {});
    const { order: changed } = await client.updateOrder({ transaction_id: 'order-2', sales_tax: 5 });
    expect(changed).toMatchObject({ amount: 100, sales_tax: 5 });
    const detroit = { address: { postal_code: '48226', state: 'MI', country: 'US' } };
    for (const [field, others] of [
      ['discount_amount', { discount_amount: '10.00' }],
      ['customer', { line_items: [item, { ...item, id: 'b', customer: detroit }] }],
      ['collected_by', { collected_by: 'marketplace' }],
    ] as const) {
      await record(`order-1-${field}`, others);
      expect(await refusal(client.updateOrder({ transaction_id: `order-1-${field}`, sales_tax: 5 }))).toMatch(
        new RegExp(`^422 Unprocessable Entity: The order has ${field}`),
      );
    }
    // The order has more entries than a write can replace.
    const states =
      'AL AZ AR CA CO CT FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV NJ NM NY NC ND OH OK PA RI SC SD TN TX UT VT VA WA WV WI WY DC';
    const everywhere = states
      .split(' ')
      .map((state) => ({ ...item, id: state, customer: { address: { state, country: 'US' } } }));
    await record('order-3', { line_items: everywhere });
    await client.createRefund(buildRefund('all', 'order-3', [-460, 0, -10]));
    const change = { transaction_id: 'all', transaction_reference_id: 'order-3', sales_tax: -11 };
    expect(await refusal(client.updateRefund(change))).toMatch(
      /^406 Not Acceptable: The transaction has too many states/,
    );
    await expectVerified(caller);
  });

  it('shows the order and the exemption of transactions from the API, so they can be copied to TaxJar', async () => {
    const { caller, client } = await newClient();
    const address = { postal_code: '10001', state: 'NY', country: 'US' };
    const item = { id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' };
    const record = (reference_id: string | null, others: object) =>
      made(
        caller.call('POST', '/transactions', {
          body: { status: 'finalized', reference_id, tax_date: '2026-10-14', customer: { address }, ...others },
        }),
      );
    const line_items = [item];
    const { id: parent_transaction_id } = await record('s', { line_items, collected_by: 'marketplace' });
    const credit = { type: 'credit', parent_transaction_id, customer: undefined };
    await record('r', { ...credit, line_items: [{ id: 'a', quantity: '1' }] });
    expect((await client.showOrder('s')).order).toMatchObject({ exemption_type: 'marketplace', sales_tax: 0 });
    const { refund } = await client.showRefund('r');
    expect(refund).toMatchObject({ transaction_reference_id: 's', exemption_type: 'marketplace', amount: -50 });
    expect((await client.updateRefund({ ...refund, amount: -40, line_items: [] } as never)).refund.amount).toBe(-40);
    // The console can record a credit without a reference.
    const { id } = await record(null, { ...credit, line_items: [{ id: 'a', quantity: '1', unit_price: '10' }] });
    expect((await client.listRefunds({ transaction_date: '2026-10-14' })).refunds.toSorted()).toEqual(
      ['r', id].toSorted(),
    );
    expect((await client.showRefund(id)).refund).toMatchObject({ transaction_id: id, amount: -10 });
    expect((await client.deleteRefund(id)).refund.transaction_id).toBe(id);
    for (const unknown of [id, parent_transaction_id, 'txn_0'])
      expect(await refusal(client.showRefund(unknown))).toMatch(/^404 /);
    for (const [exemption, exemption_type] of [
      [{ type: 'resale' }, 'wholesale'],
      [{ type: 'nonprofit' }, 'other'],
      ['none', 'non_exempt'],
    ] as const) {
      await record(`s-${exemption_type}`, { line_items, customer: { address, exemption } });
      expect((await client.showOrder(`s-${exemption_type}`)).order).toMatchObject({ exemption_type });
    }
  });

  it('never shows, lists, changes, deletes or refunds transactions from the API in other currencies', async () => {
    const { caller, client } = await newClient();
    const customer = { address: { postal_code: '10001', state: 'NY', country: 'US' } };
    const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }];
    const tax_date = '2026-10-14';
    for (const currency of ['EUR', 'KWD']) {
      const body = { status: 'finalized', reference_id: currency, currency, tax_date, customer, line_items };
      const { id } = await made(caller.call('POST', '/transactions', { body }));
      for (const request of [
        () => client.showOrder(currency),
        () => client.updateOrder({ transaction_id: currency, sales_tax: 5 }),
        () => client.deleteOrder(currency),
        () => client.createOrder({ ...order, transaction_id: currency }),
      ])
        expect(await refusal(request())).toMatch(`422 Unprocessable Entity: The order ${currency} is in ${currency}.`);
      const refund = client.createRefund(buildRefund(`refund of ${currency}`, currency, [-10, 0, -1]));
      expect(await refusal(refund)).toMatch(`406 Not Acceptable: The order ${currency} is in ${currency}.`);
      const path = `/transactions/${id}` as '/transactions/{id}';
      expect(await made(caller.call('GET', path))).toMatchObject({ status: 'finalized', currency, version: 1 });
    }
    await client.createOrder(order);
    expect(await client.listOrders({ from_transaction_date: tax_date, to_transaction_date: tax_date })).toEqual({
      orders: ['123'],
    });
  });

  it('deletes orders and refunds of a redacted customer', async () => {
    const { caller, client } = await newClient();
    await client.createOrder({ ...order, customer_id: 'cus_9' });
    const words = ['redact', '--account', caller.account.id, '--customer', 'cus_9', '--yes'];
    expect(await accounts(...words)).toMatchObject({ code: 0 });
    expect((await client.deleteOrder('123')).order.transaction_id).toBe('123');
    expect(await refusal(client.showOrder('123'))).toMatch(/^404 /);
  });

  it('reverses exactly the refunded amounts, including discounts, and refunds of only shipping or tax', async () => {
    const { caller, client } = await newClient({ time_zone: 'America/New_York' });
    const sold = {
      ...order,
      transaction_id: 'a/1',
      amount: 30.5,
      shipping: 1.5,
      sales_tax: 2.71,
      line_items: [
        { id: 'a', quantity: 1, product_identifier: 'shirt', unit_price: 15, discount: 2 },
        { id: 'b', quantity: 2, product_identifier: 'mug', unit_price: 10 },
        { id: 'c', quantity: 1, product_identifier: 'coupon', unit_price: -4 },
      ],
    };
    // An application that sends requests in parallel records the order once.
    const [{ order: created }, repeated] = await Promise.all([client.createOrder(sold), client.createOrder(sold)]);
    expect(repeated).toEqual({ order: created });
    expect(await client.showOrder('a/1')).toEqual({ order: created });
    const mug = { quantity: 1, product_identifier: 'mug', unit_price: -10, discount: -1 };
    const transaction_date = '2026-10-14T00:00:00Z';
    const refunds: [number[], object?][] = [
      [[-1.5, -1.5, -0.13]],
      [[0, 0, -0.2]],
      [[-9, 0, -0.5], { line_items: [mug] }],
      [[-20, 0, -1.88]],
    ];
    for (const [at, [figures, more]] of refunds.entries()) {
      const sent = buildRefund(`r${at}`, 'a/1', figures, { transaction_date, ...more });
      const { refund } = await client.createRefund(sent);
      expect([refund.amount, refund.shipping, refund.sales_tax]).toEqual(figures);
      if (at === 2) expect(refund.line_items).toMatchObject([{ id: 'b', quantity: 1 }]);
    }
    // TaxJar returns a date as midnight UTC, which is the evening before in the account's time zone.
    const { refund } = await client.showRefund('r2');
    expect(refund).toMatchObject({ transaction_date: '2026-10-14', line_items: [{ product_identifier: 'mug' }] });
    const over = client.createRefund(buildRefund('r9', 'a/1', [0, 0, -0.01]));
    expect(await refusal(over)).toMatch(/^406 .*at most 0\.00/);
    const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
    expect(data).toMatchObject([{ credited_amount: '30.50', credited_tax_amount: '2.71' }]);
  });

  it('accepts the dates, empty fields and line item ids of plugins in PHP', async () => {
    const { caller } = await newClient({ time_zone: 'America/New_York' });
    const post = async (kind: 'orders' | 'refunds', body: object) => {
      const headers = { Authorization: `Token token="${caller.key}"` };
      const path = `${url}/taxjar/v2/transactions/${kind}`;
      const reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return [reply.status, await reply.json(), reply.headers.get('Levy-Warnings')] as const;
    };
    const lansing = { to_country: 'US', to_zip: '48933', to_state: 'MI', to_city: false, to_street: false };
    const line_items = [
      { id: 11, quantity: 1, product_identifier: 'bread', product_tax_code: '40030', unit_price: 100 },
      { id: 12, quantity: 1, product_identifier: 'mug', product_tax_code: '', unit_price: 40 },
      { id: 13, quantity: 1, product_identifier: 'mug', product_tax_code: '', unit_price: 60 },
    ];
    const sold = { ...lansing, amount: 200, shipping: '0', sales_tax: '6.00', line_items };
    const dates = [
      ['2026-10-14T21:30:00-0400', '2026-10-14T21:30:00-04:00'],
      ['2026-10-15T01:30:00+0000', '2026-10-14T21:30:00-04:00'],
      ['2026-10-15 01:30:00', '2026-10-14T21:30:00-04:00'],
      ['2026-10-14T00:00:00+00:00', '2026-10-14'],
    ];
    for (const [at, [transaction_date, recorded]] of dates.entries()) {
      const [status, body] = await post('orders', { ...sold, transaction_id: at, transaction_date });
      expect([status, body.order?.transaction_date]).toEqual([201, recorded]);
    }
    // Items of a refund have their own ids, and negative quantities.
    const back = { ...sold, transaction_reference_id: 0, transaction_date: '2026-10-20 10:00:00', amount: -160 };
    const [bread, , mug] = line_items;
    const items = [mug, bread].map((line, at) => ({ ...line, id: 900 + at, quantity: -1 }));
    const [status, , warnings] = await post('refunds', {
      ...back,
      transaction_id: 'r',
      sales_tax: -3.6,
      line_items: items,
    });
    expect([status, warnings]).toEqual([201, null]);
    const path = '/transactions?reference_id=r&expand=line_items&limit=10' as '/transactions';
    const { data } = await made(caller.call('GET', path));
    // M.C.L. 205.54g exempts food for home consumption.
    expect(data[0]?.line_items).toMatchObject([
      { id: '13', parent_line_item_id: '13', taxable_amount: '60.00', tax_amount: '3.60' },
      { id: '11', parent_line_item_id: '11', product_tax_code: 'FOOD.GROCERY', exempt_amount: '100.00' },
    ]);
  });

  it('refunds line items with a negative quantity or price, and free line items', async () => {
    const { client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
    const items = [
      { id: 'a', quantity: 2, unit_price: 10 },
      { id: 'b', quantity: 1, unit_price: 10 },
      { id: 'gift', quantity: 1, unit_price: 0 },
    ];
    await client.createOrder({
      ...order,
      ...michigan,
      transaction_id: 'o',
      amount: 30,
      sales_tax: 1.8,
      line_items: items,
    });
    const line_items = [
      { id: 'a', quantity: -1, unit_price: 10 },
      { id: 'b', quantity: 1, unit_price: -3 },
      { id: 'gift', quantity: 1, unit_price: 0 },
    ];
    const { refund } = await client.createRefund(buildRefund('r', 'o', [-13, 0, -0.78], { ...michigan, line_items }));
    expect([refund.amount, refund.line_items?.map(({ id }) => id)]).toEqual([-13, ['a', 'b', 'gift']]);
  });

  // By hand: Magento distributes a fee of 5.00 or 10.00 over three line items of 10.00, and 10.00 / 3 is no amount in cents.
  it('rounds fractions of a cent in line items together, so the amount is recorded', async () => {
    const { client } = await newClient();
    const base = { ...to, shipping: 0, sales_tax: 2.66 };
    const three = (more: object) => ['a', 'b', 'c'].map((id) => ({ id, quantity: 1, unit_price: 10, ...more }));
    const record = async (id: string, amount: number, line_items: object[]) =>
      (await client.createOrder({ ...order, ...base, transaction_id: id, amount, line_items })).order.amount;
    expect(await record('o', 30, three({}))).toBe(30);
    for (const [id, amount] of [
      ['r1', 15],
      ['r2', 10],
    ] as const) {
      const half = three({ quantity: 0.5, discount: (15 - amount) / 3 });
      const sent = buildRefund(id, 'o', [amount, 0, 1.33], { ...base, sales_tax: 1.33, line_items: half });
      expect((await client.createRefund(sent)).refund.amount).toBe(-amount);
    }
    // The database of a shop returns amounts with four decimals.
    const decimals = { amount: '30.0000', shipping: '0.0000', sales_tax: '2.6600', line_items: three({}) };
    const { order: sold } = await client.createOrder({ ...order, ...decimals, transaction_id: 'd' } as never);
    expect([sold.amount, sold.sales_tax]).toEqual([30, 2.66]);
    expect(await record('p', 10, three({ unit_price: 10 / 3 }))).toBe(10);
    expect(await record('q', 25, three({ discount: 5 / 3 }))).toBe(25);
    expect(await record('s', 20, three({ discount: 10 / 3 }))).toBe(20);
    const { tax } = await client.taxForOrder({ ...to, shipping: 0, line_items: three({ unit_price: 10 / 3 }) });
    // Each line item is 3.33 or 3.34 at 8.875 %: 0.30.
    expect([tax.order_total_amount, tax.amount_to_collect]).toEqual([10, 0.9]);
  });

  // By hand: 3 * 6.67 is above the sale of 20.00, so the line item that was sold for 6.66 refunds 6.66.
  it('refunds each line item of an order whose fractions of a cent were rounded together', async () => {
    const { client } = await newClient();
    const base = { ...to, shipping: 0, sales_tax: 0 };
    const three = ['a', 'b', 'c'].map((id) => ({ id, quantity: 1, unit_price: 10, discount: 10 / 3 }));
    await client.createOrder({ ...order, ...base, transaction_id: 's', amount: 20, line_items: three });
    const amounts: unknown[] = [];
    for (const line of three) {
      const sent = buildRefund(`r${line.id}`, 's', [6.67, 0, 0], { ...base, line_items: [line] });
      amounts.push((await client.createRefund(sent)).refund.amount);
    }
    expect(amounts.sort()).toEqual([-6.66, -6.67, -6.67]);
  });

  // By hand: 33.335 is 33.34, and 3 * 33.34 = 100.02.
  it('keeps the amount of a shop that rounds each line item', async () => {
    const { client } = await newClient();
    const lines = ['a', 'b', 'c'].map((id) => ({ id, quantity: 1, unit_price: 33.335 }));
    const sent = { ...order, ...to, transaction_id: 't', amount: 105.02, shipping: 5, sales_tax: 0, line_items: lines };
    expect((await client.createOrder(sent)).order.amount).toBe(105.02);
    expect((await client.createRefund(buildRefund('u', 't', [105.02, 5, 0], { ...to }))).refund.amount).toBe(-105.02);
  });

  // "amount must be equal to the sum of line items and shipping, excluding sales tax" (TaxJar's support, on version
  // 2020-08-07).
  it('refuses an amount that is not the sum of the line items if the API version of the client requires it', async () => {
    const { caller } = await newClient();
    const send = async (version: string, method: 'POST' | 'PUT', path: string, body: object) => {
      const headers = { Authorization: `Bearer ${caller.key}`, 'x-api-version': version };
      const sent = { method, headers, body: JSON.stringify(body) };
      const reply = await fetch(`${url}/taxjar/v2/transactions/${path}`, sent);
      return { status: reply.status, answer: (await reply.json()) as object };
    };
    const lines = [
      { id: 'a', quantity: 2, unit_price: 10, discount: 3, product_identifier: 'mug' },
      { id: 'b', quantity: 1, unit_price: -2 },
    ];
    const sale = { ...order, transaction_id: 't', amount: 20, shipping: 5, sales_tax: 1.78, line_items: lines };
    for (const version of ['2020-08-07', '2022-01-24'])
      expect(await send(version, 'POST', 'orders', { ...sale, transaction_id: 'u', amount: 25 })).toMatchObject({
        status: 400,
        answer: { detail: 'amount is 25.00, but the line items and the shipping add up to 20.00. Send their sum.' },
      });
    // A cent for each line item can be a rounding.
    expect((await send('2022-01-24', 'POST', 'orders', { ...sale, amount: 20.02 })).status).toBe(201);
    for (const version of ['', '2018-01-01'])
      expect(
        (await send(version, 'POST', 'orders', { ...sale, transaction_id: `u${version}`, amount: 25 })).status,
      ).toBe(201);
    const changed = { ...sale, shipping: 6 };
    expect((await send('2022-01-24', 'PUT', 'orders/t', { ...changed, amount: 25 })).status).toBe(400);
    expect((await send('2022-01-24', 'PUT', 'orders/t', { ...changed, amount: 21 })).status).toBe(200);
    expect((await send('2022-01-24', 'PUT', 'orders/t', { transaction_id: 't', shipping: 5 })).status).toBe(200);
    // An amount that is not sent follows the line items.
    const fewer = await send('2022-01-24', 'PUT', 'orders/t', { line_items: [lines[0]] });
    expect(fewer).toMatchObject({ status: 200, answer: { order: { amount: '22.00' } } });
    expect((await send('2022-01-24', 'PUT', 'orders/t', { line_items: lines })).status).toBe(200);
    const refund = (amount: number) =>
      buildRefund('r', 't', [amount, -5, -1], { line_items: [{ ...lines[0], quantity: -1, discount: -1.5 }] });
    expect((await send('2022-01-24', 'POST', 'refunds', refund(-20))).status).toBe(400);
    expect((await send('2022-01-24', 'POST', 'refunds', refund(-13.5))).status).toBe(201);
  });

  // WooCommerce sends the price before a change in the order less the price after it: 10.00 - 12.00. The refund has the
  // opposite sign: -10.00 + 12.00.
  it('adds a discount with the opposite sign to the price if the order amount is then the sum', async () => {
    const { client } = await newClient();
    const raised = { id: '71', quantity: 3, unit_price: 10, discount: -6, product_identifier: 'mug' };
    const sale = { ...order, ...to, transaction_id: 't', shipping: 0, sales_tax: 3.2, line_items: [raised] };
    expect((await client.createOrder({ ...sale, amount: 36 })).order).toMatchObject({
      amount: 36,
      line_items: [{ unit_price: 12, discount: 0 }],
    });
    const returned = { ...raised, id: '81', quantity: -1, discount: 2 };
    const one = buildRefund('u', 't', [12, 0, -1.07], { ...to, line_items: [returned] });
    expect((await client.createRefund(one)).refund).toMatchObject({ amount: -12, line_items: [{ id: '71' }] });
    // Other shops send every discount with a minus sign.
    const reduced = { ...sale, transaction_id: 'v', amount: 24 };
    expect((await client.createOrder(reduced)).order).toMatchObject({ amount: 24, line_items: [{ discount: 6 }] });
  });

  it('refunds one line item of an order with several refund line items', async () => {
    const { client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
    const mug = { product_identifier: 'mug', quantity: 1, unit_price: 10 };
    const shirts = { id: 'b', product_identifier: 'shirt', quantity: 1, unit_price: 30 };
    const line_items = [{ ...mug, id: 'a', quantity: 3 }, shirts];
    await client.createOrder({ ...order, ...michigan, transaction_id: 'o', amount: 60, sales_tax: 3.6, line_items });
    const refund = async (id: string, reference: string, lines: object[]) =>
      (await client.createRefund(buildRefund(id, reference, [-20, 0, -1.2], { ...michigan, line_items: lines })))
        .refund;
    // The refund uses the ids of the order, and then its own ids.
    const [a, refunded] = [
      { ...mug, id: 'a' },
      [
        { ...mug, id: '8' },
        { ...mug, id: '9' },
      ],
    ];
    const twice = await refund('r1', 'o', [a, a]);
    expect(twice).toMatchObject({ amount: -20, sales_tax: -1.2, line_items: [{ id: 'a' }, { id: 'a' }] });
    const changed = await client.updateRefund({ ...twice, sales_tax: -1 } as never);
    expect(changed.refund).toMatchObject({ amount: -20, sales_tax: -1 });
    // Only one of three mugs is left.
    expect(await refusal(refund('r2', 'o', refunded))).toMatch(/^406 .*10\.00/);
    // A plugin that receives 422 sends PUT. The refund does not exist, so the plugin would send POST again, without end.
    expect(await refusal(refund('o', 'o', [a]))).toMatch(/^406 .*transaction_id: Another transaction has this id/);
    await client.deleteRefund('r1');
    expect((await refund('r2', 'o', refunded)).amount).toBe(-20);
    expect((await refund('r3', 'unknown', [a, a])).amount).toBe(-20);
  });

  it('refunds line items of one product at several prices, in one refund and in several', async () => {
    const { caller, client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
    const sell = (id: string, quantity: number, unit_price: number) => ({
      ...{ id, quantity, unit_price, product_identifier: 'mug' },
    });
    const create = (id: string, amount: number, sales_tax: number, ...lines: object[]) =>
      client.createOrder({ ...order, ...michigan, transaction_id: id, amount, sales_tax, line_items: lines as never });
    const refund = async (reference: string, id: string, tax: number, ...prices: number[]) => {
      const lines = prices.map((price, at) => sell(`${id}-${at}`, 1, -price));
      const amounts = [-prices.reduce((sum, price) => sum + price), 0, -tax];
      const sent = buildRefund(id, reference, amounts, { ...michigan, line_items: lines });
      return (await client.createRefund(sent)).refund.line_items?.map((line) => line.id);
    };
    await create('o1', 45, 2.7, sell('a', 2, 10), sell('b', 1, 25));
    expect(await refund('o1', 'r1', 2.7, 10, 10, 25)).toEqual(['a', 'a', 'b']);
    await create('o2', 20, 1.2, sell('a', 1, 10), sell('b', 1, 10));
    expect(await refund('o2', 'r2', 0.6, 10)).toEqual(['a']);
    expect(await refund('o2', 'r3', 0.6, 10)).toEqual(['b']);
    const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
    expect(data.map(({ refund_status }) => refund_status)).toEqual(['full', 'full']);
  });

  it('refunds the line item of the same product if the id belongs to another product', async () => {
    const { client } = await newClient();
    const mug = { id: '1', quantity: 1, unit_price: 100, product_identifier: 'mug' };
    const shirt = { ...mug, id: '2', unit_price: 20, product_identifier: 'shirt', product_tax_code: '20010' };
    // N.Y. Tax Law 1115(a)(30) exempts clothing below 110.00. The tax of the mug is 8.88.
    const sale = { ...order, transaction_id: 'o', amount: 120, shipping: 0, sales_tax: 8.88, line_items: [mug, shirt] };
    await client.createOrder(sale);
    const refund = async (id: string, amounts: readonly number[], returned: object) =>
      (
        await client.createRefund(
          buildRefund(id, 'o', amounts, { line_items: [{ ...returned, id: '1', quantity: -1 }] }),
        )
      ).refund.line_items;
    expect(await refund('r1', [-20, 0, 0], shirt)).toMatchObject([{ id: '2', product_identifier: 'shirt' }]);
    // A product that is not in the order does not change the line item.
    expect(await refund('r2', [-50, 0, -4.44], { ...mug, unit_price: 50, product_identifier: 'new' })).toMatchObject([
      { id: '1', product_identifier: 'mug' },
    ]);
    expect(await refund('r3', [-50, 0, -4.44], { ...mug, unit_price: 50 })).toMatchObject([{ id: '1' }]);
  });

  it('subtracts a coupon among the line items of a refund from the others', async () => {
    const { caller, client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
    // The coupon reduces only general goods of a sale.
    const items = (sign: 1 | -1, code = '') => [
      { id: 'a', quantity: 1, unit_price: sign * 60, product_tax_code: code },
      { id: 'b', quantity: 2, unit_price: sign * 20 },
      { id: 'coupon', quantity: 1, unit_price: sign * -10 },
    ];
    const sold = { ...order, ...michigan, amount: 90, sales_tax: 5.4, line_items: items(1) };
    await client.createOrder({ ...sold, transaction_id: 'o' });
    for (const [id, reference] of [
      ['r1', 'o'],
      ['r2', 'unknown'],
    ] as const) {
      const { refund } = await client.createRefund(
        buildRefund(id, reference, [-90, 0, -5.4], { ...michigan, line_items: items(-1) }),
      );
      expect([refund.amount, refund.sales_tax]).toEqual([-90, -5.4]);
    }
    await client.createOrder({ ...sold, line_items: items(1, '20010'), transaction_id: 'clothing' });
    const more = { ...michigan, line_items: items(-1) };
    const { refund } = await client.createRefund(buildRefund('r3', 'clothing', [-90, 0, -5.4], more));
    expect(refund.line_items?.map(({ discount }) => discount)).toEqual([0, -10]);
    const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
    expect(data).toMatchObject(Array(2).fill({ refund_status: 'full', credited_amount: '90.00' }));
  });

  // WooCommerce sends the refunded item with its quantity below zero, and the refunded fee with the price of the order.
  it('adds line items of a refund with different signs if their amount is the sum', async () => {
    const { client } = await newClient();
    const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
    const mug = { id: '31', quantity: 1, unit_price: 10, product_identifier: 'mug' };
    const fee = { id: '32', quantity: 1, unit_price: 5 };
    const sale = { ...order, ...michigan, transaction_id: 'o', amount: 15, sales_tax: 0.9, line_items: [mug, fee] };
    await client.createOrder(sale);
    const returned = [
      { ...mug, id: '41', quantity: -1 },
      { ...fee, id: '42' },
    ];
    const { refund } = await client.createRefund(buildRefund('r', 'o', [15, 0, -0.9], { line_items: returned }));
    expect(refund).toMatchObject({ amount: -15, sales_tax: -0.9, line_items: [{ id: '31' }, { id: '42' }] });
  });

  it('subtracts a coupon without a code from all line items if none of them is general goods', async () => {
    const { client } = await newClient();
    const shirt = { id: 'shirt', quantity: 1, unit_price: 200, product_tax_code: '20010' };
    const coupon = { id: 'coupon', quantity: 1, unit_price: -20 };
    const line_items = [shirt, coupon];
    // N.Y. Tax Law 1115(a)(30) taxes clothing of 110.00 or more: 8.875 % of 180.00.
    const { tax } = await client.taxForOrder({ ...to, amount: 180, shipping: 0, line_items });
    expect(tax).toMatchObject({ order_total_amount: 180, amount_to_collect: 15.98 });
    const sold = { ...order, amount: 180, shipping: 0, sales_tax: 15.98, line_items };
    const { order: created } = await client.createOrder(sold);
    expect(created).toMatchObject({ amount: 180, line_items: [{ id: 'shirt', unit_price: 200, discount: 20 }] });
    // This coupon exceeds the price of the goods.
    const tooMuch = { ...sold, transaction_id: '124', line_items: [shirt, { ...coupon, unit_price: -201 }] };
    expect(await refusal(client.createOrder(tooMuch))).toMatch(/^406 /);
  });

  it('reports no tax of the seller for orders of a marketplace', async () => {
    const { client } = await newClient();
    const { order: sold } = await client.createOrder({ ...order, exemption_type: 'marketplace' });
    expect([sold.amount, sold.sales_tax]).toEqual([16.5, 0]);
    // A refund does not repeat the exemption type.
    const { refund } = await client.createRefund(buildRefund('r', '123', [-16.5, -1.5, -1.46]));
    expect([refund.amount, refund.shipping, refund.sales_tax]).toEqual([-16.5, -1.5, 0]);
    const changed = await client.updateRefund({ transaction_id: 'r', transaction_reference_id: '123', sales_tax: -1 });
    expect(changed.refund.sales_tax).toBe(0);
  });

  it('reports no tax of the seller for orders whose provider is a marketplace, unless they are not exempt', async () => {
    const { caller, client } = await newClient();
    const record = async (transaction_id: string, fields: object) => {
      const { order: sold } = await client.createOrder({ ...order, transaction_id, ...fields });
      const [found] = (await made(caller.call('GET', `/transactions?reference_id=${transaction_id}`))).data ?? [];
      return [sold.sales_tax, found?.collected_by];
    };
    expect(await record('a', { provider: 'amazon' })).toEqual([0, 'marketplace']);
    expect(await record('b', { provider: 'Etsy' })).toEqual([0, 'marketplace']);
    expect(await record('c', { provider: 'amazon', exemption_type: 'non_exempt' })).toEqual([1.46, 'seller']);
    expect(await record('d', { provider: 'shop' })).toEqual([1.46, 'seller']);
    const change = { transaction_id: 'b', exemption_type: 'non_exempt', sales_tax: 1.46 } as const;
    expect((await client.updateOrder(change)).order.sales_tax).toBe(1.46);
  });

  it('finds the line item of an imported order by its product', async () => {
    const { caller, client } = await newClient();
    const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
    const line_items = ['cup', 'mug'].map((id) => ({ id, quantity: '2', unit_price: '10.00' }));
    const sale = { status: 'finalized', reference_id: 'old', customer, line_items, tax_date: '2026-10-14' };
    await made(caller.call('POST', '/transactions', { body: sale }));
    const mug = [{ quantity: 1, product_identifier: 'mug', unit_price: -10 }];
    const { refund } = await client.createRefund(buildRefund('back', 'old', [-10, 0, -0.6], { line_items: mug }));
    expect(refund.line_items).toMatchObject([{ id: 'mug', unit_price: -10, sales_tax: -0.6 }]);
  });

  it('distributes a refund of shipping over the charges of an order in proportion, to the cent', async () => {
    const { caller, client } = await newClient();
    const sold = {
      status: 'finalized',
      reference_id: 'two-parcels',
      tax_date: '2026-10-14',
      customer: { address: { postal_code: '10001', state: 'NY', country: 'US' } },
      line_items: [{ id: 'a', quantity: '2', unit_price: '50.00' }],
      shipping: ['10.00', '6.00'].map((amount, at) => ({ id: `parcel-${at}`, amount })),
    };
    const sale = await made(caller.call('POST', '/transactions', { body: sold }));
    const discounted = { ...sold, reference_id: 'discounted', shipping: { amount: '10.00', discount_amount: '4.00' } };
    await made(caller.call('POST', '/transactions', { body: discounted }));
    const whole = await client.createRefund(buildRefund('r0', 'discounted', [-6, -6, -0.53]));
    expect(whole.refund).toMatchObject({ amount: -6, shipping: -6, sales_tax: -0.53 });
    const refund = (id: string, ...amounts: number[]) => client.createRefund(buildRefund(id, 'two-parcels', amounts));
    // The refunds are half of the shipping, only its tax, the remainder after a credit of the first parcel, and a cent
    // too much.
    expect((await refund('r1', -8, -8, -0.71)).refund).toMatchObject({ amount: -8, shipping: -8, sales_tax: -0.71 });
    expect((await refund('r2', 0, 0, -0.11)).refund).toMatchObject({ shipping: 0, sales_tax: -0.11 });
    const parcel = { type: 'credit', status: 'finalized', parent_transaction_id: sale.id, tax_date: '2026-10-20' };
    const credit = { ...parcel, line_items: [{ id: 'a', quantity: '1', unit_price: '0' }] };
    const shipping = [{ id: 'parcel-0', amount: '5.00' }];
    const { tax_amount } = await made(caller.call('POST', '/transactions', { body: { ...credit, shipping } }));
    const rest = new Decimal(sale.tax_amount).minus('0.82').minus(tax_amount).neg().toNumber();
    expect((await refund('r3', -103, -3, rest)).refund).toMatchObject({ amount: -103, sales_tax: rest });
    expect(await refusal(refund('r4', -0.01, -0.01, 0))).toMatch(/^406 /);
    const path = `/transactions?parent_transaction_id=${sale.id}&reference_id=r1` as '/transactions';
    const { data } = await made(caller.call('GET', path));
    expect([data[0]?.shipping].flat()).toMatchObject([
      { id: 'parcel-0', net_amount: '5.00' },
      { id: 'parcel-1', net_amount: '3.00' },
    ]);
    expect(await made(caller.call('GET', `/transactions/${sale.id}` as '/transactions/{id}'))).toMatchObject({
      refund_status: 'full',
      credited_tax_amount: sale.tax_amount,
    });
    await expectVerified(caller);
  });

  it('records a refund of an unknown order as a standalone credit', async () => {
    const { client } = await newClient();
    const { refund } = await client.createRefund({ ...order, transaction_reference_id: 'unknown', amount: -16.5 });
    expect(refund).toMatchObject({ amount: -16.5, sales_tax: -1.46, transaction_reference_id: 'unknown' });
  });
});

describe('the TaxJar-compatible API', () => {
  it('stores customers', async () => {
    const { caller, client } = await newClient();
    const customer = { customer_id: 'c/1', exemption_type: 'wholesale', name: 'Acme' } as const;
    const own = { ...customer, customer_id: 'c1' };
    const exempt_regions = [{ country: 'US', state: 'NY' }];
    const { customer: created } = await client.createCustomer({ ...own, exempt_regions });
    expect(created).toMatchObject({ customer_id: 'c1', exemption_type: 'wholesale', exempt_regions, name: 'Acme' });
    expect(await refusal(client.createCustomer(own))).toMatch(/^422 /);
    const named = await client.updateCustomer({ ...own, name: 'Acme Inc.' });
    expect(named.customer).toMatchObject({ exemption_type: 'wholesale', exempt_regions, name: 'Acme Inc.' });
    // A PUT that repeats the exemption keeps the number and the last day of its certificate.
    const exemptions = [
      { reason: 'resale' as const, states: ['US-NJ', 'US-NY'], certificate_number: '4711', valid_to: '2027-01-01' },
    ];
    const path = '/customers/c1' as '/customers/{id}';
    await made(caller.call('POST', path, { body: { exemptions } }));
    await client.updateCustomer({ ...own, exempt_regions: [...exempt_regions, { country: 'US', state: 'NJ' }] });
    // The typed client for C# sends null for what does not change.
    await client.updateCustomer({ ...own, exempt_regions: null as never });
    expect(await made(caller.call('GET', path))).toMatchObject({ name: 'Acme', exemptions });
    const government = { ...own, exemption_type: 'government' } as const;
    expect((await client.updateCustomer(government)).customer).toMatchObject({
      ...government,
      exempt_regions: [{ state: 'NJ' }, { state: 'NY' }],
    });
    const changed = await client.updateCustomer({ ...government, exempt_regions: [] });
    expect(changed.customer).toMatchObject({ exemption_type: 'government', exempt_regions: [] });
    expect(await client.showCustomer('c1')).toEqual(changed);
    expect(await client.listCustomers()).toEqual({ customers: ['c1'] });
    await client.deleteCustomer('c1');
    expect(await client.listCustomers()).toEqual({ customers: [] });
    await client.createCustomer(customer);
    expect((await client.showCustomer(customer.customer_id)).customer).toMatchObject(customer);
    expect(await refusal(client.showCustomer('c1'))).toMatch(/^404 /);
    expect((await client.createCustomer(own)).customer.exemption_type).toBe('wholesale');
  });

  it('returns rates, categories, nexus, addresses and summary rates', async () => {
    const registrations = [
      { state: 'MI', from: '2026-01-01', to: null, frequency: 'month' },
      { state: 'OH', from: '2026-01-01', to: '2026-02-01', frequency: 'month' },
    ];
    const { client } = await newClient({ registrations });
    const { rate } = await client.ratesForLocation('90404', { city: 'Santa Monica', state: 'CA', country: 'US' });
    expect(rate).toMatchObject({
      zip: '90404',
      state_rate: '0.0725',
      combined_rate: '0.1075',
      combined_district_rate: '0.035',
      freight_taxable: false,
      county: 'LOS ANGELES COUNTY',
    });
    // This is the postal service's name of the ZIP code.
    expect((await client.ratesForLocation('90404')).rate.city).toBe('SANTA MONICA');
    expect(await refusal(client.ratesForLocation('2108'))).toMatch(/^406 Not Acceptable: zip: Send 02108/);
    expect((await client.ratesForLocation('10001', { state: 'NY', country: 'US' })).rate.freight_taxable).toBe(true);
    for (const state of [undefined, 'ca', 'California'])
      expect((await client.ratesForLocation('90404', state ? { state } : {})).rate.state).toBe('CA');
    // The client for Go reads `null` as a rate of zero.
    for (const [zip, country] of [
      ['V5K0A1', 'ca'],
      ['00150', 'FI'],
      ['2060', 'AU'],
      ['96910', 'GU'],
    ] as const)
      expect(await refusal(client.ratesForLocation(zip, { country }))).toBe(
        `404 Not Found: Levy does not cover the rates of ${zip} in ${country.toUpperCase()}. Send a ZIP code of a state, the District of Columbia or Puerto Rico.`,
      );
    const { categories } = await client.categories();
    const clothing = categories.filter(({ product_tax_code }) => product_tax_code === '20010');
    expect(clothing.map(({ name }) => name)).toEqual(['Everyday clothing']);
    expect(new Set(categories.map((one) => one.product_tax_code)).size).toBe(categories.length);
    expect(await client.nexusRegions()).toMatchObject({ regions: [{ region_code: 'MI', region: 'Michigan' }] });
    const address = { country: 'US', state: 'NY', zip: '10001', city: 'New York', street: '1 Main' };
    expect(await client.validateAddress(address)).toEqual({ addresses: [address] });
    const elsewhere = { country: 'US', state: 'MI', zip: '48226-1234', city: 'Ann Arbor', street: '1 Main' };
    expect(await client.validateAddress(elsewhere)).toEqual({ addresses: [{ ...elsewhere, city: 'DETROIT' }] });
    expect(await refusal(client.validateAddress({ ...address, zip: '00000' }))).toMatch(/^404 /);
    const { summary_rates } = await client.summaryRates();
    expect(summary_rates.find(({ region_code }) => region_code === 'MI')?.minimum_rate.rate).toBe(0.06);
    expect(await refusal(client.validate({ vat: 'FR40303265045' }))).toMatch(/^404 .*VIES/);
    // TaxJar's average is the mean over all ZIP codes. Some towns of Vermont have a local option tax of 1 %.
    const zips = zipRows('VT').map(({ zip5 }) => zip5);
    const found = await Promise.all(zips.map((zip) => client.ratesForLocation(zip, { state: 'VT' })));
    const mean = Decimal.sum(...found.map((one) => String(one.rate.combined_rate))).div(zips.length);
    const averages = ['VT', 'MI'].map((state) => summary_rates.find(({ region_code }) => region_code === state));
    expect(averages.map((one) => one?.average_rate.rate)).toEqual([mean.toDecimalPlaces(5).toNumber(), 0.06]);
  });

  it('serves an OpenAPI document with every route and working examples', async () => {
    const { key } = await newCaller();
    const headers = { Authorization: `Bearer ${key}` };
    const ajv = new Ajv2020({ strict: false });
    const operations = Object.entries(openApi.paths as unknown as Record<string, Record<string, Documented>>).flatMap(
      ([path, { parameters, ...methods }]) =>
        Object.entries(methods).map(([method, operation]) => {
          const [id] = (parameters ?? []) as unknown as { example: string }[];
          return { operation, method: method.toUpperCase(), path: path.replace('{id}', id?.example ?? '') };
        }),
    );
    const unmatched = routes.filter(
      ([method, pattern]) => !operations.some((one) => one.method === method && pattern.test(one.path)),
    );
    expect([unmatched, operations.length]).toEqual([[], routes.length]);
    const byMethod = (...methods: string[]) => operations.filter(({ method }) => methods.includes(method));
    // Refunds are deleted before their orders, and an order with refunds cannot be changed.
    const sequence = [
      ...byMethod('POST', 'PUT').filter(({ path }) => !path.includes('refunds')),
      ...byMethod('POST', 'PUT').filter(({ path }) => path.includes('refunds')),
      ...byMethod('GET'),
      ...byMethod('DELETE').reverse(),
    ];
    expect(sequence).toHaveLength(operations.length);
    for (const { method, path, operation } of sequence) {
      const example = operation.requestBody && resolved(operation.requestBody).content['application/json'].example;
      const reply = await fetch(`${url}/taxjar${path}`, {
        method,
        headers,
        ...(example !== undefined && { body: JSON.stringify(example) }),
      });
      const [[status, response]] = Object.entries(operation.responses) as [[string, Reference & { content: Content }]];
      const answer = await reply.json();
      expect([method, path, reply.status]).toEqual([method, path, Number(status)]);
      const { schema } = resolved(response).content['application/json'];
      const validate = ajv.compile({ allOf: [schema], components: openApi.components });
      validate(answer);
      expect([method, path, validate.errors ?? []]).toEqual([method, path, []]);
    }
  });

  it('serves the paths of plugins', async () => {
    const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' }];
    const { caller } = await newClient({ registrations });
    const call = async (method: string, path: string, body?: string) => {
      const headers = {
        Authorization: `Token token="${caller.key}"`,
        'Content-Type': 'application/x-www-form-urlencoded',
      };
      return (await fetch(`${url}/taxjar/v2/${path}`, { method, headers, ...(body && { body }) })).json();
    };
    expect(await call('POST', 'verify', `token=${caller.key}`)).toEqual({ valid: true, enabled: true, plus: true });
    expect(await call('GET', 'nexus/addresses')).toMatchObject({
      addresses: [{ country: 'US', state: 'MI', zip: '' }],
    });
    const sent = { to_country: 'US', to_zip: '48933', to_state: 'MI', amount: 10, shipping: 0, plugin: 'magento' };
    expect(await call('POST', 'magento/taxes', JSON.stringify(sent))).toMatchObject({
      tax: { amount_to_collect: 0.6 },
    });
  });

  it('returns errors in the format of TaxJar', async () => {
    const { client } = await newClient();
    expect(await refusal(connectClient({ key: newApiKey() }).categories())).toMatch(/^401 Unauthorized: /);
    const reader = connectClient(await newCaller({ scopes: ['read'] }));
    expect(await refusal(reader.createOrder(order))).toMatch(/^403 Forbidden: .*write/);
    expect((await reader.taxForOrder({ ...to, amount: 1, shipping: 0 })).tax.has_nexus).toBe(true);
    const bad: [object, string][] = [
      [{ to_country: '' }, '406 Not Acceptable: to_country is missing. Send to_country, such as US.'],
      [{ to_zip: '' }, '406 Not Acceptable: to_zip is missing. Send to_zip, such as 48933.'],
      [{ transaction_id: '' }, '406 Not Acceptable: transaction_id is missing. Send transaction_id.'],
      [{ sales_tax: 'much' }, '406 Not Acceptable: sales_tax is much.'],
      [
        { amount: -16.5 },
        '406 Not Acceptable: amount is -16.5. Send zero or more. Money that is returned is a refund.',
      ],
      [{ shipping: -1.5 }, '406 Not Acceptable: shipping is -1.5. Send zero or more.'],
      [{ sales_tax: 1.234 }, '406 Not Acceptable: sales_tax is 1.234. Send at most two decimals.'],
      [{ amount: 1, shipping: 2 }, '406 Not Acceptable: amount is less than shipping'],
      [{ exemption_type: 'church' }, '406 Not Acceptable: exemption_type is church.'],
      [{ transaction_date: 'yesterday' }, '406 Not Acceptable: transaction_date: '],
      [{ line_items: [lines[0], 5] }, '406 Not Acceptable: line_items[1] is not a JSON object.'],
      [{ line_items: [{ quantity: -1, unit_price: 1 }] }, '406 Not Acceptable: line_items[0][quantity]: You sent "-1"'],
      [{ line_items: [{ unit_price: 'much' }] }, '406 Not Acceptable: line_items[0]: unit_price is much.'],
    ];
    for (const [change, text] of bad)
      expect(await refusal(client.createOrder({ ...order, ...change }))).toContain(text);
    const repeated = { line_items: Array(10_000).fill({ id: '1', quantity: 1, unit_price: -0.01 }) };
    expect(await refusal(client.createRefund(buildRefund('r', 'unknown', [-100, 0, 0], repeated)))).toBe(
      '406 Not Acceptable: line_items: Send an array of 1 to 1000 line items.',
    );
    const nowhere = client.taxForOrder({ ...to, amount: 1, shipping: 0, nexus_addresses: [{}] });
    expect(await refusal(nowhere)).toMatch(/^406 Not Acceptable: nexus_addresses\[0\]: state is missing\. Send state/);
    for (const parameter of ['transaction_date', 'from_transaction_date', 'to_transaction_date'])
      expect(await refusal(client.listOrders({ [parameter]: '2026-13-01' }))).toBe(
        `406 Not Acceptable: ${parameter} is 2026-13-01. Send a date such as 2026-10-14.`,
      );
    const { caller } = await newClient();
    const call = (method: string, path: string) =>
      fetch(`${url}/taxjar${path}`, { method, headers: { Authorization: `Bearer ${caller.key}` } });
    expect(await (await call('GET', '/v2/nothing')).json()).toMatchObject({ status: 404, error: 'Not Found' });
    const other = connectClient({ key: '48ceecccc8af930bd02597aec0f84a78' });
    expect(await refusal(other.categories())).toMatch(/^401 Unauthorized: There is no such API key/);
    expect((await call('GET', '//v2/nexus/regions')).status).toBe(200);
    const notAllowed = await call('DELETE', '/v2/customers');
    expect([notAllowed.status, notAllowed.headers.get('Allow')]).toEqual([405, 'GET, POST']);
    expect(await notAllowed.json()).toMatchObject({ status: 405, error: 'Method Not Allowed' });
  });
});
