import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { baseOf, changed, entriesOf, fixture, importFiles, ofKind, percentsIn } from '../fixtures/imports/harness.ts';

const name = 'TPT_RATETABLE_ALL_11012026.csv';
const names = await readNameTables('AZ');
const imported = await importFiles('arizona', 'AZ', [fixture(name)], { names });
const bad = async (from: string, to: string) =>
  ofKind(await entriesOf('arizona', 'AZ', [changed(name, from, to)]), 'bad').map(({ line, reason }) => [line, reason]);

describe('Arizona’s transaction privilege tax rates', () => {
  // Arizona's 5.6 % is in the rates of the counties: Maricopa has 0.7 % of its own, Pinal 1.1 %.
  it.each([
    { city: 'PHOENIX', day: '2026-11-21', percents: [9.1], because: 'it adds 2.8 % to 6.3 %' },
    { city: 'APACHE JUNCTION', day: '2026-12-31', percents: [8.7, 9.1], because: 'it lies in two counties' },
    { city: 'APACHE JUNCTION', day: '2027-01-01', percents: [8.9, 9.3], because: 'its next rate has begun' },
    { city: 'MARICOPA', day: '2026-11-21', percents: [9.2], because: 'the city lies in Pinal County' },
    { city: 'PHOENIX', day: '2025-06-30', percents: [], because: 'its rate has not begun' },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it('have the codes that rules name, and the state’s own beside them', () => {
    const codes = imported.parts
      .get('PHOENIX')
      ?.jurisdictions.map(({ code, reporting_code }) => [code, reporting_code]);
    expect(codes).toEqual([
      ['US-AZ-00-013', 'MAR'],
      ['US-AZ-01-55000', 'PX'],
    ]);
  });

  it('keep all rules: an imported city has the code that the rules on its groceries name', () => {
    const named = baseOf('AZ').rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
    const imports = [...imported.parts.values()].flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code));
    expect(named.filter((code) => imports.includes(code))).toContain('US-AZ-01-55000');
  });

  it('skip other businesses, regions that no address names, and cities of unknown counties', () => {
    expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [3, 'another business than retail sales (017)'],
      [9, 'no county or city, and no address names it'],
      [10, 'a city that is not in the tables of Levy, so its county is unknown'],
    ]);
  });

  it.each([
    {
      from: 'SALES,6.300000',
      to: 'SALES,5.500000',
      line: 2,
      reason: /^the file has 0.055 in all, the release has 0.056/,
    },
    { from: '2.800000', to: '2.8%%', line: 5, reason: /^TaxRate 2.8%% / },
    { from: '2.800000,Percent', to: '2.800000,Flat', line: 5, reason: /^TaxRateType is Flat/ },
    { from: '7/01/2025 0:00', to: '13/01/2025', line: 5, reason: /^RateStartDate 13/ },
    { from: '12/31/2026 0:00', to: 'open', line: 6, reason: /^RateEndDate open/ },
  ])('are bad with $to', async ({ from, to, line, reason }) => {
    expect(await bad(from, to)).toEqual([[line, expect.stringMatching(reason)]]);
  });

  it('are bad where two rows have the same days', async () => {
    const file = changed(name, '12/31/2026 0:00', '1/01/2027 0:00');
    const { built } = await importFiles('arizona', 'AZ', [file], { names });
    expect(built.summary.bad.first).toMatchObject([{ line: 7, reason: expect.stringMatching(/than line 6/) }]);
  });

  it('are refused with another header', async () => {
    await expect(bad('RateStartDate', 'Start')).rejects.toThrow('has no column RateStartDate');
  });
});
