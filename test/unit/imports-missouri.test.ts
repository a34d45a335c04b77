import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { importFiles, percentsIn, type TestCell } from '../fixtures/imports/harness.ts';
import { missouriFile, missouriRows } from '../fixtures/imports/workbooks.ts';

const names = await readNameTables('MO');
const read = (file = missouriFile()) => importFiles('missouri', 'MO', [file], { names });
const imported = await read();

/** The rows with one cell replaced. */
const replaced = (row: number, column: number, cell: TestCell) =>
  missouriRows.map((cells, index) => (index === row ? cells.with(column, cell) : cells));

describe('Missouri’s sales tax rates', () => {
  it.each([
    { city: 'KANSAS CITY', day: '2026-11-21', percents: [8.6, 8.975], because: 'it lies in two counties' },
    { city: 'ST LOUIS', day: '2026-11-21', percents: [9.679], because: 'it is a county of its own' },
    { city: 'ST LOUIS', day: '2026-09-30', percents: [], because: 'the file is of October' },
    { city: 'NEW TOWN', day: '2026-11-21', percents: [], because: 'no table has it' },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it("have the state’s own codes beside Levy's", () => {
    const codes = imported.parts
      .get('KANSAS CITY')
      ?.jurisdictions.map(({ code, reporting_code }) => [code, reporting_code]);
    expect(codes).toEqual([
      ['US-MO-047-38000', '38000-047-000'],
      ['US-MO-095-38000', '38000-095-000'],
    ]);
  });

  it('skip counties, districts and unknown places', () => {
    expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [14, 'unincorporated areas have no city that an address names'],
      [16, 'a district within a place, which no city or ZIP names'],
      [19, 'a place that is not in the tables of Levy'],
    ]);
  });

  it.each([
    { row: 1, column: 3, cell: { number: '8.975' }, line: 15, reason: /^SalesTaxRate 8.975 / },
    { row: 3, column: 3, cell: '4.0000%', line: 17, reason: /^the file has 0.04 in all, the release has 0.04225/ },
    { row: 3, column: 2, cell: '38000-47-000', line: 17, reason: /^Jurisdiction Code 38000-47-000 / },
  ])('are bad with $cell', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(missouriFile(replaced(row, column, cell)));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are bad where a code has two rates', async () => {
    const { built } = await read(missouriFile(replaced(3, 2, '38000-095-000')));
    expect(built.summary.bad.first).toMatchObject([{ line: 17, reason: expect.stringMatching(/than line 15/) }]);
  });

  it('are refused with another header, and without the month in their name', async () => {
    await expect(
      read(missouriFile(missouriRows, [null, 'Jurisdiction Name', 'Code', 'SalesTaxRate(0000)'])),
    ).rejects.toThrow('has no row with the columns Jurisdiction Name, Jurisdiction Code, SalesTaxRate(0000)');
    await expect(read(missouriFile(missouriRows, undefined, 'rates.xlsx'))).rejects.toThrow('such as oct2026.xlsx');
  });
});
