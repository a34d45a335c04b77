import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
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
    { city: 'IOTA', percents: [10.25, 11.25], because: 'a district of the parish may lie in it' },
    { city: 'CROWLEY', percents: [10.5, 11.25, 11.5], because: 'a district lies in a part of it' },
    { city: 'NEW ORLEANS', percents: [5.245, 10], because: 'a district of the parish may lie in it' },
  ])('$city: $percents, because $because', ({ city, percents }) => {
    expect(percentsIn(imported, city, '2026-11-21')).toEqual(percents);
    expect(percentsIn(imported, city, '2026-09-30')).toEqual([]);
  });

  it('have the codes and the kind that rules name, and the domicile codes beside them', () => {
    expect(imported.parts.get('CROWLEY')?.jurisdictions).toEqual([
      expect.objectContaining({ code: 'US-LA-001-0110', kind: 'combined', reporting_code: '0110' }),
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
      [11, 'a line without a jurisdiction'],
    ]);
    expect(imported.built.summary.remarks).toMatchObject([{ count: 2, firstLine: 8 }]);
  });

  const acadia = (...domiciles: readonly (readonly [string, string])[]) =>
    read(louisianaFile(domiciles.map(([name, rate]) => ['Acadia Parish', name, rate, null])));
  const city = ['City of Crowley / School Board (0101)', '5.5%'] as const;

  it.each([
    'City of Crowley, Northgate EDD (0111)',
    'Northgate EDD, City of Crowley (0111)',
    'Northgate EDD/City of Crowley (0111)',
    'Crowley (Northgate EDD) (0111)',
    'Acadia Parish, City of Crowley, Northgate EDD (0111)',
    'City of Crowley EDD (0101)',
  ])('have the rate of %s for a part of Crowley, in any order', async (name) => {
    for (const rows of [
      [city, [name, '7.5%']],
      [[name, '7.5%'], city],
    ] as const) {
      const { built, parts } = await acadia(...rows);
      const { jurisdictions = [], rates = [], locations = [] } = parts.get('CROWLEY') ?? {};
      expect(jurisdictions.map(({ code }) => code)).toEqual([
        'US-LA-001-18650',
        `US-LA-001-18650-${name.slice(-5, -1)}`,
      ]);
      expect(rates.map(({ rate }) => rate)).toEqual(['0.055', '0.075']);
      expect(locations.filter(({ of_addresses }) => !of_addresses).map(({ alternatives }) => alternatives)).toEqual([
        [['US-LA-001-18650']],
      ]);
      expect(built.summary.bad.count).toBe(0);
    }
  });

  it('have no rate of a city that two domiciles contradict, so that the fallback release applies', async () => {
    for (const rows of [
      [city, ['Town of Crowley (0102)', '6.5%']],
      [['Town of Crowley (0102)', '6.5%'], city],
    ] as const) {
      const { built, parts } = await acadia(...rows);
      expect(built.summary.bad.first).toMatchObject([
        { line: 5, reason: 'gives Crowley another rate than line 4, so neither applies: correct one' },
      ]);
      expect(parts.get('CROWLEY')).toMatchObject({
        rates: [],
        locations: [{ of_addresses: true, alternatives: [[]] }],
      });
    }
    const repeated = await acadia(city, ['Town of Crowley (0102)', '5.5%']);
    expect(repeated.built.summary.bad.count).toBe(0);
    expect(percentsIn(repeated, 'CROWLEY', '2026-11-21')).toEqual([10.5]);
  });

  it('leave a city unambiguous if a district has its rate', async () => {
    const { parts, built } = await acadia(city, ['City of Crowley EDD (0111)', '5.5%'], ['APEDD #1 (0110)', '5.5%']);
    expect(parts.get('CROWLEY')?.locations).toHaveLength(1);
    expect(built.summary.skipped.map(({ reason }) => reason)).toEqual([
      'a part with the rate of its city',
      'a district that changes the rate of no city',
    ]);
  });

  it.each([
    { row: 1, column: 1, cell: 'City of Crowley', line: 5, reason: /^City of Crowley has no domicile code/ },
    { row: 1, column: 0, cell: 'Arcadia Parish', line: 5, reason: /^is in Arcadia Parish,/ },
    { row: 1, column: 2, cell: 'varies', line: 5, reason: /^Tax Rate varies / },
    { row: 2, column: 1, cell: 'City of Crowley (0101)', line: 6, reason: /^gives Crowley another rate than line 5/ },
  ])('are bad with $cell', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(louisianaFile(replaced(row, column, cell)));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are refused with another header or a name without a month', async () => {
    await expect(read(louisianaFile(louisianaRows, ['Parish', 'Rate']))).rejects.toThrow('no row with the columns');
    await expect(read(louisianaFile(louisianaRows, undefined, 'rates.xlsx'))).rejects.toThrow(
      'does not name the first month',
    );
  });
});
