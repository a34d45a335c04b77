/** The TaxJar-compatible API without orders and refunds, called by TaxJar's own client for Node. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { zipRows } from '../../shared/catalog/local/text-tables.ts';
import openApi from '../../shared/taxjar/openapi.json' with { type: 'json' };
import { routes } from '../../shared/taxjar/routes.ts';
import { newCaller, startApi } from '../support/api.ts';
import { monthly } from '../support/filings.ts';
import { made } from '../support/sales.ts';
import { buildRefund, connectClient, lines, michigan, newClient, order, refusal, to } from '../support/taxjar.ts';

let url: string;
beforeAll(async () => {
  ({ url } = await startApi());
});

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

describe('taxes', () => {
  it('returns the amounts of a calculation, and a breakdown that adds up', async () => {
    const { client } = await newClient();
    const line_items = [{ ...lines[0], discount: 2 }];
    const { tax } = await client.taxForOrder({ ...to, amount: 15, shipping: 1.5, line_items });
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
    const levels = ['state', 'county', 'city', 'special_district'];
    expect(Decimal.sum(...levels.map((level) => breakdown[`${level}_tax_collectable`] ?? 0)).toNumber()).toBe(1.29);
  });

  // The first is the example of TaxJar's API reference.
  it.each([
    ['CA', '92093', '90002', 'destination'],
    ['TX', '78701', '77002', 'origin'],
  ])('returns the source of the tax within %s', async (state, from_zip, to_zip, source) => {
    const { client } = await newClient();
    const places = { from_country: 'US', from_zip, from_state: state, to_country: 'US', to_zip, to_state: state };
    expect((await client.taxForOrder({ ...places, amount: 15, shipping: 1.5 })).tax.tax_source).toBe(source);
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
    const { client, createOrder, refundOrder } = await newClient();
    const shipped = { ...michigan, shipping: 5 };
    for (const product_tax_code of ['99999', '14111803A0001', 'NONTAXABLE']) {
      const line_items = [{ id: '1', quantity: 2, unit_price: 10, product_tax_code }];
      const { tax } = await client.taxForOrder({ ...shipped, amount: 20, line_items });
      expect(tax).toMatchObject({ order_total_amount: 25, shipping: 5, taxable_amount: 0, amount_to_collect: 0 });
      const id = `o${product_tax_code}`;
      const sent = { ...shipped, transaction_id: id, amount: 25, sales_tax: 0, line_items };
      expect(await createOrder(sent)).toMatchObject({ amount: 25, shipping: 5, sales_tax: 0 });
      const changed = await client.updateOrder({ transaction_id: id, shipping: 4 } as never);
      expect(changed.order).toMatchObject({ amount: 24, shipping: 4 });
      for (const reference of [id, 'unknown']) {
        const more = { ...michigan, shipping: -4, line_items: [{ ...line_items[0], quantity: 1 }] };
        expect(await refundOrder(`r${id}${reference}`, reference, [-14, -4, 0], more)).toMatchObject({
          amount: -14,
          shipping: -4,
          sales_tax: 0,
        });
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
    const { caller, client } = await newClient({ registrations: [monthly('PR')] });
    const one = { amount: 100, shipping: 0 };
    // The rates are 10.5 % and 1 % (13 L.P.R.A. 32021, 32024).
    const { tax } = await client.taxForOrder({ ...one, to_country: 'PR', to_zip: '00901' });
    const jurisdictions = { country: 'PR', state: 'PR' };
    expect(tax).toMatchObject({ has_nexus: true, amount_to_collect: 11.5, jurisdictions });
    const seattle = { ...one, to_country: 'US', to_zip: '98109', to_state: 'WA' };
    const perth = { country: 'AU', state: 'WA', zip: '6000' };
    expect((await client.taxForOrder({ ...seattle, nexus_addresses: [perth] })).tax.has_nexus).toBe(false);
    const both = { ...seattle, nexus_addresses: [perth, { country: 'US', state: 'WA', zip: '98109' }] };
    expect((await client.taxForOrder(both)).tax).toMatchObject({ has_nexus: true, amount_to_collect: 10.55 });
    const everywhere = await newClient({ registrations: 'all' });
    const abroad = { ...one, to_country: 'AU', to_zip: '6000', to_state: 'WA' };
    expect((await everywhere.client.taxForOrder(abroad)).tax).toMatchObject({ has_nexus: false, amount_to_collect: 0 });
    const exempt = { customer_id: 'c1', exemption_type: 'wholesale', name: 'Acme' } as const;
    const exempt_regions = [{ country: 'AU', state: 'WA' }];
    expect((await client.createCustomer({ ...exempt, exempt_regions })).customer.exemption_type).toBe('non_exempt');
    expect(await made(caller.call('GET', '/customers/c1' as '/customers/{id}'))).toMatchObject({ exemptions: [] });
  });

  it('returns zero without nexus and for exempt customers, and the tax that a marketplace charges', async () => {
    const { client } = await newClient({ registrations: [monthly('MI')] });
    const taxed = async (more: object) => (await client.taxForOrder({ ...to, amount: 10, shipping: 0, ...more })).tax;
    expect(await taxed({})).toMatchObject({ has_nexus: false, amount_to_collect: 0, tax_source: null });
    expect(await taxed({ to_state: 'New York' })).toMatchObject({ jurisdictions: { state: 'NY' } });
    const nexus_addresses = [{ country: 'US', state: 'NY', zip: '10001' }];
    expect(await taxed({ nexus_addresses })).toMatchObject({ has_nexus: true, amount_to_collect: 0.89 });
    const acme = { customer_id: 'c1', exemption_type: 'wholesale', name: 'Acme' } as const;
    await client.createCustomer({ ...acme, exempt_regions: [{ country: 'US', state: 'NY' }] });
    const ofAcme = (more: object) => taxed({ nexus_addresses, customer_id: 'c1', ...more });
    const untaxed = { amount_to_collect: 0, taxable_amount: 0, exemption_type: 'wholesale' };
    expect(await ofAcme({})).toMatchObject(untaxed);
    // "A value of marketplace or non_exempt will return calculated tax amounts in the response, regardless of any
    // potential customer exemption" (TaxJar's API reference, exemption_type).
    for (const [exemption_type, amount_to_collect] of [
      ['wholesale', 0],
      ['non_exempt', 0.89],
      ['marketplace', 0.89],
    ])
      expect(await ofAcme({ exemption_type })).toMatchObject({ amount_to_collect, exemption_type });
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
      const response = await send(body(price));
      expect(await response.text()).toContain('"amount_to_collect":6.00');
      expect(response.headers.get('Levy-Warnings')?.split(',')).toContain('product_tax_code_missing');
    }
    // N.Y. Tax Law 1115(a)(30) exempts clothing below 110.00, and 1105(a) does not tax shipping with it.
    const shirt = { quantity: 1, unit_price: 25, product_tax_code: '20010' };
    const goods = { quantity: 1, unit_price: 100, product_tax_code: '' };
    for (const [line, tax] of [
      [shirt, 0],
      [goods, 8.88],
    ] as const) {
      const response = await send(JSON.stringify({ ...to, shipping: 0, line_items: [line] }));
      expect(await response.json()).toMatchObject({ tax: { amount_to_collect: tax } });
      expect(response.headers.get('Levy-Warnings')).not.toContain('product_tax_code_missing');
    }
    // The tax is on the line items, even if `amount` differs from their sum.
    for (const [amount, warns] of [
      [100, false],
      [90, true],
    ] as const) {
      const response = await send(JSON.stringify({ ...to, amount, shipping: 5, line_items: [goods] }));
      expect(await response.json()).toMatchObject({ tax: { order_total_amount: 105, amount_to_collect: 9.32 } });
      expect(response.headers.get('Levy-Warnings')?.includes('line_amount_differs') ?? false).toBe(warns);
    }
    const token = { Authorization: `Token token="${caller.key}"` };
    expect((await send(body('1'), token)).status).toBe(200);
    expect([(await send('{')).status, (await send('[]')).status]).toEqual([400, 406]);
  });
});

describe('the TaxJar-compatible API', () => {
  it('names the attribute that does not apply to a product', async () => {
    const { client } = await newClient();
    const line_items = [{ id: '1', quantity: 1, unit_price: 15, product_tax_code: 'GENERAL._ATHLETIC' }];
    const detail = await refusal(client.taxForOrder({ ...michigan, line_items }));
    expect(detail).toMatch(/^406 .*: line_items\[0\]\[product_tax_code\]: _ATHLETIC does not apply to GENERAL\. Leave/);
  });

  it('creates a customer once, and loses no field of concurrent changes', async () => {
    const { client } = await newClient();
    const types = ['wholesale', 'government', 'other'] as const;
    for (const round of ['new', 'deleted']) {
      const created = await Promise.all(
        types.map((exemption_type) =>
          refusal(client.createCustomer({ customer_id: 'c1', exemption_type, name: exemption_type })),
        ),
      );
      expect(
        created.filter((each) => each.startsWith('200')),
        round,
      ).toHaveLength(1);
      const first = types[created.findIndex((each) => each.startsWith('200'))];
      expect((await client.showCustomer('c1')).customer).toMatchObject({ exemption_type: first, name: first });
      if (round === 'new') await client.deleteCustomer('c1');
    }
    const put = (change: object) => refusal(client.updateCustomer({ customer_id: 'c1', ...change } as never));
    const [named, retyped] = await Promise.all([put({ name: 'Acme' }), put({ exemption_type: 'other' })]);
    const { customer } = await client.showCustomer('c1');
    expect(named.startsWith('200')).toBe(customer.name === 'Acme');
    expect(retyped.startsWith('200')).toBe(customer.exemption_type === 'other');
  });

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
    const certificate = { certificate_number: '4711', valid_to: '2027-01-01' };
    const exemptions = [{ reason: 'resale' as const, states: ['US-NJ', 'US-NY'], ...certificate }];
    const path = '/customers/c1' as '/customers/{id}';
    await made(caller.call('POST', path, { body: { exemptions } }));
    await client.updateCustomer({ ...own, exempt_regions: [...exempt_regions, { country: 'US', state: 'NJ' }] });
    // The typed client for C# sends null for what does not change.
    await client.updateCustomer({ ...own, exempt_regions: null as never });
    expect(await made(caller.call('GET', path))).toMatchObject({ name: 'Acme', exemptions });
    const government = { ...own, exemption_type: 'government' } as const;
    const both = { ...government, exempt_regions: [{ state: 'NJ' }, { state: 'NY' }] };
    expect((await client.updateCustomer(government)).customer).toMatchObject(both);
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
    const { client } = await newClient({ registrations: [monthly('MI'), monthly('OH', '2026-01-01', '2026-02-01')] });
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
    // A ZIP code alone, as in TaxJar's API reference.
    const [only] = (await client.validateAddress({ zip: '48226' })).addresses;
    expect(only).toMatchObject({ zip: '48226', state: 'MI', country: 'US', city: 'DETROIT' });
    expect(await refusal(client.validateAddress({ zip: '00000' }))).toMatch(/^404 /);
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
      const body = example !== undefined && { body: JSON.stringify(example) };
      const response = await fetch(`${url}/taxjar${path}`, { method, headers, ...body });
      const [[status, documented]] = Object.entries(operation.responses) as [
        [string, Reference & { content: Content }],
      ];
      const value = await response.json();
      expect([method, path, response.status]).toEqual([method, path, Number(status)]);
      // Every operation can be refused, such as with 401.
      expect([path, Object.keys(operation.responses)]).toEqual([path, expect.arrayContaining(['default'])]);
      const { schema } = resolved(documented).content['application/json'];
      const validate = ajv.compile({ allOf: [schema], components: openApi.components });
      validate(value);
      expect([method, path, validate.errors ?? []]).toEqual([method, path, []]);
    }
  });

  it('serves the paths of plugins', async () => {
    const { caller } = await newClient({ registrations: [monthly('MI')] });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const call = async (method: string, path: string, body?: string) => {
      const headers = { Authorization: `Token token="${caller.key}"`, ...form };
      return (await fetch(`${url}/taxjar/v2/${path}`, { method, headers, ...(body && { body }) })).json();
    };
    expect(await call('POST', 'verify', `token=${caller.key}`)).toEqual({ valid: true, enabled: true, plus: true });
    const addresses = [{ country: 'US', state: 'MI', zip: '' }];
    expect(await call('GET', 'nexus/addresses')).toMatchObject({ addresses });
    const sent = JSON.stringify({ ...michigan, amount: 10, plugin: 'magento' });
    expect(await call('POST', 'magento/taxes', sent)).toMatchObject({ tax: { amount_to_collect: 0.6 } });
  });

  it('returns errors in the format of TaxJar', async () => {
    const { client } = await newClient();
    expect(await refusal(connectClient(url, { key: newApiKey() }).categories())).toMatch(/^401 Unauthorized: /);
    const reader = connectClient(url, await newCaller({ scopes: ['read'] }));
    expect(await refusal(reader.createOrder(order))).toMatch(/^403 Forbidden: .*write/);
    expect((await reader.taxForOrder({ ...to, amount: 1, shipping: 0 })).tax.has_nexus).toBe(true);
    const refunds = 'Money that is returned is a refund.';
    const negative = [{ quantity: -1, unit_price: 1 }];
    const bad: [object, string][] = [
      [{ to_country: '' }, '406 Not Acceptable: to_country is missing. Send to_country, such as US.'],
      [{ to_zip: '' }, '406 Not Acceptable: to_zip is missing. Send to_zip, such as 48933.'],
      [{ transaction_id: '' }, '406 Not Acceptable: transaction_id is missing. Send transaction_id.'],
      [{ sales_tax: 'much' }, '406 Not Acceptable: sales_tax is much.'],
      [{ amount: -16.5 }, `406 Not Acceptable: amount is -16.5. Send zero or more. ${refunds}`],
      [{ shipping: -1.5 }, '406 Not Acceptable: shipping is -1.5. Send zero or more.'],
      [{ sales_tax: 1.234 }, '406 Not Acceptable: sales_tax is 1.234. Send at most two decimals.'],
      [{ amount: 1, shipping: 2 }, '406 Not Acceptable: amount is less than shipping'],
      [{ exemption_type: 'church' }, '406 Not Acceptable: exemption_type is church.'],
      [{ transaction_date: 'yesterday' }, '406 Not Acceptable: transaction_date: '],
      [{ to_country: 'USA', to_zip: '', to_state: '' }, '406 Not Acceptable: to_state: Send at least the state'],
      [{ from_country: 'US', from_city: 'Detroit' }, '406 Not Acceptable: from_state: Send at least the state'],
      [{ line_items: [lines[0], 5] }, '406 Not Acceptable: line_items[1] is not a JSON object.'],
      [{ amount: 2.5, line_items: negative }, '406 Not Acceptable: line_items[0][quantity]: You sent "-1"'],
      [{ line_items: [{ unit_price: 'much' }] }, '406 Not Acceptable: line_items[0]: unit_price is much.'],
    ];
    for (const [change, text] of bad)
      expect(await refusal(client.createOrder({ ...order, ...change }))).toContain(text);
    const repeated = { line_items: Array(10_000).fill({ id: '1', quantity: 1, unit_price: -0.01 }) };
    expect(await refusal(client.createRefund(buildRefund('r', 'unknown', [-100, 0, 0], repeated)))).toBe(
      '406 Not Acceptable: line_items: Send an array of 1 to 1000 line items.',
    );
    // A country alone does not locate the seller.
    const { tax } = await client.taxForOrder({ ...to, from_country: 'US', amount: 1, shipping: 0 });
    expect(tax.amount_to_collect).toBe(0.09);
    const nowhere = client.taxForOrder({ ...to, amount: 1, shipping: 0, nexus_addresses: [{}] });
    expect(await refusal(nowhere)).toMatch(/^406 Not Acceptable: nexus_addresses\[0\]: state is missing\. Send state/);
    for (const parameter of ['transaction_date', 'from_transaction_date', 'to_transaction_date'])
      expect(await refusal(client.listOrders({ [parameter]: '2026-13-01' }))).toBe(
        `406 Not Acceptable: ${parameter} is 2026-13-01. Send a date such as 2026-10-14.`,
      );
    const headers = { Authorization: `Bearer ${(await newCaller()).key}` };
    const call = (method: string, path: string) => fetch(`${url}/taxjar${path}`, { method, headers });
    expect(await (await call('GET', '/v2/nothing')).json()).toMatchObject({ status: 404, error: 'Not Found' });
    const other = connectClient(url, { key: '48ceecccc8af930bd02597aec0f84a78' });
    expect(await refusal(other.categories())).toMatch(/^401 Unauthorized: There is no such API key/);
    expect((await call('GET', '//v2/nexus/regions')).status).toBe(200);
    const notAllowed = await call('DELETE', '/v2/customers');
    expect([notAllowed.status, notAllowed.headers.get('Allow')]).toEqual([405, 'GET, POST']);
    expect(await notAllowed.json()).toMatchObject({ status: 405, error: 'Method Not Allowed' });
  });
});
