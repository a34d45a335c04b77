import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Caller, newCaller } from '../support/api.ts';
import { sum } from '../support/entry-texts.ts';
import {
  closedFiling,
  createFiler,
  dryRun,
  everyEntry,
  everyException,
  expectVerified,
  type Filer,
  type Filing,
  monthly,
  newFiler,
  settled,
} from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { buildCreditRequest, getRefusal, listCharges, made } from '../support/sales.ts';

// Sales with a supplied tax, refunded in parts over several months until the returns net to zero. The
// expected shares come from calculations and from the requests, not from recorded credits. Sums of a whole month are
// tested in closed-month.test.ts.

type Transaction = Schema<'Transaction'>;
type Entry = Schema<'FilingEntry'>;

/** Places with four, three and one jurisdictions, without tax, and without content. */
const places = {
  MN: { city: 'Minneapolis', state: 'MN', postal_code: '55401' },
  VA: { city: 'Arlington', state: 'VA', postal_code: '22201' },
  HI: { city: 'Honolulu', state: 'HI', postal_code: '96813' },
  OR: { city: 'Portland', state: 'OR', postal_code: '97201' },
  GU: { city: 'Hagatna', state: 'GU', postal_code: '96910' },
} as const;
type State = keyof typeof places;
const months = ['2026-08', '2026-09', '2026-10'] as const;
const ends = ['2026-08-31', '2026-09-30', '2026-10-31'] as const;

const draw = drawFrom(20_262);
const saleCount = 35;
const dollars = (cents: number) => new Decimal(cents).div(100).toFixed(2);

/** A sale, its calculated tax, and its active credits with the share of each charge's net that was credited so far. */
type Case = {
  readonly state: State;
  readonly sale: Transaction;
  readonly calculated: Schema<'Calculation'>;
  readonly credits: { readonly id: string; readonly shares: readonly Decimal[] }[];
};

const buildBody = (state: State, at: number) => ({
  customer: { address: places[state] },
  line_items: Array.from({ length: 1 + (at % 3) }, (_, line) => ({
    id: `item_${line}`,
    product_tax_code: 'GENERAL',
    quantity: String(1 + draw.below(5)),
    unit_price: dollars(1 + draw.below(draw.oneIn(3) ? 200 : 9_000)),
  })),
  ...(draw.oneIn(2) && { shipping: { amount: dollars(100 + draw.below(1_500)) } }),
  ...(draw.oneIn(3) && { third_party_discount_amount: '0.01' }),
});

const record = async (filer: Filer, at: number): Promise<Case> => {
  const state = draw.of(Object.keys(places) as State[]);
  const body = buildBody(state, at);
  const calculated = await made(filer.calculate({ ...body, tax_date: `${months[0]}-03` }));
  const factor = draw.of(['0', '0.4', '0.97', '1.03', '1.5', '3']);
  const tax = new Decimal(calculated.tax_amount).times(factor).plus(draw.below(4) / 100);
  const dated = { ...body, tax_date: `${months[0]}-03` };
  const supplied = { tax_amount: tax.toFixed(2) };
  const ways = {
    created: () => made(filer.create({ ...dated, ...supplied, status: 'finalized' })),
    replaced: async () => {
      const { id } = await made(filer.create({ ...dated, status: 'finalized' }));
      return made(filer.update(id, supplied));
    },
    draft: async () => {
      const { id } = await made(filer.create({ ...dated, tax_amount: '0.05', status: 'draft' }));
      await made(filer.update(id, supplied));
      return made(filer.update(id, { status: 'finalized' }));
    },
  };
  const sale = await ways[draw.of(['created', 'created', 'replaced', 'draft'] as const)]();
  return { state, sale, calculated, credits: [] };
};

const isDone = ({ refund_status }: Transaction) => refund_status === 'full';

/** The credited share of each line's net, and of the shipping. */
const listShares = (sale: Transaction, live: readonly Transaction[]): Decimal[] => {
  const getShare = (net: Decimal.Value, credited: Decimal) =>
    new Decimal(net).isZero() ? new Decimal(0) : credited.div(net);
  const ofLine = (id: string) =>
    sum(
      live.flatMap(({ line_items }) =>
        line_items.filter((line) => line.parent_line_item_id === id).map((line) => line.net_amount),
      ),
    );
  return [
    ...sale.line_items.map((line) => getShare(line.net_amount, ofLine(line.id))),
    getShare(sale.shipping_amount, sum(live.map(({ shipping_amount }) => shipping_amount))),
  ];
};

const buildRequest = (sale: Transaction) => {
  const line = draw.of(sale.line_items);
  const part = { parent_line_item_id: line.id, quantity: '1' };
  const share = dollars(Math.floor(Number(line.net_amount) * draw.below(60)));
  return draw.of([
    ...Array(2).fill({ line_items: [{ ...part, unit_price: share }] }),
    { line_items: [{ ...part, unit_price: share }], tax_amount: dollars(draw.below(40)) },
    { line_items: [{ ...part, unit_price: '0.00' }], tax_amount: dollars(1 + draw.below(60)) },
    { line_items: [part] },
    { line_items: [], shipping: { amount: dollars(1 + draw.below(200)) } },
  ]);
};

/** Credits a sale in random parts, voids and changes some credits, and then credits the remainder. */
const refund = async (filer: Filer, { sale, credits }: Case) => {
  const live: Transaction[] = [];
  const take = async (body: object, month: string) => {
    const response = await filer.create(buildCreditRequest(sale, { ...body, tax_date: `${month}-15` }));
    if (response.status !== 201) return;
    live.push(response.body);
    credits.push({ id: response.body.id, shares: listShares(sale, live) });
  };
  for (let step = draw.below(9); step > 0; step -= 1) {
    const month = draw.of(months);
    const last = live.at(-1);
    const kind = draw.of(['credit', 'credit', 'credit', 'void', 'tax', 'tax'] as const);
    if (last && kind === 'void') {
      await made(filer.update(last.id, { status: 'void' }));
      live.pop();
      credits.pop();
    } else if (last && kind === 'tax') {
      const lower = new Decimal(last.tax_amount).times('0.5').toFixed(2);
      live.splice(-1, 1, await made(filer.update(last.id, { tax_amount: lower })));
    } else await take(buildRequest(sale), month);
  }
  if (live.length > 1 && draw.oneIn(3)) {
    // Voids an earlier credit, because the shares after a voided last credit are not known.
    await made(filer.update((live.shift() as Transaction).id, { status: 'void' }));
    credits.splice(0, 1, { id: '', shares: [] });
  }
  if (!isDone(await made(filer.get(sale.id)))) await take({ credit_remaining: true }, months[2]);
  expect(isDone(await made(filer.get(sale.id)))).toBe(true);
};

const figures = [
  'gross_amount',
  'taxable_amount',
  'exempt_amount',
  'calculated_tax_amount',
  'tax_amount',
  'over_collected_amount',
] as const;

let caller: Caller;
let filer: Filer;
const cases: Case[] = [];
const filings: Filing[] = [];
const entries = new Map<string, Entry>();

beforeAll(async () => {
  caller = await newCaller();
  filer = createFiler(caller);
  for (let at = 0; at < saleCount; at += 1) {
    const one = await record(filer, at);
    cases.push(one);
    await refund(filer, one);
  }
  for (const state of Object.keys(places))
    for (const end of ends) {
      const filing = await closedFiling(filer, state, end);
      filings.push(filing);
      for (const entry of await everyEntry(filer, filing.id)) entries.set(entry.transaction_id, entry);
    }
});

/** Whether the credited shares after each credit are known. */
const isKnown = (credits: Case['credits']) => credits.every(({ id }) => id !== '');

const getEntry = (id: string) => entries.get(id) ?? { amounts: [] };

describe('fully refunded sales with a supplied tax', () => {
  it('includes over- and under-collected, taxed and untaxed parts', () => {
    const differences = cases.map(({ sale }) => Number(sale.tax_amount) - Number(sale.calculated_tax_amount));
    expect(differences.filter((difference) => difference > 0).length).toBeGreaterThan(saleCount / 7);
    expect(differences.filter((difference) => difference < 0).length).toBeGreaterThan(saleCount / 14);
    expect(cases.filter(({ credits }) => credits.length > 2).length).toBeGreaterThan(saleCount / 5);
  });

  it('reports zero in the returns of a state after full refunds, by jurisdiction and rate', () => {
    for (const state of Object.keys(places)) {
      const sums: Record<string, Decimal> = {};
      const add = (key: string, row: Pick<Filing['summary'][number], (typeof figures)[number]>) => {
        for (const name of figures) sums[`${key} ${name}`] = sum([sums[`${key} ${name}`] ?? 0, row[name]]);
      };
      for (const { totals, summary } of filings.filter((filing) => [state, `US-${state}`].includes(filing.state))) {
        for (const row of summary) add(state, row);
        for (const { jurisdiction_code, rates } of totals)
          for (const rate of rates) add(`${jurisdiction_code} ${rate.rate}`, rate);
      }
      expect(Object.keys(sums).length).toBeGreaterThan(0);
      expect(Object.entries(sums).filter(([, value]) => !value.isZero())).toEqual([]);
    }
  });

  it('reports the calculated tax of each jurisdiction, and the over-collected amount', () => {
    for (const { sale, calculated } of cases) {
      const { amounts } = getEntry(sale.id);
      const rows = listCharges(calculated).flatMap(({ taxes }) => taxes);
      const getTax = (code: string) =>
        sum(rows.filter((row) => row.jurisdiction_code === code).map((row) => row.tax_amount)).toFixed(2);
      expect(sum(amounts.map((row) => row.calculated_tax_amount)).toFixed(2)).toBe(calculated.tax_amount);
      for (const { jurisdiction_code, calculated_tax_amount } of amounts)
        expect(calculated_tax_amount, `${jurisdiction_code} of ${sale.id}`).toBe(getTax(jurisdiction_code));
      const over = Decimal.max(0, new Decimal(sale.tax_amount).minus(calculated.tax_amount)).toFixed(2);
      expect(sum(amounts.map((row) => row.over_collected_amount)).toFixed(2)).toBe(over);
    }
  });

  it('reverses the calculated tax by the credited share of each charge, within a cent per row', () => {
    let checked = 0;
    for (const { calculated, credits, sale } of cases) {
      if (!isKnown(credits)) continue;
      const charges = listCharges(calculated);
      let given = new Decimal(0);
      for (const { id, shares } of credits) {
        given = given.plus(sum(getEntry(id).amounts.map((row) => row.calculated_tax_amount)));
        // The rows of the shipping are the last ones.
        const getShare = (at: number) => (at < sale.line_items.length ? shares[at] : shares.at(-1)) as Decimal;
        const due = sum(charges.map(({ taxes }, at) => getShare(at).times(sum(taxes.map((row) => row.tax_amount)))));
        const rows = charges.reduce((count, { taxes }) => count + taxes.length, 0);
        const difference = given.plus(due).abs();
        expect(difference.lte(rows / 100), `${sale.id} ${given} ${due} ${rows}`).toBe(true);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(saleCount / 2);
  });

  it('reports tax collected above the calculated tax as over-collected, after each credit', () => {
    for (const { sale, credits } of cases) {
      const isOver = Number(sale.tax_amount) >= Number(sale.calculated_tax_amount);
      for (const { id } of credits)
        for (const row of getEntry(id).amounts) {
          const difference = new Decimal(row.tax_amount).minus(row.calculated_tax_amount);
          expect(row.over_collected_amount).toBe((isOver ? difference : new Decimal(0)).toFixed(2));
        }
    }
  });

  it('passes ledger verify', () => expectVerified(caller));
});

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

it('reverses the same calculated tax after the tax of a credit is changed', async () => {
  const shop = await newFiler();
  const line = { id: 'item', product_tax_code: 'GENERAL', quantity: '10', unit_price: '20.00' };
  const body = { status: 'finalized', tax_date: '2026-09-03', tax_amount: '14.00' };
  const sale = await made(shop.create({ ...body, customer: { address: places.VA }, line_items: [line] }));
  const lines = { line_items: [{ parent_line_item_id: 'item', quantity: '6' }] };
  const sixTenths = await made(shop.create(buildCreditRequest(sale, { ...lines, tax_date: '2026-09-15' })));
  const figuresNow = async () => {
    const { summary } = await dryRun(shop, 'VA', '2026-09-30');
    return [summary[0]?.tax_amount, summary[0]?.calculated_tax_amount, summary[0]?.over_collected_amount];
  };
  expect([await figuresNow(), sixTenths.tax_amount]).toEqual([['5.60', '4.80', '0.80'], '8.40']);
  await made(shop.update(sixTenths.id, { tax_amount: '1.00' }));
  expect(await figuresNow()).toEqual(['13.00', '4.80', '8.20']);
  await made(shop.create(buildCreditRequest(sale, { credit_remaining: true, tax_date: '2026-09-16' })));
  expect(await figuresNow()).toEqual(['0.00', '0.00', '0.00']);
});

describe('transactions in several states of an account with few registrations', () => {
  const states = ['MN', 'VA', 'HI', 'TX', 'OR'] as const;
  const addresses = { ...places, TX: { city: 'Houston', state: 'TX', postal_code: '77002' } };
  const cases = Array.from({ length: 24 }, (_, at) => ({
    registered: draw.of([['MN'], ['MN', 'VA'], []] as const),
    tax_amount: draw.of([undefined, '0.00', '0.01', '0.02', '8.25', '31.07']),
    shipping: draw.oneIn(2) ? { amount: '7.50' } : null,
    lines: Array.from({ length: 1 + (at % 4) }, (_, line) => ({
      id: `item_${line}`,
      product_tax_code: 'GENERAL',
      quantity: String(1 + draw.below(3)),
      unit_price: dollars(1 + draw.below(9_000)),
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
  for (const path of [`/filings/${id}?expand=entries&`, '/filings?'])
    expect(getRefusal(await shop.call('GET', `${path}starting_after=${page.next_cursor}`))).toBe(
      '422 | validation_invalid_cursor starting_after',
    );
});
