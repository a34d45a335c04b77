import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it } from 'vitest';
import { contentProgram } from '../../shared/cli/content.ts';
import { environment } from '../../shared/config/environment.ts';
import { fixture, getHead, importFiles, withFiles } from '../fixtures/imports/harness.ts';
import { newCaller } from '../support/api.ts';
import { activate, importRelease } from '../support/content.ts';
import { intercept } from '../support/faults.ts';
import { closedFiling, createFiler, csv, soldOn } from '../support/filings.ts';
import { runInProcess } from '../support/run-command.ts';
import { buildCreditRequest, goods, made } from '../support/sales.ts';

const content = async (...args: readonly string[]) => {
  const { code, out, err } = await runInProcess(contentProgram(), args);
  return code === 0 ? out : err;
};

/** Imports the files of a state, and activates the release. */
const importState = async (state: string, id: string, files: readonly string[]) => {
  // Renames the files to the current quarter.
  const current = files.map(fixture).map(({ name, content }) => ({ name: name.replace('Q2FEB', 'Q4AUG'), content }));
  const imported = await importFiles('sst', state, current);
  const head = { ...getHead(imported), id };
  expect(await importRelease(head, [...imported.parts.values()])).toMatchObject({ ok: true });
  await activate(state, id);
};

let calls: string[] = [];
beforeAll(async () => {
  await importState('WI', 'US-WI@2033-01-01.1', ['WIR2026Q2FEB18.csv', 'WIB2026Q2FEB18.csv']);
  await importState('MN', 'US-MN@2033-01-01.101', ['MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv']);
  intercept(({ command, input, pass }) => {
    const { TableName, RequestItems = {} } = input as { TableName?: string; RequestItems?: object };
    if ([TableName, ...Object.keys(RequestItems)].includes(environment.tables.content)) calls.push(command);
    return pass();
  });
});

const wauwatosa = { state: 'WI', postal_code: '53213', country: 'US' };
const at = (line1: string | null) => ({ customer: { address: { ...wauwatosa, line1 } } });
const tax_date = '2026-11-22';

it('calculates the tax by street address with the same number of calls as by ZIP code', async () => {
  const { call } = await newCaller();
  const calculate = async (request: object) => {
    calls = [];
    const { body } = await call('POST', '/calculations', {
      body: { tax_date, line_items: [goods()], ...request },
    });
    return [body.tax_amount, body.line_items[0]?.address_resolution, body.warnings.length, calls];
  };
  const complete = { coverage: 'complete' };
  expect(await calculate(at('150 Main Street'))).toEqual([
    ...['7.90', { level: 'street', ambiguous: false, ...complete }, 0],
    ['GetItem', 'BatchGetItem'],
  ]);
  expect(await calculate(at('300 Main St'))).toEqual(['5.90', { level: 'zip5', ambiguous: false, ...complete }, 0, []]);
  expect(await calculate(at(null))).toEqual(['5.90', { level: 'zip5', ambiguous: true, ...complete }, 1, []]);
  const both = { ...at(null), line_items: [goods(at('150 Main St')), goods(at('300 Main St'))] };
  expect(await calculate(both)).toEqual(['13.80', { level: 'street', ambiguous: false, ...complete }, 0, []]);
});

it('returns the rates of an address by street address', async () => {
  const { call } = await newCaller({ scopes: ['read'] });
  const ratesAt = async (query: Record<string, string>) => {
    const { body } = await call(
      'GET',
      `/rates?${new URLSearchParams({ postal_code: '53213', date: tax_date, ...query })}`,
    );
    const codes = body.jurisdictions.map((one) => one.jurisdiction_code);
    return [body.combined_rate, body.address_resolution.level, body.address_resolution.ambiguous, codes.length];
  };
  expect(await ratesAt({ line1: '150 Main St' })).toEqual(['0.079', 'street', false, 3]);
  expect(await ratesAt({ line1: '300 Main St' })).toEqual(['0.059', 'zip5', false, 2]);
  expect(await ratesAt({})).toEqual(['0.059', 'zip5', true, 2]);
});

it('imports, prints, verifies and compares street addresses in the CLI', async () => {
  const files = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')];
  const out = await withFiles(files, ([rates = '', boundaries = '']) =>
    content('import', '--format', 'sst', '--state', 'WI', '--rates', rates, '--boundaries', boundaries),
  );
  expect(out).toContain('Street-address rows cover 1 ZIP.');
  const id = /^Imported (\S+) /m.exec(out)?.[1] ?? '';
  expect(await content('show', id, '--zip', '53213')).toContain('53213: 2 locations, 1 street range');
  expect(await content('verify', id)).toContain(id);
  expect(await content('verify', id)).not.toContain('corrupt');
  expect(await content('diff', 'US-WI@2033-01-01.1', id, '--rates')).not.toContain('53213');
});

const customer = { address: { state: 'MN', postal_code: '55401', country: 'US' } };
// The jurisdiction code and the reporting code of each rate row of Minneapolis (55401). A return names the state in its
// header, so the state has no reporting code.
const ofMinneapolis = [
  ['US-MN', null],
  ['US-MN-00-053', '00-053'],
  ['US-MN-01-43000', '01-43000'],
  ['US-MN-63-80004', '63-80004'],
  ['US-MN-63-80008', '63-80008'],
  ['US-MN-63-80009', '63-80009'],
];

type Row = { readonly jurisdiction_code: string; readonly reporting_code?: string | null };
const listCodes = (rows: readonly Row[]) =>
  rows.map(({ jurisdiction_code, reporting_code }) => [jurisdiction_code, reporting_code]);
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });

it('returns reporting codes in the rates and the tax of an address', async () => {
  const { call } = await newCaller();
  const { body: rates } = await call('GET', '/rates?postal_code=55401&date=2026-10-05');
  expect(listCodes(rates.jurisdictions)).toEqual(ofMinneapolis);
  const { body } = await call('POST', '/calculations', {
    body: { tax_date: '2026-10-05', customer, line_items: [goods()] },
  });
  expect(listCodes(body.line_items[0]?.taxes ?? [])).toEqual(ofMinneapolis);
  expect(listCodes(body.tax_summary)).toEqual(ofMinneapolis);
});

it('returns reporting codes in the totals and entries of a filing, and in both CSV files', async () => {
  const filer = createFiler(await newCaller());
  const sold = await soldOn(filer, '2026-10-05', '100.00', { customer });
  const credit = await made(filer.create(buildCreditRequest(sold, { tax_date: '2026-10-06' })));
  expect(listCodes(credit.line_items[0]?.taxes ?? [])).toEqual(ofMinneapolis);
  const { id, totals } = await closedFiling(filer, 'MN', '2026-10-31');
  expect(listCodes(totals)).toEqual(ofMinneapolis);
  const { entries } = await made(filer.filing(id, { expand: 'entries' }));
  expect(entries.data.map(({ amounts }: { amounts: Row[] }) => listCodes(amounts))).toEqual([
    ofMinneapolis,
    ofMinneapolis,
  ]);
  const inCsv = ofMinneapolis.map(([code, reporting]) => [code, reporting ?? '']);
  const written = async (parameters: Record<string, string>) =>
    read((await filer.filing(id, parameters, csv)).text).map((row) => [
      row['jurisdiction_code'],
      row['reporting_code'],
    ]);
  // The rows are the codes, the total, and the sale to review, whose delivery fee is due.
  expect(await written({})).toEqual([...inCsv, ['', ''], ['retail_delivery_fee_due', '']]);
  expect(await written({ expand: 'entries' })).toEqual([...inCsv, ...inCsv]);
});
