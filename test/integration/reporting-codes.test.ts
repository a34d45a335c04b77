// @isolated: modules cache an activated release, which changes the responses of every account.

import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it } from 'vitest';
import * as store from '../../shared/store/content/content-store.ts';
import { fixture, getHead, importFiles } from '../fixtures/imports/harness.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, createFiler, csv, soldOn } from '../support/filings.ts';
import { creditOf, goods, made } from '../support/sales.ts';

beforeAll(async () => {
  const imported = await importFiles('sst', 'MN', [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')]);
  const head = { ...getHead(imported), id: 'US-MN@2030-01-01.101' };
  expect(await store.importRelease(head, [...imported.parts.values()])).toMatchObject({ ok: true });
  const active = await store.readActiveReleases();
  expect((await store.activateRelease('US-MN', head.id, active, '2030-01-01T00:00:00.000Z')).ok).toBe(true);
});

const customer = { address: { state: 'MN', postal_code: '55401', country: 'US' } };
// Columns 2 and 3 of the rate rows of Minneapolis (55401). The return has the state in its header.
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

it('reporting codes are in the rates and the tax of an address', async () => {
  const { call } = await newCaller();
  const { body: rates } = await call('GET', '/rates?postal_code=55401&date=2026-10-05');
  expect(listCodes(rates.jurisdictions)).toEqual(ofMinneapolis);
  const { body } = await call('POST', '/calculations', {
    body: { tax_date: '2026-10-05', customer, line_items: [goods()] },
  });
  expect(listCodes(body.line_items[0]?.taxes ?? [])).toEqual(ofMinneapolis);
  expect(listCodes(body.tax_summary)).toEqual(ofMinneapolis);
});

it('reporting codes are in the totals and entries of a filing, and in both CSV files', async () => {
  const filer = createFiler(await newCaller());
  const sold = await soldOn(filer, '2026-10-05', '100.00', { customer });
  const credit = await made(filer.create(creditOf(sold, { tax_date: '2026-10-06' })));
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
  // By code, in total, and the sale to review, whose delivery fee is due.
  expect(await written({})).toEqual([...inCsv, ['', ''], ['retail_delivery_fee_due', '']]);
  expect(await written({ expand: 'entries' })).toEqual([...inCsv, ...inCsv]);
});
