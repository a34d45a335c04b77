import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, csv, type Filer, type Filing, filerOf } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { runInProcess } from '../support/run-command.ts';
import { creditOf, everyPage, made, recorded, refusalOf, sale, startOnTestDay } from '../support/sales.ts';
import { shippingCharges } from '../support/shipping.ts';

startOnTestDay();

type Transaction = Schema<'Transaction'>;
type State = keyof typeof places;
type Address = { readonly city: string; readonly state: string; readonly postal_code: string };

const places = {
  AZ: [{ city: 'Phoenix', state: 'AZ', postal_code: '85004' }],
  CA: [{ city: 'Los Angeles', state: 'CA', postal_code: '90012' }],
  // Denver collects its own tax, the state that of Estes Park.
  CO: [
    { city: 'Denver', state: 'CO', postal_code: '80202' },
    { city: 'Estes Park', state: 'CO', postal_code: '80517' },
  ],
  FL: [{ city: 'Miami', state: 'FL', postal_code: '33130' }],
  IL: [{ city: 'Chicago', state: 'IL', postal_code: '60601' }],
  MA: [{ city: 'Boston', state: 'MA', postal_code: '02108' }],
  NY: [{ city: 'New York', state: 'NY', postal_code: '10001' }],
  PA: [{ city: 'Philadelphia', state: 'PA', postal_code: '19103' }],
  TX: [{ city: 'Austin', state: 'TX', postal_code: '78701' }],
  VA: [
    { city: 'Fairfax', state: 'VA', postal_code: '22030' },
    { city: 'Williamsburg', state: 'VA', postal_code: '23185' },
    { city: 'Richmond', state: 'VA', postal_code: '23219' },
    { city: 'Danville', state: 'VA', postal_code: '24541' },
  ],
} as const;
const states = Object.keys(places) as State[];
const forms: Record<State, string> = {
  ...{ AZ: 'AZ-TPT-2', CA: 'CA-CDTFA-401', CO: 'CO-DR-0100', FL: 'FL-DR-15', IL: 'IL-ST-1', MA: 'MA-ST-9' },
  ...{ NY: 'NY-ST-100', PA: 'PA-3', TX: 'TX-01-114', VA: 'VA-ST-1' },
};
const months = ['2026-07', '2026-08', '2026-09'] as const;
const ends = { '2026-07': '2026-07-31', '2026-08': '2026-08-31', '2026-09': '2026-09-30' } as const;

const draw = drawFrom(70_321);
const cents = () => new Decimal(draw.below(40_000) + 100).div(100).toFixed(2);

/** A random sale. One that is `isPlain` has a taxed line item, so that each place has tax. */
const randomSale = (address: Address, isPlain: boolean) => {
  const exemption = isPlain ? null : draw.of([null, null, 'resale', 'government'] as const);
  return sale({
    status: 'finalized',
    tax_date: `2026-07-${String(1 + draw.below(28)).padStart(2, '0')}`,
    ship_from: { address: places[draw.of(['CA', 'IL'] as const)][0] },
    customer: { address, ...(exemption && { exemption: { type: exemption } }) },
    line_items: Array.from({ length: 1 + draw.below(3) }, (_, at) => ({
      ...{ id: `line_${at + 1}`, quantity: '1', unit_price: cents() },
      product_tax_code:
        isPlain && at === 0 ? 'GENERAL' : draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL', 'HEALTH.DRUGS']),
    })),
    ...(draw.oneIn(3) && { shipping: { amount: cents() } }),
  });
};

/** Rounds to the unit of the form, halves away from zero. */
const rounded = (amount: Decimal, unit: number) =>
  amount.times(100).div(unit).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).times(unit).div(100);

const zero = new Decimal(0);

/** Recomputes the figures of a month from the rows of the transactions. */
const figuresOf = (all: readonly Transaction[], state: State, month: string) => {
  const rows = all.flatMap(({ type, tax_date, line_items, shipping, ship_from }) => {
    if (!tax_date.startsWith(month)) return [];
    const sign = type === 'credit' ? -1 : 1;
    return [...line_items, ...shippingCharges(shipping)]
      .flatMap(({ taxes }) => taxes)
      .filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(`US-${state}`))
      .map((row) => ({
        ...{ level: row.jurisdiction_type, code: row.jurisdiction_code, rate: Number(row.rate) },
        isInState: ship_from?.address?.state === state,
        tax: new Decimal(row.tax_amount).times(sign),
        taxable: new Decimal(row.taxable_amount).times(sign),
        gross: new Decimal(row.taxable_amount).plus(row.exempt_amount).times(sign),
      }));
  });
  type Row = (typeof rows)[number];
  const sum = (name: 'tax' | 'taxable' | 'gross', keeps: (row: Row) => boolean) =>
    rows.filter(keeps).reduce((total, row) => total.plus(row[name]), zero);
  const of = (level: Row['level']) => sum('tax', (row) => row.level === level);
  const isState = (row: Row) => row.level === 'state';
  return {
    ...{ gross: sum('gross', isState), taxable: sum('taxable', isState), due: sum('tax', () => true) },
    ...{ stateTax: of('state'), county: of('county'), city: of('city'), district: of('district') },
    localTax: sum('tax', (row) => !isState(row)),
    sum,
  };
};

type Figures = ReturnType<typeof figuresOf>;

/** The lines of the forms, written apart from their layouts. Blank lines are left out. */
const expectedLines: Record<State, (figures: Figures) => Record<string, Decimal>> = {
  AZ: ({ gross, taxable, city, due, sum }) => {
    const inCities = ({ level }: { level: string }) => level === 'city';
    const [cityGross, cityTaxable] = [sum('gross', inCities), sum('taxable', inCities)];
    return {
      ...{ '7 (F)': gross, '7 (G)': gross.minus(taxable), '7 (H)': taxable, '7 (J)': due.minus(city) },
      ...{ '14 (F)': cityGross, '14 (G)': cityGross.minus(cityTaxable), '14 (H)': cityTaxable, '14 (J)': city },
      ...{ A1: zero, 'City excess tax': zero, Tax: due },
    };
  },
  CA: ({ gross, taxable, stateTax, localTax }) => {
    const [sales, exempt, state, district] = [gross, gross.minus(taxable), stateTax, localTax].map((figure) =>
      rounded(figure, 100),
    ) as [Decimal, Decimal, Decimal, Decimal];
    const tax = state.plus(district);
    return {
      ...{ '1': sales, '3': sales, '11': exempt, '12': sales.minus(exempt), '13-15': state, '16': district },
      ...{ '17': tax, '18': zero, '19': tax },
    };
  },
  CO: ({ gross, taxable, stateTax, county, city, district, due, sum }) => {
    const denver = sum('tax', ({ code }) => code === 'US-CO-01-20000');
    return {
      ...{ '1': gross, '2 and 4': gross.minus(taxable), '5': taxable, '8': zero, '9': due.minus(denver) },
      ...{ '7 (state)': stateTax, '7 (district)': district, '7 (county)': county, '7 (city)': city.minus(denver) },
      ...{ 'Other returns': denver, 'All returns': due },
    };
  },
  FL: ({ gross, taxable, localTax, due }) => ({
    ...{ 'A.1': gross, 'A.2': gross.minus(taxable), 'A.3': taxable, 'A.4': due },
    ...{ '5': due, '7': due, '15(d)': localTax },
  }),
  IL: ({ gross, taxable, due, sum }) => {
    const isReduced = ({ level, rate }: { level: string; rate: number }) => level === 'state' && rate < 0.0625;
    const [inside, outside, reduced, receipts, deductions] = [
      sum('tax', (row) => row.isInState && !isReduced(row)),
      sum('tax', (row) => !row.isInState && !isReduced(row)),
      sum('tax', isReduced),
      gross.plus(due),
      gross.minus(taxable).plus(due),
    ].map((figure) => rounded(figure, 100)) as [Decimal, Decimal, Decimal, Decimal, Decimal];
    return {
      ...{ '1': receipts, '2': deductions, '3': receipts.minus(deductions) },
      ...{ '4b': inside, '5b and 7b': reduced, '6b': outside, '9': inside.plus(outside).plus(reduced) },
    };
  },
  MA: ({ gross, taxable, due }) => ({
    ...{
      '1': gross,
      '2': gross.minus(taxable),
      '5': gross.minus(taxable),
      '6': taxable,
      '7': due,
      '10': due,
      '12': due,
    },
  }),
  NY: ({ gross, taxable, due }) => ({
    ...{ '1': rounded(gross, 100), '1a': rounded(gross.minus(taxable), 100), '12': rounded(taxable, 100) },
    ...{ '14': due, '17': due },
  }),
  PA: ({ gross, taxable, stateTax, due, sum }) => {
    const philadelphia = ({ code }: { code: string }) => code === 'US-PA-01-60000';
    return {
      ...{ '1 (state)': gross, '2 (state)': taxable, '3 (state)': stateTax, '3': due },
      ...{ '1 (Allegheny)': zero, '2 (Allegheny)': zero, '3 (Allegheny)': zero },
      ...{ '1 (Philadelphia)': sum('gross', philadelphia), '2 (Philadelphia)': sum('taxable', philadelphia) },
      '3 (Philadelphia)': sum('tax', philadelphia),
    };
  },
  TX: ({ gross, taxable, stateTax, localTax, due }) => ({
    ...{ '1': rounded(gross, 100), '2': rounded(taxable, 100), '4': rounded(taxable, 100) },
    ...{ '7a': stateTax, '7b': localTax, '8': due, '10': due },
  }),
  VA: ({ gross, taxable, stateTax, localTax, due, sum }) => {
    const region = (name: string) => sum('tax', ({ code }) => code.endsWith(name));
    const regions = ['-NORTHERN', '-HAMPTON-ROADS', '-CENTRAL', '-HISTORIC-TRIANGLE'].map(region);
    const [northern = zero, hamptonRoads = zero, central = zero, triangle = zero] = regions;
    const at = (state: number) => sum('taxable', ({ level, rate }) => level === 'state' && rate === state);
    return {
      ...{ '1': gross, '3': gross.minus(taxable), '4': taxable, '5 (A)': at(0.01), '6 (A)': at(0.053) },
      ...{ '10a': northern, '10b': hamptonRoads, '10c': central, '10d': triangle, 'Excess tax': zero, Total: due },
      ...{
        'State and local tax': stateTax,
        'Other local tax': regions.reduce((left, tax) => left.minus(tax), localTax),
      },
    };
  },
};

/** The lines with all tax on sales. */
const totals: Record<State, string> = {
  ...{
    AZ: 'Tax',
    CA: '19',
    CO: 'All returns',
    FL: '5',
    IL: '9',
    MA: '10',
    NY: '14',
    PA: '3',
    TX: '8',
    VA: 'Total',
  },
};

const sheetOf = async (filer: Filer, { id }: Filing, form: string) => {
  const { worksheet } = await made(filer.filing(id ?? '', { form }));
  if (!worksheet) throw new Error(`The filing has no worksheet ${form}.`);
  return worksheet;
};

describe('worksheets', () => {
  let filer: Filer;
  let account: string;
  /** The dry run of California's July, before the period is closed. */
  let before: Awaited<ReturnType<typeof dryRun>>;
  const dryRun = (more: object, headers = {}) => {
    const body = { state: 'CA', period_end: ends['2026-07'], dry_run: true, form: forms.CA, ...more };
    return filer.call('POST', '/filings', { body, headers });
  };
  const all: Transaction[] = [];
  const filings: { state: State; month: (typeof months)[number]; filing: Filing }[] = [];

  beforeAll(async () => {
    const registrations = states.map((state) => ({
      ...{ state, from: '2026-07-01', to: null, frequency: 'month' as const },
    }));
    const settings = { registrations, books_open_from: '2026-07-01' };
    const caller = await newCaller({ settings });
    filer = filerOf(caller);
    account = caller.account.id;
    const addresses = states.flatMap((state): readonly Address[] => places[state]);
    for (const [at, address] of Array.from({ length: 7 }, () => addresses)
      .flat()
      .entries()) {
      const isPlain = at < addresses.length;
      const sold = await made(filer.create(randomSale(address, isPlain)));
      // In August, there are only credits. September has no sales.
      const tax_date = isPlain ? null : draw.of([null, '2026-07-30', '2026-08-10']);
      if (tax_date) await made(filer.create(creditOf(sold, { tax_date })));
    }
    const { ids } = await everyPage(filer, { limit: '100' });
    for (const id of ids) all.push(recorded(await made(filer.get(id))));
    before = await dryRun({});
    for (const state of states)
      for (const month of months) filings.push({ state, month, filing: await closedFiling(filer, state, ends[month]) });
  }, 120_000);

  const californian = () => {
    const found = filings.find(({ state }) => state === 'CA');
    if (!found) throw new Error('California has no filing.');
    return found.filing;
  };

  it('have the figures of the transactions, rounded like the form', async () => {
    for (const { state, month, filing } of filings) {
      const worksheet = await sheetOf(filer, filing, forms[state]);
      const figures = figuresOf(all, state, month);
      const place = `${state} ${month}`;
      expect([place, figures.gross.cmp(0)]).toEqual([place, { '2026-07': 1, '2026-08': -1, '2026-09': 0 }[month]]);
      const lines = Object.fromEntries(
        worksheet.lines.flatMap(({ line, amount }) => (amount === null ? [] : [[line, amount]])),
      );
      const expected = Object.entries(expectedLines[state](figures)).map(([line, amount]) => [line, amount.toFixed(2)]);
      expect([place, lines]).toEqual([place, Object.fromEntries(expected)]);
      for (const { amount, note } of worksheet.lines) expect(amount === null).toBe(note !== null);
      const total = new Decimal(lines[totals[state]] ?? '');
      expect(worksheet.tax_due_amount).toBe(figures.due.toFixed(2));
      expect(worksheet.rounding_amount).toBe(total.minus(figures.due).toFixed(2));
      expect(worksheet.rows.reduce((sum, row) => sum.plus(row.tax_amount), new Decimal(0)).toFixed(2)).toBe(
        figures.localTax.toFixed(2),
      );
      expect(
        total
          .times(100)
          .mod(state === 'CA' || state === 'IL' ? 100 : 1)
          .isZero(),
      ).toBe(true);
    }
  });

  it('of a dry run have the lines of the closed filing', async () => {
    const { worksheet } = await made(Promise.resolve(before));
    const closed = await sheetOf(filer, californian(), forms.CA);
    expect({ ...worksheet, notes: worksheet?.notes.slice(1) }).toEqual(closed);
    expect(worksheet?.notes[0]).toContain('not closed');
    const october = { period_end: '2026-10-31' };
    expect((await dryRun(october, csv)).text).toMatch(/^form,edition,.*\r\nCA-CDTFA-401,/);
    const { warnings } = await made(dryRun({ ...october, note: 'x' }));
    expect(warnings.map(({ code }) => code)).toContain('unknown_field');
    for (const [refused, pointer] of [
      [{ form: 'FL-DR-15' }, '/form'],
      [{ dry_run: false }, '/form'],
      [{ totals_starting_after: 'x' }, '/totals_starting_after'],
    ] as const)
      expect(refusalOf(await dryRun({ ...october, ...refused }))).toContain(pointer);
  });

  it('are CSV files with the same lines', async () => {
    const filing = californian();
    const worksheet = await sheetOf(filer, filing, forms.CA);
    const { text } = await filer.filing(filing.id, { form: forms.CA }, csv);
    const [header, ...rows] = text.split('\r\n');
    expect(header).toBe('form,edition,part,line,label,taxable_amount,amount,note');
    for (const { line, amount } of worksheet.lines)
      expect(rows.some((row) => row.includes(`,form,${line},`) && (amount === null || row.includes(amount)))).toBe(
        true,
      );
  });

  it('are printed and written by the command', async () => {
    const { id } = californian();
    const run = (...options: string[]) =>
      runInProcess(filingsProgram(), ['worksheet', '--account', account, ...options]);
    const { lines } = await sheetOf(filer, californian(), forms.CA);
    const { out } = await run(id ?? '');
    for (const { line, label } of lines) expect(out).toMatch(new RegExp(`^${line} +${RegExp.escape(label)} `, 'm'));
    const folder = mkdtempSync(join(tmpdir(), 'levy-'));
    const path = join(folder, 'ca.csv');
    expect(await run(id ?? '', '--out', path)).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe((await filer.filing(id ?? '', { form: forms.CA }, csv)).text);
    const open = ['--dry-run', '--state', 'CA', '--period-end', '2026-10-31'];
    expect((await run(...open)).out).toContain('The period is not closed');
    rmSync(folder, { recursive: true });
  });

  it('of a canceled filing are refused', async () => {
    const last = filings.findLast(({ state }) => state === 'FL');
    await made(filer.call('POST', `/filings/${last?.filing.id}`, { body: { status: 'canceled' } }));
    const refused = await filer.filing(last?.filing.id ?? '', { form: forms.FL });
    expect(refusalOf(refused)).toContain('409 | conflict_return_incomplete');
  });

  it('of another state or with pages are refused', async () => {
    const filing = californian();
    const refused = await filer.filing(filing.id, { form: 'FL-DR-15' });
    expect(refusalOf(refused)).toContain('validation_invalid_format');
    expect(refused.body.errors[0].detail).toContain('Send CA-CDTFA-401.');
    expect((await filer.filing(filing.id, { form: forms.CA, expand: 'entries' })).status).toBe(422);
  });
});
