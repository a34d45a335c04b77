import { parse } from 'csv-parse/sync';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Caller, newCaller } from '../support/api.ts';
import { exemptParts, getSum, listExceptions, type Part, returnSums, sum, zero } from '../support/entry-texts.ts';
import {
  createFiler,
  csv,
  dryRun,
  everyEntry,
  everyException,
  exceptionsText,
  expectVerified,
  type Filer,
  type Filing,
  monthly,
  settled,
} from '../support/filings.ts';
import type { ApiResponse, Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { buildCreditRequest, everyPage, made, onlyShipping } from '../support/sales.ts';

type Transaction = Schema<'RetrievedTransaction'>;
type Charge = Pick<Transaction['line_items'][number], 'taxes'>;
type Row = Charge['taxes'][number];

const states = ['MI', 'OH', 'CA', 'TX', 'NY', 'WA', 'CO', 'GU'] as const;
type State = (typeof states)[number];

/** The content does not cover Guam. Addresses without a ZIP code have only the state rate. */
const addresses: Record<State, readonly object[]> = {
  MI: [
    { city: 'Detroit', postal_code: '48226' },
    { city: 'Lansing', postal_code: '48933' },
  ],
  OH: [
    { city: 'Columbus', postal_code: '43215' },
    { city: 'Cleveland', postal_code: '44114' },
  ],
  CA: [{ city: 'Los Angeles', postal_code: '90012' }, { city: 'San Francisco', postal_code: '94103-1234' }, {}],
  TX: [{ city: 'Austin', postal_code: '78701' }, { city: 'Houston', postal_code: '77002' }, {}],
  NY: [
    { city: 'New York', postal_code: '10001' },
    { city: 'Buffalo', postal_code: '14202' },
  ],
  WA: [{ city: 'Seattle', postal_code: '98101' }, { postal_code: '98999' }],
  CO: [{ city: 'Denver', postal_code: '80202' }, { city: 'Boulder', postal_code: '80302' }, { city: 'Durango' }],
  GU: [{ city: 'Hagatna', postal_code: '96910' }],
};
const products = ['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL', 'SOFTWARE.SAAS', 'HEALTH.DRUGS'] as const;
const sent = { month: '2026-10', period_end: '2026-10-31' };
const saleCount = 150;
const creditEvery = 6;
const creditCount = 40;
const washingtonFrom = '2026-10-10';

const draw = drawFrom(20_261);
const cents = (least: number, below: number) => new Decimal(least + draw.below(below)).div(100).toFixed(2);
const buildAddress = (state: State) => ({ ...draw.of(addresses[state]), state, country: 'US' });

/** In the account's time zone, the last sale is on the evening of October 31. */
const getDay = () =>
  draw.oneIn(12)
    ? draw.of(['2026-10-01T04:00:00Z', '2026-10-09T23:30:00-04:00', '2026-11-01T03:30:00Z'])
    : `${sent.month}-${String(1 + draw.below(31)).padStart(2, '0')}`;

const resale = { reason: 'resale', valid_from: '2026-01-01', valid_to: null, states: null };
const stored = {
  reseller: { ...resale, certificate_number: 'R-1' },
  school: { ...resale, certificate_number: 'G-1', reason: 'government', states: ['MI', 'NY', 'CO'] },
  lapsed: { ...resale, certificate_number: 'R-2', valid_to: '2026-10-15' },
};
const buyers = ['reseller', 'school', 'lapsed', 'visitor'] as const;
const exemptions = [
  { type: 'resale', certificate_id: 'I-1' },
  ...(['other', 'government', 'nonprofit', 'direct_pay'] as const).map((type) => ({ type })),
];

const buyerIn = (state: State) => ({
  address: buildAddress(state),
  ...(draw.oneIn(4) && { id: draw.of(buyers) }),
  ...(draw.oneIn(6) && { exemption: draw.of(exemptions) }),
});

const paidWithBenefits = { exemption: { type: 'snap' } };

const newLine = (id: string, elsewhere: State | null) => {
  const product_tax_code = draw.of(products);
  return {
    id,
    product_tax_code,
    quantity: String(1 + draw.below(4)),
    unit_price: cents(500, 30_000),
    ...(draw.oneIn(6) && { discount_amount: cents(1, 499) }),
    ...(draw.oneIn(10) && { third_party_discount_amount: cents(1, 200) }),
    ...(elsewhere && { customer: buyerIn(elsewhere) }),
    ...(product_tax_code === 'FOOD.GROCERY' && !elsewhere && draw.oneIn(3) && { customer: paidWithBenefits }),
  };
};

const newSale = (at: number) => {
  const state = states[at % states.length] as State;
  const elsewhere = draw.oneIn(10) ? draw.of(states) : null;
  return {
    reference_id: `order-${at}`,
    tax_date: getDay(),
    customer: buyerIn(state),
    collected_by: draw.oneIn(9) ? 'marketplace' : 'seller',
    currency: draw.oneIn(25) ? 'CAD' : 'USD',
    ...(draw.oneIn(2) && { shipping: { amount: cents(300, 2000) } }),
    ...(draw.oneIn(5) && { discount_amount: cents(100, 400) }),
    // Only sales in one state have a supplied tax. Their credits are tested in credit-sums.test.ts.
    ...(!elsewhere && at % creditEvery < 2 && { tax_amount: cents(0, 5000) }),
    // The first line is always shipped.
    line_items: Array.from({ length: 1 + draw.below(3) }, (_, index) => ({
      ...newLine(`item_${index}`, index > 0 ? elsewhere : null),
      ...(index === 0 && { fulfillment: 'ship' }),
    })),
  };
};

/** Runs the tasks, several at a time; returns their results in order. */
const all = async <Item, Value>(items: readonly Item[], run: (item: Item, at: number) => Promise<Value>) => {
  const results: Value[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [at, item] of waiting) results[at] = await run(item, at);
  };
  await Promise.all(Array.from({ length: 12 }, work));
  return results;
};

let caller: Caller;
let filer: Filer;

const finalize = (id: string) => made(filer.update(id, { status: 'finalized' }));

/** A third of the sales start as drafts, with a different date and an extra line that is removed later. */
const record = async (body: ReturnType<typeof newSale>, at: number) => {
  if (at % 3 !== 0) return made(filer.create({ ...body, status: 'finalized' }));
  const line_items = [...body.line_items, { id: 'later', quantity: '1', unit_price: '77.00' }];
  const { id } = await made(filer.create({ ...body, tax_date: '2026-11-05', line_items }));
  await made(filer.update(id, { tax_date: body.tax_date, line_items: body.line_items }));
  return finalize(id);
};

const plainSale = (state: string, others: object = {}) => ({
  status: 'finalized',
  tax_date: '2026-10-20',
  customer: { address: { state, country: 'US', postal_code: state === 'IN' ? '46204' : '48226' } },
  line_items: [{ id: 'item_0', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }],
  ...others,
});

/**
 * Sales with exempt shipping: for a single item, and for two buyers with certificates with different reasons in two
 * states.
 */
const exemptShipping = [
  plainSale('MI', {
    reference_id: 'one-piece',
    customer: { id: 'reseller', address: { state: 'MI', postal_code: '48226', country: 'US' } },
    line_items: [{ id: 'item_0', product_tax_code: 'GENERAL', quantity: '1', unit_price: '80.00' }],
    shipping: { amount: '9.50' },
  }),
  plainSale('MI', {
    reference_id: 'two-buyers',
    line_items: [['reseller', 'OH', '43215'] as const, ['school', 'NY', '14202'] as const].map(
      ([id, state, postal_code], at) => ({
        id: `item_${at}`,
        product_tax_code: 'GENERAL',
        quantity: '1',
        unit_price: '60.00',
        customer: { id, address: { state, postal_code, country: 'US' } },
      }),
    ),
    shipping: { amount: '11.00' },
  }),
];

/** Full credits, partial credits, credits of the remainder, and credits of only the shipping. */
const creditAll = async (sales: readonly { readonly id: string }[], onePiece: { readonly id: string }) => {
  const some = sales.filter((_, at) => at % creditEvery === 3);
  const dated = { tax_date: '2026-10-31' };
  const piece = { ...dated, line_items: [{ id: 'item_0', quantity: '1' }] };
  const rest = { ...dated, credit_remaining: true };
  const create = (body: Record<string, unknown>) => (sale: { readonly id: string }) =>
    made(filer.create(buildCreditRequest(sale, body)));
  const partly = [onePiece, ...some.slice(14, 24)];
  await all(some.slice(0, 14), create(dated));
  await all(partly, create(piece));
  // A single-item sale can already be credited in full.
  const left = await all(partly, async (sale) => (await filer.create(buildCreditRequest(sale, rest))).status === 201);
  const others = sales
    .filter((_, at) => at % creditEvery === 4)
    .slice(0, creditCount - 25 - left.filter(Boolean).length);
  await all(others, create(rest));
};

/** Transactions that must not be in a return: drafts, and voided drafts, sales and credits. */
const recordNothing = async (sale: { readonly id: string }) => {
  const voided = async (body: object) => {
    const { id } = await made(filer.create(body));
    await made(filer.update(id, { status: 'void', void_reason: 'mistake' }));
  };
  const draft = plainSale('MI', { status: 'draft' });
  const dated = { tax_date: '2026-10-31' };
  for (const body of [draft, draft, buildCreditRequest(sale, { ...dated, status: 'draft' })])
    await made(filer.create(body));
  for (const body of [draft, plainSale('MI'), plainSale('MI'), buildCreditRequest(sale, dated)]) await voided(body);
};

/** Every transaction as returned by the list and by id. */
const everyTransaction = async (): Promise<Transaction[]> => {
  const { ids } = await everyPage(filer, { limit: '100' });
  expect(new Set(ids).size).toBe(ids.length);
  return all(ids, (id) => made(filer.get(id)));
};

const rowsIn = (rows: readonly Row[], state: string) =>
  rows.filter(({ jurisdiction_code: code }) => code === `US-${state}` || code.startsWith(`US-${state}-`));

let documents: readonly Transaction[] = [];

/** Returns the sale that a credit refunds, or the sale itself. */
const toSale = (document: Transaction): Transaction =>
  documents.find(({ id }) => id === document.parent_transaction_id) ?? document;

/**
 * Returns the parts of a line or of the shipping in a state, from the transaction's data; the state's rows contain the
 * rest.
 */
const listParts = (document: Transaction, state: State, rows: readonly Row[], exemption: string | null) => {
  const own = rows.filter(({ jurisdiction_code }) => jurisdiction_code === `US-${state}`);
  const gross = getSum(own, ({ taxable_amount, exempt_amount }) => sum([taxable_amount, exempt_amount]));
  const parts = new Map<Part, Decimal>();
  // A supplied tax replaces the reason of a row.
  const isOver = (row: Row) => row.taxability_reason === 'over_collected';
  const isUncovered = (row: Row) =>
    row.taxability_reason === 'not_supported' ||
    (isOver(row) && state === 'GU' && !exemption && document.collected_by === 'seller');
  const add = (part: Part, amount: Decimal) => void parts.set(part, (parts.get(part) ?? zero).plus(amount));
  if (state === 'WA' && toSale(document).tax_date.slice(0, 10) < washingtonFrom) add('not_registered', gross);
  else if (document.collected_by === 'marketplace') add('marketplace', gross);
  else {
    for (const row of own) {
      const { taxability_reason: reason, taxable_amount, exempt_amount } = row;
      add('taxable', new Decimal(taxable_amount));
      if (reason === 'customer_exempt' || (isOver(row) && exemption))
        add(exemption === 'other' ? 'customer' : (exemption as Part), new Decimal(exempt_amount));
      else add(isUncovered(row) ? 'not_covered' : 'product', new Decimal(exempt_amount));
    }
  }
  const uncovered = [...Map.groupBy(rows, ({ jurisdiction_code }) => jurisdiction_code).values()].map((ofOne) =>
    getSum(ofOne.filter(isUncovered), ({ exempt_amount }) => exempt_amount),
  );
  return { gross, parts, uncovered: Decimal.max(zero, ...uncovered) };
};

const placedIn = (document: Transaction, state: State) =>
  document.line_items.filter(({ customer }) => (customer?.address ?? document.customer?.address)?.state === state);

// The codes that cannot change the tax of a recorded sale, or whose sales are exceptions.
const notReviewed = [
  'not_covered',
  'tax_amount_differs',
  'tax_included_not_exact',
  'credit_field_ignored',
  'registrations_missing',
  'currency_not_counted',
  'state_not_registered',
];

/** The warning codes to review of a document in a state. A credit includes the codes of its sale. */
const codesIn = (document: Transaction, state: State): string[] => {
  const charges: Readonly<Record<string, readonly Charge[]>> = {
    line_items: document.line_items,
    shipping: [onlyShipping(document.shipping) ?? []].flat(),
  };
  const isInState = (some: readonly Charge[]) => some.some(({ taxes }) => rowsIn(taxes, state).length > 0);
  const own = document.warnings.filter(({ code, pointer }) => {
    const [, name = '', index] = pointer?.split('/') ?? [];
    const charge = charges[name]?.[Number(index ?? (name === 'shipping' ? 0 : Number.NaN))];
    const isOfOne = charge && code !== 'product_tax_code_missing';
    return !notReviewed.includes(code) && isInState(isOfOne ? [charge] : Object.values(charges).flat());
  });
  const sale = toSale(document);
  const ofSale = sale.id === document.id ? [] : codesIn(sale, state);
  return [...new Set([...own.map(({ code }) => code), ...ofSale])].sort();
};

/** Returns the amounts of a transaction in a state's return; `null` without a line in the state. */
const getFigures = (document: Transaction, state: State) => {
  const placed = placedIn(document, state);
  const shippingRows = rowsIn(onlyShipping(document.shipping)?.taxes ?? [], state);
  if (placed.length === 0 && shippingRows.length === 0) return null;
  const sign: 1 | -1 = document.type === 'credit' ? -1 : 1;
  const lines = placed.map((line) => {
    const found = listParts(document, state, rowsIn(line.taxes, state), line.applied_exemption?.reason ?? null);
    // What the buyer and a third party pay for the goods; in Texas, what the buyer pays (34 TAC 3.301).
    const coupon = state === 'TX' ? line.applied_third_party_discount_amount : '0';
    expect([document.id, found.gross.toFixed(2)]).toEqual([
      document.id,
      sum([line.amount, `-${line.applied_discount_amount}`, `-${coupon}`]).toFixed(2),
    ]);
    return found;
  });
  // A credit of only the shipping has the certificates of its sale.
  const certifying = placed.length > 0 ? document : toSale(document);
  const certified = placedIn(certifying, state).find(({ applied_exemption }) => applied_exemption)?.applied_exemption;
  const shipping = listParts(document, state, shippingRows, certified?.reason ?? null);
  const charges = [...lines, ...(shippingRows.length > 0 ? [shipping] : [])];
  const rows = [...placed.flatMap(({ taxes }) => taxes), ...shippingRows];
  const tax = getSum(rows, ({ tax_amount }) => tax_amount);
  // Only transactions in a single state have a supplied tax.
  const isWhole = new Decimal(document.tax_amount).eq(tax);
  const calculated = isWhole ? new Decimal(document.calculated_tax_amount) : tax;
  const uncovered = getSum(charges, ({ uncovered }) => uncovered);
  const figures = {
    sign,
    tax,
    calculated,
    gross: getSum(charges, (charge) => charge.gross),
    part: (name: Part) => getSum(charges, ({ parts }) => parts.get(name) ?? zero),
  } as const;
  return {
    ...figures,
    document,
    rows,
    codes: codesIn(document, state),
    certificates: [...new Set(placed.flatMap((line) => line.applied_exemption?.certificate_number ?? []))],
    exceptions: listExceptions(figures, uncovered),
  };
};
type Figures = NonNullable<ReturnType<typeof getFigures>>;

const byCode = (a: string, b: string) => (a < b ? -1 : 1);

/** Formats the sums of jurisdictions and rates: `US-MI USD 0.06 taxable exempt tax count`, from the rows of transactions. */
const listRates = (documents: readonly Figures[]) => {
  const rows = documents.flatMap(({ document, sign, rows: own }) => own.map((row) => ({ document, sign, row })));
  const groups = Map.groupBy(rows, ({ document, row }) => `${row.jurisdiction_code} ${document.currency} ${row.rate}`);
  return [...groups]
    .map(([key, group]) => {
      const signed = (amount: (row: Row) => string) =>
        getSum(group, ({ sign, row }) => new Decimal(amount(row)).times(sign));
      const sums = (['taxable_amount', 'exempt_amount', 'tax_amount'] as const).map((name) =>
        signed((row) => row[name]),
      );
      const count = new Set(group.map(({ document }) => document.id)).size;
      return [key, ...sums.map((amount) => amount.toFixed(2)), count].join(' ');
    })
    .sort(byCode);
};

/** Formats the sums to review as sorted lines: `local_rates_missing USD gross tax count`. */
const getReview = (documents: readonly Figures[]) =>
  [...new Set(documents.flatMap(({ codes, document }) => codes.map((code) => `${code} ${document.currency}`)))]
    .map((key) => {
      const isOfKey = ({ codes, document }: Figures) => codes.some((code) => `${code} ${document.currency}` === key);
      const some = documents.filter(isOfKey);
      const signed = (amount: (figures: Figures) => Decimal) =>
        getSum(some, (figures) => amount(figures).times(figures.sign)).toFixed(2);
      return [key, signed(({ gross }) => gross), signed(({ tax }) => tax), some.length].join(' ');
    })
    .sort(byCode);

/** Returns the expected return of a state and a month. */
const expectedReturn = (state: State, month = sent.month) => {
  const own = documents
    .filter(({ status, tax_date }) => status === 'finalized' && tax_date.startsWith(month))
    .flatMap((document) => getFigures(document, state) ?? []);
  const summary = [...Map.groupBy(own, ({ document }) => document.currency)].map(([currency, some]) => ({
    currency,
    ...returnSums(some),
  }));
  const uncertain = own.filter(({ exceptions }) => exceptions.length > 0);
  return {
    own,
    ids: own.map(({ document }) => document.id).sort(),
    summary: summary.sort((a, b) => byCode(a.currency, b.currency)),
    rates: listRates(own),
    review: getReview(own),
    reviewed: own.filter(({ codes }) => codes.length > 0),
    exceptions: uncertain
      .map(({ document: { id, reference_id }, exceptions }) => `${id} ${reference_id} ${exceptions.join(' ')}`)
      .sort(),
  };
};

const ratesOfFiling = ({ totals }: Filing) =>
  totals
    .flatMap(({ jurisdiction_code, currency, rates }) =>
      rates.map(({ rate, taxable_amount, exempt_amount, not_covered_amount, tax_amount, count }) => {
        const untaxed = sum([exempt_amount, not_covered_amount]).toFixed(2);
        return [jurisdiction_code, currency, rate, taxable_amount, untaxed, tax_amount, count].join(' ');
      }),
    )
    .sort(byCode);

const reviewOfFiling = ({ review }: Filing) =>
  (review?.by_code ?? [])
    .map(({ code, currency, ...sums }) => [code, currency, sums.gross_amount, sums.tax_amount, sums.count].join(' '))
    .sort(byCode);

/** Checks that totals add up: each from its parts and from its rates, and all of them to the tax of the state. */
const mustAddUp = ({ totals, summary }: Filing) => {
  for (const total of totals)
    for (const figures of [total, ...total.rates]) {
      expect(sum(Object.values(figures.exempt_by_reason)).toFixed(2)).toBe(figures.exempt_amount);
      const parts = [figures.taxable_amount, figures.exempt_amount, figures.not_covered_amount];
      expect(sum(parts).toFixed(2)).toBe(figures.gross_amount);
    }
  for (const name of ['gross_amount', 'tax_amount', 'calculated_tax_amount', 'over_collected_amount'] as const)
    for (const total of totals) expect(sum(total.rates.map((rate) => rate[name])).toFixed(2), name).toBe(total[name]);
  for (const name of ['tax_amount', 'calculated_tax_amount', 'over_collected_amount'] as const)
    expect(getSum(totals, (total) => total[name]).toFixed(2)).toBe(getSum(summary, (row) => row[name]).toFixed(2));
};

type CsvRow = Readonly<Record<string, string>>;
const readCsv = (text: string): CsvRow[] => parse(text, { columns: true, record_delimiter: '\r\n' });

const everyCsvEntry = async (id: string) => {
  const rows: CsvRow[] = [];
  let path: string | null = `/filings/${id}?expand=entries&limit=20`;
  for (let pages = 0; path !== null; pages++) {
    expect(pages).toBeLessThan(50);
    const page: ApiResponse = await caller.call('GET', path, { headers: csv });
    rows.push(...readCsv(page.text));
    const link: string | undefined = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    const base = 'http://127.0.0.1';
    path = link ? new URL(link, `${base}${path}`).href.slice(base.length) : null;
  }
  return rows;
};

const amountColumns = ['gross_amount', 'exempt_amount', 'not_covered_amount', 'taxable_amount'] as const;
const taxColumns = ['calculated_tax_amount', 'tax_amount', 'over_collected_amount'] as const;

/** Converts the sums of a summary to CSV columns. */
const flat = ({ exempt_by_reason, ...amounts }: ReturnType<typeof expectedReturn>['summary'][number]) => ({
  ...Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, String(value)])),
  ...Object.fromEntries(Object.entries(exempt_by_reason).map(([name, value]) => [`exempt_${name}_amount`, value])),
});

const getText = (row: CsvRow, names: readonly string[]) => names.map((name) => row[name]).join(' ');

let unregistered: string;
const filings = new Map<State, Filing>();

beforeAll(async () => {
  const registrations = states.map((state) => monthly(state, state === 'WA' ? washingtonFrom : '2026-10-01'));
  caller = await newCaller({ settings: { registrations, rate_limit: 1_000_000, time_zone: 'America/New_York' } });
  filer = createFiler(caller);
  for (const [id, certificate] of Object.entries(stored))
    await made(filer.call('POST', '/customers', { body: { id, exemptions: [certificate] } }));
  const sales = await all(
    Array.from({ length: saleCount - 3 }, (_, at) => newSale(at)),
    record,
  );
  const directed = await all(exemptShipping, (body) => made(filer.create(body)));
  // The calculated tax is 6.00.
  await made(filer.create(plainSale('MI', { reference_id: 'too-much', tax_amount: '12.34' })));
  await creditAll(sales, directed[0] as { readonly id: string });
  await recordNothing(sales[1] as { readonly id: string });
  unregistered = (await made(filer.create(plainSale('IN')))).id;
  documents = await everyTransaction();
}, 240_000);

it(`contains ${saleCount} sales, ${creditCount} credits and every kind of transaction`, () => {
  const own = states.flatMap((state) => expectedReturn(state).own);
  const count = (type: string) =>
    new Set(own.filter(({ document }) => document.type === type).map(({ document }) => document.id));
  expect([count('sale').size, count('credit').size]).toEqual([saleCount, creditCount]);
  expect(own.some(({ document }) => document.id === unregistered)).toBe(false);
  const others = documents.filter(({ status }) => status === 'draft' || status === 'void');
  const kinds = Map.groupBy(others, ({ type, status }) => `${type} ${status}`);
  const counts = [...kinds].map(([kind, some]) => `${kind} ${some.length}`);
  expect(counts.sort()).toEqual(['credit draft 1', 'credit void 1', 'sale draft 2', 'sale void 3']);
  const codes = own.flatMap((figures) => figures.codes);
  expect(codes).toEqual(expect.arrayContaining(['exemption_expired', 'address_ambiguous']));
  for (const name of [...exemptParts, 'taxable', 'not_covered'] as const)
    expect([name, own.filter((figures) => figures.part(name).gt(0)).length > saleCount / 100]).toEqual([name, true]);
  for (const sign of [1, -1])
    expect(own.filter(({ tax, calculated }) => tax.cmp(calculated) === sign).length).toBeGreaterThan(3);
});

describe.each(states)('the return of %s', (state) => {
  it('equals the sum of the transactions, in a dry run and after closing', async () => {
    const expected = expectedReturn(state);
    expect(expected.ids.length).toBeGreaterThan(saleCount / 10);
    const dry = await dryRun(filer, state, sent.period_end);
    const { id } = await made(filer.close({ state, period_end: sent.period_end }));
    const closed = await settled(filer, id);
    filings.set(state, closed);
    for (const filing of [dry, closed]) {
      expect(filing.summary).toEqual(expected.summary);
      expect(ratesOfFiling(filing)).toEqual(expected.rates);
      mustAddUp(filing);
      expect(filing.progress.entries_moved).toBe(expected.ids.length);
      expect(filing.exceptions?.count).toBe(expected.exceptions.length);
      expect([reviewOfFiling(filing), filing.review?.count]).toEqual([expected.review, expected.reviewed.length]);
    }
    expect([closed.totals, closed.exceptions]).toEqual([dry.totals, { ...dry.exceptions, transactions: null }]);
    expect(closed.review).toEqual({ ...dry.review, transactions: null });
    const [row] = (await made(filer.filings({ state, limit: '1' }))).data;
    expect(row?.review).toEqual({ ...closed.review, by_code: null });
  });

  it('lists each finalized transaction once, and its exceptions', async () => {
    const { own, ids, exceptions } = expectedReturn(state);
    const { id } = filings.get(state) as Filing & { readonly id: string };
    const entries = await everyEntry(filer, id, 30);
    expect(entries.map(({ transaction_id }) => transaction_id).sort()).toEqual(ids);
    expect(exceptionsText(await everyException(filer, id, 7))).toEqual(exceptions);
    const byId = new Map(entries.map((entry) => [entry.transaction_id, entry]));
    for (const { document, certificates: certificate_numbers } of own) {
      const { type, tax_date, reference_id, currency } = document;
      const expected = { type, tax_day: tax_date.slice(0, 10), reference_id, currency, certificate_numbers };
      expect(byId.get(document.id)).toMatchObject(expected);
    }
  });

  it('lists the transactions to review, all or of one code', async () => {
    const { reviewed } = expectedReturn(state);
    const { id } = filings.get(state) as Filing & { readonly id: string };
    for (const code of [null, ...new Set(reviewed.flatMap(({ codes }) => codes))]) {
      const query = { list: 'review', ...(code !== null && { code }) };
      const listed = (await everyException(filer, id, 7, query)).map((row) => [
        ...[row.transaction_id, row.review_codes.toSorted().join(' '), row.gross_amount, row.tax_amount],
      ]);
      const expected = reviewed
        .filter(({ codes }) => code === null || codes.includes(code))
        .map(({ document, codes, gross, tax, sign }) => [
          ...[document.id, codes.join(' '), gross.times(sign).toFixed(2), tax.times(sign).toFixed(2)],
        ]);
      expect(listed.sort()).toEqual(expected.sort());
    }
  });

  it('returns the same amounts as CSV', async () => {
    const expected = expectedReturn(state);
    const { id } = filings.get(state) as Filing & { readonly id: string };
    const totals = readCsv((await filer.filing(id, {}, csv)).text);
    const sums = totals.filter((row) => row['jurisdiction_type'] === 'total');
    expect(sums).toMatchObject(expected.summary.map(flat));
    const review = totals
      .filter((row) => row['jurisdiction_type'] === 'review')
      .map((row) => getText(row, ['jurisdiction_code', 'currency', 'gross_amount', 'tax_amount', 'count']));
    expect(review.sort(byCode)).toEqual(expected.review);
    const ratesOfRows = totals
      .filter((row) => !['total', 'review'].includes(row['jurisdiction_type'] ?? ''))
      .map((row) => {
        const untaxed = sum([row['exempt_amount'] ?? '', row['not_covered_amount'] ?? '']).toFixed(2);
        const place = getText(row, ['jurisdiction_code', 'currency', 'rate', 'taxable_amount']);
        return [place, untaxed, getText(row, ['tax_amount', 'count'])].join(' ');
      });
    expect(ratesOfRows.sort(byCode)).toEqual(expected.rates);

    const rows = await everyCsvEntry(id);
    expect([...new Set(rows.map((row) => row['transaction_id']))].sort()).toEqual(expected.ids);
    const byDocument = Map.groupBy(rows, (row) => row['transaction_id']);
    for (const figures of expected.own) {
      const { document, tax, calculated, sign } = figures;
      const own = byDocument.get(document.id) ?? [];
      const ofState = own.filter((row) => row['jurisdiction_code'] === `US-${state}`);
      const total = (some: readonly CsvRow[], name: string) => getSum(some, (row) => row[name] ?? '').toFixed(2);
      const { gross, part } = figures;
      const parts = [gross, getSum(exemptParts, part), part('not_covered'), part('taxable')];
      const taxes = [calculated, tax, Decimal.max(0, tax.minus(calculated))];
      const signed = (amounts: readonly Decimal[]) => amounts.map((amount) => amount.times(sign).toFixed(2));
      expect([document.id, amountColumns.map((name) => total(ofState, name))]).toEqual([document.id, signed(parts)]);
      expect([document.id, taxColumns.map((name) => total(own, name))]).toEqual([document.id, signed(taxes)]);
    }
  });
});

it('returns only sales with recorded tax for a state without registration', async () => {
  const returnOfIndiana = () => dryRun(filer, 'IN', sent.period_end);
  const empty = await returnOfIndiana();
  expect([empty.summary, empty.progress.entries_moved]).toEqual([[], 0]);
  const found = documents.find(({ id }) => id === unregistered);
  expect([found?.status, found?.tax_amount]).toEqual(['finalized', '0.00']);
  await made(filer.create(plainSale('IN', { tax_amount: '5.00' })));
  const amounts = { gross_amount: '100.00', tax_amount: '5.00', over_collected_amount: '5.00', count: 1 };
  const { summary } = await returnOfIndiana();
  expect(summary).toMatchObject([{ ...amounts, exempt_by_reason: { not_registered: '100.00', product: '0.00' } }]);
});

it('verifies the ledger without findings', () => expectVerified(caller));
