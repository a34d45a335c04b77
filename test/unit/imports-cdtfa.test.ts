import { describe, expect, it } from 'vitest';
import { changed, entriesOf, fixture, headOf, importFiles, ofKind, percentOf } from '../fixtures/imports/harness.ts';

const name = 'cdtfa.csv';
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
    expect(headOf(imported)).not.toHaveProperty('locals');
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
      [3, 'gives Alameda another rate than line 2 from 2021-07-01 on: correct one'],
    ]);
  });

  it.each([
    {
      from: '0.0725,1/1/2017',
      to: '0.05,1/1/2017',
      reason: /^the file has 0.05 in all, the release has 0.0725 for the state alone on 2026-01-01$/,
    },
    { from: '0.0725,1/1/2017', to: '0.0725,2/30/2017', reason: /START_DATE 2\/30\/2017/ },
    { from: '0.0725,1/1/2017', to: '725,1/1/2017', reason: /RATE 725 is none/ },
    { from: 'ALTURAS,ALTURAS', to: 'ALTURAS,', reason: /names no city/ },
  ])('are bad with $to', async ({ from, to, reason }) => {
    expect(await bad(from, to)).toEqual([[4, expect.stringMatching(reason)]]);
  });
});
