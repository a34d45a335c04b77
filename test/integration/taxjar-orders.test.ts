/** Orders and refunds of the TaxJar-compatible API, sent by TaxJar's own client for Node. */
import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { closedFiling, createFiler, expectVerified, monthly } from '../support/filings.ts';
import { accounts } from '../support/run-command.ts';
import { made } from '../support/sales.ts';
import {
  buildRefund,
  lines,
  michigan,
  newClient,
  order,
  record,
  refusal,
  sendRaw,
  to,
  withNumbers,
} from '../support/taxjar.ts';

const lansing = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const september = { registrations: [monthly('NY', '2026-09-01')] };

it('records orders and refunds once, and lists, changes and deletes them', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  const sent = { ...order, provider: 'shop', line_items: lines };
  const created = await createOrder(sent);
  const { transaction_id, amount, shipping, sales_tax } = order;
  expect(created).toMatchObject({ transaction_id, amount, shipping, sales_tax, provider: 'shop' });
  expect(created.line_items).toMatchObject([{ id: '1', product_identifier: 'sku', product_tax_code: '31000' }]);
  // TaxJar's client for Go reads amounts only as strings.
  const line_items = [{ quantity: 1, unit_price: '15', discount: '0' }];
  const { response } = await sendRaw(caller, 'GET', 'orders/123');
  expect(response.order).toMatchObject({ amount: '16.50', shipping: '1.50', sales_tax: '1.46', line_items });
  // A repetition after a lost response.
  expect(await createOrder(sent)).toEqual(created);
  for (const other of [{ amount: 17.5 }, { to_zip: '10002' }, { line_items: [{ ...lines[0], unit_price: 14 }] }])
    expect(await refusal(createOrder({ ...sent, ...other }))).toMatch(/^422 Unprocessable Entity: .*PUT/);
  expect(await client.showOrder('123')).toEqual({ order: created });
  const day = { transaction_date: '2026/10/14' };
  expect(await client.listOrders({ ...day, provider: 'Shop' })).toEqual({ orders: ['123'] });
  expect(await client.listOrders({ ...day, provider: 'other' })).toEqual({ orders: [] });
  for (const none of [{ transaction_date: '2026/10/15' }, { to_transaction_date: '2026-10-13' }])
    expect(await client.listOrders(none)).toEqual({ orders: [] });
  // The range includes the whole last day.
  await createOrder({ transaction_id: '124', transaction_date: '2026-10-14T23:59:59Z' });
  const days = { from_transaction_date: '2026-10-14', to_transaction_date: '2026/10/14' };
  expect(await client.listOrders(days)).toEqual({ orders: ['124', '123'] });
  await client.deleteOrder('124');
  const changed = await client.updateOrder({ transaction_id: '123', amount: 17, shipping: 2, sales_tax: 1.51 });
  expect(changed.order).toMatchObject({ amount: 17, shipping: 2, sales_tax: 1.51, provider: 'shop' });
  // The refund is half of the goods, of the shipping and of the tax of 1.51.
  const half = await refundOrder('r1', '123', [-8.5, -1, -0.76]);
  expect(half).toMatchObject({ transaction_reference_id: '123', amount: -8.5, shipping: -1, sales_tax: -0.76 });
  expect(await client.listRefunds({ transaction_date: '2026/10/20' })).toEqual({ refunds: ['r1'] });
  const amounts = { amount: -17, sales_tax: -1.51 };
  const whole = { ...amounts, transaction_id: 'r1', transaction_reference_id: '123', shipping: -2 };
  expect((await client.updateRefund(whole)).refund).toMatchObject(amounts);
  expect(await refusal(client.deleteOrder('123'))).toMatch(/^422 Unprocessable Entity: The order has refunds/);
  expect((await client.deleteRefund('r1')).refund.transaction_id).toBe('r1');
  expect((await client.deleteOrder('123')).order.transaction_id).toBe('123');
  expect(await refusal(client.showOrder('123'))).toMatch(/^404 Not Found: /);
  expect(await refusal(client.updateOrder({ transaction_id: '123', amount: 1 }))).toMatch(/^404 /);
  const { data } = await made(caller.call('GET', '/transactions'));
  expect(data.map(({ status }) => status)).toEqual(Array(5).fill('void'));
});

it('keeps the old order if the new one is refused, and rejects changes after the period is closed', async () => {
  const { caller, client, createOrder } = await newClient({ ...september, books_open_from: '2026-09-01' });
  const sent = { ...order, transaction_date: '2026-09-14', line_items: lines };
  const created = await createOrder(sent);
  const broken = { transaction_id: '123', to_zip: 'nowhere' };
  expect(await refusal(client.updateOrder(broken))).toMatch(/^406 Not Acceptable: to_zip: /);
  expect(await client.showOrder('123')).toEqual({ order: created });
  await closedFiling(createFiler(caller), 'NY', '2026-09-30');
  const filed = /^422 .*: A return includes this transaction\. Record another refund or order instead\.$/;
  const update = { transaction_id: '123', amount: 17, shipping: 2 };
  for (const change of [() => client.updateOrder(update), () => client.deleteOrder('123')])
    expect(await refusal(change())).toMatch(filed);
  expect(await client.showOrder('123')).toEqual({ order: created });
});

it('accepts a PUT that changes nothing, even for an order with refunds or in a closed period', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient({ ...september, books_open_from: '2026-09-01' });
  const plugin = { plugin: 'magento', customer_id: 'c1', to_street: '1 Main', exemption_type: '' };
  const priced = { quantity: 2, unit_price: 7.5, discount: 0 };
  const mug = { id: '31', product_identifier: 'mug', description: 'A mug', ...priced };
  const body = { ...order, ...plugin, transaction_date: '2026-09-14', line_items: [mug] };
  await createOrder(body);
  const returned = { transaction_date: '2026-09-20', line_items: [{ ...mug, quantity: -1 }] };
  const sent = ['r', '123', [-7.5, 0, -0.67], returned] as const;
  const refund = await refundOrder(...sent);
  // A PUT with changes records its merged fields, which a repetition must match.
  await client.deleteRefund('r');
  const { order: changed } = await client.updateOrder({ ...body, sales_tax: 1.5 });
  await refundOrder(...sent);
  const listed = await createFiler(caller).call('GET', '/transactions');
  for (const isClosed of [false, true]) {
    if (isClosed) await closedFiling(createFiler(caller), 'NY', '2026-09-30');
    expect(await client.updateOrder({ ...body, sales_tax: '1.50' } as never)).toEqual({ order: changed });
    expect((await client.updateRefund(buildRefund(...sent))).refund).toEqual(refund);
    const line_items = [{ ...mug, description: 'Two' }];
    for (const change of [{ to_street: '2 Main' }, { amount: 16, shipping: 1 }, { line_items }])
      expect(await refusal(client.updateOrder({ ...body, sales_tax: 1.5, ...change }))).toMatch(/^422 /);
  }
  const ids = ({ body: { data } }: typeof listed) => data.map(({ id }: { id: string }) => id);
  expect(ids(await createFiler(caller).call('GET', '/transactions'))).toEqual(ids(listed));
});

it('replaces orders atomically, so each request finds one order, even during concurrent changes', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  await createOrder({ line_items: lines });
  await refundOrder('r0', '123', [-1]);
  await refundOrder('r1', '123', [-8, -1, -0.7]);
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
  const credited_amount = new Decimal(1).minus(last.amount).toFixed(2);
  expect(sales[0]).toMatchObject({ credited_amount, credited_tax_amount: '0.70' });
  await expectVerified(caller);
});

it('refuses concurrent changes of an order with one message', async () => {
  const { caller, client, createOrder } = await newClient();
  await createOrder({ line_items: lines });
  const tried = await Promise.all(
    Array.from({ length: 24 }, (_, at) => {
      const change = at % 3 ? { sales_tax: at } : { shipping: at, amount: 15 + at };
      return refusal(client.updateOrder({ transaction_id: '123', ...change }));
    }),
  );
  const message =
    '422 Unprocessable Entity: Another request changed this at the same time. Read it, and send the request again.';
  expect(new Set(tried)).toEqual(new Set(['200 : ', message]));
  await expectVerified(caller);
});

it('distributes a changed refund as if the replaced refund did not exist', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  const line_items = [60, 40].map((unit_price, at) => ({ id: `${at + 1}`, quantity: 1, unit_price }));
  const sold = { ...michigan, amount: 100, sales_tax: 6, line_items };
  await createOrder({ ...sold, transaction_id: 'o' });
  const first = [{ id: '1', quantity: 1, unit_price: -60 }];
  await refundOrder('r', 'o', [-60, 0, -3.6], { ...michigan, line_items: first });
  const changed = async (transaction_id: string, transaction_reference_id: string, change: object) => {
    const { refund } = await client.updateRefund({ transaction_id, transaction_reference_id, ...change });
    return refund.line_items?.map(({ unit_price }) => unit_price);
  };
  expect(await changed('r', 'o', { amount: -80, sales_tax: -4.8 })).toEqual([-48, -32]);
  expect(await changed('r', 'o', { amount: -100, sales_tax: -6 })).toEqual([-60, -40]);
  const moved = await refusal(changed('r', 'p', { amount: -1, sales_tax: 0 }));
  expect(moved).toMatch(/^406 Not Acceptable: transaction_reference_id: It cannot change/);
  // A refund that was recorded before its order then becomes a credit of the order.
  await refundOrder('early', 'p', [-10, 0, -0.6], michigan);
  await createOrder({ ...sold, transaction_id: 'p' });
  expect(await changed('early', 'p', { amount: -12, sales_tax: -0.72 })).toEqual([-7.2, -4.8]);
  await expectVerified(caller);
});

it('keeps the line items that a PUT does not send, with the sent amounts', async () => {
  const { caller, createOrder, refundOrder } = await newClient();
  const put = async (kind: 'orders' | 'refunds', id: string, body: object) => {
    const { status, response, warnings } = await sendRaw(caller, 'PUT', `${kind}/${id}`, body);
    return { status, differs: warnings?.includes('line_amount_differs') ?? false, ...withNumbers(response) };
  };
  const items = [
    { id: 'a', quantity: 2, product_identifier: 'shirt', product_tax_code: '20010', unit_price: 5 },
    { id: 'b', quantity: 1, product_identifier: 'mug', unit_price: 5 },
  ];
  const sold = await createOrder({ line_items: items });
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
  const detail = expect.stringContaining('line items are 15.00');
  expect(await put('orders', '123', { amount: 20 })).toMatchObject({ status: 406, detail });
  const mugs = { amount: 11, shipping: 1, line_items: [{ id: 'b', quantity: 2, product_identifier: 'mug' }] };
  const replaced = await put('orders', '123', { line_items: [{ ...items[1], quantity: 2 }] });
  expect(replaced).toMatchObject({ differs: false, order: mugs });
  // A refund repeats its order's TaxJar codes.
  await createOrder({ transaction_id: '125', line_items: items });
  for (const line_items of [null, [{ id: 'a', quantity: 1, unit_price: -5 }]]) {
    const refund = await refundOrder(`r of ${line_items}`, '125', [line_items ? -5 : -3, 0, 0], { line_items });
    expect(refund.line_items?.[0]).toMatchObject({ product_identifier: 'shirt', product_tax_code: '20010' });
  }
  // A standalone refund, and a refund of the order.
  for (const [id, reference] of [
    ['r1', 'unknown'],
    ['r2', '123'],
  ] as const) {
    const line_items = [{ id: 'b', quantity: 1, product_identifier: 'mug', unit_price: -5 }];
    const refund = await refundOrder(id, reference, [-5.5, -0.5, -0.4], { line_items });
    expect(await put('refunds', id, { shipping: 1 })).toMatchObject({
      status: 200,
      refund: { amount: -6, shipping: -1, sales_tax: -0.4, line_items: refund.line_items?.map(({ id }) => ({ id })) },
    });
  }
  expect(await put('refunds', 'r1', { amount: -9 })).toMatchObject({ status: 406 });
  expect(await put('refunds', 'r2', { amount: -9 })).toMatchObject({ refund: { amount: -9, shipping: -1 } });
  // For an order without line items, the amount is the price of the goods.
  await createOrder({ transaction_id: '124' });
  expect(await put('orders', '124', { amount: 20 })).toMatchObject({ differs: false, order: { amount: 20 } });
  await expectVerified(caller);
});

it('refuses a change of transactions from the API that would lose a field', async () => {
  const { caller, client, refundOrder } = await newClient();
  const item = { id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' };
  await record(caller, 'order-2', { line_items: [item] });
  const { order: changed } = await client.updateOrder({ transaction_id: 'order-2', sales_tax: 5 });
  expect(changed).toMatchObject({ amount: 100, sales_tax: 5 });
  const detroit = { address: { postal_code: '48226', state: 'MI', country: 'US' } };
  for (const [field, others] of [
    ['discount_amount', { discount_amount: '10.00' }],
    ['customer', { line_items: [item, { ...item, id: 'b', customer: detroit }] }],
    ['collected_by', { collected_by: 'marketplace' }],
  ] as const) {
    await record(caller, `order-1-${field}`, { line_items: [item], ...others });
    const refused = await refusal(client.updateOrder({ transaction_id: `order-1-${field}`, sales_tax: 5 }));
    expect(refused).toMatch(new RegExp(`^422 Unprocessable Entity: The order has ${field}`));
  }
  // The order has more entries than a write can replace.
  const states =
    'AL AZ AR CA CO CT FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV NJ NM NY NC ND OH OK PA RI SC SD TN TX UT VT VA WA WV WI WY DC';
  const locate = (state: string) => ({ id: state, customer: { address: { state, country: 'US' } } });
  const everywhere = states.split(' ').map((state) => ({ ...item, ...locate(state) }));
  await record(caller, 'order-3', { line_items: everywhere });
  await refundOrder('all', 'order-3', [-460, 0, -10]);
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
  const line_items = [item];
  const { id: parent_transaction_id } = await record(caller, 's', { line_items, collected_by: 'marketplace' });
  const credit = { type: 'credit', parent_transaction_id, customer: undefined };
  await record(caller, 'r', { ...credit, line_items: [{ id: 'a', quantity: '1' }] });
  expect((await client.showOrder('s')).order).toMatchObject({ exemption_type: 'marketplace', sales_tax: 0 });
  const { refund } = await client.showRefund('r');
  expect(refund).toMatchObject({ transaction_reference_id: 's', exemption_type: 'marketplace', amount: -50 });
  expect((await client.updateRefund({ ...refund, amount: -40, line_items: [] } as never)).refund.amount).toBe(-40);
  // The console can record a credit without a reference.
  const { id } = await record(caller, null, { ...credit, line_items: [{ id: 'a', quantity: '1', unit_price: '10' }] });
  const { refunds } = await client.listRefunds({ transaction_date: '2026-10-14' });
  expect(refunds.toSorted()).toEqual(['r', id].toSorted());
  expect((await client.showRefund(id)).refund).toMatchObject({ transaction_id: id, amount: -10 });
  expect((await client.deleteRefund(id)).refund.transaction_id).toBe(id);
  for (const unknown of [id, parent_transaction_id, 'txn_0'])
    expect(await refusal(client.showRefund(unknown))).toMatch(/^404 /);
  for (const [exemption, exemption_type] of [
    [{ type: 'resale' }, 'wholesale'],
    [{ type: 'nonprofit' }, 'other'],
    ['none', 'non_exempt'],
  ] as const) {
    const wrap = { ...item, id: 'wrap', product_tax_code: 'FEES.GIFT_WRAP', parent_line_item_id: 'a' };
    await record(caller, `s-${exemption_type}`, { line_items: [item, wrap], customer: { address, exemption } });
    const { order } = await client.showOrder(`s-${exemption_type}`);
    expect(order).toMatchObject({ exemption_type, line_items: [{ id: 'a' }, { id: 'wrap' }] });
  }
});

it('never shows, lists, changes, deletes or refunds transactions from the API in other currencies', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }];
  for (const currency of ['EUR', 'KWD']) {
    const { id } = await record(caller, currency, { currency, line_items });
    for (const request of [
      () => client.showOrder(currency),
      () => client.updateOrder({ transaction_id: currency, sales_tax: 5 }),
      () => client.deleteOrder(currency),
      () => createOrder({ transaction_id: currency }),
    ])
      expect(await refusal(request())).toMatch(`422 Unprocessable Entity: The order ${currency} is in ${currency}.`);
    const refund = refundOrder(`refund of ${currency}`, currency, [-10, 0, -1]);
    expect(await refusal(refund)).toMatch(`406 Not Acceptable: The order ${currency} is in ${currency}.`);
    const path = `/transactions/${id}` as '/transactions/{id}';
    expect(await made(caller.call('GET', path))).toMatchObject({ status: 'finalized', currency, version: 1 });
  }
  await createOrder();
  expect(await client.listOrders({ transaction_date: '2026-10-14' })).toEqual({ orders: ['123'] });
});

it('deletes orders and refunds of a redacted customer', async () => {
  const { caller, client, createOrder } = await newClient();
  await createOrder({ customer_id: 'cus_9' });
  const words = ['redact', '--account', caller.account.id, '--customer', 'cus_9', '--yes'];
  expect(await accounts(...words)).toMatchObject({ code: 0 });
  expect((await client.deleteOrder('123')).order.transaction_id).toBe('123');
  expect(await refusal(client.showOrder('123'))).toMatch(/^404 /);
});

it('reverses exactly the refunded amounts, including discounts, and refunds of only shipping or tax', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient({ time_zone: 'America/New_York' });
  const line_items = [
    { id: 'a', quantity: 1, product_identifier: 'shirt', unit_price: 15, discount: 2 },
    { id: 'b', quantity: 2, product_identifier: 'mug', unit_price: 10 },
    { id: 'c', quantity: 1, product_identifier: 'coupon', unit_price: -4 },
  ];
  const sold = { transaction_id: 'a/1', amount: 30.5, shipping: 1.5, sales_tax: 2.71, line_items };
  // An application that sends requests in parallel records the order once.
  const [created, repeated] = await Promise.all([createOrder(sold), createOrder(sold)]);
  expect(repeated).toEqual(created);
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
    const refund = await refundOrder(`r${at}`, 'a/1', figures, { transaction_date, ...more });
    expect([refund.amount, refund.shipping, refund.sales_tax]).toEqual(figures);
    if (at === 2) expect(refund.line_items).toMatchObject([{ id: 'b', quantity: 1 }]);
  }
  // TaxJar returns a date as midnight UTC, which is the evening before in the account's time zone.
  const { refund } = await client.showRefund('r2');
  expect(refund).toMatchObject({ transaction_date: '2026-10-14', line_items: [{ product_identifier: 'mug' }] });
  expect(await refusal(refundOrder('r9', 'a/1', [0, 0, -0.01]))).toMatch(/^406 .*at most 0\.00/);
  const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
  expect(data).toMatchObject([{ credited_amount: '30.50', credited_tax_amount: '2.71' }]);
});

it('keeps the beginning of a long description, and recognizes its repetition', async () => {
  const { client, createOrder, refundOrder } = await newClient();
  const item = { id: '1', quantity: 1, unit_price: 15, product_identifier: 'mug' };
  // The text of a product page, with a character of two UTF-16 units at the limit.
  const line_items = [{ ...item, description: `${'x'.repeat(999)}\u{1F600} and more` }];
  const sold = await createOrder({ line_items });
  expect(sold.line_items?.[0]?.description).toBe(`${'x'.repeat(999)}\uFFFD`);
  await refundOrder('r', '123', [-1, 0, 0]);
  expect(await client.updateOrder({ ...order, line_items })).toEqual({ order: sold });
  const long = { transaction_id: '124', line_items: [{ ...item, product_identifier: 'x'.repeat(501) }] };
  expect(await refusal(createOrder(long))).toContain(': line_items[0][product_identifier]: Send at most 500');
});

// TaxJar's API reference creates the refund 123 of the order 123.
it('records orders and refunds with the same id, in either order', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  const refund = () => refundOrder('123', '123', [-16.5, -1.5, -1.46]);
  const other = { transaction_id: '124', amount: 31.5, sales_tax: 2.8 };
  const first = await createOrder();
  const second = await refund();
  expect(await refundOrder('124', 'unknown', [-16.5, 1.5, 1.46])).toMatchObject({
    amount: -16.5,
    sales_tax: -1.46,
    transaction_reference_id: 'unknown',
  });
  await Promise.all([createOrder(other), createOrder(other)]);
  // Repeats the requests, two of them concurrently.
  expect(await Promise.all([refund(), refund()])).toEqual([second, second]);
  expect(await createOrder(other)).toMatchObject({ transaction_id: '124', amount: 31.5 });
  expect(await client.showOrder('123')).toEqual({ order: first });
  const ids = { transaction_id: '123', transaction_reference_id: '123' };
  expect((await client.showRefund('123')).refund).toMatchObject(ids);
  const all = { from_transaction_date: '2026/10/01', to_transaction_date: '2026/10/31' };
  expect((await client.listOrders(all)).orders.sort()).toEqual(['123', '124']);
  expect((await client.listRefunds(all)).refunds.sort()).toEqual(['123', '124']);
  const change = { ...ids, amount: -11, shipping: 0, sales_tax: -1 };
  expect((await client.updateRefund(change)).refund).toMatchObject({ transaction_id: '123', amount: -11 });
  expect((await client.updateOrder({ transaction_id: '124', sales_tax: 2.7 })).order.sales_tax).toBe(2.7);
  // A refund of the order that has the same id as another refund.
  await refundOrder('125', '124', [-31.5, -1.5, -2.7]);
  await client.deleteRefund('123');
  await client.deleteOrder('123');
  expect(await refusal(client.showRefund('123'))).toMatch(/^404 /);
  await client.deleteRefund('124');
  // The order keeps its reference when the other transaction is gone.
  expect(await refusal(createOrder(other))).toMatch(/^422 .*The order 124 already exists/);
  expect(await client.listOrders(all)).toEqual({ orders: ['124'] });
  await expectVerified(caller);
  // A draft that Levy's API created also keeps its id.
  await record(caller, '9', { status: 'draft', line_items: [{ id: 'a', quantity: '1', unit_price: '15.00' }] });
  expect(await refusal(createOrder({ transaction_id: '9' }))).toMatch(/^406 .*Another transaction has/);
});

// ERPNext sends a fee of 10.00 as a line item of the invoice, and adds it to the discounts of the returned line items.
it('refunds a whole order whose amounts are on other line items than in the order', async () => {
  const { caller, createOrder, refundOrder } = await newClient();
  const item = { id: '1', quantity: 1, unit_price: 100, product_identifier: 'mug' };
  const fee = { id: '1001', quantity: 1, unit_price: 10, product_identifier: 'Handling' };
  const sold = { to_zip: '48933', to_state: 'MI', to_city: 'Lansing', shipping: 10, sales_tax: 6.6 };
  await createOrder({ ...sold, amount: 120, line_items: [item, fee] });
  const refund = (id: string, goods: number, tax: number) => {
    const line_items = [{ ...item, quantity: -1, discount: goods - 100 }];
    return refundOrder(id, '123', [-goods - 10, -10, -tax], { line_items });
  };
  expect(await refusal(refund('part', 105, 6.3))).toMatch(/^406 .*105\.00, exceeds the remaining amount of the line/);
  const all = await refund('all', 110, 6.6);
  expect(all).toMatchObject({ amount: -120, shipping: -10, sales_tax: -6.6 });
  expect(all.line_items?.map(({ id, unit_price }) => [id, unit_price])).toEqual([
    ['1', -100],
    ['1001', -10],
  ]);
  // A repeated refund of one of two items is not a refund of the other one.
  const two = [item, { ...item, id: '2', product_identifier: 'cup' }];
  await createOrder({ ...sold, transaction_id: '124', amount: 200, shipping: 0, sales_tax: 12, line_items: two });
  const half = (id: string) => refundOrder(id, '124', [-100, 0, -6], { line_items: [{ ...item, quantity: -1 }] });
  await half('r1');
  expect(await refusal(half('r2'))).toMatch(/^406 .*exceeds the remaining amount of the line/);
  await expectVerified(caller);
});

it('returns whole quantities as integers, which the clients for Python and Go require', async () => {
  const { caller } = await newClient();
  // ERPNext sends quantities with decimals.
  const line_items = [{ id: 1, quantity: '!', unit_price: 7.5 }];
  const body = JSON.stringify({ ...order, line_items }).replace('"!"', '2.0');
  // A parsed 2.0 would equal 2.
  expect((await sendRaw(caller, 'POST', 'orders', body)).text).toContain('"quantity":2,');
});

// The client for Python throws for any other quantity, after the order is recorded.
it('returns a quantity with a fraction as one unit at its amount, and keeps it in a change', async () => {
  const { caller, client, createOrder } = await newClient();
  const line_items = [{ id: '1', quantity: 2.5, unit_price: 6, discount: 1 }];
  const created = await createOrder({ amount: 15.5, line_items });
  expect(created.line_items).toMatchObject([{ quantity: 1, unit_price: 15, discount: 1 }]);
  await client.updateOrder({ transaction_id: order.transaction_id, shipping: 2 });
  const path = '/transactions?status=finalized&expand=line_items&limit=10' as '/transactions';
  const { data } = await made(caller.call('GET', path));
  expect(data[0]?.line_items?.[0]).toMatchObject({ quantity: '2.5', unit_price: '6' });
});

it('accepts the dates, empty fields and line item ids of plugins in PHP', async () => {
  const { caller } = await newClient({ time_zone: 'America/New_York' });
  const headers = { Authorization: `Token token="${caller.key}"` };
  const post = (kind: 'orders' | 'refunds', body: object) => sendRaw(caller, 'POST', kind, body, headers);
  const address = { to_country: 'US', to_zip: '48933', to_state: 'MI', to_city: false, to_street: false };
  const line_items = [
    { id: 11, quantity: 1, product_identifier: 'bread', product_tax_code: '40030', unit_price: 100 },
    { id: 12, quantity: 1, product_identifier: 'mug', product_tax_code: '', unit_price: 40 },
    { id: 13, quantity: 1, product_identifier: 'mug', product_tax_code: '', unit_price: 60 },
  ];
  const sold = { ...address, amount: 200, shipping: '0', sales_tax: '6.00', line_items };
  const dates = [
    ['2026-10-14T21:30:00-0400', '2026-10-14T21:30:00-04:00'],
    ['2026-10-15T01:30:00+0000', '2026-10-14T21:30:00-04:00'],
    ['2026-10-15 01:30:00', '2026-10-14T21:30:00-04:00'],
    ['2026-10-14T00:00:00+00:00', '2026-10-14'],
  ];
  for (const [at, [transaction_date, recorded]] of dates.entries()) {
    const { status, response } = await post('orders', { ...sold, transaction_id: at, transaction_date });
    expect([status, response.order?.transaction_date]).toEqual([201, recorded]);
  }
  // Items of a refund have their own ids, and negative quantities.
  const back = { ...sold, transaction_reference_id: 0, transaction_date: '2026-10-20 10:00:00', amount: -160 };
  const [bread, , mug] = line_items;
  const items = [mug, bread].map((line, at) => ({ ...line, id: 900 + at, quantity: -1 }));
  const refund = { ...back, transaction_id: 'r', sales_tax: -3.6, line_items: items };
  expect(await post('refunds', refund)).toMatchObject({ status: 201, warnings: null });
  const path = '/transactions?reference_id=r&expand=line_items&limit=10' as '/transactions';
  const { data } = await made(caller.call('GET', path));
  // M.C.L. 205.54g exempts food for home consumption.
  expect(data[0]?.line_items).toMatchObject([
    { id: '13', parent_line_item_id: '13', taxable_amount: '60.00', tax_amount: '3.60' },
    { id: '11', parent_line_item_id: '11', product_tax_code: 'FOOD.GROCERY', exempt_amount: '100.00' },
  ]);
});

it('refunds line items with a negative quantity or price, and free line items', async () => {
  const { createOrder, refundOrder } = await newClient();
  const [a, b, gift] = [10, 10, 0].map((unit_price, at) => ({ id: `${at}`, quantity: 1, unit_price }));
  const sold = [{ ...a, quantity: 2 }, b, gift];
  await createOrder({ ...michigan, amount: 30, sales_tax: 1.8, line_items: sold });
  const line_items = [{ ...a, quantity: -1 }, { ...b, unit_price: -3 }, gift];
  const refund = await refundOrder('r', '123', [-13, 0, -0.78], { ...michigan, line_items });
  expect([refund.amount, refund.line_items?.map(({ id }) => id)]).toEqual([-13, ['0', '1', '2']]);
});

// By hand: Magento distributes a fee of 5.00 or 10.00 over three line items of 10.00, and 10.00 / 3 is no amount in cents.
it('rounds fractions of a cent in line items together, so the amount is recorded', async () => {
  const { client, createOrder, refundOrder } = await newClient();
  const base = { shipping: 0, sales_tax: 2.66 };
  const three = (more: object = {}) => ['a', 'b', 'c'].map((id) => ({ id, quantity: 1, unit_price: 10, ...more }));
  const create = async (transaction_id: string, amount: number, line_items: object[]) =>
    (await createOrder({ ...base, transaction_id, amount, line_items })).amount;
  expect(await create('o', 30, three())).toBe(30);
  for (const amount of [15, 10]) {
    const line_items = three({ quantity: 0.5, discount: (15 - amount) / 3 });
    expect((await refundOrder(`r${amount}`, 'o', [amount, 0, 1.33], { line_items })).amount).toBe(-amount);
  }
  // The database of a shop returns amounts with four decimals.
  const decimals = { amount: '30.0000', shipping: '0.0000', sales_tax: '2.6600', line_items: three() };
  const sold = await createOrder({ ...decimals, transaction_id: 'd' });
  expect([sold.amount, sold.sales_tax]).toEqual([30, 2.66]);
  expect(await create('p', 10, three({ unit_price: 10 / 3 }))).toBe(10);
  expect(await create('q', 25, three({ discount: 5 / 3 }))).toBe(25);
  // By hand: 3 * 6.67 is above the sale of 20.00, so the line item that was sold for 6.66 refunds 6.66.
  const reduced = three({ discount: 10 / 3 });
  expect(await create('s', 20, reduced)).toBe(20);
  const amounts: unknown[] = [];
  for (const line of reduced)
    amounts.push((await refundOrder(`r${line.id}`, 's', [6.67, 0, 0], { line_items: [line] })).amount);
  expect(amounts.sort()).toEqual([-6.66, -6.67, -6.67]);
  const { tax } = await client.taxForOrder({ ...to, shipping: 0, line_items: three({ unit_price: 10 / 3 }) });
  // Each line item is 3.33 or 3.34 at 8.875 %: 0.30.
  expect([tax.order_total_amount, tax.amount_to_collect]).toEqual([10, 0.9]);
});

// By hand: 33.335 is 33.34, and 3 * 33.34 = 100.02.
it('keeps the amount of a shop that rounds each line item', async () => {
  const { createOrder, refundOrder } = await newClient();
  const line_items = ['a', 'b', 'c'].map((id) => ({ id, quantity: 1, unit_price: 33.335 }));
  expect((await createOrder({ amount: 105.02, shipping: 5, sales_tax: 0, line_items })).amount).toBe(105.02);
  expect((await refundOrder('r', '123', [105.02, 5, 0])).amount).toBe(-105.02);
});

// "amount must be equal to the sum of line items and shipping, excluding sales tax" (TaxJar's support, on version
// 2020-08-07). "Effective July 1, 2021, all TaxJar accounts will default to version '2020-08-07'" (TaxJar's API reference).
it('refuses an amount that is not the sum of the line items, except for the first API version', async () => {
  const { caller } = await newClient();
  const send = (version: string, method: 'POST' | 'PUT', path: string, body: object) =>
    sendRaw(caller, method, path, body, { 'x-api-version': version });
  const lines = [
    { id: 'a', quantity: 2, unit_price: 10, discount: 3, product_identifier: 'mug' },
    { id: 'b', quantity: 1, unit_price: -2 },
  ];
  const sale = { ...order, transaction_id: 't', amount: 20, shipping: 5, sales_tax: 1.78, line_items: lines };
  for (const version of ['', '2018-01-01', '2020-08-07', '2022-01-24'])
    expect(await send(version, 'POST', 'orders', { ...sale, transaction_id: 'u', amount: 25 })).toMatchObject({
      status: 400,
      response: { detail: 'amount is 25.00, but the line items and the shipping add up to 20.00. Send their sum.' },
    });
  // The amount may differ from the sum by a cent per line item, because of rounding.
  expect((await send('2022-01-24', 'POST', 'orders', { ...sale, amount: 20.02 })).status).toBe(201);
  expect((await send('2012-01-01', 'POST', 'orders', { ...sale, transaction_id: 'u', amount: 25 })).status).toBe(201);
  // The sum of line items without a valid quantity is unknown.
  const none = { ...sale, transaction_id: 'w', line_items: [{ ...lines[0], quantity: 0, discount: 0 }] };
  expect((await send('', 'POST', 'orders', none)).response.detail).toContain('quantity');
  const changed = { ...sale, shipping: 6 };
  expect((await send('2022-01-24', 'PUT', 'orders/t', { ...changed, amount: 25 })).status).toBe(400);
  expect((await send('2022-01-24', 'PUT', 'orders/t', { ...changed, amount: 21 })).status).toBe(200);
  expect((await send('2022-01-24', 'PUT', 'orders/t', { transaction_id: 't', shipping: 5 })).status).toBe(200);
  // An amount that is not sent follows the line items.
  const fewer = await send('2022-01-24', 'PUT', 'orders/t', { line_items: [lines[0]] });
  expect(fewer).toMatchObject({ status: 200, response: { order: { amount: '22.00' } } });
  expect((await send('2022-01-24', 'PUT', 'orders/t', { line_items: lines })).status).toBe(200);
  const refund = (amount: number) =>
    buildRefund('r', 't', [amount, -5, -1], { line_items: [{ ...lines[0], quantity: -1, discount: -1.5 }] });
  expect((await send('2022-01-24', 'POST', 'refunds', refund(-20))).status).toBe(400);
  expect((await send('2022-01-24', 'POST', 'refunds', refund(-13.5))).status).toBe(201);
});

// As the discount, WooCommerce sends the price before the change minus the price after it: 10.00 - 12.00. A refund has
// the opposite sign: -10.00 + 12.00.
it('adds a discount with the opposite sign to the price if the order amount is then the sum', async () => {
  const { createOrder, refundOrder } = await newClient();
  const raised = { id: '71', quantity: 3, unit_price: 10, discount: -6, product_identifier: 'mug' };
  const sale = { shipping: 0, sales_tax: 3.2, line_items: [raised] };
  const expected = { amount: 36, line_items: [{ unit_price: 12, discount: 0 }] };
  expect(await createOrder({ ...sale, amount: 36 })).toMatchObject(expected);
  const line_items = [{ ...raised, id: '81', quantity: -1, discount: 2 }];
  const refund = await refundOrder('r', '123', [12, 0, -1.07], { line_items });
  expect(refund).toMatchObject({ amount: -12, line_items: [{ id: '71' }] });
  // Other shops send every discount with a minus sign.
  const reduced = await createOrder({ ...sale, transaction_id: '124', amount: 24 });
  expect(reduced).toMatchObject({ amount: 24, line_items: [{ discount: 6 }] });
});

it('refunds one line item of an order with several refund line items', async () => {
  const { client, createOrder, refundOrder } = await newClient();
  const mug = { product_identifier: 'mug', quantity: 1, unit_price: 10 };
  const shirts = { id: 'b', product_identifier: 'shirt', quantity: 1, unit_price: 30 };
  const sold = [{ ...mug, id: 'a', quantity: 3 }, shirts];
  await createOrder({ ...michigan, amount: 60, sales_tax: 3.6, line_items: sold });
  const refund = (id: string, reference: string, line_items: object[]) =>
    refundOrder(id, reference, [-20, 0, -1.2], { ...michigan, line_items });
  // The refund uses the ids of the order, and then its own ids.
  const a = { ...mug, id: 'a' };
  const refunded = ['8', '9'].map((id) => ({ ...mug, id }));
  const twice = await refund('r1', '123', [a, a]);
  expect(twice).toMatchObject({ amount: -20, sales_tax: -1.2, line_items: [{ id: 'a' }, { id: 'a' }] });
  const changed = await client.updateRefund({ ...twice, sales_tax: -1 } as never);
  expect(changed.refund).toMatchObject({ amount: -20, sales_tax: -1 });
  // Only one of three mugs is left.
  expect(await refusal(refund('r2', '123', refunded))).toMatch(/^406 .*10\.00/);
  await client.deleteRefund('r1');
  expect((await refund('r2', '123', refunded)).amount).toBe(-20);
  expect((await refund('r3', 'unknown', [a, a])).amount).toBe(-20);
});

it('refunds line items of one product at several prices, in one refund and in several', async () => {
  const { caller, createOrder, refundOrder } = await newClient();
  const mug = (id: string, quantity: number, unit_price: number) => ({
    product_identifier: 'mug',
    id,
    quantity,
    unit_price,
  });
  const refund = async (reference: string, id: string, tax: number, ...prices: number[]) => {
    const line_items = prices.map((price, at) => mug(`${id}-${at}`, 1, -price));
    const amount = prices.reduce((sum, price) => sum - price, 0);
    const refunded = await refundOrder(id, reference, [amount, 0, -tax], { ...michigan, line_items });
    return refunded.line_items?.map((line) => line.id);
  };
  await createOrder({ ...michigan, amount: 45, sales_tax: 2.7, line_items: [mug('a', 2, 10), mug('b', 1, 25)] });
  expect(await refund('123', 'r1', 2.7, 10, 10, 25)).toEqual(['a', 'a', 'b']);
  const line_items = [mug('a', 1, 10), mug('b', 1, 10)];
  await createOrder({ ...michigan, transaction_id: '124', amount: 20, sales_tax: 1.2, line_items });
  expect(await refund('124', 'r2', 0.6, 10)).toEqual(['a']);
  expect(await refund('124', 'r3', 0.6, 10)).toEqual(['b']);
  const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
  expect(data.map(({ refund_status }) => refund_status)).toEqual(['full', 'full']);
});

it('refunds the line item of the same product if the id belongs to another product', async () => {
  const { createOrder, refundOrder } = await newClient();
  const mug = { id: '1', quantity: 1, unit_price: 100, product_identifier: 'mug' };
  const shirt = { ...mug, id: '2', unit_price: 20, product_identifier: 'shirt', product_tax_code: '20010' };
  // N.Y. Tax Law 1115(a)(30) exempts clothing below 110.00. The tax of the mug is 8.88.
  await createOrder({ amount: 120, shipping: 0, sales_tax: 8.88, line_items: [mug, shirt] });
  const refund = async (id: string, amounts: readonly number[], returned: object) =>
    (await refundOrder(id, '123', amounts, { line_items: [{ ...returned, id: '1', quantity: -1 }] })).line_items;
  expect(await refund('r1', [-20, 0, 0], shirt)).toMatchObject([{ id: '2', product_identifier: 'shirt' }]);
  // A product that is not in the order does not change the line item.
  const other = await refund('r2', [-50, 0, -4.44], { ...mug, unit_price: 50, product_identifier: 'new' });
  expect(other).toMatchObject([{ id: '1', product_identifier: 'mug' }]);
  expect(await refund('r3', [-50, 0, -4.44], { ...mug, unit_price: 50 })).toMatchObject([{ id: '1' }]);
});

it('subtracts a coupon among the line items of a refund from the others', async () => {
  const { caller, createOrder, refundOrder } = await newClient();
  // The coupon reduces only general goods of a sale.
  const items = (sign: 1 | -1, code = '') => [
    { id: 'a', quantity: 1, unit_price: sign * 60, product_tax_code: code },
    { id: 'b', quantity: 2, unit_price: sign * 20 },
    { id: 'coupon', quantity: 1, unit_price: sign * -10 },
  ];
  const sell = (transaction_id: string, code?: string) =>
    createOrder({ ...michigan, transaction_id, amount: 90, sales_tax: 5.4, line_items: items(1, code) });
  const refund = (reference: string) =>
    refundOrder(`r of ${reference}`, reference, [-90, 0, -5.4], { ...michigan, line_items: items(-1) });
  await sell('o');
  for (const reference of ['o', 'unknown'])
    expect(await refund(reference)).toMatchObject({ amount: -90, sales_tax: -5.4 });
  await sell('clothing', '20010');
  expect((await refund('clothing')).line_items?.map(({ discount }) => discount)).toEqual([0, -10]);
  const { data } = await made(caller.call('GET', '/transactions?type=sale' as '/transactions'));
  expect(data).toMatchObject(Array(2).fill({ refund_status: 'full', credited_amount: '90.00' }));
});

// WooCommerce sends the refunded item with its quantity below zero, and the refunded fee with the price of the order.
it('adds line items of a refund with different signs if their amount is the sum', async () => {
  const { createOrder, refundOrder } = await newClient();
  const mug = { id: '31', quantity: 1, unit_price: 10, product_identifier: 'mug' };
  const fee = { id: '32', quantity: 1, unit_price: 5 };
  await createOrder({ ...michigan, amount: 15, sales_tax: 0.9, line_items: [mug, fee] });
  const line_items = [
    { ...mug, id: '41', quantity: -1 },
    { ...fee, id: '42' },
  ];
  const refund = await refundOrder('r', '123', [15, 0, -0.9], { line_items });
  expect(refund).toMatchObject({ amount: -15, sales_tax: -0.9, line_items: [{ id: '31' }, { id: '42' }] });
});

it('subtracts a coupon without a code from all line items if none of them is general goods', async () => {
  const { client, createOrder } = await newClient();
  const shirt = { id: 'shirt', quantity: 1, unit_price: 200, product_tax_code: '20010' };
  const coupon = { id: 'coupon', quantity: 1, unit_price: -20 };
  const sent = { amount: 180, shipping: 0, line_items: [shirt, coupon] };
  // N.Y. Tax Law 1115(a)(30) taxes clothing of 110.00 or more: 8.875 % of 180.00.
  const { tax } = await client.taxForOrder({ ...to, ...sent });
  expect(tax).toMatchObject({ order_total_amount: 180, amount_to_collect: 15.98 });
  const created = await createOrder({ ...sent, sales_tax: 15.98 });
  expect(created).toMatchObject({ amount: 180, line_items: [{ id: 'shirt', unit_price: 200, discount: 20 }] });
  // A coupon with a code is kept, and reduces the goods with this code.
  const coded = [shirt, { ...coupon, product_tax_code: '20010' }];
  const { line_items } = await createOrder({ ...sent, transaction_id: 'coded', sales_tax: 15.98, line_items: coded });
  expect(line_items?.map(({ id }) => id)).toEqual(['shirt', 'coupon']);
  // This coupon exceeds the price of the goods.
  const tooMuch = { ...sent, transaction_id: '124', amount: 1, line_items: [shirt, { ...coupon, unit_price: -201 }] };
  expect(await refusal(createOrder(tooMuch))).toMatch(/^406 /);
});

it('reports no tax of the seller for orders of a marketplace', async () => {
  const { client, createOrder, refundOrder } = await newClient();
  expect(await createOrder({ exemption_type: 'marketplace' })).toMatchObject({ amount: 16.5, sales_tax: 0 });
  // A refund does not repeat the exemption type.
  const amounts = { amount: -16.5, shipping: -1.5, sales_tax: 0 };
  expect(await refundOrder('r', '123', [-16.5, -1.5, -1.46])).toMatchObject(amounts);
  const changed = await client.updateRefund({ transaction_id: 'r', transaction_reference_id: '123', sales_tax: -1 });
  expect(changed.refund.sales_tax).toBe(0);
});

it('reports no tax of the seller for orders whose provider is a marketplace, unless they are not exempt', async () => {
  const { caller, client, createOrder } = await newClient();
  const readSeller = async (transaction_id: string, fields: object) => {
    const sold = await createOrder({ transaction_id, ...fields });
    const [found] = (await made(caller.call('GET', `/transactions?reference_id=${transaction_id}`))).data ?? [];
    return [sold.sales_tax, found?.collected_by];
  };
  expect(await readSeller('a', { provider: 'amazon' })).toEqual([0, 'marketplace']);
  expect(await readSeller('b', { provider: 'Etsy' })).toEqual([0, 'marketplace']);
  expect(await readSeller('c', { provider: 'amazon', exemption_type: 'non_exempt' })).toEqual([1.46, 'seller']);
  expect(await readSeller('d', { provider: 'shop' })).toEqual([1.46, 'seller']);
  expect(await readSeller('e', { provider: 'facebook' })).toEqual([0, 'marketplace']);
  const change = { transaction_id: 'b', exemption_type: 'non_exempt', sales_tax: 1.46 } as const;
  expect((await client.updateOrder(change)).order.sales_tax).toBe(1.46);
});

it('never changes, deletes or replaces an order with the id of another provider', async () => {
  const { caller, client, createOrder, refundOrder } = await newClient();
  const shop = await createOrder({ provider: 'shop' });
  const ebay = { ...order, provider: 'ebay', amount: 21.5, sales_tax: 0 };
  expect(await refusal(createOrder(ebay))).toMatch(/^406 .* The provider shop has the order 123\. Send a diff/);
  for (const done of [
    () => client.updateOrder(ebay),
    () => client.showOrder('123', { provider: 'ebay' }),
    () => client.deleteOrder('123', { provider: 'ebay' }),
  ])
    expect(await refusal(done())).toBe('404 Not Found: The order 123 of the provider ebay was not found.');
  const refused = await refusal(refundOrder('r', '123', [-5, 0, -0.44], { provider: 'ebay' }));
  expect(refused).toMatch(/^406 .*: transaction_reference_id: The provider shop has the order 123\./);
  expect(await client.showOrder('123', { provider: 'Shop' })).toEqual({ order: shop });
  expect((await client.updateOrder({ transaction_id: '123', sales_tax: 1.45 })).order.provider).toBe('shop');
  const { order: deleted } = await client.deleteOrder('123', { provider: 'shop' });
  expect(deleted.sales_tax).toBe(1.45);
  // An order without a provider has the provider api, as in TaxJar's list. A change of a refund needs no provider.
  await createOrder({ transaction_id: '124' });
  const other = { ...ebay, transaction_id: '124' };
  expect(await refusal(createOrder(other))).toMatch(/^406 .* The provider api has the order 124\./);
  expect(await refusal(client.updateOrder(other))).toMatch(/^404 /);
  await createOrder({ transaction_id: '125', provider: 'shop' });
  await refundOrder('r', '125', [-5, 0, -0.44]);
  const { refund: changed } = await client.updateRefund(buildRefund('r', '125', [-6, 0, -0.53]));
  expect(changed).toMatchObject({ provider: 'api', amount: -6, line_items: [{ unit_price: -6 }] });
  expect(await refusal(client.deleteOrder('125'))).toMatch(/^422 .*The order has refunds/);
  // An order of Levy's API has no provider, so the shop's plugin can change it.
  const line_items = [{ id: 'mug', quantity: '1', unit_price: '10.00' }];
  await record(caller, '123', { customer: lansing, line_items });
  const change = { transaction_id: '123', provider: 'shop', sales_tax: 0.6 };
  expect((await client.updateOrder(change)).order).toMatchObject({ provider: 'shop', sales_tax: 0.6 });
});

it('finds the line item of an imported order by its product', async () => {
  const { caller, refundOrder } = await newClient();
  const line_items = ['cup', 'mug'].map((id) => ({ id, quantity: '2', unit_price: '10.00' }));
  await record(caller, 'old', { customer: lansing, line_items });
  const mug = [{ quantity: 1, product_identifier: 'mug', unit_price: -10 }];
  const refund = await refundOrder('back', 'old', [-10, 0, -0.6], { line_items: mug });
  expect(refund.line_items).toMatchObject([{ id: 'mug', unit_price: -10, sales_tax: -0.6 }]);
});

it('distributes a refund of shipping over the charges of an order in proportion, to the cent', async () => {
  const { caller, refundOrder } = await newClient();
  const line_items = [{ id: 'a', quantity: '2', unit_price: '50.00' }];
  const parcels = ['10.00', '6.00'].map((amount, at) => ({ id: `parcel-${at}`, amount }));
  const sale = await record(caller, 'two-parcels', { line_items, shipping: parcels });
  await record(caller, 'discounted', { line_items, shipping: { amount: '10.00', discount_amount: '4.00' } });
  const whole = await refundOrder('r0', 'discounted', [-6, -6, -0.53]);
  expect(whole).toMatchObject({ amount: -6, shipping: -6, sales_tax: -0.53 });
  const refund = (id: string, ...amounts: number[]) => refundOrder(id, 'two-parcels', amounts);
  // The refunds are half of the shipping, only its tax, the remainder after a credit of the first parcel, and a cent
  // too much.
  expect(await refund('r1', -8, -8, -0.71)).toMatchObject({ amount: -8, shipping: -8, sales_tax: -0.71 });
  expect(await refund('r2', 0, 0, -0.11)).toMatchObject({ shipping: 0, sales_tax: -0.11 });
  const parcel = { type: 'credit', status: 'finalized', parent_transaction_id: sale.id, tax_date: '2026-10-20' };
  const credit = { ...parcel, line_items: [{ id: 'a', quantity: '1', unit_price: '0' }] };
  const shipping = [{ id: 'parcel-0', amount: '5.00' }];
  const { tax_amount } = await made(caller.call('POST', '/transactions', { body: { ...credit, shipping } }));
  const rest = new Decimal(sale.tax_amount).minus('0.82').minus(tax_amount).neg().toNumber();
  expect(await refund('r3', -103, -3, rest)).toMatchObject({ amount: -103, sales_tax: rest });
  expect(await refusal(refund('r4', -0.01, -0.01, 0))).toMatch(/^406 /);
  const path = `/transactions?parent_transaction_id=${sale.id}&reference_id=r1` as '/transactions';
  const { data } = await made(caller.call('GET', path));
  expect([data[0]?.shipping].flat()).toMatchObject([
    { id: 'parcel-0', net_amount: '5.00' },
    { id: 'parcel-1', net_amount: '3.00' },
  ]);
  const credited = await made(caller.call('GET', `/transactions/${sale.id}` as '/transactions/{id}'));
  expect(credited).toMatchObject({ refund_status: 'full', credited_tax_amount: sale.tax_amount });
  await expectVerified(caller);
});
