import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSheet, readWorkbook, workbookNumber } from '../../shared/importers/files/workbook.ts';
import { withFiles, workbook, zipped } from '../fixtures/imports/harness.ts';
import { gridOf, workbookOf } from '../fuzz/workbooks.ts';

describe('workbookNumber', () => {
  it.each([
    ['9.9750000000000005E-2', '0.09975'],
    ['5.2250000000000005E-2', '0.05225'],
    ['0.29999999999999998', '0.3'],
    ['0.0725', '0.0725'],
    ['7.2499999999999995E-2', '0.0725'],
    ['0.99999999999999999', '1'],
    ['51001', '51001'],
    ['4.6327E4', '46327'],
    ['0', '0'],
    ['1E-3', '0.001'],
    ['-1.50', '-1.5'],
    ['1.', '1'],
  ])('writes %s as %s', (stored, text) => {
    expect(workbookNumber(stored)).toBe(text);
  });

  it.each(['', '1e999', '0x10', '1,5', 'NaN', '#N/A'])('has no text for %j', (stored) => {
    expect(workbookNumber(stored)).toBe(null);
  });

  it('reads every rate of up to eight decimals, in any stored form', () => {
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
  it('reads text, exact numbers and days, with the numbers of the rows', async () => {
    const content = workbook({
      'First & only': [[], [null, ' A  B '], [], [{ number: '9.9750000000000005E-2' }, { serial: 46327 }, null, 'x']],
      Second: [[{ number: '1' }]],
    });
    const read = await withFiles([{ name: 'a.xlsx', content }], ([path = '']) => readWorkbook(path));
    expect(read).toEqual({
      name: 'a.xlsx',
      sheets: [
        {
          name: 'First & only',
          rows: [
            { line: 2, cells: ['', 'A B', '', ''] },
            { line: 4, cells: ['0.09975', '2026-11-01', '', 'x'] },
          ],
        },
        { name: 'Second', rows: [{ line: 1, cells: ['1'] }] },
      ],
    });
  });

  it('refuses a file that is no workbook', async () => {
    const read = withFiles([{ name: 'a.xlsx', content: 'City,Rate' }], ([path = '']) => readWorkbook(path));
    await expect(read).rejects.toThrow('a.xlsx cannot be read as an XLSX workbook');
  });
});

describe('readSheet', () => {
  const content = workbook({ Notes: [['Rate'], ['none']], Rates: [['As of July'], ['City', 'Rate'], ['Ely', '0.07']] });
  const readRates = (name: string) =>
    withFiles([{ name: 'a.xlsx', content }], async ([path = '']) => {
      const { rows } = await readSheet(path, ['Rate'], undefined, (sheets) => sheets.find((one) => one.name === name));
      return Array.fromAsync(rows);
    });

  it('returns the columns below the headers of the selected sheet', async () => {
    expect(await readRates('Rates')).toEqual([{ line: 3, cells: ['0.07'] }]);
  });

  it('refuses a workbook without that sheet', async () => {
    await expect(readRates('Rate')).rejects.toThrow('a.xlsx does not have the sheet of the rates');
  });
});

describe('a workbook that is made to do harm', () => {
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  /** A workbook with this content of its only sheet. */
  const withSheet = (data: string): Buffer =>
    zipped([
      {
        name: 'xl/workbook.xml',
        content: `<workbook xmlns:r="${relations}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: `<Relationships><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      },
      {
        name: 'xl/worksheets/sheet1.xml',
        content: `<worksheet xmlns:r="${relations}"><sheetData>${data}</sheetData></worksheet>`,
      },
    ]);
  const read = (content: Buffer) => withFiles([{ name: 'a.xlsx', content }], ([path = '']) => readWorkbook(path));
  const cell = (address: string, prefix = '') => `<row><c ${prefix}r="${address}"><v>1</v></c></row>`;

  it('is read without harm', async () => {
    const { sheets } = await read(withSheet(cell('B3')));
    expect(sheets[0]?.rows).toEqual([{ line: 3, cells: ['', '1'] }]);
  });

  it.each([
    ['one cell at the end of the sheet', cell('XFD1048576')],
    ['such a cell with a prefix', cell('XFD1048576', 'x:')],
    ['such a cell in single quotes', "<row><c r = 'XFD1048576'><v>1</v></c></row>"],
    ['such a cell after another address', '<row><c r="A1" x:r="XFD1048576"><v>1</v></c></row>'],
    ['such a cell without a blank before the address', '<row><c s="0"r="XFD1048576"><v>1</v></c></row>'],
    ['a coded address', cell('XFD&#49;048576')],
    ['a row in the billions', `<row r="9999999999">${cell('A1')}</row>`],
    ['an infinite row', '<row r="Infinity"><c r="A1"><v>1</v></c></row>'],
    ['letters that are none', cell('zzzz1')],
    ['many rows without a number, and a wide one', `${cell('XFD1')}${'<row/>'.repeat(1000)}`],
    ['a long text', `<row><c r="A1" t="inlineStr"><is><t>${'&amp;'.repeat(3_000_000)}</t></is></c></row>`],
    ['tags without an end', '<row a="1" '.repeat(300_000)],
    ['a tag with many attributes', `<row ${'a="1" '.repeat(2_500_000)}/>`],
    ['tags that are nested deep', '<c>'.repeat(5_000_000)],
    ['more than a workbook has', 'x<y/>'.repeat(4_000_000)],
  ])('is refused with %s', async (_what, data) => {
    const content = withSheet(data);
    expect(content.length).toBeLessThan(100_000);
    await expect(read(content)).rejects.toThrow(/^a\.xlsx cannot be read as an XLSX workbook: /);
  });

  it('is refused if its cells share a long text', async () => {
    const strings = `<si><t>${'long '.repeat(6000)}</t></si>`;
    const sheet = (bytes: number) => workbookOf({ strings, sheets: [gridOf(2, bytes, ' t="s"', '<v>0</v>')] });
    expect((await read(sheet(100))).sheets[0]?.rows[0]?.cells[1]).toHaveLength(29_999);
    const content = sheet(20_000);
    expect(content.length).toBeLessThan(10_000);
    await expect(read(content)).rejects.toThrow(/more than 8000000 characters/);
  });

  it('is refused if it names a sheet many times', async () => {
    const sheet = gridOf(2, 100, '', '<v>1</v>');
    const naming = (times: number) =>
      workbookOf({ sheets: [sheet], directory: '<sheet name="S0" sheetId="1" r:id="rId1"/>'.repeat(times) });
    expect((await read(naming(0))).sheets).toHaveLength(1);
    await expect(read(naming(5000))).rejects.toThrow(/names 5001 sheets/);
  });

  it('has no part that its directory does not list', async () => {
    // The local header of the sheet comes first, and is not in the directory.
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
