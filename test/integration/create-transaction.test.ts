import { describe, expect, it } from 'vitest';
import type { Calculation } from '../../shared/calculations/response.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { newCaller, newClient } from '../support/api.ts';
import { buildCreditRequest, getRefusal, goods, later, made, retrieved, sale, sold } from '../support/sales.ts';

const listWarnings = ({ warnings }: Pick<Calculation, 'warnings'>): string[] => warnings.map(({ code }) => code);
const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
/** Incompressible text. */
const noise = (length: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(length * 0.75))))
    .toString('base64')
    .slice(0, length);
const noisyLines = (count: number) =>
  Array.from({ length: count }, (_, index) => goods({ id: `l${index}`, description: noise(1000) }));

describe('POST /transactions', () => {
  it('returns 201 with Location and ETag, by default for a draft sale', async () => {
    const client = await newClient();
    const response = await client.create(sale());
    expect(response.status).toBe(201);
    const location = response.headers.get('location') as string;
    // The URL with the stage in the path, as deployed, and without it.
    for (const base of ['https://a1b2.execute-api.us-east-1.amazonaws.com/v1', 'http://127.0.0.1:3000'])
      expect(new URL(location, `${base}/transactions`).href).toBe(`${base}/transactions/${response.body.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const texts = { object: 'transaction', type: 'sale', status: 'draft', currency: 'USD', collected_by: 'seller' };
    const amounts = { calculated_tax_amount: '6.00', credited_amount: '0.00', credited_tax_amount: '0.00' };
    const empty = nulls('explanation shipping discount_amount finalized_at filed_at voided_at void_reason');
    const flags = { tax_included: false, explain: false, metadata: {}, filings: [], version: 1 };
    const states = { tax_amount_source: 'calculated', refund_status: 'none', updated_at: response.body.created_at };
    expect(response.body).toMatchObject({ ...empty, ...texts, ...amounts, ...flags, ...states });
    expect(response.body.id).toMatch(/^txn_[0-9A-HJKMNP-TV-Z]{26}$/);
    const { pathname } = new URL(location, 'http://127.0.0.1/transactions');
    expect((await client.call('GET', pathname)).text).toBe(JSON.stringify(retrieved(response.body)));
  });

  it('treats null as absent in every field', async () => {
    const client = await newClient();
    const { id, created_at, updated_at, expires_at, ...plain } = await made(client.create(sale()));
    const documentFields =
      'currency ship_from discount_amount third_party_discount_amount shipping tax_included collected_by metadata explain type parent_transaction_id credit_remaining status reference_id tax_amount';
    const line = nulls('description discount_amount customer ship_from metadata');
    const body = sale({ ...nulls(documentFields), line_items: [goods({ id: 'item_1', ...line })] });
    expect(await made(client.create(body))).toMatchObject(plain);
  });

  it('lists unknown fields in warnings, and rejects them in strict mode', async () => {
    const client = await newClient();
    const body = sale({ colour: 'red', line_items: [goods({ 'a/b': 1 })] });
    const response = await client.create(body);
    expect(response.status).toBe(201);
    const pointers = response.body.warnings.filter(({ code }) => code === 'unknown_field');
    expect(pointers.map(({ pointer }) => pointer)).toEqual(['/line_items/0/a~1b', '/colour']);
    const strict = await client.create(body, { Prefer: 'handling=strict' });
    expect(getRefusal(strict)).toBe(
      '422 | validation_unknown_field /line_items/0/a~1b | validation_unknown_field /colour',
    );
    expect(strict.headers.get('preference-applied')).toBe('handling=strict');
  });

  it('accepts a calculation response unchanged', async () => {
    const client = await newClient();
    const others = { shipping: { amount: '7.95' }, discount_amount: '5.00', explain: true, metadata: { order: '7' } };
    const { object, ...calculation } = await made(client.calculate(sale(others)));
    const { status, body } = await client.create({ object, ...calculation }, { Prefer: 'handling=strict' });
    expect([status, body.tax_amount_source]).toEqual([201, 'provided']);
    expect(body).toMatchObject(calculation);
    expect(listWarnings(body)).toEqual(listWarnings(calculation));
  });

  it('warns if a line amount is not quantity times price, or the time zone changes the tax day, in each kind of request', async () => {
    const client = await newClient();
    const tax_date = '2026-10-08T22:00:00-04:00';
    const body = sale({ tax_date, line_items: [goods({ id: 'item_1', amount: '99.00' })] });
    const expected = ['tax_day_differs', 'line_amount_differs'];
    expect(listWarnings(await made(client.calculate(body)))).toEqual(expected);
    const draft = await made(client.create(body));
    expect([draft.tax_date, listWarnings(draft)]).toEqual(['2026-10-09T02:00:00Z', expected]);
    const changed = { line_items: [goods({ id: 'item_1', quantity: '3', amount: '1.00' })] };
    // Edits of other fields keep these warnings, because returns list their sales for review.
    expect(listWarnings(await made(client.update(draft.id, { tax_amount: '9.00' })))).toEqual([
      ...expected,
      'tax_amount_differs',
    ]);
    const shipped = { shipping: { amount: '5.00' }, tax_amount: null };
    expect(listWarnings(await made(client.update(draft.id, shipped)))).toEqual(expect.arrayContaining(expected));
    expect(listWarnings(await made(client.update(draft.id, { ...changed, shipping: null })))).toEqual(expected);
    const dated = { tax_date: '2026-10-08', line_items: [goods({ id: 'item_1' })] };
    expect(listWarnings(await made(client.update(draft.id, dated)))).toEqual([]);
    const parent = await sold(client);
    const line_items = [{ id: 'item_1', quantity: '1', unit_price: '50.00', amount: '40.00' }];
    const credit = await made(client.create(buildCreditRequest(parent, { status: 'draft', tax_date, line_items })));
    expect(listWarnings(credit)).toEqual(expected);
    expect(listWarnings(await made(client.update(credit.id, { status: 'finalized' })))).toEqual(expected);
  });

  it('rejects a transaction that is too large with 413, and stores one that barely fits', async () => {
    const client = await newClient();
    const tooLarge = await client.create(sale({ line_items: noisyLines(460) }));
    expect(getRefusal(tooLarge)).toBe('413 | validation_body_too_large');
    // 1,000 random characters take 750 bytes, so 370 of them are near the 300 KB limit.
    const body = sale({ line_items: noisyLines(370), status: 'finalized' });
    const response = await client.create(body, { 'Idempotency-Key': 'large' });
    expect(response.status).toBe(201);
    const replayed = await client.create(body, { 'Idempotency-Key': 'large' });
    expect(replayed.text).toBe(response.text);
    expect((await client.get(response.body.id)).text).toBe(JSON.stringify(retrieved(response.body)));
    const half = response.body.line_items.map(({ id }) => ({ id, quantity: '1' }));
    expect((await client.create(buildCreditRequest(response.body, { line_items: half.slice(100) }))).status).toBe(201);
    const rest = await made(client.create(buildCreditRequest(response.body, { credit_remaining: true })));
    const updated = await client.update(response.body.id, { metadata: { note: 'still there' } });
    expect([updated.status, updated.body.refund_status]).toEqual([200, 'full']);
    expect((await client.update(rest.id, { status: 'void' })).status).toBe(200);
  });
});

describe('supplied tax', () => {
  it('distributes a supplied tax over lines and jurisdictions in proportion to the calculated tax', async () => {
    const client = await newClient();
    const address = { state: 'HI', city: 'Honolulu', postal_code: '96813', country: 'US' };
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', unit_price: '25.00' })];
    const response = await made(client.create(sale({ customer: { address }, line_items, tax_amount: '3.01' })));
    expect(response.calculated_tax_amount).toBe('6.75');
    expect(response.line_items.map((line) => line.tax_amount)).toEqual(['2.01', '1.00']);
    const cents = (amount: string) => Math.round(Number(amount) * 100);
    for (const { taxes, tax_amount } of response.line_items)
      expect(taxes.reduce((sum, row) => sum + cents(row.tax_amount), 0)).toBe(cents(tax_amount));
  });

  it('rejects a supplied tax above the prices that include it, when a sale is recorded or updated', async () => {
    const client = await newClient();
    // Two mugs at 53.00 each are 100.00 and a tax of 6.00; the discount leaves 86.00.
    const priced = { tax_included: true, discount_amount: '20.00', line_items: [goods({ unit_price: '53.00' })] };
    const above = sale({ ...priced, tax_amount: '86.01' });
    expect(getRefusal(await client.create(above))).toBe('422 | validation_invalid_format /tax_amount');
    const { id, total_amount } = await made(client.create(sale({ ...priced, tax_amount: '86.00' })));
    expect(total_amount).toBe('86.00');
    const refused = await client.update(id, { tax_amount: '86.01' });
    expect(getRefusal(refused)).toBe('422 | validation_invalid_format /tax_amount');
    expect((await made(client.create({ ...above, tax_included: false }))).total_amount).toBe('172.01');
  });

  it('reports a supplied tax as over_collected for the state of the largest line if no tax was calculated', async () => {
    const client = await newClient();
    const oregon = { state: 'OR', city: 'Portland', postal_code: '97201', country: 'US' };
    const line_items = [goods({ id: 'small', unit_price: '1.00' }), goods({ id: 'large' })];
    const response = await sold(client, { customer: { address: oregon }, line_items, tax_amount: '1.00' });
    expect(response).toMatchObject({ tax_amount: '1.00', calculated_tax_amount: '0.00', total_amount: '103.00' });
    expect(response.line_items[0]?.tax_amount).toBe('0.00');
    const over = { jurisdiction_code: 'US-OR', tax_amount: '1.00', taxability_reason: 'over_collected' };
    expect(response.line_items[1]?.taxes[0]).toMatchObject(over);
    expect(listWarnings(response)).toContain('tax_amount_differs');
  });

  // Colorado's fee is 0.28 per delivery. Minnesota's is 0.50 from 100.00, even on exempt clothing. Denver's tax is
  // 9.15.
  it.each([
    ['CO', 'GENERAL', '9.15', '0.00', '9.15', null],
    ['CO', 'GENERAL', '9.09', '0.28', '8.81', null],
    ['CO', 'GENERAL', '12.00', '0.28', '11.72', null],
    ['CO', 'GENERAL', '0.20', '0.00', '0.20', null],
    ['MN', 'GENERAL', '9.00', '0.50', '8.50', null],
    ['MN', 'CLOTHING.APPAREL', '0.75', '0.50', '0.25', '0.25'],
    ['MN', 'CLOTHING.APPAREL', '0.30', '0.30', '0.00', null],
  ])('records a delivery fee in full or not at all: %s, %s, %s', async (state, code, tax_amount, fee, tax, over) => {
    const client = await newClient({ settings: { retail_delivery_fee: 'add' } });
    const city = state === 'CO' ? { city: 'Denver', postal_code: '80202' } : { city: 'Duluth', postal_code: '55802' };
    const line_items = [goods({ quantity: '1', unit_price: '100.00', product_tax_code: code })];
    const customer = { address: { state, country: 'US', ...city } };
    const recorded = await sold(client, { tax_date: '2026-10-08', customer, line_items, tax_amount });
    expect(recorded.line_items.map((line) => line.tax_amount)).toEqual([tax, fee]);
    const rows = recorded.line_items.flatMap(({ taxes }) => taxes);
    const overCollected = rows.filter(({ taxability_reason }) => taxability_reason === 'over_collected');
    expect(overCollected.map((row) => row.tax_amount)).toEqual(over === null ? [] : [over]);
  });

  it('warns if the tax of line items differs from the recorded tax, unless the document has a tax', async () => {
    const client = await newClient();
    const lines = (...taxes: unknown[]) => taxes.map((tax_amount, at) => goods({ id: `item_${at}`, tax_amount }));
    const warned = async (line_items: unknown[], others = {}) =>
      (await made(client.create(sale({ line_items, ...others })))).warnings
        .filter(({ code }) => code === 'line_tax_ignored')
        .map(({ message }) => message.split('. Send')[0]);
    // Michigan: 6 % of two mugs at 50.00.
    expect(await warned(lines('6.00', '6'))).toEqual([]);
    expect(await warned(lines('6.10', 5.9))).toEqual([]);
    const message = 'The tax_amount of line items and shipping, 8.25 in total, is ignored: Levy recorded 6.00 on them';
    expect(await warned(lines(undefined, '8.25'))).toEqual([message]);
    expect(await warned(lines(undefined, '8.25'), { tax_amount: '14.25' })).toEqual([]);
    // Michigan exempts separately stated delivery (MCL 205.51(1)(d)).
    const shipped = (tax_amount: string) => ({ shipping: { amount: '10.00', tax_amount } });
    expect(await warned(lines('6.00'), shipped('0'))).toEqual([]);
    expect(await warned(lines('6.00'), shipped('0.60'))).toEqual([
      'The tax_amount of line items and shipping, 6.60 in total, is ignored: Levy recorded 6.00 on them',
    ]);
  });

  // The marketplace remits the tax that it collects. A tax that is sent counts as collected by the seller.
  it.each(['seller', 'marketplace'])('warns about a tax sent with a sale of a %s', async (collected_by) => {
    const { warnings } = await sold(await newClient(), { collected_by, tax_amount: '8.25' });
    const [message = ''] = warnings.flatMap(({ code, message }) => (code === 'tax_amount_differs' ? [message] : []));
    expect(message.includes('send tax_amount "0"')).toBe(collected_by === 'marketplace');
  });
});

it('accepts any text as a reference_id: emoji, slashes and item keys are ordinary references', async () => {
  const client = await newClient();
  for (const reference_id of ['🧾'.repeat(127), 'a/b#c?d', `R#${'x'.repeat(200)}`, '__proto__']) {
    const { id } = await made(client.create(sale({ reference_id })));
    expect((await made(client.list({ reference_id }))).data.map((row) => row.id)).toEqual([id]);
  }
});

describe('tax dates in the time zone of the account', () => {
  const evening = '2026-11-01T00:30:00Z';
  const local = '2026-10-31T20:30:00-04:00';

  it('changes nothing if a stored tax date is sent again, even after the time zone has changed', async () => {
    const client = await newClient({ settings: { time_zone: 'America/New_York' } });
    const { id, tax_date } = await sold(client, { tax_date: evening });
    await changeSettings(client.account, { time_zone: 'America/Chicago' });
    await later(61_000, async () => {
      const again = await made(client.update(id, { tax_date, status: 'finalized' }));
      expect([again.version, again.tax_date]).toEqual([1, local]);
    });
  });

  it('interprets the range of a reconciliation in the time zone', async () => {
    const { call } = await newCaller({ settings: { time_zone: 'America/New_York' } });
    const transactions = [{ reference_id: 'a', total_amount: '106.00', tax_amount: '6.00' }];
    const asked = (from: string, to: string) => call('POST', '/reconciliations', { body: { from, to, transactions } });
    expect((await asked('2026-11-01T02:00:00Z', '2026-10-31')).status).toBe(200);
    expect(getRefusal(await asked('2026-11-01', '2026-11-01T02:00:00Z'))).toBe('422 | validation_invalid_format /to');
  });

  it('records an evening sale with an offset on its UTC day by default', async () => {
    const client = await newClient();
    expect((await sold(client, { tax_date: '2026-10-31T20:30:00-04:00' })).tax_date).toBe('2026-11-01T00:30:00Z');
    expect((await sold(client, { tax_date: evening })).tax_date).toBe(evening);
    const refused = await client.create(sale({ tax_date: '2026-10-31T20:30:00-0400' }));
    expect(getRefusal(refused)).toBe('422 | validation_invalid_format /tax_date');
  });

  it("determines whether a period is closed by the day in the account's time zone", async () => {
    const client = await newClient({ settings: { time_zone: 'America/New_York', books_open_from: '2026-11-01' } });
    const refused = await client.create(sale({ tax_date: evening }));
    expect(getRefusal(refused)).toBe('422 | validation_date_out_of_range /tax_date');
    expect((await client.create(sale({ tax_date: '2026-11-01T04:00:00Z' }))).status).toBe(201);
  });
});
