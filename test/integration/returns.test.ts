import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { closedFiling, dryRun, everyException, type Filer, monthly, newFiler, settled } from '../support/filings.ts';
import { drawFrom } from '../support/random-orders.ts';
import { buildCreditRequest, getRefusal, made } from '../support/sales.ts';

// Credits of any parts of sales with a supplied tax are tested in test/unit/credit-sums.test.ts, and the sums of a whole
// month in closed-month.test.ts.

const virginia = { city: 'Arlington', state: 'VA', postal_code: '22201' };
const figures = [
  'gross_amount',
  'taxable_amount',
  'exempt_amount',
  'calculated_tax_amount',
  'tax_amount',
  'over_collected_amount',
] as const;

it('reverses an uncollected fee in a credit of the remainder', async () => {
  const settings = { registrations: [monthly('CO', '2026-08-01')], books_open_from: '2026-08-01' };
  const shop = await newFiler({ ...settings, retail_delivery_fee: 'add' });
  const address = { city: 'Denver', state: 'CO', postal_code: '80202' };
  const line = { id: 'item', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' };
  const body = { status: 'finalized', tax_date: '2026-08-03', tax_amount: '0.00' };
  const sale = await made(shop.create({ ...body, customer: { address }, line_items: [line] }));
  const one = { line_items: [{ parent_line_item_id: 'item', quantity: '1' }], tax_date: '2026-08-05' };
  await made(shop.create(buildCreditRequest(sale, one)));
  await made(shop.create(buildCreditRequest(sale, { credit_remaining: true, tax_date: '2026-08-06' })));
  const { totals } = await dryRun(shop, 'CO', '2026-08-31');
  const fee = totals.find(({ jurisdiction_code }) => jurisdiction_code === 'US-CO-RDF');
  expect([sale.calculated_tax_amount, fee?.calculated_tax_amount]).toEqual(['9.43', '0.00']);
});

it('reverses the exemption when a draft credit is finalized after a tax was recorded on the exempt sale', async () => {
  const shop = await newFiler();
  const customer = { address: { postal_code: '48226', state: 'MI' }, exemption: { type: 'resale' } };
  const line = { id: 'item', product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' };
  const body = { status: 'finalized', tax_date: '2026-09-03', customer, line_items: [line] };
  const sale = await made(shop.create(body));
  const draft = await made(shop.create(buildCreditRequest(sale, { status: 'draft', tax_date: '2026-09-10' })));
  await made(shop.update(sale.id, { tax_amount: '5.00' }));
  await made(shop.update(draft.id, { status: 'finalized', tax_amount: '5.00' }));
  const { summary } = await dryRun(shop, 'MI', '2026-09-30');
  expect(summary[0]?.gross_amount).toBe('0.00');
  expect(summary[0]?.exempt_by_reason).toMatchObject({ resale: '0.00', product: '0.00' });
});

const finalized = { status: 'finalized' };
const recordings: Readonly<Record<string, (filer: Filer, body: object) => Promise<{ readonly id: string }>>> = {
  'with the sale': (filer, body) => made(filer.create({ ...body, ...finalized, tax_amount: '14.00' })),
  'after the sale': async (filer, body) => {
    const { id } = await made(filer.create({ ...body, ...finalized }));
    return made(filer.update(id, { tax_amount: '14.00' }));
  },
  'before its draft is finalized': async (filer, body) => {
    const { id } = await made(filer.create({ ...body, tax_amount: '0.05' }));
    await made(filer.update(id, { tax_amount: '14.00' }));
    return made(filer.update(id, finalized));
  },
};

it.each(Object.entries(recordings))(
  'reverses the same calculated tax after the tax of a credit is changed, of a sale with a tax supplied %s',
  async (_, record) => {
    const shop = await newFiler();
    const line = { id: 'item', product_tax_code: 'GENERAL', quantity: '10', unit_price: '20.00' };
    const body = { tax_date: '2026-09-03', customer: { address: virginia }, line_items: [line] };
    const sale = await record(shop, body);
    const lines = { line_items: [{ parent_line_item_id: 'item', quantity: '6' }] };
    const figuresNow = async () => {
      const { summary } = await dryRun(shop, 'VA', '2026-09-30');
      return [summary[0]?.tax_amount, summary[0]?.calculated_tax_amount, summary[0]?.over_collected_amount];
    };
    expect(await figuresNow()).toEqual(['14.00', '12.00', '2.00']);
    const sixTenths = await made(shop.create(buildCreditRequest(sale, { ...lines, tax_date: '2026-09-15' })));
    expect([await figuresNow(), sixTenths.tax_amount]).toEqual([['5.60', '4.80', '0.80'], '8.40']);
    await made(shop.update(sixTenths.id, { tax_amount: '1.00' }));
    expect(await figuresNow()).toEqual(['13.00', '4.80', '8.20']);
    await made(shop.create(buildCreditRequest(sale, { credit_remaining: true, tax_date: '2026-09-16' })));
    expect(await figuresNow()).toEqual(['0.00', '0.00', '0.00']);
  },
);

describe('transactions in several states of an account with few registrations', () => {
  const addresses = {
    MN: { city: 'Minneapolis', state: 'MN', postal_code: '55401' },
    VA: virginia,
    HI: { city: 'Honolulu', state: 'HI', postal_code: '96813' },
    TX: { city: 'Houston', state: 'TX', postal_code: '77002' },
    OR: { city: 'Portland', state: 'OR', postal_code: '97201' },
  };
  const states = Object.keys(addresses) as (keyof typeof addresses)[];
  const draw = drawFrom(20_262);
  const cases = Array.from({ length: 24 }, (_, at) => ({
    registered: draw.of([['MN'], ['MN', 'VA'], []] as const),
    tax_amount: draw.of([undefined, '0.00', '0.01', '0.02', '8.25', '31.07']),
    shipping: draw.oneIn(2) ? { amount: '7.50' } : null,
    lines: Array.from({ length: 1 + (at % 4) }, (_, line) => ({
      id: `item_${line}`,
      product_tax_code: 'GENERAL',
      quantity: String(1 + draw.below(3)),
      unit_price: new Decimal(1 + draw.below(9_000)).div(100).toFixed(2),
      customer: { address: { ...addresses[draw.of(at % 3 === 0 ? (['TX'] as const) : states)], country: 'US' } },
    })),
  }));

  it("reports zero in every state's return after the transactions were credited line by line", async () => {
    const left: string[] = [];
    for (const { registered, tax_amount, shipping, lines } of cases) {
      const filer = await newFiler({ registrations: registered.map((state) => monthly(state)) });
      const body = { status: 'finalized', tax_date: '2026-10-08', line_items: lines, shipping, tax_amount };
      const sale = await made(filer.create({ ...body, customer: lines[0]?.customer }));
      for (const { id, quantity } of lines)
        await made(filer.create(buildCreditRequest(sale, { tax_date: '2026-10-09', line_items: [{ id, quantity }] })));
      const refunded = await made(filer.get(sale.id));
      if (refunded.refund_status !== 'full')
        await made(filer.create(buildCreditRequest(sale, { tax_date: '2026-10-10', credit_remaining: true })));
      for (const state of states) {
        const { summary } = await dryRun(filer, state, '2026-10-31');
        for (const row of summary)
          for (const name of figures)
            if (!new Decimal(row[name]).isZero()) left.push(`${sale.id} ${state} ${name} ${row[name]}`);
      }
    }
    expect(left).toEqual([]);
  });

  it('reports a sale with recorded tax and its credit in the return of a state without a registration', async () => {
    const filer = await newFiler({ registrations: [monthly('MI')] });
    const line = (id: string, unit_price: string) => ({ id, quantity: '1', unit_price, product_tax_code: 'GENERAL' });
    const line_items = [line('a', '100.00'), line('b', '50.00')];
    const body = { status: 'finalized', tax_date: '2026-10-08', tax_amount: '8.25', line_items };
    const sale = await made(filer.create({ ...body, customer: { address: { ...addresses.TX, country: 'US' } } }));
    const part = { tax_date: '2026-10-09', line_items: [{ id: 'b', quantity: '1' }] };
    const credit = await made(filer.create(buildCreditRequest(sale, part)));
    const filing = await closedFiling(filer, 'TX', '2026-10-31');
    expect(filing.summary).toMatchObject([{ gross_amount: '100.00', credit_amount: '-50.00', tax_amount: '8.25' }]);
    const filed = { status: 'filed', confirmation_number: 'c-1', acknowledge_exceptions: 1 };
    await settled(filer, (await made(filer.change(filing.id, filed))).id);
    expect((await made(filer.get(credit.id))).status).toBe('filed');
  });
});

it('lists the sales that the content does not cover, at most 100 of them in a dry run', async () => {
  const shop = await newFiler({ books_open_from: '2020-01-01' });
  const customer = { address: { city: 'Indianapolis', state: 'IN', postal_code: '46204' } };
  for (let at = 0; at < 112; at++) {
    const product_tax_code = at < 104 ? 'FOOD.GROCERY' : 'GENERAL';
    const line_items = [{ product_tax_code, quantity: '1', unit_price: `${at + 1}.00` }];
    const body = { status: 'finalized', reference_id: `order-${at}`, tax_date: '2021-08-15', customer, line_items };
    await made(shop.create(body));
  }
  const references = Array.from({ length: 104 }, (_, at) => `order-${at}`);
  const dry = await dryRun(shop, 'IN', '2021-08-31');
  expect(dry.exceptions?.transactions?.map(({ reference_id }) => reference_id)).toEqual(references.slice(0, 100));
  const { id } = await made(shop.close({ state: 'IN', period_end: '2021-08-31' }));
  const filing = await settled(shop, id);
  // The sums of 1 to 104 and of 105 to 112 are 5460 and 868.
  const sums = { count: 104, gross_amount: '5460.00' };
  const by_reason = [{ reason: 'not_covered', currency: 'USD', ...sums }];
  expect(filing.exceptions).toEqual({ ...sums, by_reason, transactions: null });
  expect(filing.exceptions).toEqual({ ...dry.exceptions, transactions: null });
  // The list returns the same amounts, from the filing's item.
  expect((await made(shop.filings())).data.map(({ exceptions }) => exceptions)).toEqual([filing.exceptions]);
  const amounts = { gross_amount: '6328.00', not_covered_amount: '5460.00', taxable_amount: '868.00' };
  expect(filing.summary).toMatchObject([{ ...amounts, tax_amount: '60.76', count: 112 }]);
  const listed = (await everyException(shop, id, 25)).map(({ reference_id }) => reference_id);
  expect(listed.sort()).toEqual(references.sort());
  const page = await made(shop.exceptions(id, { limit: '2' }));
  expect(page.url).toBe(`/filings/${id}/exceptions`);
  expect(page.data).toHaveLength(2);
  for (const path of [`/filings/${id}?expand=entries&`, '/filings?'])
    expect(getRefusal(await shop.call('GET', `${path}starting_after=${page.next_cursor}`))).toBe(
      '422 | validation_invalid_cursor starting_after',
    );
});
