import { describe, expect, it } from 'vitest';
import { packRates } from '../../shared/cli/pack/pack-tables.ts';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { importFiles, percentsIn, type TestCell } from '../fixtures/imports/harness.ts';
import { coloradoFile, coloradoRows } from '../fixtures/imports/workbooks.ts';

const names = await readNameTables('CO');
const read = (file = coloradoFile()) => importFiles('colorado', 'CO', [file], { names });
const imported = await read();
const codesOf = (city: string) => imported.parts.get(city)?.locations.flatMap(({ alternatives }) => alternatives);

/** The rows with one cell replaced. */
const replaced = (row: number, column: number, cell: TestCell) =>
  coloradoRows.map((cells, index) => (index === row ? cells.with(column, cell) : cells));

describe('Colorado’s jurisdiction codes and rates', () => {
  it.each([
    { city: 'DENVER', percents: [9.15], because: 'a city that collects its own tax is in the file' },
    { city: 'AURORA', percents: [7, 8, 8.5], because: 'it lies in two counties, and a part of it outside RTD' },
    { city: 'MONUMENT', percents: [7.63, 8.63], because: 'a part of it lies in a transportation authority' },
    { city: 'GRAND JUNCTION', percents: [8.66], because: 'a tax of the county has a type of its own' },
    { city: 'BASALT', percents: [9.8], because: 'the county has another rate there' },
    {
      city: 'EAGLE VAIL',
      percents: [5.4, 6.5],
      because: 'it has no city tax, and a district without a city may lie in it',
    },
    { city: 'NEW TOWN', percents: [7.4], because: 'it has a city tax' },
  ])('$city: $percents, because $because', ({ city, percents }) => {
    expect(percentsIn(imported, city, '2026-11-21')).toEqual(percents);
    expect(percentsIn(imported, city, '2026-06-30')).toEqual([]);
  });

  it('have the codes that rules name', () => {
    expect(codesOf('MONUMENT')).toEqual([
      ['US-CO-00-041', 'US-CO-01-51800'],
      ['US-CO-00-041', 'US-CO-01-51800', 'US-CO-63-RTA-041'],
    ]);
    expect(codesOf('GRAND JUNCTION')).toEqual([['US-CO-00-077', 'US-CO-00-077-PSI', 'US-CO-01-31660']]);
    expect(codesOf('NEW TOWN')).toEqual([['US-CO-00-037', 'US-CO-01-NEW-TOWN', 'US-CO-63-LID-037']]);
    // Where the county has another rate, it has a code of its own.
    expect(codesOf('BASALT')).toEqual([
      ['US-CO-00-097-490002', 'US-CO-01-04935', 'US-CO-63-MTS-097', 'US-CO-63-RTA-097-BASALT'],
    ]);
  });

  it('have the jurisdictions of the built-in tables, with their names and kinds', () => {
    const taxes = packRates('CO@2026-11-22').taxes.split('\n');
    const ofCity = (city: string) => imported.parts.get(city)?.jurisdictions ?? [];
    const cities = ['AURORA', 'ASPEN', 'EAGLE VAIL', 'GRAND JUNCTION', 'DENVER'];
    // The tables have no tax of the district, and count the transit of Pitkin County with the county.
    const others = ['US-CO-63-LID-037', 'US-CO-63-MTS-097'];
    const own = cities.flatMap(ofCity).filter(({ code }) => !others.includes(code));
    for (const { code, name, type, kind } of own)
      expect(
        taxes.filter((tax) => tax.startsWith(`${code}~${name}~${type}~${kind ?? ''}`)),
        code,
      ).toHaveLength(1);
  });

  it('have the six-digit code of a city with one location', () => {
    const reporting = (city: string) =>
      imported.parts
        .get(city)
        ?.jurisdictions.flatMap(({ code, reporting_code }) => reporting_code && [code, reporting_code]);
    expect(reporting('DENVER')?.filter(Boolean)).toEqual(['US-CO-01-20000', '010006']);
    expect(reporting('AURORA')?.filter(Boolean)).toEqual([]);
  });

  it('skip what no city names, and name the places that the tables lack', () => {
    const { skipped, remarks, notes } = imported.built.summary;
    expect(skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [6, 'unincorporated areas have no city that an address names'],
    ]);
    expect(remarks.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [14, 'a district without a city: cities of its county depend on the address'],
    ]);
    expect(notes.slice(0, 1)).toEqual([
      'The tables of Levy lack these, which keep codes made from the file: NEW TOWN.',
    ]);
  });

  it.each([
    {
      row: 0,
      column: 9,
      cell: { number: '3' },
      line: 2,
      reason: /^the file has 0.03 for the state, the release has 0.029/,
    },
    { row: 0, column: 8, cell: 'Stat', line: 2, reason: /^the file has nothing for the state/ },
    { row: 0, column: 12, cell: 'n/a', line: 2, reason: /^has the tax County with the rate n\/a/ },
    { row: 0, column: 11, cell: null, line: 2, reason: /^has the tax \(none\) with the rate 0.25/ },
    { row: 0, column: 2, cell: 'ARAPAHO', line: 2, reason: /^is in ARAPAHO,/ },
    { row: 0, column: 1, cell: '10-0001', line: 2, reason: /^Jurisdiction Code 10-0001 / },
    { row: 1, column: 1, cell: '100001', line: 3, reason: /^has the code 100001 of line 2/ },
    { row: 0, column: 17, cell: 'County', line: 2, reason: /^has two taxes County/ },
    { row: 8, column: 20, cell: 'rta', line: 10, reason: /^has two taxes rta/ },
    { row: 0, column: 17, cell: 'LID (', line: 2, reason: /^has the tax type LID \(: a type has letters/ },
    { row: 0, column: 17, cell: 'Metro District', line: 2, reason: /^has the tax type Metro District/ },
  ])('are bad with $cell in column $column', async ({ row, column, cell, line, reason }) => {
    const { built } = await read(coloradoFile(replaced(row, column, cell)));
    expect(built.summary.bad.first).toMatchObject([{ line, reason: expect.stringMatching(reason) }]);
  });

  it('are refused with another header or a name without a half-year', async () => {
    await expect(read(coloradoFile(coloradoRows, ['Location Code', 'County']))).rejects.toThrow(
      'no row with the columns',
    );
    await expect(read(coloradoFile(coloradoRows, undefined, 'rates.xlsx'))).rejects.toThrow(
      'does not name the first month',
    );
  });

  it.each([
    ['Colorado_Jurisdiction_Codes_Rates_Jan-June2026_Apr26.xlsx', '2026-01-01'],
    ['Colorado_Jurisdiction_Codes_Rates_July-Dec_2026.xlsx', '2026-07-01'],
  ])('%s applies from %s', async (name, from) => {
    const { parts } = await read(coloradoFile(coloradoRows, undefined, name));
    expect(parts.get('DENVER')?.locations.map((location) => location.from)).toEqual([from]);
  });
});
