import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSheet, readWorkbook, workbookNumber } from '../../shared/content/imports/files/workbook.ts';
import { withFiles, workbook } from '../fixtures/imports/harness.ts';

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

  it('gives back every rate of up to eight decimals, however the workbook stores it', () => {
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

  it('gives the columns of the headers in the rows below them, of the sheet that is picked', async () => {
    expect(await readRates('Rates')).toEqual([{ line: 3, cells: ['0.07'] }]);
  });

  it('refuses a workbook without that sheet', async () => {
    await expect(readRates('Rate')).rejects.toThrow('a.xlsx does not have the sheet of the rates');
  });
});
