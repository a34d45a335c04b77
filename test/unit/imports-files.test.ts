import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cityName } from '../../shared/catalog/local/place-names.ts';
import { column } from '../../shared/importers/files/columns.ts';
import { openTable } from '../../shared/importers/files/rows.ts';
import { readSheet, readWorkbook, type Sheet, workbookNumber } from '../../shared/importers/files/workbook.ts';
import type { Format } from '../../shared/importers/importers.ts';
import {
  fixture,
  getHead,
  getNames,
  importFiles,
  packWorkbook,
  sheetXml,
  type TestFile,
  withFiles,
  workbook,
  zipped,
} from '../fixtures/imports/harness.ts';
import { getGrid } from '../fuzz/workbooks.ts';

describe('files', () => {
  const read = (name: string, content: string | Buffer) =>
    withFiles([{ name, content }], async ([path = '']) => {
      const table = await openTable(path);
      return { name: table.name, rows: await Array.fromAsync(table.rows) };
    });
  const readCells = async (content: string | Buffer) =>
    (await read('table.csv', content)).rows.map((row) => ('cells' in row ? row.cells.join('|') : row));

  describe('tables', () => {
    const padded = ',,\na,b,\n,,\n"", ,\r\nc,d,\n,,\n,,\n';
    const semicolons = 'a;b;c,d\n"e;f";8,25;g\n';
    const tabs = 'a\tb, c\td\n"e, f"\tg;h\ti\n';
    it.each([
      ['LF and CRLF line endings', 'a,b\r\nc,d\n', ['a|b', 'c|d']],
      ['the last line without a line break', 'a,b\nc,d', ['a|b', 'c|d']],
      ['a byte order mark before the first cell', '\uFEFFa,b\n', ['a|b']],
      ['blank lines, which are skipped', 'a\n\n\r\nb\n', ['a', 'b']],
      ['trailing rows of separators and quotes, which are skipped', padded, ['a|b|', 'c|d|']],
      ['more semicolons than commas in the first line as separators', semicolons, ['a|b|c,d', 'e;f|8,25|g']],
      ['semicolons in cells if commas separate the first line', 'a,b\n1; 2; 3,c\n', ['a|b', '1; 2; 3|c']],
      ['tabs as separators, with quoted cells that contain commas', tabs, ['a|b, c|d', 'e, f|g;h|i']],
      ['tabs as separators, with a literal quote', '5" pipe\tb\n', ['5" pipe|b']],
      ['quoted cells with commas, quotes and line breaks', '"a, ""b""\nc",d\n', ['a, "b"\nc|d']],
      ['whitespace around a cell, which is trimmed', ' a ,\tb \n', ['a|b']],
      ['rows of different lengths', 'a\nb,c\n', ['a', 'b|c']],
    ])('accepts %s', async (_, content, rows) => {
      expect(await readCells(content)).toEqual(rows);
    });

    it('decodes tables as UTF-8, or Windows-1252 for invalid lines', async () => {
      const [utf8, last] = [Buffer.from('Cañon City,1\n'), Buffer.from('Doña Ana,3')];
      const content = Buffer.concat([utf8, Buffer.from('Cañon City,2\r\n', 'latin1'), last]);
      expect(await readCells(content)).toEqual(['Cañon City|1', 'Cañon City|2', 'Doña Ana|3']);
    });

    it('decodes characters that span two chunks of the file', async () => {
      const line = `${'ñ'.repeat(1000)},1\n`;
      const rows = await readCells(`x${line}`.repeat(400));
      expect(rows).toHaveLength(400);
      expect(new Set(rows.map(String)).size).toBe(1);
    });

    it('numbers rows by their last line', async () => {
      const { rows } = await read('table.csv', 'a,\n\n"b\nc",\n,\n,\nd,\n');
      expect(rows.map(({ line }) => line)).toEqual([1, 4, 7]);
      expect(rows.map((row) => 'firstLine' in row)).toEqual([false, true, false]);
    });

    it.each([
      { because: 'to the end of the file', rest: 'e,f\n'.repeat(10), says: 'is never closed' },
      { because: 'beyond the size limit of a row', rest: 'e,f\n'.repeat(100_000), says: 'close its quote' },
      { because: 'until a quote in a later row', rest: 'e,f\n"g,h\n', says: 'Correct its quotes' },
    ])('reports the line of a quote that is open $because, and returns the rows before it', async ({ rest, says }) => {
      const { rows } = await read('table.csv', `a,b\n\n\n"c,d\n${rest}`);
      expect(rows).toEqual([
        { line: 1, cells: ['a', 'b'] },
        { line: 4, broken: expect.stringContaining(says) },
      ]);
    });

    it('reports the first and last line of a row with line breaks in a cell', async () => {
      const { rows } = await read('table.csv', 'a,b\n\n"c\nd\n\ne",f\ng,h\n');
      expect(rows).toEqual([
        { line: 1, cells: ['a', 'b'] },
        { line: 6, firstLine: 3, cells: ['c\nd\n\ne', 'f'] },
        { line: 7, cells: ['g', 'h'] },
      ]);
    });

    it.each([
      { name: 'with a byte order mark', content: Buffer.from('\uFEFFa,b\n', 'utf16le') },
      { name: 'with the other byte order mark', content: Buffer.from('\uFEFFa,b\n', 'utf16le').swap16() },
      { name: 'without a byte order mark', content: Buffer.from('a,b\n', 'utf16le') },
    ])('rejects UTF-16 $name, with the file name and what to do', async ({ content }) => {
      await expect(read('rates.csv', content)).rejects.toThrow(/^rates\.csv .*UTF-16.*Save it as UTF-8/);
      await expect(read('rates.zip', zipped([{ name: 'in.csv', content }]))).rejects.toThrow(/^in\.csv .*UTF-16/);
    });
  });

  describe('ZIP files', () => {
    const table: TestFile = { name: 'Rates.CSV', content: 'a,b\n' };

    it.each(['rates.zip', 'RATES.ZIP', 'rates'])(
      'detects ZIP files by magic bytes, regardless of the extension: %s',
      async (name) => {
        const rows = [{ line: 1, cells: ['a', 'b'] }];
        expect(await read(name, zipped([table]))).toEqual({ name: 'Rates.CSV', rows });
      },
    );

    it('accepts folders, and other files next to the table', async () => {
      const others = ['__MACOSX/._Rates.csv', 'readme.pdf', '.hidden.csv'].map((name) => ({ name, content: 'x' }));
      expect((await read('a.zip', zipped([...others, { ...table, name: '2026/rates.txt' }]))).name).toBe('rates.txt');
    });

    it('rejects a ZIP file with no table or two tables', async () => {
      await expect(read('a.zip', zipped([]))).rejects.toThrow('contains 0');
      await expect(read('a.zip', zipped([{ name: 'a.pdf', content: '' }]))).rejects.toThrow('contains 0');
      await expect(read('a.zip', zipped([table, { ...table, name: 'other.csv' }]))).rejects.toThrow('contains 2');
    });

    it('produces the same release as from the files', async () => {
      const files = [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')];
      const packed = files.map((file) => ({ name: file.name.replace('.csv', '.ZIP'), content: zipped([file]) }));
      const [plain, fromZip] = [await importFiles('sst', 'MN', files), await importFiles('sst', 'MN', packed)];
      expect(getHead(fromZip).content_hash).toBe(getHead(plain).content_hash);
    });

    it('rejects damaged and incomplete ZIP files', async () => {
      const damaged = zipped([{ name: 'a.csv', content: 'a,b\n'.repeat(1000) }]);
      const cut = damaged.subarray(0, 50);
      await expect(read('a.zip', cut)).rejects.toThrow(/^a\.zip cannot be read as a ZIP file: .*truncated/);
      damaged.fill(0, 40, 60);
      await expect(read('a.zip', damaged)).rejects.toThrow();
      await expect(openTable('/nowhere/at/all.csv')).rejects.toThrow('ENOENT');
    });
  });

  it.each([
    ['Winston-Salem', 'WINSTON SALEM'],
    ['Winston Salem', 'WINSTON SALEM'],
    ['Ca\u00f1on City', 'CANON CITY'],
    ['Can\u0303on City', 'CANON CITY'],
    ['St.\u00a0Paul', 'ST PAUL'],
    ["Coeur d'Alene", 'COEUR DALENE'],
    ['City & County of Denver', 'CITY AND COUNTY OF DENVER'],
    ['  \u2013 ', null],
  ])('compares the city %j as %j', (text, name) => expect(cityName(text)).toBe(name));
});

describe('tables saved by a spreadsheet', () => {
  /** Formats a number like a spreadsheet: without leading zeros, and with a decimal comma if the separator is a semicolon. */
  const saved = (cell: string, separator: string): string => {
    const number = /^0+\d/.test(cell) && /^\d+$/.test(cell) ? cell.replace(/^0+(?=\d)/, '') : cell;
    const local = separator === ';' && /^\d*\.\d+$/.test(number) ? number.replace('.', ',') : number;
    return local.includes(separator) || local.includes('"') ? `"${local.replaceAll('"', '""')}"` : local;
  };

  /** The table with a different separator, padded rows, a byte order mark, CRLF, and empty rows at its end. */
  const savedAgain = ({ name, content }: TestFile, separator: string): TestFile => {
    const isTabbed = name === 'taxrates.txt';
    const parsing = { delimiter: isTabbed ? '\t' : ',', relax_column_count: true, quote: isTabbed ? null : '"' };
    const rows = parse(content, parsing) as string[][];
    const width = Math.max(...rows.map(({ length }) => length));
    const empty = Array.from({ length: 3 }, () => separator.repeat(width - 1));
    const lines = rows.map((cells) => cells.map((cell) => saved(cell, separator)).join(separator));
    return { name, content: `\uFEFF${[...lines, ...empty].join('\r\n')}\r\n` };
  };

  const tables: readonly (readonly [format: Format, state: string, ...files: string[]])[] = [
    ['zip-rates', 'TX', 'TAXRATES_ZIP5_TX202611.csv'],
    ['woocommerce', 'TX', 'tax_rates.csv'],
    ['cdtfa', 'CA', 'cdtfa.csv'],
    ['alabama', 'AL', 'taxrates_current.csv'],
    ['arizona', 'AZ', 'TPT_RATETABLE_ALL_11012026.csv'],
    ['texas', 'TX', 'taxrates.txt'],
    ['sst', 'MN', 'MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv'],
  ];
  type Variant = readonly [separator: string, format: Format, state: string, ...files: string[]];
  const variants = [',', ';', '\t'].flatMap((separator) => tables.map((table): Variant => [separator, ...table]));

  for (const [separator, format, state, ...files] of variants)
    it(`produces the same release as ${files.join(' and ')} with ${JSON.stringify(separator)}`, async () => {
      const names = getNames(state);
      const published = files.map(fixture);
      const before = await importFiles(format, state, published, { names });
      const again = published.map((file) => savedAgain(file, separator));
      const after = await importFiles(format, state, again, { names });
      expect(after.built.summary).toEqual(before.built.summary);
      expect(before.parts.size).toBeGreaterThan(0);
      expect(after.parts).toEqual(before.parts);
    });
});

describe('workbookNumber', () => {
  it.each([
    ['9.9750000000000005E-2', '0.09975'],
    ['0.29999999999999998', '0.3'],
    ['0.99999999999999999', '1'],
    ['51001', '51001'],
    ['1E-3', '0.001'],
    ['-1.50', '-1.5'],
    ['1.', '1'],
  ])('formats %s as %s', (stored, text) => {
    expect(workbookNumber(stored)).toBe(text);
  });

  it.each(['', '1e999', '0x10', '1,5', 'NaN', '#N/A'])('returns null for %j', (stored) => {
    expect(workbookNumber(stored)).toBe(null);
  });

  it('formats every rate of up to eight decimals, in any stored form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25_000_000 }), fc.boolean(), (units, isExponent) => {
        const value = units / 1e8;
        const stored = isExponent ? value.toExponential(16) : value.toPrecision(17);
        const expected = `0.${String(units).padStart(8, '0')}`.replace(/0+$/, '');
        expect(workbookNumber(stored)).toBe(expected);
      }),
    );
  });
});

describe('readWorkbook', () => {
  it('returns strings, exact numbers and days, with row numbers', async () => {
    const content = workbook({
      'First & only': [[], [null, ' A  B '], [], [{ number: '9.9750000000000005E-2' }, { serial: 46327 }, null, 'x']],
      Second: [[{ number: '1' }]],
    });
    const read = await withFiles([{ name: 'a.xlsx', content }], ([path = '']) => readWorkbook(path));
    const texts = { line: 2, cells: ['', 'A B', '', ''] };
    const values = { line: 4, cells: ['0.09975', '2026-11-01', '', 'x'] };
    const second = { name: 'Second', rows: [{ line: 1, cells: ['1'] }] };
    expect(read).toEqual({ name: 'a.xlsx', sheets: [{ name: 'First & only', rows: [texts, values] }, second] });
  });

  it('rejects a file that is not a workbook', async () => {
    const read = withFiles([{ name: 'a.xlsx', content: 'City,Rate' }], ([path = '']) => readWorkbook(path));
    await expect(read).rejects.toThrow('a.xlsx cannot be read as an XLSX workbook');
  });
});

describe('readSheet', () => {
  const content = workbook({
    Notes: [['Rate'], ['none']],
    Rates: [['As of July'], ['City', 'Rate'], ['Ely', '0.07']],
  });
  const readRates = (name: string) =>
    withFiles([{ name: 'a.xlsx', content }], async ([path = '']) => {
      const pick = (sheets: readonly Sheet[]) => sheets.find((one) => one.name === name);
      return (await readSheet(path, { rate: column.text('Rate') }, { pick })).rows;
    });

  it('returns the columns below the headers of the selected sheet', async () => {
    expect(await readRates('Rates')).toEqual([{ line: 3, cells: { rate: '0.07' } }]);
  });

  it('rejects a workbook without that sheet', async () => {
    await expect(readRates('Rate')).rejects.toThrow('a.xlsx does not have a sheet with the rates');
  });
});

describe('malicious workbooks', () => {
  const withSheet = (data: string): Buffer => packWorkbook({ sheets: [sheetXml(data)] });
  const read = (content: Buffer) => withFiles([{ name: 'a.xlsx', content }], ([path = '']) => readWorkbook(path));
  const cell = (address: string, prefix = '') => `<row><c ${prefix}r="${address}"><v>1</v></c></row>`;

  it('reads a harmless workbook', async () => {
    const { sheets } = await read(withSheet(cell('B3')));
    expect(sheets[0]?.rows).toEqual([{ line: 3, cells: ['', '1'] }]);
  });

  it.each([
    ['one cell at the end of the sheet', cell('XFD1048576')],
    ['the last cell with a prefix', cell('XFD1048576', 'x:')],
    ['the last cell in single quotes', "<row><c r = 'XFD1048576'><v>1</v></c></row>"],
    ['the last cell after a different address', '<row><c r="A1" x:r="XFD1048576"><v>1</v></c></row>'],
    ['the last cell without a space before the address', '<row><c s="0"r="XFD1048576"><v>1</v></c></row>'],
    ['an address with a character reference', cell('XFD&#49;048576')],
    ['a row in the billions', `<row r="9999999999">${cell('A1')}</row>`],
    ['an infinite row', '<row r="Infinity"><c r="A1"><v>1</v></c></row>'],
    ['invalid column letters', cell('zzzz1')],
    ['many rows without a number, and a wide one', `${cell('XFD1')}${'<row/>'.repeat(1000)}`],
    ['a long string', `<row><c r="A1" t="inlineStr"><is><t>${'&amp;'.repeat(3_000_000)}</t></is></c></row>`],
    ['unclosed tags', '<row a="1" '.repeat(300_000)],
    ['a tag with many attributes', `<row ${'a="1" '.repeat(2_500_000)}/>`],
    ['deeply nested tags', '<c>'.repeat(5_000_000)],
    ['too much content for a workbook', 'x<y/>'.repeat(4_000_000)],
  ])('rejects a workbook with %s', async (_what, data) => {
    const content = withSheet(data);
    expect(content.length).toBeLessThan(100_000);
    await expect(read(content)).rejects.toThrow(/^a\.xlsx cannot be read as an XLSX workbook: /);
  });

  it('rejects a workbook whose cells share a long string', async () => {
    const strings = `<si><t>${'long '.repeat(6000)}</t></si>`;
    const sheet = (bytes: number) => packWorkbook({ strings, sheets: [getGrid(2, bytes, ' t="s"', '<v>0</v>')] });
    expect((await read(sheet(100))).sheets[0]?.rows[0]?.cells[1]).toHaveLength(29_999);
    const content = sheet(20_000);
    expect(content.length).toBeLessThan(10_000);
    await expect(read(content)).rejects.toThrow(/more than 8000000 characters/);
  });

  it('rejects a workbook that lists a sheet many times', async () => {
    const sheet = getGrid(2, 100, '', '<v>1</v>');
    const naming = (times: number) =>
      packWorkbook({ sheets: [sheet], directory: '<sheet name="S0" sheetId="1" r:id="rId1"/>'.repeat(times) });
    expect((await read(naming(0))).sheets).toHaveLength(1);
    await expect(read(naming(5000))).rejects.toThrow(/has 5001 sheets/);
  });

  it('uses only parts that the directory lists', async () => {
    // The sheet's local header comes first but is not in the directory.
    const hidden = withSheet(cell('XFD1048576'));
    const [start, end] = [hidden.indexOf('PK\u0003\u0004', 1), hidden.indexOf('PK\u0001\u0002')];
    const seen = withSheet(cell('A1'));
    const content = Buffer.concat([hidden.subarray(start, end), seen]);
    const shift = start === -1 ? 0 : end - start;
    for (let at = content.indexOf('PK\u0001\u0002', shift); at !== -1; at = content.indexOf('PK\u0001\u0002', at + 1))
      content.writeUInt32LE(content.readUInt32LE(at + 42) + shift, at + 42);
    const trailer = content.lastIndexOf('PK\u0005\u0006');
    content.writeUInt32LE(content.readUInt32LE(trailer + 16) + shift, trailer + 16);
    expect((await read(content)).sheets[0]?.rows).toEqual([{ line: 1, cells: ['1'] }]);
  });
});
