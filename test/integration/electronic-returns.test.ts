import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { validateReturn } from '../../shared/cli/filings/return.ts';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, type Filer, type Filing, file } from '../support/filings.ts';
import type { Answer, Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { runInProcess } from '../support/run-command.ts';
import { creditOf, everyPage, made, recorded, sale, shippingCharges, startOnTestDay } from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

startOnTestDay();

type Transaction = Schema<'Transaction'>;
type Row = Schema<'TaxRow'>;
type Line = Transaction['line_items'][number];

const xml = { Accept: 'application/xml' };

/** The folder of the official schemas, which the project does not contain. Without it, only the order is checked. */
const officialSchemas = process.env['SER_SCHEMAS'];
const identity = {
  legal_name: 'A Shop LLC',
  tin: { type: 'FEIN', number: '123456789' },
  sst_id: 'S12345678',
  state_ids: { SD: '1234-5678' },
} as const;

/** The elements of a return in the order of the schema SST2015V01. `?` is optional, `*` repeats. */
const order =
  `ReturnType TotalSales ExemptionsDeductions ExemptionDeductionBreakout* TaxableSales StateTaxDueSalesInState
  StateTaxDueSalesOrigOutOfState StateTaxDueOwnPurchWithdraw StateTaxDueFoodDrug JurisdictionDetail* TotalTaxDue
  AmountDueOrRefund`.split(/\s+/);
const orderPattern = new RegExp(
  `^${order.map((name) => (name.endsWith('*') ? `(${name.slice(0, -1)} )*` : `${name} `)).join('')}$`,
);

const getText = (of: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(of)?.[1] ?? '';
const listBlocks = (of: string, name: string): string[] =>
  [...of.matchAll(new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`, 'g'))].map(([, inner = '']) => inner);

/** Reads a return as figures by element, by exemption type and by local code. */
const figuresIn = (document: string): Record<string, string> => {
  const [body = ''] = listBlocks(document, 'SimplifiedElectronicReturn');
  const outer = body.replace(/<(ExemptionDeductionBreakout|JurisdictionDetail)>[\s\S]*?<\/\1>/g, '<$1>-</$1>');
  const names = [...outer.matchAll(/<([A-Za-z]+)>/g)].map(([, name]) => `${name} `).join('');
  expect(names).toMatch(orderPattern);
  return {
    ...Object.fromEntries([...outer.matchAll(/<([A-Za-z]+)>(-?\d+\.\d\d)</g)].map(([, name, value]) => [name, value])),
    ...Object.fromEntries(
      listBlocks(body, 'ExemptionDeductionBreakout').map((one) => [
        getText(one, 'ExemptionType'),
        getText(one, 'ExemptionAmount'),
      ]),
    ),
    ...Object.fromEntries(
      listBlocks(body, 'JurisdictionDetail').map((one) => [
        getText(one, 'JurisdictionCode'),
        `${getText(one, 'JurisTaxDueSalesInState')} ${getText(one, 'JurisTaxDueSalesOrigOutOfState')}`,
      ]),
    ),
  };
};

const places = {
  AR: { city: 'Little Rock', state: 'AR', postal_code: '72201' },
  GA: { city: 'Atlanta', state: 'GA', postal_code: '30303' },
  IN: { city: 'Indianapolis', state: 'IN', postal_code: '46204' },
  KY: { city: 'Louisville', state: 'KY', postal_code: '40202' },
  MN: { city: 'Minneapolis', state: 'MN', postal_code: '55401' },
  NE: { city: 'Omaha', state: 'NE', postal_code: '68102' },
  SD: { city: 'Sioux Falls', state: 'SD', postal_code: '57104' },
  WV: { city: 'Charleston', state: 'WV', postal_code: '25301' },
} as const;
type State = keyof typeof places;
const states = Object.keys(places) as State[];
/** Annual returns of the calendar year keep the number of filings small; Minnesota and Georgia file more often. */
const periods: Readonly<Record<State, readonly string[]>> = {
  AR: ['2025-12-31'],
  IN: ['2025-12-31'],
  KY: ['2025-12-31'],
  NE: ['2025-12-31'],
  SD: ['2025-12-31'],
  WV: ['2025-12-31'],
  GA: ['2025-03-31', '2025-06-30', '2025-09-30', '2025-12-31'],
  MN: Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2025, month + 1, 0)).toISOString().slice(0, 10)),
};
const frequencies = { 1: 'year', 4: 'quarter', 12: 'month' } as const;

const draw = drawFrom(31_004);
const cents = () => new Decimal(draw.below(40_000) + 100).div(100).toFixed(2);

const randomSale = (state: State) => {
  const origin = draw.of([null, null, { address: places[state] }, { address: places[draw.of(states)] }]);
  const exemption = draw.of([null, null, null, 'resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const);
  const lines = Array.from({ length: 1 + draw.below(3) }, (_, at) => ({
    id: `line_${at + 1}`,
    product_tax_code: draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL']),
    quantity: '1',
    unit_price: cents(),
    ...(draw.oneIn(4) && { ship_from: { address: places[draw.of(states)] } }),
  }));
  return sale({
    status: 'finalized',
    tax_date: `2025-${String(1 + draw.below(12)).padStart(2, '0')}-${String(1 + draw.below(28)).padStart(2, '0')}`,
    customer: { address: places[state], ...(exemption && { exemption: { type: exemption } }) },
    ...(origin && { ship_from: origin }),
    line_items: lines,
    ...(draw.oneIn(3) && { shipping: { amount: cents() } }),
    // An over-collected tax is due as collected.
    ...(exemption === null && lines.every(({ product_tax_code: code }) => code === 'GENERAL') && draw.oneIn(5)
      ? { tax_amount: '99.99' }
      : {}),
  });
};

const zero = new Decimal(0);

/** Recomputes a return from the list of transactions. */
const expectedReturn = (all: readonly Transaction[], state: State, start: string, end: string) => {
  const sums = new Map<string, Decimal>();
  const add = (name: string, amount: Decimal) => void sums.set(name, (sums.get(name) ?? zero).plus(amount));
  const kinds = {
    direct_pay: 'DirectPay',
    government: 'GovernmentExemptOrg',
    nonprofit: 'GovernmentExemptOrg',
    resale: 'Resale',
  };
  const addRow = (row: Row, line: Line | null, sign: number, isInState: boolean, exempted: string | undefined) => {
    const amount = (text: string) => new Decimal(text).times(sign);
    const due = amount(row.tax_amount);
    if (row.jurisdiction_code !== `US-${state}`) {
      const code = /(\d{3}|\d{5})$/.exec(row.jurisdiction_code)?.[1] ?? row.jurisdiction_code;
      add(`${code} ${isInState ? 'in' : 'out'}`, due);
      return;
    }
    add('gross', amount(row.taxable_amount).plus(amount(row.exempt_amount)));
    add('taxable', amount(row.taxable_amount));
    const reason = line ? line.applied_exemption?.reason : exempted;
    const kind = row.taxability_reason === 'customer_exempt' ? kinds[reason as keyof typeof kinds] : undefined;
    add(kind ?? 'Other', amount(row.exempt_amount));
    const isFood = row.taxability_reason === 'reduced_rated' && line?.product_tax_code === 'FOOD.GROCERY';
    add(isFood ? 'food' : isInState ? 'in' : 'out', due);
  };
  for (const transaction of all) {
    const day = transaction.tax_date.slice(0, 10);
    if (day < start || day > end) continue;
    const sign = transaction.type === 'credit' ? -1 : 1;
    const sold = all.find(({ id }) => id === transaction.parent_transaction_id) ?? transaction;
    const exempted = sold.line_items.find(({ applied_exemption }) => applied_exemption)?.applied_exemption?.reason;
    const addCharge = (charge: Pick<Line, 'taxes' | 'ship_from'>, line: Line | null) => {
      const origin = (charge.ship_from ?? transaction.ship_from)?.address?.state ?? 'GA';
      for (const row of charge.taxes.filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(`US-${state}`)))
        addRow(row, line, sign, origin === state, exempted);
    };
    for (const line of transaction.line_items) addCharge(line, line);
    for (const charge of shippingCharges(transaction.shipping))
      addCharge({ taxes: charge.taxes, ship_from: charge.ship_from ?? sold.line_items[0]?.ship_from ?? null }, null);
  }
  const sum = (name: string) => sums.get(name) ?? zero;
  const codes = [...new Set([...sums.keys()].flatMap((key) => /^(\S+) (?:in|out)$/.exec(key)?.[1] ?? []))];
  const locals = codes.map((code) => [code, sum(`${code} in`), sum(`${code} out`)] as const);
  const due = locals.reduce((total, [, a, b]) => total.plus(a).plus(b), sum('in').plus(sum('out')).plus(sum('food')));
  const kindsFound = ['DirectPay', 'GovernmentExemptOrg', 'Resale', 'Other'].filter((kind) => !sum(kind).isZero());
  return {
    TotalSales: sum('gross').toFixed(2),
    ExemptionsDeductions: sum('gross').minus(sum('taxable')).toFixed(2),
    TaxableSales: sum('taxable').toFixed(2),
    StateTaxDueSalesInState: sum('in').toFixed(2),
    StateTaxDueSalesOrigOutOfState: sum('out').toFixed(2),
    StateTaxDueOwnPurchWithdraw: '0.00',
    StateTaxDueFoodDrug: sum('food').toFixed(2),
    ...Object.fromEntries(kindsFound.map((kind) => [kind, sum(kind).toFixed(2)])),
    ...Object.fromEntries(
      locals.flatMap(([code, a, b]) => (a.isZero() && b.isZero() ? [] : [[code, `${a.toFixed(2)} ${b.toFixed(2)}`]])),
    ),
    TotalTaxDue: due.toFixed(2),
    AmountDueOrRefund: due.toFixed(2),
  };
};

const registrations = states.map((state) => ({
  state,
  from: '2025-01-01',
  to: null,
  frequency: frequencies[periods[state].length as keyof typeof frequencies],
}));

const readReturn = async (filer: Filer, id: string, parameters: Record<string, string> = {}): Promise<Answer> =>
  filer.filing(id, parameters, xml);

const listRefusals = ({ status, body }: Answer): string[] => [
  `${status}`,
  ...body.errors.map(({ code, detail }) => `${code} ${detail}`),
];

describe('the electronic returns of a year in eight states', () => {
  let filer: Filer;
  let account = '';
  const all: Transaction[] = [];
  const filings: Filing[] = [];

  beforeAll(async () => {
    const caller = await newCaller({
      settings: { registrations, books_open_from: '2025-01-01', ship_from: places.GA, return_identity: identity },
    });
    filer = createFiler(caller);
    account = caller.account.id;
    for (let at = 0; at < 160; at++) {
      const sold = await made(filer.create(randomSale(states[at % states.length] as State)));
      const last = { id: sold.line_items.at(-1)?.id, quantity: '1' };
      const credits = draw.of([
        ...[[], [], [{}]],
        sold.line_items.slice(0, 2).map(({ id }) => ({ line_items: [{ id, quantity: '0.5' }] })),
        // Shipping only, with a line that need not decide where it is from.
        ...(sold.shipping ? [[{ shipping: { amount: '0.50' }, line_items: [{ ...last, unit_price: '0.00' }] }]] : []),
      ]);
      for (const credited of credits)
        await made(filer.create(creditOf(sold, { tax_date: sold.tax_date, ...credited })));
    }
    // A list has no line items.
    const { ids } = await everyPage(filer, { limit: '100' });
    for (const id of ids) all.push(recorded(await made(filer.get(id))));
    for (const state of states) for (const end of periods[state]) filings.push(await closedFiling(filer, state, end));
  }, 240_000);

  it('match the amounts of the transactions to the cent, in the element order of the schema', async () => {
    expect(filings).toHaveLength(22);
    for (const { id, state, period_start, period_end } of filings) {
      const { status, text } = await readReturn(filer, id);
      const place = `${state} ${period_end}`;
      expect([place, status]).toEqual([place, 200]);
      if (officialSchemas) await validateReturn(text, officialSchemas);
      const letters = state.slice(3) as State;
      expect([place, figuresIn(text)]).toEqual([place, expectedReturn(all, letters, period_start, period_end)]);
    }
  });

  it('are written to one file by a command that validates it first', async () => {
    const folder = createFolder();
    const out = join(folder, 'returns.xml');
    // The schema of the root element alone.
    const getSchema = (count: string) =>
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="SSTSimplifiedReturnTransmission"><xs:complexType><xs:sequence>
        <xs:any processContents="skip"/><xs:any processContents="skip" minOccurs="${count}" maxOccurs="${count}"/></xs:sequence>
        <xs:attribute name="transmissionVersion" fixed="SST2015V01"/></xs:complexType></xs:element></xs:schema>`;
    const write = (count: string) =>
      writeFileSync(join(folder, 'SSTSimplifiedReturnTransmission.xsd'), getSchema(count));
    const run = (...options: string[]) =>
      runInProcess(filingsProgram(), ['return', '--account', account, '--all-due', '--out', out, ...options]);
    expect(await run('--schema', folder)).toMatchObject({ code: 1, err: expect.stringContaining('no SSTSimplified') });
    write('21');
    expect(await run('--schema', folder)).toMatchObject({ code: 1, err: expect.stringContaining('not valid') });
    write('22');
    expect(await run('--schema', officialSchemas ?? folder)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/returns\.xml: 22 returns, valid, hash [0-9a-f]{16}\n/),
    });
    const text = readFileSync(out, 'utf8');
    expect([getText(text, 'DocumentCount'), getText(text, 'ETIN')]).toEqual(['22', 'S12345678']);
    const ids = [...text.matchAll(/<DocumentId>(.*?)</g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(22);
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('already exists') });
    const exceptions = filings.reduce((sum, filing) => sum + (filing.exceptions?.count ?? 0), 0);
    expect(await run('--production')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`There are ${exceptions} `),
    });
  });

  it('include tax on food at a reduced rate, in-state and out-of-state tax, and a refund', async () => {
    const texts = await Promise.all(filings.map(async ({ id }) => (await readReturn(filer, id)).text));
    const some = (name: string, isWanted: (amount: Decimal) => boolean) =>
      expect(texts.some((text) => isWanted(new Decimal(getText(text, name))))).toBe(true);
    for (const name of ['StateTaxDueSalesInState', 'StateTaxDueSalesOrigOutOfState', 'StateTaxDueFoodDrug'])
      some(name, (amount) => amount.gt(0));
    expect(texts.every((text) => getText(text, 'ProcessType') === 'T')).toBe(true);
  });
});

describe('an electronic return', () => {
  const kentucky = { address: places.KY };
  const soldIn = (filer: Filer, tax_date: string, others: Record<string, unknown> = {}) =>
    made(filer.create(sale({ status: 'finalized', tax_date, customer: kentucky, ...others })));
  const shop = async (settings: Partial<Settings> = {}): Promise<Filer> => {
    const own = [{ state: 'KY', from: '2026-09-01', to: null, frequency: 'month' as const }];
    const common = { registrations: own, books_open_from: '2026-09-01', return_identity: identity };
    return createFiler(await newCaller({ settings: { ...common, ...settings } }));
  };

  it('has the same bytes before and after it is filed, and a different hash after a change', async () => {
    const filer = await shop();
    await soldIn(filer, '2026-09-05');
    const preview = await filer.close({ state: 'KY', period_end: '2026-09-30', dry_run: true }, xml);
    const { id } = await closedFiling(filer, 'KY', '2026-09-30');
    const before = await readReturn(filer, id);
    expect(Object.fromEntries(before.headers)).toMatchObject({
      'content-type': 'application/xml',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="US-KY_2026-09-30_return-test_[0-9a-f]{16}\.xml"$/,
      ),
      vary: 'Accept, Service-Version',
    });
    const figures = { TotalSales: '100.00', StateTaxDueSalesOrigOutOfState: '6.00', TotalTaxDue: '6.00' };
    for (const text of [preview.text, before.text]) {
      expect(figuresIn(text)).toMatchObject(figures);
      expect([getText(text, 'ProcessType'), getText(text, 'SSTPID'), getText(text, 'FIPSCode')]).toEqual([
        'T',
        'S12345678',
        '21',
      ]);
    }
    expect([preview.text, before.text].map((text) => getText(text, 'Timestamp') !== '')).toEqual([false, true]);
    await file(filer, id);
    const after = await readReturn(filer, id);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
    const production = await readReturn(filer, id, { process_type: 'P', return_type: 'A' });
    expect([getText(production.text, 'ProcessType'), getText(production.text, 'ReturnType')]).toEqual(['P', 'A']);
    expect(production.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(getText(production.text, 'DocumentId')).not.toBe(getText(before.text, 'DocumentId'));
    expect(getText(production.text, 'DocumentId')).toMatch(/^S1234567826\d{3}[0-9A-Z]{6}$/);
  });

  it('is zero without sales, and negative if credits exceed sales', async () => {
    const filer = await shop();
    const sold = await soldIn(filer, '2026-09-05');
    await closedFiling(filer, 'KY', '2026-09-30');
    await made(filer.create(creditOf(sold, { tax_date: '2026-10-02' })));
    const october = await closedFiling(filer, 'KY', '2026-10-31');
    const november = await filer.close({ state: 'KY', period_end: '2026-11-30', dry_run: true }, xml);
    expect(figuresIn((await readReturn(filer, october.id)).text)).toEqual({
      TotalSales: '-100.00',
      ExemptionsDeductions: '0.00',
      TaxableSales: '-100.00',
      StateTaxDueSalesInState: '0.00',
      StateTaxDueSalesOrigOutOfState: '-6.00',
      StateTaxDueOwnPurchWithdraw: '0.00',
      StateTaxDueFoodDrug: '0.00',
      TotalTaxDue: '-6.00',
      AmountDueOrRefund: '-6.00',
    });
    const zeros = Object.values(figuresIn(november.text));
    expect([zeros.length, new Set(zeros)]).toEqual([9, new Set(['0.00'])]);
  });

  it('covers only the registered months of a quarter, and identifies the business by its state id', async () => {
    const filer = await shop({
      registrations: [{ state: 'SD', from: '2026-08-15', to: null, frequency: 'quarter' }],
      books_open_from: '2026-08-01',
    });
    await soldIn(filer, '2026-08-20', { customer: { address: places.SD } });
    const { text } = await filer.close({ state: 'SD', period_end: '2026-09-30', dry_run: true }, xml);
    const names = ['TaxPeriodStartDate', 'TaxPeriodEndDate', 'StateID', 'SSTPID', 'ETIN'];
    expect(names.map((name) => getText(text, name))).toEqual([
      '2026-08-01',
      '2026-09-30',
      '1234-5678',
      '',
      'S12345678',
    ]);
  });

  it('reverses the tax on shipping in the element that the sale used, even for a credit of another line', async () => {
    const filer = await shop();
    const line = (id: string, state: State) => ({
      id,
      product_tax_code: 'GENERAL',
      quantity: '1',
      unit_price: '100.00',
      ship_from: { address: places[state] },
    });
    const line_items = [line('inside', 'KY'), line('outside', 'GA')];
    const sold = await soldIn(filer, '2026-09-05', { line_items, shipping: { amount: '10.00' } });
    const figures = async () =>
      figuresIn((await filer.close({ state: 'KY', period_end: '2026-09-30', dry_run: true }, xml)).text);
    const due = { StateTaxDueSalesInState: '6.60', StateTaxDueSalesOrigOutOfState: '6.00' };
    expect(await figures()).toMatchObject(due);
    const shippingOnly = [{ id: 'outside', quantity: '1', unit_price: '0.00' }];
    const tax_date = '2026-09-06';
    await made(filer.create(creditOf(sold, { tax_date, line_items: shippingOnly, shipping: { amount: '10.00' } })));
    expect(await figures()).toMatchObject({ ...due, StateTaxDueSalesInState: '6.00' });
  });

  it('omits fees, with a comment that lists them', async () => {
    const filer = await shop({ registrations: 'all', retail_delivery_fee: 'add' });
    await soldIn(filer, '2026-09-05', {
      customer: { address: places.MN },
      line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '500.00' }],
      shipping: { amount: '5.00' },
    });
    const { text } = await filer.close({ state: 'MN', period_end: '2026-09-30', dry_run: true }, xml);
    expect(text).toContain('<!-- Not included: fees of 0.50');
    expect(figuresIn(text)['StateTaxDueSalesOrigOutOfState']).toBe('34.72');
  });

  describe('is refused', () => {
    it('with exceptions for production, until their number is acknowledged', async () => {
      const filer = await shop();
      await soldIn(filer, '2026-09-05', { tax_amount: '5.00' });
      const { id } = await closedFiling(filer, 'KY', '2026-09-30');
      expect((await readReturn(filer, id)).status).toBe(200);
      for (const wrong of [{}, { acknowledge_exceptions: '2' }])
        expect(listRefusals(await readReturn(filer, id, { process_type: 'P', ...wrong }))).toEqual([
          '409',
          expect.stringContaining('acknowledge_exceptions=1'),
        ]);
      const { status, text } = await readReturn(filer, id, { process_type: 'P', acknowledge_exceptions: '1' });
      // The calculated tax is due, although less was collected.
      expect([status, getText(text, 'TotalTaxDue')]).toEqual([200, '6.00']);
    });

    it('with every reason at once', async () => {
      const filer = await shop({ registrations: 'all', return_identity: null });
      const bismarck = { address: { city: 'Bismarck', state: 'ND', postal_code: '58501' } };
      await soldIn(filer, '2026-09-05', { customer: bismarck });
      await soldIn(filer, '2026-09-05', { customer: bismarck, currency: 'EUR' });
      expect(listRefusals(await filer.close({ state: 'ND', period_end: '2026-09-30', dry_run: true }, xml))).toEqual([
        '409',
        expect.stringContaining('no return_identity'),
        expect.stringContaining('amounts in EUR'),
        expect.stringMatching(
          /no reporting code for these jurisdictions: Bismarck .*Import the rate and boundary files/,
        ),
      ]);
    });

    it('with local tax of a state that uses composite codes', async () => {
      const filer = await shop({ registrations: 'all' });
      await soldIn(filer, '2026-09-05', {
        customer: { address: { city: 'Topeka', state: 'KS', postal_code: '66603' } },
      });
      expect(listRefusals(await filer.close({ state: 'KS', period_end: '2026-09-30', dry_run: true }, xml))).toEqual([
        '409',
        expect.stringMatching(/Kansas requires composite codes of places, which Levy does not have: .*Topeka/),
      ]);
    });

    it.each([
      ['without an id for the state', { ...identity, sst_id: null }, 'KY', 'neither an sst_id nor an entry for KY'],
      ['of a state outside the Agreement', identity, 'TX', 'Texas is not a full member'],
      ['of an associate member', identity, 'TN', 'Tennessee is not a full member'],
    ] as const)('%s', async (_, return_identity, state, detail) => {
      const filer = await shop({ return_identity });
      expect(listRefusals(await filer.close({ state, period_end: '2026-09-30', dry_run: true }, xml))).toEqual([
        '409',
        expect.stringContaining(detail),
      ]);
    });

    it('for a canceled filing, whose replacement has a different hash', async () => {
      const filer = await shop();
      await soldIn(filer, '2026-09-05');
      const { id } = await closedFiling(filer, 'KY', '2026-09-30');
      const before = await readReturn(filer, id);
      await cancel(filer, id);
      expect(listRefusals(await readReturn(filer, id))).toEqual(['409', expect.stringContaining('is canceled')]);
      await soldIn(filer, '2026-09-06');
      const after = await readReturn(filer, (await closedFiling(filer, 'KY', '2026-09-30')).id, { return_type: 'A' });
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
      expect(getText(after.text, 'DocumentId')).not.toBe(getText(before.text, 'DocumentId'));
    });
  });
});
