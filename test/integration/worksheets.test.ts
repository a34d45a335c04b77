import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, createFiler, csv, type Filer, type Filing } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { runInProcess } from '../support/run-command.ts';
import {
  creditOf,
  everyPage,
  getRefusal,
  made,
  recorded,
  sale,
  shippingCharges,
  startOnTestDay,
} from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

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
  AZ: 'AZ-TPT-2',
  CA: 'CA-CDTFA-401',
  CO: 'CO-DR-0100',
  FL: 'FL-DR-15',
  IL: 'IL-ST-1',
  MA: 'MA-ST-9',
  NY: 'NY-ST-100',
  PA: 'PA-3',
  TX: 'TX-01-114',
  VA: 'VA-ST-1',
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
      id: `line_${at + 1}`,
      quantity: '1',
      unit_price: cents(),
      product_tax_code:
        isPlain && at === 0 ? 'GENERAL' : draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL', 'HEALTH.DRUGS']),
    })),
    ...(draw.oneIn(3) && { shipping: { amount: cents() } }),
  });
};

/** Recomputes the figures of a month from the rows of the transactions. */
const getFigures = (all: readonly Transaction[], state: State, month: string) => {
  const rows = all.flatMap(({ type, tax_date, line_items, shipping, ship_from }) => {
    if (!tax_date.startsWith(month)) return [];
    const sign = type === 'credit' ? -1 : 1;
    return [...line_items, ...shippingCharges(shipping)]
      .flatMap(({ taxes }) => taxes)
      .filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(`US-${state}`))
      .map((row) => ({
        level: row.jurisdiction_type,
        code: row.jurisdiction_code,
        rate: Number(row.rate),
        isInState: ship_from?.address?.state === state,
        tax: new Decimal(row.tax_amount).times(sign),
        taxable: new Decimal(row.taxable_amount).times(sign),
        gross: new Decimal(row.taxable_amount).plus(row.exempt_amount).times(sign),
      }));
  });
  type Row = (typeof rows)[number];
  const sum = (name: 'tax' | 'taxable' | 'gross', keeps: (row: Row) => boolean) =>
    rows.filter(keeps).reduce((total, row) => total.plus(row[name]), new Decimal(0));
  const at = (level: Row['level']) => (row: Row) => row.level === level;
  const isState = at('state');
  const isReduced = (row: Row) => isState(row) && row.rate < 0.0625;
  const coded = (end: string) => (row: Row) => row.code.endsWith(end);
  const [city, philadelphia] = [at('city'), coded('PA-01-60000')];
  return {
    gross: sum('gross', isState),
    taxable: sum('taxable', isState),
    tax: sum('tax', () => true),
    'state tax': sum('tax', isState),
    'county tax': sum('tax', at('county')),
    'city tax': sum('tax', city),
    'district tax': sum('tax', at('district')),
    'local tax': sum('tax', (row) => !isState(row)),
    'city gross': sum('gross', city),
    'city taxable': sum('taxable', city),
    'in-state tax': sum('tax', (row) => row.isInState && !isReduced(row)),
    'out-of-state tax': sum('tax', (row) => !row.isInState && !isReduced(row)),
    'reduced state tax': sum('tax', isReduced),
    'Denver tax': sum('tax', coded('CO-01-20000')),
    'Philadelphia gross': sum('gross', philadelphia),
    'Philadelphia taxable': sum('taxable', philadelphia),
    'Philadelphia tax': sum('tax', philadelphia),
    'taxable at 0.01': sum('taxable', (row) => isState(row) && row.rate === 0.01),
    'taxable at 0.053': sum('taxable', (row) => isState(row) && row.rate === 0.053),
    'Northern Virginia tax': sum('tax', coded('-NORTHERN')),
    'Central Virginia tax': sum('tax', coded('-CENTRAL')),
    'Hampton Roads tax': sum('tax', coded('-HAMPTON-ROADS')),
    'Historic Triangle tax': sum('tax', coded('-HISTORIC-TRIANGLE')),
  };
};

/** The lines of the forms, written apart from their layouts. Blank lines are left out. */
const expectedLines = readFileSync(new URL('../fixtures/worksheet-lines.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((row) => row.split(',') as [form: string, line: string, amount: string, note: string]);

/** Computes a sum of figures. Brackets round to whole dollars, halves away from zero. */
const getAmount = (text: string, figures: Readonly<Record<string, Decimal>>): Decimal =>
  [...text.matchAll(/(?:^| ([+-]) )(?:\[(.*?)\]|((?:(?! [+-] ).)+))/g)].reduce((total, [, sign, inner, name = '']) => {
    const value = inner
      ? getAmount(inner, figures).toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
      : (figures[name] ?? new Decimal(name));
    return sign === '-' ? total.minus(value) : total.plus(value);
  }, new Decimal(0));

const readSheet = async (filer: Filer, { id }: Filing, form: string) => {
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
    const registrations = states.map((state) => ({ state, from: '2026-07-01', to: null, frequency: 'month' as const }));
    const settings = { registrations, books_open_from: '2026-07-01' };
    const caller = await newCaller({ settings });
    filer = createFiler(caller);
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

  it('have the amounts of the transactions, rounded as the form requires', async () => {
    for (const { state, month, filing } of filings) {
      const worksheet = await readSheet(filer, filing, forms[state]);
      const figures = getFigures(all, state, month);
      const place = `${state} ${month}`;
      expect([place, figures.gross.cmp(0)]).toEqual([place, { '2026-07': 1, '2026-08': -1, '2026-09': 0 }[month]]);
      const lines = Object.fromEntries(
        worksheet.lines.flatMap(({ line, amount }) => (amount === null ? [] : [[line, amount]])),
      );
      const expected = expectedLines.filter(([form]) => form === forms[state]);
      expect([place, lines]).toEqual([
        place,
        Object.fromEntries(expected.map(([, line, amount]) => [line, getAmount(amount, figures).toFixed(2)])),
      ]);
      for (const { amount, note } of worksheet.lines) expect(amount === null).toBe(note !== null);
      const total = new Decimal(lines[expected.find(([, , , note]) => note === 'total')?.[1] ?? ''] ?? '');
      expect(worksheet.tax_due_amount).toBe(figures.tax.toFixed(2));
      expect(worksheet.rounding_amount).toBe(total.minus(figures.tax).toFixed(2));
      const scheduled = worksheet.rows.reduce((sum, row) => sum.plus(row.tax_amount), new Decimal(0));
      expect(scheduled.toFixed(2)).toBe(figures['local tax'].toFixed(2));
    }
  });

  it('of a dry run have the lines of the closed filing', async () => {
    const { worksheet } = await made(Promise.resolve(before));
    const closed = await readSheet(filer, californian(), forms.CA);
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
      expect(getRefusal(await dryRun({ ...october, ...refused }))).toContain(pointer);
  });

  it('are CSV files with the same lines', async () => {
    const filing = californian();
    const worksheet = await readSheet(filer, filing, forms.CA);
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
    const { lines } = await readSheet(filer, californian(), forms.CA);
    const { out } = await run(id ?? '');
    for (const { line, label } of lines) expect(out).toMatch(new RegExp(`^${line} +${RegExp.escape(label)} `, 'm'));
    const folder = createFolder();
    const path = join(folder, 'ca.csv');
    expect(await run(id ?? '', '--out', path)).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe((await filer.filing(id ?? '', { form: forms.CA }, csv)).text);
    const open = ['--dry-run', '--state', 'CA', '--period-end', '2026-10-31'];
    expect((await run(...open)).out).toContain('The period is not closed');
  });

  it('are refused for a canceled filing', async () => {
    const last = filings.findLast(({ state }) => state === 'FL');
    await made(filer.call('POST', `/filings/${last?.filing.id}`, { body: { status: 'canceled' } }));
    const refused = await filer.filing(last?.filing.id ?? '', { form: forms.FL });
    expect(getRefusal(refused)).toContain('409 | conflict_return_incomplete');
  });

  it('are refused with the form of a different state or with pages', async () => {
    const filing = californian();
    const refused = await filer.filing(filing.id, { form: 'FL-DR-15' });
    expect(getRefusal(refused)).toContain('validation_invalid_format');
    expect(refused.body.errors[0].detail).toContain('Send CA-CDTFA-401.');
    expect((await filer.filing(filing.id, { form: forms.CA, expand: 'entries' })).status).toBe(422);
  });
});
