import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/releases/local-names.ts';
import { importFiles, percentsIn, type TestCell } from '../fixtures/imports/harness.ts';
import { louisianaFile, louisianaRows } from '../fixtures/imports/workbooks.ts';

const names = await readNameTables('LA');
const read = (file = louisianaFile()) => importFiles('louisiana', 'LA', [file], { names });
const imported = await read();

/** The rows with one cell replaced. */
const replaced = (row: number, column: number, cell: TestCell) =>
  louisianaRows.map((cells, index) => (index === row ? cells.with(column, cell) : cells));

describe('Louisiana’s rates by domicile', () => {
  it.each([
    { city: 'IOTA', percents: [10.25], because: 'the state’s 5 % come on top' },
    { city: 'CROWLEY', percents: [10.5, 11.5], because: 'a district lies in a part of it' },
    { city: 'NEW ORLEANS', percents: [10], because: 'it is the parish' },
  ])('$city: $percents, because $because', ({ city, percents }) => {
    expect(percentsIn(imported, city, '2026-11-21')).toEqual(percents);
    expect(percentsIn(imported, city, '2026-09-30')).toEqual([]);
  });

  it('have the codes and the kind that rules name, and the domicile codes beside them', () => {
    expect(imported.parts.get('CROWLEY')?.jurisdictions).toEqual([
      {
        code: 'US-LA-001-18650',
        name: 'Crowley (combined local rate)',
        type: 'city',
        tax_type: 'sales',
        kind: 'combined',
        reporting_code: '0101',
      },
      expect.objectContaining({ code: 'US-LA-001-18650-0109', kind: 'combined', reporting_code: '0109' }),
    ]);
  });

  it('skip parishes, districts and notes', () => {
    expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [4, 'a parish outside its cities, which no address names'],
      [8, 'a district, ward or place that is not in the tables of Levy'],
      [11, 'a line without a jurisdiction'],
    ]);
  });

  it.each([
    { row: 1, column: 1, cell: 'City of Crowley', line: 5, reason: /^City of Crowley has no domicile code/ },
    { row: 1, column: 0, cell: 'Arcadia Parish', line: 5, reason: /^is in Arcadia Parish, which is no parish/ },
    { row: 1, column: 2, cell: 'varies', line: 5, reason: /^Tax Rate varies is none/ },
    { row: 2, column: 1, cell: 'City of Crowley (0101)', line: 6, reason: /^gives Crowley another rate than line 5/ },
  ])('are bad with $cell', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(louisianaFile(replaced(row, column, cell)));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are refused with another header or a name without a month', async () => {
    await expect(read(louisianaFile(louisianaRows, ['Parish', 'Rate']))).rejects.toThrow('no row with the columns');
    await expect(read(louisianaFile(louisianaRows, undefined, 'rates.xlsx'))).rejects.toThrow(
      'does not name the month',
    );
  });
});
