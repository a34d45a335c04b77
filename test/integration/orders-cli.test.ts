import { truncateSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { ordersProgram } from '../../shared/cli/orders.ts';
import { type Caller, connectClient, newCaller, startApi } from '../support/api.ts';
import { breakingProxy, inBody } from '../support/breaking-proxy.ts';
import { monthly } from '../support/filings.ts';
import { expectFailure, expectSuccess, runInProcess } from '../support/run-command.ts';
import { createFolder, saveFile } from '../support/temporary-files.ts';

afterEach(() => void vi.unstubAllEnvs());

const run = async (
  caller: Caller,
  command: string,
  text: string,
  name = 'orders.ndjson',
  args: string[] = [],
  address?: string,
) => {
  vi.stubEnv('LEVY_API_KEY', caller.key);
  const url = address ?? (await startApi()).url;
  return runInProcess(ordersProgram(), [command, '--file', saveFile(name, text), '--url', url, ...args]);
};
const ndjson = (orders: readonly object[]) => orders.map((order) => `${JSON.stringify(order)}\n`).join('');

const lansing = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };
const newYork = { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' };
const boston = { city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' };
const denver = { city: 'Boulder', state: 'CO', postal_code: '80202', country: 'US' };
const trenton = { city: 'Trenton', state: 'NJ', postal_code: '08608', country: 'US' };
const general = { quantity: '1', unit_price: '100.00' };
const clothing = { product_tax_code: 'CLOTHING.APPAREL', quantity: '1', unit_price: '50.00' };
const order = (reference_id: string, tax_amount: string, address: object, ...line_items: object[]) => {
  return { reference_id, tax_date: '2026-10-08', tax_amount, customer: { address }, line_items };
};
const shipping = { amount: '10.00' };
const listAll = async (caller: Caller) => (await connectClient(caller).list({ limit: '100' })).body.data;

const dealer = { address: lansing, exemption: { type: 'resale' } };
const mug = { ...general, tax_amount: '8.88' };
const shirt = { ...clothing, tax_amount: '4.43' };
const fifty = { product_tax_code: 'GENERAL', unit_price: '50.00' };
const toNewYork = (id: string, tax: string, ...lines: object[]) => order(id, tax, newYork, ...lines);

// The rates are 6 % in Michigan, 8.875 % in New York City (also on shipping), and 6.25 % in Boston (not on shipping).
const cases: readonly (readonly [reason: string, ReturnType<typeof order> & { shipping?: object }, levy: string])[] = [
  ['rounding', order('rounding', '6.01', lansing, general), '6.00'],
  ['registration', order('registration', '6.63', trenton, general), '0.00'],
  ['exemption', { ...order('exemption', '6.00', lansing, general), customer: dealer }, '0.00'],
  ['shipping', { ...order('shipping', '8.88', newYork, general), shipping }, '9.76'],
  ['shipping', { ...order('no shipping', '6.88', boston, general), shipping }, '6.25'],
  ['product_code', order('clothing', '13.31', newYork, general, clothing), '8.88'],
  ['product_code', toNewYork('by line', '13.31', mug, shirt), '8.88'],
  ['place', order('place', '7.00', denver, general), '9.15'],
  ['rate', order('rate', '8.25', lansing, general), '6.00'],
  // In three orders, the taxes of the line items do not add up to the total. Only the third order has shipping.
  ['rate', order('zeros', '8.25', lansing, { ...general, tax_amount: '0' }), '6.00'],
  ['rate', order('a part', '8.25', lansing, { ...general, tax_amount: '3.00' }), '6.00'],
  ['shipping', { ...order('zeros and shipping', '6.88', boston, { ...general, tax_amount: '0' }), shipping }, '6.25'],
  [
    'rate',
    { ...order('above', '6.60', lansing, { ...general, tax_amount: '8.00' }), shipping: { amount: '1.00' } },
    '6.00',
  ],
  ['unknown', order('nothing', '0.00', lansing, general), '6.00'],
  ['unknown', order('nothing by line', '0.00', lansing, { ...general, tax_amount: '0.00' }), '6.00'],
  // The same difference has two explanations: shipping and clothing both cost 50.00.
  ['unknown', { ...toNewYork('two', '4.44', { ...general, ...fifty }), shipping: { amount: '50.00' } }, '8.88'],
  // One line item has a different rate, and another a different treatment.
  ['unknown', toNewYork('several', '14.43', { ...mug, tax_amount: '10.00' }, shirt), '8.88'],
];

const registered = (...states: string[]) =>
  newCaller({ settings: { registrations: states.map((state) => monthly(state, '2020-01-01')) } });

it('groups differences by reason, and adds up what was charged', async () => {
  const caller = await registered('MI', 'NY', 'MA', 'CO');
  const equal = order('equal', '6.00', lansing, general);
  const credit = { ...order('credit', '6.00', lansing, general), type: 'credit' };
  const refund = { ...order('refund', '6.01', lansing, general), type: 'credit' };
  const out = join(createFolder(), 'differences.csv');
  const all = ndjson([equal, ...cases.map(([, sent]) => sent), credit, refund]);
  const ran = await run(caller, 'compare', all, 'orders.ndjson', ['--json', '--out', out]);
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: '' });
  const rows = (await readFile(out, 'utf8')).trim().split('\r\n').slice(1);
  // A refund counts negatively, as in the sums.
  const expectedRows = cases.map(([reason, { reference_id, tax_date, tax_amount }, levy]) => {
    const difference = (Number(tax_amount) - Number(levy)).toFixed(2);
    return [reference_id, tax_date, 'USD', tax_amount, levy, difference, reason];
  });
  expectedRows.push(['refund', '2026-10-08', 'USD', '-6.01', '-6.00', '-0.01', 'rounding']);
  expect(rows.map((row) => row.split(',').slice(1, 8))).toEqual(expectedRows);
  const { reasons } = JSON.parse(ran.out);
  const cents = (text: string) => Math.round(Number(text) * 100);
  const expected = Object.entries(Object.groupBy(expectedRows, (row) => row[6] ?? '')).map(([reason, rows = []]) => {
    const addUp = (column: 3 | 4) => rows.reduce((sum, row) => sum + cents(row[column] ?? ''), 0);
    return [reason, rows.length, addUp(3), addUp(4)];
  });
  const printed = reasons.map(({ reason, count, charged_tax_amount, levy_tax_amount }: Record<string, string>) => [
    ...[reason, count, cents(charged_tax_amount ?? ''), cents(levy_tax_amount ?? '')],
  ]);
  expect(printed).toEqual(expect.arrayContaining([['equal', 2, 0, 0], ...expected]));
  expect(reasons).toHaveLength(expected.length + 1);
  expect(await listAll(caller)).toEqual([]);
  expectFailure(await run(caller, 'compare', all, 'orders.ndjson', ['--out', out]), 'already exists');
});

const header = 'reference_id,tax_date,tax_amount,state,city,postal_code,line_id,product_tax_code,quantity,unit_price';
const csv = (...rows: string[]) => [header, ...rows].join('\r\n');

it('records the orders of a CSV file once, after a check of the whole file', async () => {
  const caller = await newCaller();
  const first = csv(
    'o-1,2026-10-08,6.00,MI,Lansing,48933,a,taxjar:20010A,1,100.00',
    'o-2,2026-10-09,7.5000,MI,Lansing,48933,a,,1,100.0000',
    'o-2,,,,,,b,GENERAL,2,12.50',
  );
  const bad = await run(caller, 'import', first, 'orders.csv');
  expectFailure(bad, /^Line 2: .*20010A of TaxJar.*\nNothing was recorded/s);
  const good = first.replace('taxjar:20010A', 'stripe:txcd_10103001');
  const checked = /^2 orders checked\. Nothing was recorded\.\n.*\nwarning .*\nproduct_tax_code_missing +1 /s;
  expect((await run(caller, 'import', good, 'orders.csv', ['--dry-run'])).out).toMatch(checked);
  expect(await listAll(caller)).toEqual([]);
  const done = /^2 orders checked\. 2 recorded, 0 existed already\.\n/;
  expectSuccess(await run(caller, 'import', good, 'orders.csv'), done);
  expect((await run(caller, 'import', good, 'orders.csv')).out).toContain('0 recorded, 2 existed already');
  const recorded = (await listAll(caller)).map((one) =>
    [one.reference_id, one.status, one.tax_amount, one.total_amount].join(' '),
  );
  expect(recorded.sort()).toEqual(['o-1 finalized 6.00 106.00', 'o-2 finalized 7.50 132.50']);
});

it.each([
  [
    'a reference_id of 256 characters',
    { reference_id: 'o'.repeat(256) },
    /^Line 2: .reference_id: Write 1 to 255 char/,
  ],
  [
    'half of a surrogate pair in its reference_id',
    { reference_id: 'o\ud83d' },
    /^Line 2: .reference_id: Write 1 to 255/,
  ],
  [
    'a tax above its prices',
    { tax_amount: '100.01', tax_included: true },
    /^Line 2: .tax_amount: .*add up to 100.00\./,
  ],
])('records no order of a file if one has %s', async (_, fields, message) => {
  const caller = await newCaller();
  const orders = [order('a', '6.00', lansing, general), { ...order('b', '6.00', lansing, general), ...fields }];
  expectFailure(await run(caller, 'import', ndjson(orders)), message);
  expect(await listAll(caller)).toEqual([]);
});

it('counts the orders with warnings that can change the tax', async () => {
  const caller = await newCaller();
  const toronto = { city: 'Toronto', state: 'ON', postal_code: 'M5V 2T6', country: 'CA' };
  const coded = { ...general, product_tax_code: 'GENERAL' };
  const text = ndjson([order('home', '6.00', lansing, coded), order('abroad', '13.00', toronto, coded)]);
  const { out } = await run(caller, 'import', text, 'orders.ndjson', ['--dry-run', '--json']);
  expect(JSON.parse(out)).toEqual({ checked: 2, recorded: 0, existing: 0, warnings: { not_covered: 1 }, errors: [] });
  // A refund's warnings about its sale are known only when the refund is recorded.
  const sale = order('sale', '6.00', lansing, { ...coded, id: 'a' });
  const parts = { type: 'credit', parent_reference_id: 'sale', tax_date: '2026-10-07' };
  const refund = { ...order('refund', '3.00', lansing, { ...coded, id: 'b', unit_price: '50.00' }), ...parts };
  const ran = await run(caller, 'import', ndjson([sale, refund]), 'orders.ndjson', ['--json']);
  expect(JSON.parse(ran.out).warnings).toEqual({ credit_before_sale: 1, credit_line_unmatched: 1 });
  const file = join(createFolder(), 'differences.csv');
  await run(caller, 'compare', text, 'orders.ndjson', ['--out', file]);
  expect(await readFile(file, 'utf8')).toMatch(
    /abroad.*unknown,Only the other system charged a tax\. Levy's warning: not_covered\./,
  );
});

it('reads shipping of goods that are usually not shipped from a CSV file', async () => {
  const row = (id: string, fulfillment: string) =>
    `${id},2026-10-08,0,MI,48933,FEES.GIFT_CARDS,1,50.00,5.00,${fulfillment}`;
  const columns =
    'reference_id,tax_date,tax_amount,state,postal_code,product_tax_code,quantity,unit_price,shipping_amount,fulfillment';
  const text = [columns, row('mailed', 'ship'), row('sent', '')].join('\n');
  const ran = await run(await newCaller(), 'compare', text, 'orders.csv');
  expectFailure(ran, 'Line 3: shipping_amount: No line item', expect.stringMatching(/^1 order compared: 1 equal/m));
});

it('reads exemptions and sales of marketplaces from a CSV file', async () => {
  const row = (id: string, ...cells: string[]) => `${id},2026-10-08,0,MI,48933,GENERAL,1,50.00,${cells.join()}`;
  const columns =
    'reference_id,tax_date,tax_amount,state,postal_code,product_tax_code,quantity,unit_price,exemption,collected_by';
  const rows = [columns, row('dealer', 'resale', ''), row('amazon', '', 'marketplace'), row('wrong', 'church', 'me')];
  const caller = await newCaller();
  const ran = await run(caller, 'compare', rows.join('\n'), 'orders.csv');
  expectFailure(ran, /Line 4: collected_by: .*exemption: /, expect.stringMatching(/^2 orders compared: 2 equal/m));
  expect((await run(caller, 'import', rows.slice(0, 3).join('\n'), 'orders.csv')).out).toContain('2 recorded');
  const found = (await listAll(caller)).map(({ collected_by, customer }) => [collected_by, customer?.exemption]);
  expect(found).toContainEqual(['seller', { type: 'resale' }]);
  expect(found).toContainEqual(['marketplace', undefined]);
});

it('records a refund with its sale, wherever the sale is in the file', async () => {
  const caller = await newCaller();
  const sale = order('sale', '6.50', lansing, { ...general, id: 'a' });
  const half = { ...general, id: 'a', unit_price: '50.00' };
  const refund = (id: string, parent_reference_id: string) => {
    return { ...order(id, '3.25', lansing, half), type: 'credit', parent_reference_id };
  };
  const text = ndjson([refund('r-1', 'sale'), sale, refund('r-2', 'sale')]);
  expect((await run(caller, 'import', text)).out).toContain('3 orders checked. 3 recorded, 0 existed already.\n');
  const data = await listAll(caller);
  const id = data.find(({ reference_id }) => reference_id === 'sale')?.id;
  const credits = data.filter(({ type }) => type === 'credit');
  expect(credits.map((row) => [row.parent_transaction_id, row.tax_amount])).toEqual(Array(2).fill([id, '3.25']));
  // The sale has no remaining amount.
  const more = await run(caller, 'import', text + ndjson([refund('r-3', 'sale'), refund('r-4', 'other')]));
  expect([more.code, more.out]).toEqual([
    1,
    expect.stringContaining('5 orders checked. 0 recorded, 3 existed already.\n'),
  ]);
  expect(more.err).toMatch(/Line 4: .*remaining amount.*\nLine 5: \/parent_reference_id: The sale other is not/s);
});

it('refuses a file without line feeds before it is read as one line', async () => {
  vi.stubEnv('LEVY_API_KEY', 'levy_none');
  const file = saveFile('orders.ndjson', '');
  truncateSync(file, 70_000_000);
  const ran = await runInProcess(ordersProgram(), ['import', '--dry-run', '--file', file]);
  expectFailure(ran, `Line 1 of ${file} is too long or has no line feed.`);
});

it('reports a refund whose sale is neither in the file nor recorded in a dry run, and after an import', async () => {
  const caller = await newCaller();
  const half = { id: 'a', ...general, unit_price: '50.00' };
  const refund = { ...order('r', '3.00', lansing, half), type: 'credit', parent_reference_id: 'sale' };
  const message = 'Line 2: /parent_reference_id: The sale sale is not recorded.';
  const text = ndjson([order('a', '6.00', lansing, general), refund]);
  expectFailure(await run(caller, 'import', text, 'orders.ndjson', ['--dry-run']), message);
  expect(await listAll(caller)).toEqual([]);
  expectFailure(await run(caller, 'import', text), message, expect.stringContaining('1 recorded, 0 existed already.'));
  await run(caller, 'import', ndjson([order('sale', '6.00', lansing, { ...general, id: 'a' })]));
  expect((await run(caller, 'import', text, 'orders.ndjson', ['--dry-run'])).code).toBe(0);
  expect((await run(caller, 'import', text)).out).toContain('2 orders checked. 1 recorded, 1 existed already.');
});

it('does not record orders whose id another transaction uses, and reports them', async () => {
  const caller = await newCaller();
  const draft = order('draft', '6.00', lansing, general);
  await connectClient(caller).create({ ...draft, status: 'draft' });
  const sales = ['a', 'b'].map((id) => order(id, '6.00', lansing, { ...general, id: 'mug' }));
  expect((await run(caller, 'import', ndjson(sales))).out).toContain('2 recorded, 0 existed already.');
  // Some systems give a refund the id of its sale, and a second shop can use the same ids.
  const refund = { ...order('a', '6.00', lansing, general), type: 'credit', parent_reference_id: 'a' };
  const ofOther = { ...order('r', '3.00', lansing, general), type: 'credit', parent_reference_id: 'b' };
  const next = [refund, order('b', '3.00', lansing, general), draft, ofOther];
  const ran = await run(caller, 'import', ndjson(next));
  expect(ran).toMatchObject({ code: 1, out: expect.stringContaining('0 recorded, 0 existed already.') });
  expect(ran.err.trim().split('\n').sort()).toEqual([
    'Line 1: /reference_id: a is already recorded as a finalized sale of 2026-10-08 with the tax 6.00. Write a different reference_id, void the recorded transaction, or remove this order.',
    'Line 2: /reference_id: b is already recorded as a finalized sale of 2026-10-08 with the tax 6.00. Write a different reference_id, void the recorded transaction, or remove this order.',
    'Line 3: /reference_id: draft is already recorded as a draft sale of 2026-10-08 with the tax 6.00. Finalize or void it.',
    'Line 4: /parent_reference_id: The sale b is not recorded. Import the sale first, or leave out parent_reference_id.',
  ]);
  // Without tax, only the date shows that the order is a different one. A time can be written in any time zone.
  const untaxed = { ...order('c', '0.00', lansing, general), tax_date: '2026-10-08T01:00:00+02:00' };
  await run(caller, 'import', ndjson([untaxed]));
  const inUtc = { ...untaxed, tax_date: '2026-10-07T23:00:00Z' };
  expect((await run(caller, 'import', ndjson([inUtc]))).out).toContain('0 recorded, 1 existed already.');
  const later = await run(caller, 'import', ndjson([{ ...untaxed, tax_date: '2026-10-09T23:00:00Z' }]));
  expect(later.err).toMatch(
    /^Line 1: .*c is already recorded as a finalized sale of 2026-10-07T23:00:00Z with the tax 0\.00/,
  );
  // In the same file, before anything is recorded.
  const both = await run(caller, 'import', ndjson([...sales, refund]));
  expectFailure(both, 'Line 3: /reference_id: a is also the reference_id of line 1. Write a different one.');
});

// Levy exempts the clothing, so all of the tax of the sale is on the mug and its shipping. The other system charged 8.88
// on the mug, 4.43 on the clothing and 0.89 on the shipping.
it('records a refund whose tax exceeds the share of its line items', async () => {
  const caller = await newCaller();
  const mug = { ...general, product_tax_code: 'GENERAL', id: 'mug' };
  const shirt = { ...clothing, id: 'shirt' };
  const sale = { ...order('sale', '14.20', newYork, mug, shirt), shipping };
  const refund = (id: string, tax: string, ...lines: object[]) => {
    return { ...toNewYork(id, tax, ...lines), type: 'credit', parent_reference_id: 'sale' };
  };
  const refunds = [refund('shirt', '4.43', shirt), { ...refund('rest', '9.77', mug), shipping }];
  const text = ndjson([sale, ...refunds]);
  expect((await run(caller, 'import', text)).out).toContain('3 orders checked. 3 recorded, 0 existed already.\n');
  const found = (await listAll(caller)).map(({ reference_id, tax_amount, total_amount }) =>
    [reference_id, tax_amount, total_amount].join(' '),
  );
  expect(found.sort()).toEqual(['rest 9.77 119.77', 'sale 14.20 174.20', 'shirt 4.43 54.43']);
  const more = await run(caller, 'import', text + ndjson([refund('more', '0.01', { ...shirt, unit_price: '0' })]));
  expectFailure(more, /Line 4: .*tax_amount.* at most 0\.00/s, expect.anything());
});

it("records the refunds of sales that are not yet in the API's list", async () => {
  const caller = await newCaller();
  const lagging = await breakingProxy((await startApi()).url, {
    back: (passed, { path }) => {
      if (path.includes('reference_id=')) inBody(passed, (body) => Object.assign(body, { data: [] }));
      return undefined;
    },
  });
  const sale = order('sale', '6.00', lansing, { ...general, id: 'a' });
  const refund = { ...sale, reference_id: 'refund', type: 'credit', parent_reference_id: 'sale' };
  for (const [orders, out] of [
    [[sale], '1 order checked. 1 recorded, 0 existed already.\n'],
    [[sale, refund], '2 orders checked. 1 recorded, 1 existed already.\n'],
  ] as const)
    expect(await run(caller, 'import', ndjson(orders), 'orders.ndjson', [], lagging.url)).toMatchObject({
      code: 0,
      out: expect.stringContaining(out),
    });
  lagging.close();
});

const valid = { ...order('o-1', '6.00', lansing, general), status: null };
const changed = (fields: object) => JSON.stringify({ ...valid, ...fields });
const coded = (product_tax_code: string) => changed({ line_items: [{ ...general, product_tax_code }] });
const badQuantity = `\n${changed({ line_items: [{ ...general, quantity: '-1' }] })}`;
it.each([
  ['text that is not JSON', 'nonsense', 'Line 1: The line is not JSON\\. .* that ends with \\.csv\\.'],
  ['a list', '[]', 'Line 1: /: Write a JSON object'],
  ['a tax as a number', changed({ tax_amount: 6 }), 'Line 1: /tax_amount: .*, not 6'],
  ['a tax with three decimals', changed({ tax_amount: '6.005' }), 'at most 2 decimals'],
  ['a negative tax', changed({ tax_amount: '-6.00' }), 'A refund has the type credit'],
  ['the tax that a marketplace collected', changed({ collected_by: 'marketplace' }), '/tax_amount: Write "0"'],
  ['an order that is not finalized', changed({ status: 'void' }), 'Line 1: /status: Remove'],
  ['an amount as a number', changed({ shipping: { amount: 5 } }), '/shipping/amount: The file has 5. Write'],
  ['no tax', changed({ tax_amount: undefined }), '/tax_amount: .*at most 2 decimals\\.'],
  ['no reference', changed({ reference_id: undefined }), '/reference_id: Write the id of the order as a string\\.'],
  [
    'a reference as a number',
    changed({ reference_id: 7 }),
    '/reference_id: Write the id of the order as a string, not 7',
  ],
  ['no date', changed({ tax_date: undefined }), '/tax_date: Write the date'],
  ['a date as a number', changed({ tax_date: 20261008 }), '/tax_date: Write the date .*, not 20261008'],
  ['an unknown code', coded('NOPE'), '/product_tax_code: Unknown product tax code NOPE\\. Write '],
  ['an attribute of other goods', coded('GENERAL._ATHLETIC'), '_ATHLETIC does not apply to GENERAL\\. Leave it out'],
  ['a malformed ZIP', changed({ customer: { address: { ...lansing, postal_code: '4893' } } }), '4893 has four digits'],
  [
    'text as a ZIP',
    changed({ customer: { address: { ...lansing, postal_code: 'x' } } }),
    'The file has "x"\\. Write a ZIP',
  ],
  ['a parent of a sale', changed({ parent_reference_id: 'o-0' }), 'set type to credit'],
  ['no line items', changed({ line_items: [] }), 'Line 1: /line_items: '],
  ['an unknown field', changed({ shiping: shipping }), 'Line 1: /shiping: Unknown field `shiping`\\. Remove'],
  ['a general code', coded('taxjar:31000'), '31000 of TaxJar covers more than one'],
  ['an unknown system', coded('acme:1'), 'not "acme"'],
  ['a quantity that the API refuses', badQuantity, 'Line 2: /line_items/0/quantity'],
  ['a repeated order', ndjson([valid, valid]), 'Line 2: /reference_id: o-1 is also the reference_id of line 1'],
])('reports %s with its line, and compares the other orders', async (_, text, message) => {
  const ran = await run(await newCaller(), 'compare', `${text}\n${ndjson([{ ...valid, reference_id: 'last' }])}`);
  expectFailure(ran, new RegExp(message), expect.stringMatching(/^equal +USD/m));
});

const twoTaxes = csv('o,2026-10-08,6.00,MI,Lansing,48933,a,,1,1.00', 'o,,7.00,,,,b,,1,1.00');
it.each([
  ['semicolons', 'reference_id;tax_date\no-1;2026-10-08', 'Separate the columns with commas, not with ";".'],
  ['an unknown column', 'reference_id,colour\no-1,red', 'Unknown: colour'],
  ['a row with a missing cell', csv('o-1,2026-10-08'), 'Line 2 has 2 values for 10 columns.'],
  ['two taxes of one order', twoTaxes, 'Line 3: tax_amount differs'],
  [
    'amounts that the API refuses, by column and line',
    csv(
      'o,2026-10-08,6.00,MI,Lansing,48933,a,,1,1.00',
      'o,,,,,,b,,1,$1.00',
      'p,2026-10-08,6.00,MA,Boston,2108,a,,1,1.00',
      'q,2026-10-08,"1,006.00",MI,Lansing,48933,a,,1,1.00',
    ),
    /^Line 2: unit_price in line 3: The file has "\$1\.00"\. Write a decimal, .*\nLine 4: postal_code: Write 02108 .*\nLine 5: tax_amount: Write the charged tax such as "6\.00", .*"1,006\.00"/,
  ],
  ['another encoding than UTF-8', csv('o,2026-10-08,6.00,MI,Ca\uFFFDon,48933,a,,1,1.00'), 'Line 2 is not UTF-8'],
])('refuses a CSV file with %s', async (_, text, message) => {
  const nothing = expect.stringMatching(/^(0 orders compared: .*\n)?$/);
  expectFailure(await run(await newCaller(), 'compare', text, 'orders.csv'), message, nothing);
});

it('stops if the address has a path that the service does not have', async () => {
  const url = `${(await startApi()).url}/nope`;
  const ran = await run(await newCaller(), 'import', ndjson([valid]), 'orders.ndjson', ['--dry-run'], url);
  expectFailure(ran, /^Levy has no such path\. Check --url: .*\n$/);
});

it('stops if the service refuses the key', async () => {
  const stranger = { ...(await newCaller()), key: 'levy_wrong' };
  expectFailure(await run(stranger, 'compare', ndjson([valid])), 'refuses the key');
});
