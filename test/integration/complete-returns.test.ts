/**
 * Every sale of a state and a month is in its return: taxed, exempt for a reason, or listed as not covered. The
 * expected figures come from the list of transactions alone, added up with decimal.js.
 */
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { csv, everyEntry, type Filer, type Filing, filerOf, settled } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { runInProcess } from '../support/run-command.ts';
import { creditOf, made, metaOf, refusalOf } from '../support/sales.ts';

type Transaction = Schema<'Transaction'>;

const places = {
  IN: { city: 'Indianapolis', state: 'IN', postal_code: '46204' },
  HI: { city: 'Honolulu', state: 'HI', postal_code: '96813-1234' },
  OR: { city: 'Portland', state: 'OR', postal_code: '97201' },
  MI: { city: 'Detroit', state: 'MI', postal_code: '48226' },
} as const;
type State = keyof typeof places;

/** Indiana from the tenth of August 2021 on; Michigan not at all. */
const registrations = [
  { state: 'IN', from: '2021-08-10', to: null, frequency: 'month' as const },
  { state: 'HI', from: '2020-01-01', to: null, frequency: 'month' as const },
  { state: 'OR', from: '2020-01-01', to: null, frequency: 'month' as const },
];
const registeredFrom: Partial<Record<State, string>> = { IN: '2021-08-10', HI: '2020-01-01', OR: '2020-01-01' };

/** The oracle's input of a recorded document: one state, and the lines. */
type Known = {
  readonly transaction: Transaction;
  readonly state: State;
  readonly exemption: 'resale' | 'government' | null;
  readonly isMarketplace: boolean;
  readonly sign: 1 | -1;
  /** Whether tax was recorded on a sale of which none was calculated; also of its credits. */
  readonly isAllOver: boolean;
};

const draw = drawFrom(20_251);

const record = async (filer: Filer, day: string, at: number): Promise<Known> => {
  const state = draw.of(['IN', 'IN', 'IN', 'HI', 'OR', 'MI'] as const);
  const exemption = draw.of([null, null, 'resale', 'government'] as const);
  const isMarketplace = draw.oneIn(6);
  const cents = () => new Decimal(draw.below(90_000) + 100).div(100).toFixed(2);
  const lines = Array.from({ length: 1 + draw.below(3) }, () => ({
    product_tax_code: draw.of(['GENERAL', 'FOOD.GROCERY']),
    quantity: '1',
    unit_price: cents(),
  }));
  const buyer = {
    address: places[state],
    id: `customer-${at}`,
    ...(exemption && { exemption: { type: exemption, regions: [state] } }),
  };
  const body = {
    status: 'finalized',
    reference_id: `order-${at}`,
    tax_date: day,
    customer: buyer,
    collected_by: isMarketplace ? 'marketplace' : 'seller',
    line_items: lines,
  };
  const { tax_amount: calculated } = await made(
    filer.calculate({ ...body, status: undefined, reference_id: undefined }),
  );
  const supplied = draw.oneIn(3) ? draw.of([cents(), new Decimal(calculated).plus('0.01').toFixed(2), '0.00']) : null;
  const tax = supplied && { tax_amount: supplied };
  // A third are drafts first, a third get their tax after they are finalized.
  const transaction = await made(
    at % 3 === 0
      ? filer.create({ ...body, ...tax })
      : filer
          .create({ ...body, ...(at % 3 === 1 && { status: 'draft' }) })
          .then(({ body: { id } }) => filer.update(id, { ...tax, ...(at % 3 === 1 && { status: 'finalized' }) })),
  );
  const isAllOver = Number(transaction.calculated_tax_amount) === 0 && Number(transaction.tax_amount) > 0;
  return { transaction, state, exemption, isMarketplace, sign: 1, isAllOver };
};

const credit = async (filer: Filer, sale: Known, day: string): Promise<Known> => {
  const body = creditOf(sale.transaction, { status: 'finalized', tax_date: day });
  // It takes back the whole sale, so also all of its calculated tax.
  const { calculated_tax_amount } = sale.transaction;
  return { ...sale, transaction: { ...(await made(filer.create(body))), calculated_tax_amount }, sign: -1 };
};

const isWithout = (state: State, code: string | null, day: string): boolean =>
  day < '2022' && (state !== 'IN' || code === 'FOOD.GROCERY');

/** Which part of the gross a line is in, by the rules of the request alone. */
const partOf = ({ state, exemption, isMarketplace }: Known, code: string | null, saleDay: string) => {
  const from = registeredFrom[state];
  if (state === 'OR' && saleDay >= '2022') return 'product';
  if (!from || saleDay < from) return 'not_registered';
  if (isMarketplace) return 'marketplace';
  if (exemption) return exemption === 'resale' ? 'resale' : 'customer';
  if (isWithout(state, code, saleDay)) return 'not_covered';
  return code === 'FOOD.GROCERY' && state === 'IN' ? 'product' : 'taxable';
};

const parts = [
  'taxable',
  'resale',
  'product',
  'customer',
  'snap',
  'marketplace',
  'not_registered',
  'not_covered',
] as const;
type Part = (typeof parts)[number];

const zero = new Decimal(0);
const sum = (values: readonly Decimal.Value[]) => values.reduce<Decimal>((all, value) => all.plus(value), zero);

/** The figures of one document: of its lines by part, and of its tax. */
const figuresOf = (known: Known, saleDays: ReadonlyMap<string, string>) => {
  const { transaction, sign, isAllOver } = known;
  const saleDay = saleDays.get(transaction.parent_transaction_id ?? transaction.id) ?? '';
  const amounts = new Map<Part, Decimal>();
  for (const { product_tax_code, net_amount } of transaction.line_items) {
    const part = partOf(known, product_tax_code, saleDay);
    amounts.set(part, (amounts.get(part) ?? zero).plus(net_amount));
  }
  const calculated = isAllOver ? zero : new Decimal(transaction.calculated_tax_amount);
  const tax = new Decimal(transaction.tax_amount);
  const gross = sum(transaction.line_items.map((line) => line.net_amount));
  const notCovered = amounts.get('not_covered') ?? zero;
  const reasons = [
    ...(notCovered.gt(0) ? [`not_covered ${notCovered.times(sign).toFixed(2)}`] : []),
    ...(tax.gt(calculated) ? [`over_collected ${gross.times(sign).toFixed(2)}`] : []),
    ...(tax.lt(calculated) ? [`under_collected ${gross.times(sign).toFixed(2)}`] : []),
  ];
  return { amounts, calculated, tax, gross, reasons, sign, id: transaction.id, reference: transaction.reference_id };
};

/** The expected return of a state and a month. */
const expectedReturn = (all: readonly Known[], state: State, month: string) => {
  const saleDays = new Map(all.map(({ transaction }) => [transaction.id, transaction.tax_date]));
  const documents = all
    .filter((known) => known.state === state && known.transaction.tax_date.startsWith(month))
    .filter(({ transaction }) => registeredFrom[state] || Number(transaction.tax_amount) > 0)
    .map((known) => figuresOf(known, saleDays));
  const signed = (amount: (document: (typeof documents)[number]) => Decimal) =>
    sum(documents.map((document) => amount(document).times(document.sign))).toFixed(2);
  const part = (name: Part) => signed(({ amounts }) => amounts.get(name) ?? zero);
  const credits = documents.filter(({ sign }) => sign < 0);
  const exempt = parts.filter((name) => name !== 'taxable' && name !== 'not_covered');
  const uncertain = documents.filter(({ reasons }) => reasons.length > 0);
  return {
    summary: {
      currency: 'USD',
      gross_amount: signed(({ gross }) => gross),
      exempt_amount: sum(exempt.map(part)).toFixed(2),
      exempt_by_reason: Object.fromEntries(exempt.map((name) => [name, part(name)])),
      not_covered_amount: part('not_covered'),
      taxable_amount: part('taxable'),
      calculated_tax_amount: signed(({ calculated }) => calculated),
      tax_amount: signed(({ tax }) => tax),
      over_collected_amount: signed(({ tax, calculated }) => Decimal.max(0, tax.minus(calculated))),
      credit_amount: sum(credits.map(({ gross }) => gross))
        .neg()
        .toFixed(2),
      credit_count: credits.length,
      count: documents.length,
    },
    exceptions: uncertain.map(({ id, reference, reasons }) => `${id} ${reference} ${reasons.join(' ')}`).sort(),
    ids: documents.map(({ id }) => id).sort(),
    documents,
  };
};

const everyException = async (filer: Filer, id: string, limit: number) => {
  const found: Schema<'FilingException'>[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < 100; pages++) {
    const query = { limit: String(limit), ...(after !== null && { starting_after: after }) };
    const page: Schema<'FilingExceptionList'> = await made(filer.exceptions(id, query));
    expect(page.url).toBe(`/filings/${id}/exceptions`);
    found.push(...page.data);
    if (!page.has_more) return found;
    after = page.next_cursor;
  }
  throw new Error('The exceptions do not end.');
};

const exceptionsText = (rows: readonly Schema<'FilingException'>[]) =>
  rows
    .map(({ transaction_id, reference_id, reasons }) => {
      const texts = reasons.map(({ reason, gross_amount }) => `${reason} ${gross_amount}`);
      return `${transaction_id} ${reference_id} ${texts.join(' ')}`;
    })
    .sort();

/** Each total adds up by itself, its rates add up to it, and all of them to the tax of the state. */
const checkTotals = ({ totals, summary }: Filing) => {
  for (const total of totals)
    for (const figures of [total, ...total.rates]) {
      const exempt = sum(Object.values(figures.exempt_by_reason));
      expect(exempt.toFixed(2)).toBe(figures.exempt_amount);
      expect(sum([figures.taxable_amount, exempt, figures.not_covered_amount]).toFixed(2)).toBe(figures.gross_amount);
    }
  for (const name of ['gross_amount', 'tax_amount', 'calculated_tax_amount', 'over_collected_amount'] as const)
    for (const total of totals) expect(sum(total.rates.map((rate) => rate[name])).toFixed(2), name).toBe(total[name]);
  for (const name of ['tax_amount', 'calculated_tax_amount', 'over_collected_amount'] as const)
    expect(sum(totals.map((total) => total[name])).toFixed(2), name).toBe(summary[0]?.[name]);
};

let caller: Caller;
let filer: Filer;
const known: Known[] = [];

beforeAll(async () => {
  caller = await newCaller({ settings: { registrations, books_open_from: '2020-01-01' } });
  filer = filerOf(caller);
  const days = ['2021-08-03', '2021-08-09', '2021-08-10', '2021-08-31', '2026-10-08', '2026-10-20'];
  for (let at = 0; at < 120; at++) known.push(await record(filer, draw.of(days), at));
  const sales = known.filter(({ transaction }) => Number(transaction.total_amount) > 0);
  for (let at = 0; at < sales.length; at += 4) {
    const sale = sales[at] as Known;
    known.push(await credit(filer, sale, sale.transaction.tax_date < '2026' ? '2021-08-31' : '2026-10-31'));
  }
});

describe('a return', () => {
  it.each([
    ['IN', '2021-08', '2021-08-31'],
    ['HI', '2021-08', '2021-08-31'],
    ['OR', '2021-08', '2021-08-31'],
    ['MI', '2021-08', '2021-08-31'],
    ['IN', '2026-10', '2026-10-31'],
    ['HI', '2026-10', '2026-10-31'],
    ['OR', '2026-10', '2026-10-31'],
    ['MI', '2026-10', '2026-10-31'],
  ] as const)('the return of %s for %s has every document, once', async (state, month, period_end) => {
    const { summary, exceptions, ids } = expectedReturn(known, state, month);
    expect(ids.length).toBeGreaterThan(0);
    const dry = await made(filer.close({ state, period_end, dry_run: true }));
    expect(dry.summary).toEqual([summary]);
    checkTotals(dry);
    expect([dry.exceptions?.count, dry.progress.entries_moved]).toEqual([exceptions.length, ids.length]);
    expect(exceptionsText(dry.exceptions?.transactions ?? [])).toEqual(exceptions);
  });

  it('lists its exceptions, and is filed only with their number', async () => {
    const { summary, exceptions, ids, documents } = expectedReturn(known, 'IN', '2021-08');
    const dry = await made(filer.close({ state: 'IN', period_end: '2021-08-31', dry_run: true }));
    const { id } = await made(filer.close({ state: 'IN', period_end: '2021-08-31' }));
    const filing = await settled(filer, id);
    expect([filing.summary, filing.exceptions]).toEqual([[summary], { ...dry.exceptions, transactions: null }]);
    checkTotals(filing);
    expect(filing.totals).toEqual(dry.totals);

    const entries = await everyEntry(filer, id, 7);
    expect(entries.map(({ transaction_id }) => transaction_id).sort()).toEqual(ids);
    const byId = new Map(known.map((one) => [one.transaction.id, one.transaction]));
    for (const entry of entries)
      expect(entry).toMatchObject({
        type: byId.get(entry.transaction_id)?.type,
        tax_day: byId.get(entry.transaction_id)?.tax_date,
        reference_id: byId.get(entry.transaction_id)?.reference_id ?? null,
        customer_id: byId.get(entry.transaction_id)?.customer?.id,
        postal_code: '46204',
      });
    for (const limit of [1, 3, 100]) expect(exceptionsText(await everyException(filer, id, limit))).toEqual(exceptions);
    const grosses = documents.filter(({ reasons }) => reasons.length > 0);
    // The whole gross where the tax differs, else what is not covered.
    const gross = grosses.map(({ reasons }) =>
      Decimal.max(...reasons.map((text) => new Decimal(text.split(' ')[1] ?? 0).abs())),
    );
    const expectedGross = sum(gross.map((value, at) => value.times(grosses[at]?.sign ?? 1))).toFixed(2);
    expect(filing.exceptions).toMatchObject({ count: exceptions.length, gross_amount: expectedGross });

    const file = (acknowledge_exceptions?: number) =>
      filer.change(id, { status: 'filed', confirmation_number: 'c', acknowledge_exceptions });
    for (const count of [undefined, 0, exceptions.length - 1, exceptions.length + 1]) {
      const refused = await file(count);
      expect(refusalOf(refused)).toBe('409 | conflict_exceptions_not_acknowledged /acknowledge_exceptions');
      expect(metaOf(refused)).toMatchObject({ count: exceptions.length });
    }
    expect(await made(filer.filing(id))).toEqual(filing);
    await made(file(exceptions.length));
    expect((await settled(filer, id)).status).toBe('filed');
    expect(refusalOf(await file(1))).toBe('409 | conflict_exceptions_not_acknowledged /acknowledge_exceptions');
    for (const transaction of ids) expect((await made(filer.get(transaction))).status).toBe('filed');
  });

  it('verifies, before and after it is filed', async () => {
    const { code, out } = await runInProcess(ledgerProgram(), ['verify', '--account', caller.account.id]);
    expect([code, out]).toEqual([0, expect.stringMatching(/No findings\.\n$/)]);
  });

  it('opens every entry of a canceled return again', async () => {
    const before = await made(filer.close({ state: 'HI', period_end: '2021-08-31', dry_run: true }));
    const { id } = await made(filer.close({ state: 'HI', period_end: '2021-08-31' }));
    await settled(filer, id);
    await made(filer.change(id, { status: 'canceled' }));
    await settled(filer, id);
    const after = await made(filer.close({ state: 'HI', period_end: '2021-08-31', dry_run: true }));
    expect([after.totals, after.summary, after.exceptions]).toEqual([before.totals, before.summary, before.exceptions]);
  });
});

it('lists 62 sales that the content does not cover among 70', async () => {
  const shop = filerOf(await newCaller({ settings: { books_open_from: '2020-01-01' } }));
  const sell = (at: number, product_tax_code: string) =>
    made(
      shop.create({
        ...{ status: 'finalized', reference_id: `order-${at}`, tax_date: '2021-08-15' },
        customer: { address: places.IN },
        line_items: [{ product_tax_code, quantity: '1', unit_price: `${at + 1}.00` }],
      }),
    );
  for (let at = 0; at < 70; at++) await sell(at, at < 62 ? 'FOOD.GROCERY' : 'GENERAL');
  const { id } = await made(shop.close({ state: 'IN', period_end: '2021-08-31' }));
  const filing = await settled(shop, id);
  // 1 to 62 are 1953, and 63 to 70 are 532.
  expect(filing.exceptions).toEqual({
    count: 62,
    gross_amount: '1953.00',
    by_reason: [{ reason: 'not_covered', currency: 'USD', count: 62, gross_amount: '1953.00' }],
    transactions: null,
  });
  // The list has the same, from the filing's own item.
  expect((await made(shop.filings())).data.map(({ exceptions }) => exceptions)).toEqual([filing.exceptions]);
  expect(filing.summary).toMatchObject([
    {
      gross_amount: '2485.00',
      not_covered_amount: '1953.00',
      taxable_amount: '532.00',
      tax_amount: '37.24',
      count: 70,
    },
  ]);
  const listed = (await everyException(shop, id, 25)).map(({ reference_id }) => reference_id);
  expect(listed.sort()).toEqual(Array.from({ length: 62 }, (_, at) => `order-${at}`).sort());
  const rows = (await shop.filing(id, {}, csv)).text.trim().split('\r\n');
  expect(rows.at(-1)).toContain(',Total,total,USD,,2485.00,');
  const page = await made(shop.exceptions(id, { limit: '2' }));
  for (const path of [`/filings/${id}?expand=entries&`, '/filings?'])
    expect(refusalOf(await shop.call('GET', `${path}starting_after=${page.next_cursor}`))).toBe(
      '422 | validation_invalid_cursor starting_after',
    );
  expect(refusalOf(await shop.exceptions('fil_none'))).toBe('404 | not_found');
  expect(refusalOf(await filer.exceptions(id))).toBe('404 | not_found');
});

it('lists the first 100 exceptions in a dry run', async () => {
  const shop = filerOf(await newCaller({ settings: { books_open_from: '2020-01-01' } }));
  for (let at = 0; at < 104; at++)
    await made(
      shop.create({
        ...{ status: 'finalized', reference_id: `order-${at}`, tax_date: '2021-08-15' },
        customer: { address: places.IN },
        line_items: [{ product_tax_code: 'FOOD.GROCERY', quantity: '1', unit_price: '1.00' }],
      }),
    );
  const { exceptions } = await made(shop.close({ state: 'IN', period_end: '2021-08-31', dry_run: true }));
  expect(exceptions?.count).toBe(104);
  expect(exceptions?.transactions?.map(({ reference_id }) => reference_id)).toEqual(
    Array.from({ length: 100 }, (_, at) => `order-${at}`),
  );
});
