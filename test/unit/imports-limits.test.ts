import { describe, expect, it } from 'vitest';
import { openTable } from '../../shared/importers/files/rows.ts';
import type { Entry } from '../../shared/importers/importer.ts';
import { limits } from '../../shared/importers/limits.ts';
import {
  buildEntries,
  importFiles,
  listEntries,
  ofKind,
  tableFile,
  withFiles,
  zipped,
} from '../fixtures/imports/harness.ts';
import { boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';

const rates = rateRows('27', '45 27 0.06875 20090701', '01 43000 0.005');
const many = (length: number, row: (index: number) => string) => Array.from({ length }, (_, index) => row(index));
const compactDay = (index: number) =>
  new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', '');

describe('files that exceed the memory limits', () => {
  it('rejects a file at the first row above the limit for a ZIP, with the ZIP', async () => {
    let read = 0;
    function* endless(): Generator<Entry> {
      for (; ; read += 1) yield { kind: 'span', low: '554010000', high: '554019999', from: null, to: null, locals: [] };
    }
    const refusal = /^The files have more than 100,000 rows of ZIP 55401\./;
    await expect(buildEntries('MN', endless())).rejects.toThrow(refusal);
    expect(read).toBe(limits.rowsOfZip);
  });

  const ranges = many(3000, () => 'US,TX,00000...99999,*,6.25,Tax,1,0,1,');
  const cities = [
    ...many(1100, (index) => `US,TX,*,City ${index},1,Tax,2,0,1,`),
    ...many(1000, () => 'US,TX,*,*,6.25,Tax,1,0,1,'),
  ];
  const alameda = many(limits.rowsOfCity + 2, (index) => `ALAMEDA,${index},0.1075,7/1/2021`);
  // One jurisdiction, with a rate for each county.
  const nowhere = many(limits.localTaxes + 1, (index) => `NOWHERE,${index},0.1075,7/1/2021`);
  const localTaxes = /^The files have more than 10,000 local taxes \(counted for each place with a separate code\)\./;
  it.each<[string, 'woocommerce' | 'cdtfa', string, string[], RegExp]>([
    ["ranges in a shop's table cover too many ZIPs", 'woocommerce', 'TX', ranges, /ZIP codes in all rows together/],
    ['a shop’s table has many rows for many cities', 'woocommerce', 'TX', cities, /rows that apply to a place/],
    ['a city is in many counties', 'cdtfa', 'CA', alameda, /more than 1,000 rows of ALAMEDA/],
    ['a city is in more counties than the limit of local taxes', 'cdtfa', 'CA', nowhere, localTaxes],
  ])('rejects a table if %s', async (_, format, state, rows, refusal) => {
    await expect(importFiles(format, state, [tableFile(format, ...rows)])).rejects.toThrow(refusal);
  });

  it('rejects files if a jurisdiction has too many rates', async () => {
    const days = many(limits.ratesOfJurisdiction + 1, compactDay);
    const dated = [...rates, ...days.flatMap((day) => rateRows('27', `01 43000 0.005 ${day} ${day}`))];
    const files = sstFiles('MN', dated, boundaryRows('27', 'Z 55401 place:43000'));
    const refusal = `more than ${limits.ratesOfJurisdiction} rates of 01-43000`;
    await expect(importFiles('sst', 'MN', files)).rejects.toThrow(refusal);
  });

  it('reads lines without a separator only up to the limit', async () => {
    const table = [tableFile('zip-rates', ...many(30_000, () => 'x'), 'TX,78664,ROUND ROCK,0.0625,0.0625,0,0,0,1')];
    const entries = await listEntries('zip-rates', 'TX', table);
    const reason = expect.stringContaining('10,000 lines');
    expect(ofKind(entries, 'bad').at(-1)).toMatchObject({ line: 10_002, reason });
    expect(ofKind(entries, 'span')).toEqual([]);
  });
});

it('rejects a row whose open quote includes other rows, with the line of the quote', async () => {
  const [first = '', second = '', third = ''] = boundaryRows('27', 'Z 55401', 'Z 55402', 'Z 55403');
  const quoted = sstFiles('MN', rates, [first, `"${second}`, third.replace('Z,', 'Z",')]);
  const rows = ['TX,78664,"ROUND ROCK,0.0625,0.0625,0,0,0,1', 'TX,78665,ROUND ROCK",0.0625,0.0625,0,0,0,1'];
  const table = [tableFile('zip-rates', ...rows)];
  const bad = [{ kind: 'bad', line: 3, reason: expect.stringContaining('quote on line 2') }];
  expect(ofKind(await listEntries('sst', 'MN', quoted), 'bad')).toEqual(bad);
  expect(ofKind(await listEntries('zip-rates', 'TX', table), 'bad')).toEqual(bad);
});

const content = 'a,b\n'.repeat(50_000);

/** Builds a ZIP file whose directory declares a size other than the content size (APPNOTE.TXT, 4.3.12). */
const saying = (size: number): Buffer => {
  const zip = zipped([{ name: 'rates.csv', content }]);
  const entry = zip.indexOf('PK\u0001\u0002', 'latin1');
  zip.writeUInt32LE(size, entry + 24);
  return zip;
};

const listRows = (zip: Buffer): Promise<number> =>
  withFiles([{ name: 'rates.zip', content: zip }], async ([path = '']) => {
    let rows = 0;
    for await (const _ of (await openTable(path)).rows) rows += 1;
    return rows;
  });

describe('malicious ZIP files', () => {
  it('accepts a file whose declared size is correct', async () => {
    expect(await listRows(saying(content.length))).toBe(50_000);
  });

  const bomb = (text: string, times: number) => zipped([{ name: 'rates.csv', content: text.repeat(times) }]);
  const entries = many(1001, (index) => `${index}.csv`).map((name) => ({ name, content: '' }));
  it.each<[string, () => Buffer, RegExp]>([
    ['declares a size above the limit, before it is decompressed', () => saying(3 * 2 ** 30), /^rates\.zip .* 2 GiB/],
    ['expands far beyond its size', () => bomb('a,b\n', 10_000_000), /unpacks to more than 100 times its size/],
    ['expands beyond its declared size', () => saying(1000), /too many bytes/],
    ['has thousands of entries, before any is read', () => zipped(entries), /contains 1001 files/],
    ['has one endless line, at the line limit', () => bomb('x', 8_000_000), /a line of more than \d+ bytes/],
  ])('rejects a file that %s', async (_, build, refusal) => {
    const file = build();
    expect(file.length).toBeLessThan(200_000);
    await expect(listRows(file)).rejects.toThrow(refusal);
  });
});
