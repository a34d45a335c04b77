import { describe, expect, it } from 'vitest';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import {
  baseOf,
  changed,
  entriesOf,
  fixture,
  headOf,
  importFiles,
  ofKind,
  percentOf,
} from '../fixtures/imports/harness.ts';

const name = 'cdtfa.csv';
const names = await readNameTables('CA');
const bad = async (from: string, to: string) =>
  ofKind(await entriesOf('cdtfa', 'CA', [changed(name, from, to)]), 'bad').map(({ line, reason }) => [line, reason]);

describe('California’s rates by city', () => {
  it.each([
    { city: 'ALAMEDA', day: '2026-11-21', percent: 10.75, because: 'it is combined, and holds the state’s 7.25' },
    { city: 'ALAMEDA', day: '2027-03-31', percent: 10.75, because: 'a future row has not begun' },
    { city: 'ALAMEDA', day: '2027-04-01', percent: 11, because: 'a future row has begun' },
    { city: 'ALTURAS', day: '2026-11-21', percent: 7.25, because: 'it has no local tax' },
    { city: 'ANGELS CAMP', day: '2026-11-21', percent: 7.75, because: 'a percentage is a rate as well' },
  ])('$city on $day is $percent %: $because', async ({ city, day, percent }) => {
    const imported = await importFiles('cdtfa', 'CA', [fixture(name)]);
    const part = imported.parts.get(city);
    const there = part?.locations.filter(({ from, to }) => (from ?? '') <= day && day <= (to ?? '9'));
    expect(there).toHaveLength(1);
    const codes = there?.[0]?.alternatives[0] ?? [];
    expect(percentOf([...headOf(imported).rates, ...(part?.rates ?? [])], ['US-CA', ...codes], day)).toBe(percent);
  });

  it('are district taxes of cities alone: the release notes what is missing', async () => {
    const imported = await importFiles('cdtfa', 'CA', [fixture(name)]);
    expect(headOf(imported)).toMatchObject({ coverage: 'partial' });
    expect(imported.parts.get('ALAMEDA')?.jurisdictions).toEqual([
      { code: 'US-CA-DISTRICT-ALAMEDA', name: 'Alameda, local taxes', type: 'district', tax_type: 'sales' },
    ]);
    expect(imported.built.summary.skipped).toEqual([
      {
        reason: 'unincorporated areas have no city that an address names',
        count: 1,
        file: 'cdtfa.csv',
        firstLine: 5,
      },
    ]);
  });

  it('have the codes and names of the built-in content where its tables have the city, and no reporting code', async () => {
    const { parts, built } = await importFiles('cdtfa', 'CA', [fixture(name)], { names });
    const local = { type: 'district', tax_type: 'sales', kind: 'combined' };
    expect(parts.get('ALAMEDA')?.jurisdictions).toEqual([
      { code: 'US-CA-001-00562', name: 'Alameda (combined local rate)', ...local },
    ]);
    expect(parts.get('ANGELS CAMP')?.jurisdictions).toEqual([
      { code: 'US-CA-009-02112', name: 'Angels Camp (combined local rate)', ...local },
    ]);
    expect(built.summary.notes).toEqual([]);
    const alameda = readAddress({ state: 'CA', postal_code: '94501', city: 'Alameda' }, '');
    if (!alameda.ok) throw new Error('Alameda is an address.');
    const builtIn = locate(alameda.value, () => baseOf('CA'), '2026-11-21', false).place.jurisdictions[1];
    expect(parts.get('ALAMEDA')?.jurisdictions[0]).toMatchObject({ code: builtIn?.code, name: builtIn?.name });
  });

  it('keep codes of their own where the tables do not have the city in that county, and the report names it', async () => {
    const { parts, built } = await importFiles(
      'cdtfa',
      'CA',
      [changed(name, 'Alturas,MODOC,0.0725', 'Alturas,KERN,0.0825')],
      {
        names,
      },
    );
    expect(parts.get('ALTURAS')?.jurisdictions.map(({ code }) => code)).toEqual(['US-CA-DISTRICT-ALTURAS']);
    expect(built.summary.notes).toEqual([
      'The tables of Levy lack these, which keep codes made from the file: Alturas.',
    ]);
  });

  it('of two counties’ cities of one name are both meant', async () => {
    const { parts } = await importFiles('cdtfa', 'CA', [
      changed(name, 'ANGELS CAMP,ANGELS CAMP,Angels Camp', 'ALAMEDA,ALAMEDA,Alameda'),
    ]);
    const codes = parts.get('ALAMEDA')?.locations.flatMap(({ alternatives }) => alternatives.flat());
    expect(new Set(codes)).toEqual(new Set(['US-CA-DISTRICT-ALAMEDA-ALAMEDA', 'US-CA-DISTRICT-ALAMEDA-CALAVERAS']));
  });

  it('repeated are left out, and contradicted are bad', async () => {
    const repeated = changed(
      name,
      '2,ALAMEDA,ALAMEDA,Alameda,ALAMEDA,0.11,4/1/2027',
      '2,ALAMEDA,ALAMEDA,Alameda,ALAMEDA,0.1075,7/1/2021',
    );
    expect(ofKind(await entriesOf('cdtfa', 'CA', [repeated]), 'skipped')[0]).toMatchObject({
      line: 3,
      reason: 'repeats another row',
    });
    expect(await bad('0.11,4/1/2027', '0.11,7/1/2021')).toEqual([
      [3, 'gives Alameda another rate than line 2 for the same days: correct one'],
    ]);
  });

  it.each([
    {
      from: '0.0725,1/1/2017',
      to: '0.05,1/1/2017',
      reason: /^the file has 0.05 in all, the release has 0.0725 for the state alone on 2026-01-01$/,
    },
    { from: '0.0725,1/1/2017', to: '0.0725,2/30/2017', reason: /START_DATE 2\/30\/2017/ },
    { from: '0.0725,1/1/2017', to: '725,1/1/2017', reason: /RATE 725 / },
    { from: 'ALTURAS,ALTURAS', to: 'ALTURAS,', reason: /names no city/ },
  ])('are bad with $to', async ({ from, to, reason }) => {
    expect(await bad(from, to)).toEqual([[4, expect.stringMatching(reason)]]);
  });
});
