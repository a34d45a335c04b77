import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { importFiles, percentsIn, type TestCell } from '../fixtures/imports/harness.ts';
import { type VirginiaSheet, virginiaFile, virginiaSheets } from '../fixtures/imports/workbooks.ts';

const names = await readNameTables('VA');
const read = (file = virginiaFile()) => importFiles('virginia', 'VA', [file], { names });
const imported = await read();

const withSheet = (change: (sheet: VirginiaSheet) => VirginiaSheet) => {
  const sheets = virginiaSheets();
  return virginiaFile({ ...sheets, Current: change(sheets['Current'] as VirginiaSheet) });
};
const withCell = (row: number, column: number, cell: TestCell) =>
  withSheet(({ rows, ...sheet }) => ({
    ...sheet,
    rows: rows.map((cells, index) => (index === row ? cells.with(column, cell) : cells)),
  }));

describe('Virginia’s rates by locality', () => {
  it.each([
    { city: 'ALEXANDRIA', day: '2026-11-21', percents: [6], because: 'the current sheet has 6 %' },
    { city: 'ALEXANDRIA', day: '2027-01-01', percents: [7], because: 'the next period has begun' },
    { city: 'SALEM', day: '2026-11-21', percents: [5.3], because: 'it has the statewide rate alone' },
    { city: 'ACCOMACK', day: '2026-11-21', percents: [], because: 'it is a county' },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it('leave out periods that ended before the release, and skip counties and notes', () => {
    const { summary } = imported.built;
    expect(summary.files.map(({ name }) => name.split(', ')[1])).toEqual(['sheet Current', 'sheet Next']);
    expect(summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [5, 'counties have no city that an address names'],
      [6, 'a line without a locality'],
    ]);
  });

  it("have the Census code beside Levy's", () => {
    expect(imported.parts.get('ALEXANDRIA')?.jurisdictions).toMatchObject([
      { code: 'US-VA-510-01000', reporting_code: '51510', kind: 'combined' },
    ]);
  });

  it.each([
    { row: 1, column: 3, cell: { number: '6' }, line: 6, reason: /^General Sales 6 / },
    {
      row: 1,
      column: 3,
      cell: { number: '0.05' },
      line: 6,
      reason: /^the file has 0.05 in all, the release has 0.053/,
    },
    { row: 1, column: 2, cell: { number: '52510' }, line: 6, reason: /^Code 52510 is not a locality/ },
  ])('are bad with $cell', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(withCell(row, column, cell));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are refused with another header or without days', async () => {
    const header = [null, 'Locality', 'Code', 'Rate'];
    await expect(read(withSheet((sheet) => ({ ...sheet, header })))).rejects.toThrow('the columns Code, General Sales');
    await expect(read(withSheet((sheet) => ({ ...sheet, title: 'Fall 2026' })))).rejects.toThrow(
      'with Fall 2026 in row 2',
    );
  });
});
