import { describe, expect, it } from 'vitest';
import { cityName } from '../../shared/catalog/location/city-name.ts';
import { openTable } from '../../shared/importers/files/rows.ts';
import { fixture, importFiles, type TestFile, withFiles, zipped } from '../fixtures/imports/harness.ts';

const read = (name: string, content: string | Buffer) =>
  withFiles([{ name, content }], async ([path = '']) => {
    const table = await openTable(path);
    return { name: table.name, rows: await Array.fromAsync(table.rows) };
  });
const cellsOf = async (content: string | Buffer) =>
  (await read('table.csv', content)).rows.map((row) => ('cells' in row ? row.cells : row));

describe('tables', () => {
  it.each([
    {
      because: 'lines end with LF or CRLF',
      content: 'a,b\r\nc,d\n',
      cells: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    {
      because: 'the last line may have no end',
      content: 'a,b\nc,d',
      cells: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    { because: 'a byte order mark is not of the first cell', content: '\uFEFFa,b\n', cells: [['a', 'b']] },
    { because: 'blank lines are no rows', content: 'a\n\n\r\nb\n', cells: [['a'], ['b']] },
    {
      because: 'rows of separators and quotes are no rows, as spreadsheets write them at the end',
      content: ',,\na,b,\n,,\n"", ,\r\nc,d,\n,,\n,,\n',
      cells: [
        ['a', 'b', ''],
        ['c', 'd', ''],
      ],
    },
    {
      because: 'semicolons separate where they are more frequent in the first line, and commas are in cells then',
      content: 'a;b;c,d\n"e;f";8,25;g\n',
      cells: [
        ['a', 'b', 'c,d'],
        ['e;f', '8,25', 'g'],
      ],
    },
    {
      because: 'semicolons are in cells where commas separate the first line',
      content: 'a,b\n75001; 75002; 75003,c\n',
      cells: [
        ['a', 'b'],
        ['75001; 75002; 75003', 'c'],
      ],
    },
    {
      because: 'tabs separate, and a spreadsheet quotes cells with commas',
      content: 'a\tb, c\td\n"e, f"\tg;h\ti\n',
      cells: [
        ['a', 'b, c', 'd'],
        ['e, f', 'g;h', 'i'],
      ],
    },
    {
      because: 'a quoted cell may have commas, quotes and lines',
      content: '"a, ""b""\nc",d\n',
      cells: [['a, "b"\nc', 'd']],
    },
    { because: 'blanks around a cell are not of it', content: ' a ,\tb \n', cells: [['a', 'b']] },
    { because: 'rows may be of different length', content: 'a\nb,c\n', cells: [['a'], ['b', 'c']] },
  ])('$because', async ({ content, cells }) => {
    expect(await cellsOf(content)).toEqual(cells);
  });

  it('are UTF-8, and Windows-1252 in the lines that are not', async () => {
    const content = Buffer.concat([
      Buffer.from('Cañon City,1\n'),
      Buffer.from('Cañon City,2\r\n', 'latin1'),
      Buffer.from('Doña Ana,3'),
    ]);
    expect(await cellsOf(content)).toEqual([
      ['Cañon City', '1'],
      ['Cañon City', '2'],
      ['Doña Ana', '3'],
    ]);
  });

  it('keep letters whole that lie across two reads of the file', async () => {
    const line = `${'ñ'.repeat(1000)},1\n`;
    const rows = await cellsOf(`x${line}`.repeat(400));
    expect(rows).toHaveLength(400);
    expect(new Set(rows.map(String)).size).toBe(1);
  });

  it('separated by tabs take a quote as itself', async () => {
    expect(await cellsOf('5" pipe\tb\n')).toEqual([['5" pipe', 'b']]);
  });

  it('number their rows by the line on which they end', async () => {
    const { rows } = await read('table.csv', 'a,\n\n"b\nc",\n,\n,\nd,\n');
    expect(rows.map(({ line }) => line)).toEqual([1, 4, 7]);
    expect(rows.map((row) => 'firstLine' in row)).toEqual([false, true, false]);
  });

  it.each([
    { because: 'to the end of the file', rest: 'e,f\n'.repeat(10), says: 'is never closed' },
    { because: 'over more than a row can have', rest: 'e,f\n'.repeat(100_000), says: 'close its quote' },
    { because: 'up to a quote in another row', rest: 'e,f\n"g,h\n', says: 'Correct its quotes' },
  ])('name the line of a quote that is open $because, after the rows before it', async ({ rest, says }) => {
    const { rows } = await read('table.csv', `a,b\n\n\n"c,d\n${rest}`);
    expect(rows).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 4, broken: expect.stringContaining(says) },
    ]);
  });

  it('name the first and last line of a row with line breaks in a cell', async () => {
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
  ])('are refused as UTF-16 text $name, with the name of the file and what to do', async ({ content }) => {
    await expect(read('rates.csv', content)).rejects.toThrow(/^rates\.csv .*UTF-16.*Save it as UTF-8/);
    await expect(read('rates.zip', zipped([{ name: 'in.csv', content }]))).rejects.toThrow(/^in\.csv .*UTF-16/);
  });
});

describe('ZIP files', () => {
  const table: TestFile = { name: 'Rates.CSV', content: 'a,b\n' };

  it.each(['rates.zip', 'RATES.ZIP', 'rates'])('are opened as %s, by their first bytes', async (name) => {
    expect(await read(name, zipped([table]))).toEqual({ name: 'Rates.CSV', rows: [{ line: 1, cells: ['a', 'b'] }] });
  });

  it('may have folders, and other files beside the table', async () => {
    const others = ['__MACOSX/._Rates.csv', 'readme.pdf', '.hidden.csv'].map((name) => ({ name, content: 'x' }));
    expect((await read('a.zip', zipped([...others, { ...table, name: '2026/rates.txt' }]))).name).toBe('rates.txt');
  });

  it('of none or two tables are refused', async () => {
    await expect(read('a.zip', zipped([]))).rejects.toThrow('packs 0');
    await expect(read('a.zip', zipped([{ name: 'a.pdf', content: '' }]))).rejects.toThrow('packs 0');
    await expect(read('a.zip', zipped([table, { ...table, name: 'other.csv' }]))).rejects.toThrow('packs 2');
  });

  it('make the same release as their files', async () => {
    const files = [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')];
    const packed = files.map((file) => ({ name: file.name.replace('.csv', '.ZIP'), content: zipped([file]) }));
    const [plain, fromZip] = [await importFiles('sst', 'MN', files), await importFiles('sst', 'MN', packed)];
    expect(fromZip.parts).toEqual(plain.parts);
    expect(fromZip.built).toMatchObject({
      head: { content_hash: (plain.built as { head: { content_hash: string } }).head.content_hash },
    });
  });

  it('that are damaged or missing are refused', async () => {
    const damaged = zipped([{ name: 'a.csv', content: 'a,b\n'.repeat(1000) }]);
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
  ['  \u2013 ', null],
])('compares the name of the city %j as %j', (text, name) => expect(cityName(text)).toBe(name));
