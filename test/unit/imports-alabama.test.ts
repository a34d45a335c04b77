import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { changed, entriesOf, fixture, importFiles, ofKind, percentsIn } from '../fixtures/imports/harness.ts';

const name = 'taxrates_current.csv';
const names = await readNameTables('AL');
const imported = await importFiles('alabama', 'AL', [fixture(name)], { names });
const bad = async (from: string, to: string) =>
  ofKind(await entriesOf('alabama', 'AL', [changed(name, from, to)]), 'bad').map(({ line, reason }) => [line, reason]);

describe('Alabama’s current local rates', () => {
  // Alabama: 4 %.
  it.each([
    { city: 'PRATTVILLE', day: '2026-11-21', percents: [9.5], because: 'Autauga County has 2 %, the city 3.5 %' },
    { city: 'PRATTVILLE', day: '2026-10-31', percents: [], because: 'the city’s rate begins on 1 November' },
    {
      city: 'BIRMINGHAM',
      day: '2026-11-21',
      percents: [9, 10],
      because: 'it lies in Shelby County (1 %) and Jefferson County (2 %)',
    },
    {
      city: 'HUNTSVILLE',
      day: '2026-11-21',
      percents: [9],
      because: 'a county code besides the county’s own has 0.5 %',
    },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it('have the codes that rules name, and the state’s own beside them', () => {
    const codes = imported.parts
      .get('BIRMINGHAM')
      ?.jurisdictions.map(({ code, type, reporting_code }) => [code, type, reporting_code]);
    expect(codes).toEqual([
      ['US-AL-00-073', 'county', '7037'],
      ['US-AL-00-117', 'county', '7058'],
      ['US-AL-01-07000', 'city', '9137'],
    ]);
  });

  it('skip other taxes, and a city’s row for a county code without a general rate', () => {
    expect(imported.built.summary.skipped).toEqual([
      { reason: 'not the general rate of the sales tax', count: 3, file: name, firstLine: 3 },
      { reason: 'its county code has no general rate of the sales tax', count: 1, file: name, firstLine: 8 },
    ]);
  });

  it('keep a city’s rates apart where they differ between its counties', async () => {
    const file = changed(name, '"20240901",,"4.0000","RC","N","7058"', '"20240901",,"3.0000","RC","N","7058"');
    expect(percentsIn(await importFiles('alabama', 'AL', [file], { names }), 'BIRMINGHAM', '2026-11-21')).toEqual([
      8, 10,
    ]);
  });

  it.each([
    { from: '"20261101",,"3.5000"', to: '"20261101",,"35.000"', line: 4, reason: /^Rate 35.000 / },
    { from: '"20261101",,"3.5000"', to: '"20261131",,"3.5000"', line: 4, reason: /^Active Date 20261131 / },
    {
      from: '"20261101",,"3.5000"',
      to: '"20261101","20261130","3.5000"',
      line: 4,
      reason: /^Inactive Date is 20261130/,
    },
    { from: '"9146"', to: '"8146"', line: 4, reason: /^Locality Code 8146/ },
    { from: '"Y","7001","1.7500"', to: '"Y","6001","1.7500"', line: 4, reason: /^County Code 6001/ },
    {
      from: '"9137","BIRMINGHAM",37,"ST","GENER","STATE","20240901",,"4.0000","RC","N","7058"',
      to: '"9137","BIRMINGHAM",37,"ST","GENER","STATE","20240901",,"3.0000","RC","N","7037"',
      line: 7,
      reason: /^gives BIRMINGHAM another rate than line 6/,
    },
  ])('are bad with $to', async ({ from, to, line, reason }) => {
    expect(await bad(from, to)).toEqual([[line, expect.stringMatching(reason)]]);
  });

  it('are refused with another header', async () => {
    await expect(bad('"Rate Type"', '"Category"')).rejects.toThrow('has no column Rate Type');
  });
});
