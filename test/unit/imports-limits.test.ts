import { describe, expect, it } from 'vitest';
import { openTable } from '../../shared/importers/files/rows.ts';
import type { Entry } from '../../shared/importers/importer.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { limits } from '../../shared/importers/limits.ts';
import {
  buildEntries,
  importFiles,
  listEntries,
  ofKind,
  type TestFile,
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

  it.each<[string, Format, string, readonly TestFile[], RegExp]>([
    [
      "ranges in a shop's table cover too many ZIPs",
      'woocommerce',
      'TX',
      [tableFile('woocommerce', ...many(3000, () => 'US,TX,00000...99999,*,6.25,Tax,1,0,1,'))],
      /ZIP codes in all rows together/,
    ],
    [
      'a shop’s table has many rows for many cities',
      'woocommerce',
      'TX',
      [
        tableFile(
          'woocommerce',
          ...many(1100, (index) => `US,TX,*,City ${index},1,Tax,2,0,1,`),
          ...many(1000, () => 'US,TX,*,*,6.25,Tax,1,0,1,'),
        ),
      ],
      /rows that apply to a place/,
    ],
    [
      'a city is in many counties',
      'cdtfa',
      'CA',
      [tableFile('cdtfa', ...many(limits.rowsOfCity + 2, (index) => `ALAMEDA,${index},0.1075,7/1/2021`))],
      /more than 1,000 rows of ALAMEDA/,
    ],
    [
      // The file has one jurisdiction, with a rate for each county.
      'a city is in more counties than the limit of local taxes',
      'cdtfa',
      'CA',
      [tableFile('cdtfa', ...many(limits.localTaxes + 1, (index) => `NOWHERE,${index},0.1075,7/1/2021`))],
      /^The files have more than 10,000 local taxes \(counted for each place with a separate code\)\./,
    ],
    [
      'a jurisdiction has too many rates',
      'sst',
      'MN',
      sstFiles(
        'MN',
        [
          ...rates,
          ...many(limits.ratesOfJurisdiction + 1, compactDay).flatMap((day) =>
            rateRows('27', `01 43000 0.005 ${day} ${day}`),
          ),
        ],
        boundaryRows('27', 'Z 55401 place:43000'),
      ),
      new RegExp(`more than ${limits.ratesOfJurisdiction} rates of 01-43000`),
    ],
  ])('rejects files if %s', async (_, format, state, files, refusal) => {
    await expect(importFiles(format, state, files)).rejects.toThrow(refusal);
  });

  it('reads lines without a separator only up to the limit', async () => {
    const table = [tableFile('zip-rates', ...many(30_000, () => 'x'), 'TX,78664,ROUND ROCK,0.0625,0.0625,0,0,0,1')];
    const entries = await listEntries('zip-rates', 'TX', table);
    expect(ofKind(entries, 'bad').at(-1)).toMatchObject({
      line: 10_002,
      reason: expect.stringContaining('10,000 lines'),
    });
    expect(ofKind(entries, 'span')).toEqual([]);
  });
});

it('rejects a row whose open quote includes other rows, with the line of the quote', async () => {
  const [first = '', second = '', third = ''] = boundaryRows('27', 'Z 55401', 'Z 55402', 'Z 55403');
  const quoted = sstFiles('MN', rates, [first, `"${second}`, third.replace('Z,', 'Z",')]);
  const table = [
    tableFile('zip-rates', 'TX,78664,"ROUND ROCK,0.0625,0.0625,0,0,0,1', 'TX,78665,ROUND ROCK",0.0625,0.0625,0,0,0,1'),
  ];
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

  it('rejects a file by its declared size, before anything is decompressed', async () => {
    await expect(listRows(saying(3 * 2 ** 30))).rejects.toThrow('rates.zip unpacks to more than 2 GiB');
  });

  it('rejects a file that expands far beyond its compressed size', async () => {
    const bomb = zipped([{ name: 'rates.csv', content: 'a,b\n'.repeat(10_000_000) }]);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(listRows(bomb)).rejects.toThrow('unpacks to more than 100 times its size');
  });

  it('rejects a file that expands beyond its declared size', async () => {
    await expect(listRows(saying(1000))).rejects.toThrow(/too many bytes/);
  });

  it('rejects a file with thousands of entries, before any is read', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `${index}.csv`, content: '' }));
    await expect(listRows(zipped(many))).rejects.toThrow('contains 1001 files');
  });

  it('rejects a file of one endless line at the line limit', async () => {
    const bomb = zipped([{ name: 'rates.csv', content: 'x'.repeat(8_000_000) }]);
    expect(bomb.length).toBeLessThan(20_000);
    await expect(listRows(bomb)).rejects.toThrow(/a line of more than \d+ bytes/);
  });
});
