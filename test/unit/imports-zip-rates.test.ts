import { describe, expect, it } from 'vitest';
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

const name = 'TAXRATES_ZIP5_TX202611.csv';
const header =
  'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel';
const table = (...rows: readonly string[]) => ({ name: 'rates.csv', content: [header, ...rows].join('\r\n') });
const bad = async (state: string, file: Parameters<typeof entriesOf>[2][number]) =>
  ofKind(await entriesOf('zip-rates', state, [file]), 'bad').map(({ line, reason }) => [line, reason]);

describe('rates by ZIP', () => {
  it('come down to the state, and a jurisdiction for each component above zero', async () => {
    const imported = await importFiles('zip-rates', 'TX', [fixture(name)]);
    const head = headOf(imported);
    expect(head).toMatchObject({ coverage: 'complete', locals: 'listed', format: 'zip-rates' });
    expect(imported.built.summary).toMatchObject({ rowsRead: 4, rowsKept: 4, bad: { count: 0 } });
    const percents = [...imported.parts].map(([key, { rates, locations }]) => {
      const codes = locations[0]?.alternatives[0] ?? [];
      return [key, codes, percentOf([...head.rates, ...rates], ['US-TX', ...codes], '2026-11-21')];
    });
    expect(percents).toEqual([
      ['78664', ['US-TX-CITY-ROUND-ROCK', 'US-TX-SPECIAL-ROUND-ROCK'], 8.25],
      ['78665', ['US-TX-CITY-ROUND-ROCK', 'US-TX-SPECIAL-ROUND-ROCK'], 8.25],
      ['78681', ['US-TX-CITY-ROUND-ROCK', 'US-TX-COUNTY-ROUND-ROCK'], 7.75],
      ['79835', [], 6.25],
    ]);
    expect(imported.parts.get('78681')?.jurisdictions).toEqual([
      { code: 'US-TX-COUNTY-ROUND-ROCK', name: 'ROUND ROCK, county tax', type: 'county', tax_type: 'sales' },
      { code: 'US-TX-CITY-ROUND-ROCK', name: 'ROUND ROCK', type: 'city', tax_type: 'sales' },
    ]);
  });

  it('hold from the month in the file’s name, and without one from the base release’s first day', async () => {
    const dated = await importFiles('zip-rates', 'TX', [fixture(name)]);
    const undated = await importFiles('zip-rates', 'TX', [{ ...fixture(name), name: 'rates.csv' }]);
    expect(dated.parts.get('78664')?.locations[0]).toMatchObject({ from: '2026-11-01', to: null });
    expect(undated.parts.get('78664')?.locations[0]).toMatchObject({ from: null, to: null });
  });

  it('with one name and another rate are another jurisdiction, which ends with its ZIP', async () => {
    const { parts } = await importFiles('zip-rates', 'TX', [
      changed(name, '78665,ROUND ROCK,0.0825,0.0625,0,0.01,0.01', '78665,ROUND ROCK,0.08,0.0625,0,0.01,0.0075'),
    ]);
    expect(parts.get('78665')?.locations[0]?.alternatives).toEqual([
      ['US-TX-CITY-ROUND-ROCK', 'US-TX-SPECIAL-ROUND-ROCK-78665'],
    ]);
  });

  it('of one ZIP in two rows make it ambiguous', async () => {
    const rows = table(
      'TX,78664,ROUND ROCK,0.0725,0.0625,0,0.01,0,2',
      'TX,78664,PFLUGERVILLE,0.0825,0.0625,0,0.02,0,2',
    );
    const { parts } = await importFiles('zip-rates', 'TX', [rows]);
    expect(parts.get('78664')?.locations.map(({ alternatives }) => alternatives)).toEqual([
      [['US-TX-CITY-ROUND-ROCK'], ['US-TX-CITY-PFLUGERVILLE']],
    ]);
  });

  it('are bad where the state’s part is not the state’s rate', async () => {
    expect(await bad('TX', changed(name, '79835,TEXAS STATE,0.0625,0.0625', '79835,TEXAS STATE,0.06,0.06'))).toEqual([
      [
        5,
        'file says 0.06 for the state, the release says 0.0625 on 2026-11-01: take a file of that day, or another base release',
      ],
    ]);
    const base = { ...baseOf('TX'), rates: baseOf('TX').rates.map((rate) => ({ ...rate, from: '2026-12-01' })) };
    expect(ofKind(await entriesOf('zip-rates', 'TX', [fixture(name)], base), 'bad').map(({ line }) => line)).toEqual([
      2, 3, 4, 5,
    ]);
  });

  it('are bad where the base release does not reach back to their month', async () => {
    const older = { ...fixture(name), name: 'TAXRATES_ZIP5_TX202512.csv' };
    expect((await bad('TX', older))[0]).toEqual([2, expect.stringContaining('the release says nothing on 2025-12-01')]);
  });

  it.each([
    { row: 'TX,78664,A,0.0825,0.0625,0,0.01,0.02,1', reason: /says 0.0825 combined, and its parts sum to 0.0925/ },
    { row: 'TX,78664,A,8.25,6.25,0,1,1,1', reason: /write fractions/ },
    { row: 'TX,78664,A,0.0825,,0,0.01,0.01,1', reason: /says 0.0825 combined|file says 0/ },
    { row: 'TX,ABCDE,A,0.0625,0.0625,0,0,0,1', reason: /ZIP ABCDE is none/ },
    { row: 'TX,7866,A,0.0625,0.0625,0,0,0,1', reason: /ZIP 7866 has lost digits, and 07866 is not in TX/ },
    { row: 'TX,"78664', reason: /quote/ },
  ])('are bad as $row', async ({ row, reason }) => {
    expect(await bad('TX', table(row))).toEqual([[2, expect.stringMatching(reason)]]);
  });

  it('have the zeros back that a spreadsheet took, where the state makes them certain', async () => {
    const massachusetts = table('MA,2139,CAMBRIDGE,0.0625,0.0625,0,0,0,1', 'MA,02140,CAMBRIDGE,0.0625,0.0625,0,0,0,1');
    const { parts, built } = await importFiles('zip-rates', 'MA', [massachusetts]);
    expect([...parts.keys()]).toEqual(['02139', '02140']);
    expect(built.summary.bad.count).toBe(0);
  });

  it('of other states, and of ZIPs of other states, are left out', async () => {
    const rows = table(
      'TX,78664,A,0.0625,0.0625,0,0,0,1',
      'OK,73101,B,0.08,0.045,0,0.035,0,1',
      'TX,55401,C,0.0625,0.0625,0,0,0,1',
    );
    const skipped = ofKind(await entriesOf('zip-rates', 'TX', [rows]), 'skipped');
    expect(skipped.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'is not of TX'],
      [4, 'none of its ZIPs is in TX'],
    ]);
  });

  it('may have the headers of older tables, in any order and case', async () => {
    const older = {
      name: 'older.csv',
      content: `state_abbrev,ZIP_CODE,COUNTY_NAME,CITY_NAME,STATE_SALES_TAX,COUNTY_SALES_TAX,CITY_SALES_TAX,MTA_SALES_TAX,TOTAL_SALES_TAX,TAX_SHIPPING_ALONE
TX,78664,WILLIAMSON,ROUND ROCK,0.0625,0,0.01,0.01,0.0825,Y
`,
    };
    const { parts } = await importFiles('zip-rates', 'TX', [older]);
    expect(parts.get('78664')?.rates.map(({ jurisdiction, rate }) => [jurisdiction, rate])).toEqual([
      ['US-TX-CITY-ROUND-ROCK', '0.01'],
      ['US-TX-SPECIAL-ROUND-ROCK', '0.01'],
    ]);
  });

  it('are refused without the columns that they need, and without a header at all', async () => {
    await expect(entriesOf('zip-rates', 'TX', [{ name: 'a.csv', content: 'State,Rate\nTX,1\n' }])).rejects.toThrow(
      'a.csv has no column ZipCode or ZIP_CODE: is it of this format?',
    );
    await expect(entriesOf('zip-rates', 'TX', [{ name: 'a.csv', content: '' }])).rejects.toThrow('a.csv is empty');
    await expect(entriesOf('zip-rates', 'TX', [])).rejects.toThrow('takes one file');
  });
});
