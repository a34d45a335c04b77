import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateReturn } from '../../shared/cli/filings/return.ts';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { newCaller } from '../support/api.ts';
import { figuresIn, getText, identity, memberPlaces, readReturn } from '../support/electronic-return.ts';
import { closedFiling, createFiler, csv, type Filer, type Filing } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { expectFailure, runInProcess } from '../support/run-command.ts';
import { buildCreditRequest, everyPage, getRefusal, made, recorded, sale, shippingCharges } from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

// The returns of a quarter in eighteen states, as worksheets of their forms and as electronic returns, compared with the
// rows of their transactions.

/** The folder of the official schemas, which the project does not contain. Without it, only the order is checked. */
const officialSchemas = process.env['SER_SCHEMAS'];

type Transaction = Schema<'Transaction'>;
type Line = Transaction['line_items'][number];
type Address = { readonly city: string; readonly state: string; readonly postal_code: string };
type FormState = keyof typeof worksheetPlaces;
type Member = keyof typeof memberPlaces;

/** Places with a worksheet for the state's form. */
const worksheetPlaces = {
  AZ: [{ city: 'Phoenix', state: 'AZ', postal_code: '85004' }],
  CA: [{ city: 'Los Angeles', state: 'CA', postal_code: '90012' }],
  // Denver collects its own tax; the state collects the tax of Estes Park.
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
const formStates = Object.keys(worksheetPlaces) as FormState[];
const members = Object.keys(memberPlaces) as Member[];
const forms: Record<FormState, string> = {
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
/** The states that file monthly. The other member states of the Agreement file quarterly. */
const monthly: readonly string[] = [...formStates, 'GA', 'MN'];

const draw = drawFrom(70_321);
const cents = () => new Decimal(draw.below(40_000) + 100).div(100).toFixed(2);
const origins: readonly Address[] = [
  ...[worksheetPlaces.CA[0], worksheetPlaces.IL[0]],
  ...[memberPlaces.KY, memberPlaces.SD, memberPlaces.MN],
];

/** A random sale. With `isPlain`, it has a taxed line item, so that each place has tax. */
const randomSale = (address: Address, isPlain: boolean) => {
  const isMember = address.state in memberPlaces;
  const reasons = ['resale', 'government', ...(isMember ? ['nonprofit', 'direct_pay', 'other'] : [])];
  const exemption = isPlain || draw.oneIn(2) ? null : draw.of(reasons);
  const line_items = Array.from({ length: 1 + draw.below(3) }, (_, at) => ({
    id: `line_${at + 1}`,
    quantity: '1',
    unit_price: cents(),
    product_tax_code:
      isPlain && at === 0 ? 'GENERAL' : draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL', 'HEALTH.DRUGS']),
    ...(draw.oneIn(4) && { ship_from: { address: draw.of([...origins, address]) } }),
  }));
  const isGeneral = line_items.every(({ product_tax_code: code }) => code === 'GENERAL');
  return sale({
    status: 'finalized',
    tax_date: `2026-07-${String(1 + draw.below(28)).padStart(2, '0')}`,
    ...(draw.oneIn(2) && { ship_from: { address: draw.of([...origins, address]) } }),
    customer: { address, ...(exemption && { exemption: { type: exemption } }) },
    line_items,
    ...(draw.oneIn(3) && { shipping: { amount: cents() } }),
    // Over-collected tax is due in full.
    ...(isMember && exemption === null && isGeneral && draw.oneIn(3) && { tax_amount: '99.99' }),
  });
};

/** Some credits of a sale. In August, there are only credits, and September has no sales. */
const randomCredits = ({ line_items, shipping }: Transaction): readonly Record<string, unknown>[] => {
  const last = { id: line_items.at(-1)?.id, quantity: '1' };
  return draw.of([
    ...[[], [{ tax_date: '2026-07-30' }], [{ tax_date: '2026-08-10' }]],
    line_items.slice(0, 2).map(({ id }) => ({ tax_date: '2026-07-31', line_items: [{ id, quantity: '0.5' }] })),
    // A credit of shipping only. Its line need not be the line that determines the origin of the shipping.
    ...(shipping
      ? [[{ tax_date: '2026-08-11', shipping: { amount: '0.50' }, line_items: [{ ...last, unit_price: '0.00' }] }]]
      : []),
  ]);
};

/** Exemption types of electronic returns. */
const kinds: Readonly<Record<string, string>> = {
  direct_pay: 'DirectPay',
  government: 'GovernmentExemptOrg',
  nonprofit: 'GovernmentExemptOrg',
  resale: 'Resale',
};

/** The rows of a transaction; the amounts of a credit are negative. */
const listRows = (transaction: Transaction, all: readonly Transaction[]) => {
  const sign = transaction.type === 'credit' ? -1 : 1;
  const sold = all.find(({ id }) => id === transaction.parent_transaction_id) ?? transaction;
  const exempted = sold.line_items.find(({ applied_exemption }) => applied_exemption)?.applied_exemption?.reason;
  const ofCharge = ({ taxes, ship_from }: Pick<Line, 'taxes' | 'ship_from'>, line: Line | null) => {
    const origin = (ship_from ?? transaction.ship_from)?.address?.state ?? 'GA';
    return taxes.map((row) => {
      const [taxable, exempt] = [row.taxable_amount, row.exempt_amount].map((text) => new Decimal(text).times(sign));
      const reason = line ? line.applied_exemption?.reason : exempted;
      return {
        month: transaction.tax_date.slice(0, 7),
        state: row.jurisdiction_code.slice(3, 5),
        level: row.jurisdiction_type,
        code: row.jurisdiction_code,
        rate: Number(row.rate),
        isInState: origin === row.jurisdiction_code.slice(3, 5),
        isFood: row.taxability_reason === 'reduced_rated' && line?.product_tax_code === 'FOOD.GROCERY',
        kind: (row.taxability_reason === 'customer_exempt' && kinds[String(reason)]) || 'Other',
        tax: new Decimal(row.tax_amount).times(sign),
        taxable: taxable as Decimal,
        exempt: exempt as Decimal,
        gross: (taxable as Decimal).plus(exempt as Decimal),
      };
    });
  };
  return [
    ...transaction.line_items.flatMap((line) => ofCharge(line, line)),
    ...shippingCharges(transaction.shipping).flatMap((charge) => {
      const ship_from = charge.ship_from ?? sold.line_items[0]?.ship_from ?? null;
      return ofCharge({ taxes: charge.taxes, ship_from }, null);
    }),
  ];
};
type TaxedRow = ReturnType<typeof listRows>[number];
type Amount = 'tax' | 'taxable' | 'exempt' | 'gross';

const sumRows = (rows: readonly TaxedRow[], name: Amount) =>
  rows.reduce((total, row) => total.plus(row[name]), new Decimal(0));

/** Recomputes the figures of a return from its rows. */
const getFigures = (rows: readonly TaxedRow[]) => {
  const sum = (name: Amount, keeps: (row: TaxedRow) => boolean) => sumRows(rows.filter(keeps), name);
  const at = (level: TaxedRow['level']) => (row: TaxedRow) => row.level === level;
  const isState = at('state');
  const isReduced = (row: TaxedRow) => isState(row) && row.rate < 0.0625;
  const coded = (end: string) => (row: TaxedRow) => row.code.endsWith(end);
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

/** Recomputes an electronic return from its rows. */
const expectedReturn = (rows: readonly TaxedRow[]) => {
  const own = rows.filter(({ level }) => level === 'state');
  const due = (isWanted: (row: TaxedRow) => boolean) => sumRows(own.filter(isWanted), 'tax').toFixed(2);
  const byKind = [...Map.groupBy(own, ({ kind }) => kind)]
    .map(([kind, some]) => [kind, sumRows(some, 'exempt')] as const)
    .flatMap(([kind, amount]) => (amount.isZero() ? [] : [[kind, amount.toFixed(2)]]));
  const local = rows.filter(({ level }) => level !== 'state');
  const byCode = [...Map.groupBy(local, ({ code }) => /(\d{3}|\d{5})$/.exec(code)?.[1] ?? code)]
    .map(
      ([code, some]) =>
        [
          code,
          [true, false].map((is) =>
            sumRows(
              some.filter((row) => row.isInState === is),
              'tax',
            ),
          ),
        ] as const,
    )
    .flatMap(([code, taxes]) =>
      taxes.every((tax) => tax.isZero()) ? [] : [[code, taxes.map((tax) => tax.toFixed(2)).join(' ')]],
    );
  return {
    TotalSales: sumRows(own, 'gross').toFixed(2),
    ExemptionsDeductions: sumRows(own, 'exempt').toFixed(2),
    TaxableSales: sumRows(own, 'taxable').toFixed(2),
    StateTaxDueSalesInState: due(({ isInState, isFood }) => isInState && !isFood),
    StateTaxDueSalesOrigOutOfState: due(({ isInState, isFood }) => !isInState && !isFood),
    StateTaxDueOwnPurchWithdraw: '0.00',
    StateTaxDueFoodDrug: due(({ isFood }) => isFood),
    ...Object.fromEntries([...byKind, ...byCode]),
    TotalTaxDue: sumRows(rows, 'tax').toFixed(2),
    AmountDueOrRefund: sumRows(rows, 'tax').toFixed(2),
  };
};

/** The expected lines of the forms, independent of the layouts. Blank lines are omitted. */
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

let filer: Filer;
let account: string;
/** The dry run of California's July, before the period is closed. */
let before: Awaited<ReturnType<typeof dryRun>>;
const dryRun = (more: object, headers = {}) => {
  const body = { state: 'CA', period_end: ends['2026-07'], dry_run: true, form: forms.CA, ...more };
  return filer.call('POST', '/filings', { body, headers });
};
let rows: readonly TaxedRow[];
const sheets: { state: FormState; month: (typeof months)[number]; filing: Filing }[] = [];
const returns: Filing[] = [];

beforeAll(async () => {
  const registrations = [...formStates, ...members].map((state) => {
    const frequency = monthly.includes(state) ? ('month' as const) : ('quarter' as const);
    return { state, from: '2026-07-01', to: null, frequency };
  });
  const common = { ship_from: memberPlaces.GA, return_identity: identity };
  const caller = await newCaller({ settings: { registrations, books_open_from: '2026-07-01', ...common } });
  filer = createFiler(caller);
  account = caller.account.id;
  const addresses: readonly Address[] = [...Object.values(worksheetPlaces).flat(), ...Object.values(memberPlaces)];
  for (let round = 0; round < 7; round++)
    for (const address of addresses) {
      const sold = await made(filer.create(randomSale(address, round === 0)));
      const credits = round === 0 ? [] : round === 1 ? [{ tax_date: '2026-08-10' }] : randomCredits(sold);
      for (const credit of credits) await made(filer.create(buildCreditRequest(sold, credit)));
    }
  // A list has no line items.
  const { ids } = await everyPage(filer, { limit: '100' });
  const all = await Promise.all(ids.map(async (id) => recorded(await made(filer.get(id)))));
  rows = all.flatMap((transaction) => listRows(transaction, all));
  before = await dryRun({});
  for (const state of formStates)
    for (const month of months) sheets.push({ state, month, filing: await closedFiling(filer, state, ends[month]) });
  for (const state of members)
    for (const month of monthly.includes(state) ? months : (['2026-09'] as const))
      returns.push(await closedFiling(filer, state, ends[month]));
}, 240_000);

/** The rows of a state's return. */
const findTaxRows = (state: string, start: string, end: string) =>
  rows.filter((row) => row.state === state && row.month >= start.slice(0, 7) && row.month <= end.slice(0, 7));

describe('worksheets', () => {
  const californian = () => {
    const found = sheets.find(({ state }) => state === 'CA');
    if (!found) throw new Error('California has no filing.');
    return found.filing;
  };

  it('returns the amounts of the transactions, rounded as the form requires', async () => {
    for (const { state, month, filing } of sheets) {
      const worksheet = await readSheet(filer, filing, forms[state]);
      const figures = getFigures(findTaxRows(state, month, month));
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

  it('returns the lines of the closed filing in a dry run', async () => {
    const { worksheet } = await made(Promise.resolve(before));
    const closed = await readSheet(filer, californian(), forms.CA);
    expect({ ...worksheet, notes: worksheet?.notes.slice(1) }).toEqual(closed);
    expect(worksheet?.notes[0]).toContain('not closed');
    const october = { period_end: '2026-10-31' };
    expect((await dryRun(october, csv)).text).toMatch(/^form,edition,.*\r\nCA-CDTFA-401,/);
    // A dry run stores nothing, so it ignores the idempotency key.
    const { warnings } = await made(dryRun({ ...october, note: 'x' }, { 'Idempotency-Key': '' }));
    expect(warnings.map(({ code }) => code)).toContain('unknown_field');
    for (const [refused, pointer] of [
      [{ form: 'FL-DR-15' }, '/form'],
      [{ form: '' }, '/form'],
      [{ dry_run: false }, '/form'],
      [{ totals_starting_after: 'x' }, '/totals_starting_after'],
    ] as const)
      expect(getRefusal(await dryRun({ ...october, ...refused }))).toContain(pointer);
  });

  it('returns the same lines as CSV', async () => {
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

  it('prints and writes the lines with the command', async () => {
    const { id } = californian();
    const run = (...options: string[]) =>
      runInProcess(filingsProgram(), ['worksheet', '--account', account, ...options]);
    const { lines, rows, tax_due_amount } = await readSheet(filer, californian(), forms.CA);
    const { out } = await run(id ?? '');
    expect(rows.length).toBeGreaterThan(0);
    for (const { jurisdiction_name: name, taxable_amount, tax_amount } of rows)
      expect(out).toMatch(new RegExp(`${RegExp.escape(name)} +${taxable_amount} +${tax_amount}$`, 'm'));
    expect(out).toContain(`Tax due of the filing: ${tax_due_amount}. Rounding of the form: `);
    for (const { line, label } of lines) expect(out).toMatch(new RegExp(`^${line} +${RegExp.escape(label)} `, 'm'));
    const folder = createFolder();
    const path = join(folder, 'ca.csv');
    expect(await run(id ?? '', '--out', path)).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe((await filer.filing(id ?? '', { form: forms.CA }, csv)).text);
    const open = ['--dry-run', '--state', 'CA', '--period-end', '2026-10-31'];
    expect((await run(...open)).out).toContain('The period is not closed');
  });

  it('refuses a worksheet for a canceled filing', async () => {
    const last = sheets.findLast(({ state }) => state === 'FL');
    await made(filer.call('POST', `/filings/${last?.filing.id}`, { body: { status: 'canceled' } }));
    const refused = await filer.filing(last?.filing.id ?? '', { form: forms.FL });
    expect(getRefusal(refused)).toContain('409 | conflict_return_incomplete');
  });

  it('refuses the form of a different state and pages', async () => {
    const filing = californian();
    for (const form of ['FL-DR-15', '']) {
      const refused = await filer.filing(filing.id, { form });
      expect(getRefusal(refused)).toContain('validation_invalid_format');
      expect(refused.body.errors[0].detail).toContain('Send CA-CDTFA-401.');
    }
    expect((await filer.filing(filing.id, { form: forms.CA, expand: 'entries' })).status).toBe(422);
  });
});

describe('electronic returns', () => {
  it('matches the amounts of the transactions to the cent, in the element order of the schema', async () => {
    expect(returns).toHaveLength(12);
    for (const { id, state, period_start, period_end } of returns) {
      const { status, text } = await readReturn(filer, id);
      const place = `${state} ${period_end}`;
      expect([place, status]).toEqual([place, 200]);
      if (officialSchemas) await validateReturn(text, officialSchemas);
      expect([place, figuresIn(text)]).toEqual([
        place,
        expectedReturn(findTaxRows(state.slice(3), period_start, period_end)),
      ]);
    }
  });

  it('writes a return to one file with a command that validates it first', async () => {
    const folder = createFolder();
    const out = join(folder, 'returns.xml');
    // A schema with only the root element.
    const getSchema = (count: string) =>
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="SSTSimplifiedReturnTransmission"><xs:complexType><xs:sequence>
        <xs:any processContents="skip"/><xs:any processContents="skip" minOccurs="${count}" maxOccurs="${count}"/></xs:sequence>
        <xs:attribute name="transmissionVersion" fixed="SST2015V01"/></xs:complexType></xs:element></xs:schema>`;
    const write = (count: string) =>
      writeFileSync(join(folder, 'SSTSimplifiedReturnTransmission.xsd'), getSchema(count));
    const run = (...options: string[]) =>
      runInProcess(filingsProgram(), ['return', '--account', account, '--all-due', '--out', out, ...options]);
    expectFailure(await run('--schema', folder), 'no SSTSimplified');
    write('11');
    expectFailure(await run('--schema', folder), 'not valid');
    write('12');
    expect(await run('--schema', officialSchemas ?? folder)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/returns\.xml: 12 returns, valid, hash [0-9a-f]{16}\n/),
    });
    const text = readFileSync(out, 'utf8');
    expect([getText(text, 'DocumentCount'), getText(text, 'ETIN')]).toEqual(['12', 'S12345678']);
    const ids = [...text.matchAll(/<DocumentId>(.*?)</g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(12);
    expectFailure(await run(), 'already exists');
    // Georgia and Minnesota have three monthly returns each. Six states have one quarterly return each.
    const rest = ['--out', join(folder, 'rest.xml')];
    expect(await run('--without', 'GA, Minnesota', ...rest)).toMatchObject({
      code: 0,
      out: expect.stringContaining('rest.xml: 6 returns, '),
    });
    expectFailure(
      await run('--without', 'Ontario', ...rest),
      '"Ontario" is not a state. Pass the code or the name of a state.',
    );
    const exceptions = returns.reduce((sum, filing) => sum + (filing.exceptions?.count ?? 0), 0);
    expectFailure(await run('--production'), `There are ${exceptions} `);
  });

  it('omits months without a registration and without tax due from the file', async () => {
    const registrations = [
      { state: 'MI', from: '2026-07-01', to: '2026-07-31', frequency: 'month' as const },
      { state: 'MI', from: '2026-09-01', to: null, frequency: 'month' as const },
    ];
    const settings = { registrations, books_open_from: '2026-07-01', return_identity: identity };
    const caller = await newCaller({ settings });
    const between = createFiler(caller);
    const address = { city: 'Lansing', state: 'MI', postal_code: '48933' };
    // The sale of August is in the return, but without a registration it has no tax.
    for (const month of months)
      await made(between.create(sale({ status: 'finalized', tax_date: `${month}-10`, customer: { address } })));
    for (const month of months) await closedFiling(between, 'MI', ends[month]);
    const out = join(createFolder(), 'returns.xml');
    const run = await runInProcess(filingsProgram(), [
      'return',
      '--account',
      caller.account.id,
      '--all-due',
      '--out',
      out,
    ]);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toContain('returns.xml: 2 returns, ');
    expect(run.out).toContain(
      'Left out: US-MI, 2026-08-01 to 2026-08-31. The account was not registered, and no tax is due.',
    );
    const text = readFileSync(out, 'utf8');
    expect([...text.matchAll(/<TaxPeriodEndDate>(.*?)</g)].map(([, end]) => end).sort()).toEqual([
      '2026-07-31',
      '2026-09-30',
    ]);
  });

  it('includes in-state and out-of-state tax', async () => {
    const texts = await Promise.all(returns.map(async ({ id }) => (await readReturn(filer, id)).text));
    const some = (name: string, isWanted: (amount: Decimal) => boolean) =>
      expect(texts.some((text) => isWanted(new Decimal(getText(text, name))))).toBe(true);
    for (const name of ['StateTaxDueSalesInState', 'StateTaxDueSalesOrigOutOfState'])
      some(name, (amount) => amount.gt(0));
    expect(texts.every((text) => getText(text, 'ProcessType') === 'T')).toBe(true);
  });
});
