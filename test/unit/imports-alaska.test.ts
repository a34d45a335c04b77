import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { importFiles, percentsIn, type TestCell } from '../fixtures/imports/harness.ts';
import { alaskaFile, alaskaRows } from '../fixtures/imports/workbooks.ts';

const names = await readNameTables('AK');
const read = (file = alaskaFile()) => importFiles('alaska', 'AK', [file], { names });
const imported = await read();

/** The rows with one cell replaced. */
const replaced = (row: number, column: number, cell: TestCell) =>
  alaskaRows.map((cells, index) => (index === row ? cells.with(column, cell) : cells));

describe('Alaska’s rate sheet', () => {
  it.each([
    { city: 'JUNEAU', day: '2026-11-21', percents: [5], because: 'the borough is the city' },
    { city: 'SOLDOTNA', day: '2026-11-21', percents: [6], because: 'borough and city have 3 % each' },
    { city: 'SOLDOTNA', day: '2026-03-31', percents: [], because: 'the rate of the borough has not begun' },
    { city: 'NOME', day: '2026-11-21', percents: [5.5], because: 'it is in no borough' },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it('have the codes that rules name, and the filing codes beside them', () => {
    const codesOf = (city: string) =>
      imported.parts.get(city)?.jurisdictions.map(({ code, reporting_code }) => [code, reporting_code]);
    expect(codesOf('JUNEAU')).toEqual([['US-AK-00-110', '810000']]);
    expect(codesOf('SOLDOTNA')).toEqual([
      ['US-AK-00-122', '820000'],
      ['US-AK-01-71640', '9101'],
    ]);
  });

  it('skip boroughs and notes', () => {
    expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [6, 'boroughs have no city that an address names'],
      [9, 'a line without a total rate'],
    ]);
  });

  it.each([
    { row: 2, column: 7, cell: { number: '0.04' }, line: 7, reason: /^has a total of 0.06, which is not the sum/ },
    { row: 3, column: 11, cell: 'soon', line: 8, reason: /^Nome has the effective date soon/ },
    { row: 3, column: 7, cell: '5.5 %', line: 8, reason: /^Nome has the rate 5.5 %/ },
    { row: 3, column: 12, cell: 'varies', line: 8, reason: /^Sales Tax Rate Total is varies/ },
  ])('are bad with $cell', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(alaskaFile(replaced(row, column, cell)));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are bad where a borough has two rates', async () => {
    const rows = alaskaRows.flatMap((cells, index) =>
      index === 2 ? [cells, cells.with(1, { number: '0.02' }).with(6, 'Homer').with(12, { number: '0.05' })] : [cells],
    );
    const { built } = await read(alaskaFile(rows));
    expect(built.summary.bad.first).toMatchObject([
      { line: 8, reason: expect.stringMatching(/^gives Kenai .* line 7/) },
    ]);
  });

  it('are refused with another header', async () => {
    await expect(read(alaskaFile(alaskaRows, ['Borough', 'Rate']))).rejects.toThrow('has no row with the columns');
  });
});
