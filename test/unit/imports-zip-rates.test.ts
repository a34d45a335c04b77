import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import {
  changed,
  createReleaseFor,
  fixture,
  getBase,
  getHead,
  getPercent,
  importFiles,
  listEntries,
  ofKind,
} from '../fixtures/imports/harness.ts';
import { ask, refusal } from '../support/builders.ts';

const name = 'TAXRATES_ZIP5_TX202611.csv';
const header =
  'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel';
const table = (...rows: readonly string[]) => ({ name: 'rates.csv', content: [header, ...rows].join('\r\n') });
const releaseOfTable = async (state: string, ...rows: readonly string[]) => {
  const imported = await importFiles('zip-rates', state, [table(...rows)]);
  return { releaseFor: createReleaseFor(imported), id: getHead(imported).id };
};
const bad = async (state: string, file: Parameters<typeof listEntries>[2][number]) =>
  ofKind(await listEntries('zip-rates', state, [file]), 'bad').map(({ line, reason }) => [line, reason]);

describe('rates by ZIP', () => {
  it('create a jurisdiction for each component above zero', async () => {
    const imported = await importFiles('zip-rates', 'TX', [fixture(name)]);
    const head = getHead(imported);
    expect(head).toMatchObject({ coverage: 'partial', format: 'zip-rates' });
    expect(imported.built.summary).toMatchObject({ rowsRead: 4, rowsKept: 4, bad: { count: 0 } });
    const percents = [...imported.parts].map(([key, { rates, locations }]) => {
      const codes = locations[0]?.alternatives[0] ?? [];
      return [key, codes, getPercent([...head.rates, ...rates], ['US-TX', ...codes], '2026-11-21')];
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

  it('apply from the month in the file name, or from the first day of the base release', async () => {
    const dated = await importFiles('zip-rates', 'TX', [fixture(name)]);
    const undated = await importFiles('zip-rates', 'TX', [{ ...fixture(name), name: 'rates.csv' }]);
    expect(dated.parts.get('78664')?.locations[0]).toMatchObject({ from: '2026-11-01', to: null });
    expect(undated.parts.get('78664')?.locations[0]).toMatchObject({ from: null, to: null });
  });

  it('create a separate jurisdiction with the ZIP in its code if the same name has a different rate', async () => {
    const { parts } = await importFiles('zip-rates', 'TX', [
      changed(name, '78665,ROUND ROCK,0.0825,0.0625,0,0.01,0.01', '78665,ROUND ROCK,0.08,0.0625,0,0.01,0.0075'),
    ]);
    expect(parts.get('78665')?.locations[0]?.alternatives).toEqual([
      ['US-TX-CITY-ROUND-ROCK', 'US-TX-SPECIAL-ROUND-ROCK-78665'],
    ]);
  });

  it('reject a row whose state part is not the state rate', async () => {
    expect(await bad('TX', changed(name, '79835,TEXAS STATE,0.0625,0.0625', '79835,TEXAS STATE,0.06,0.06'))).toEqual([
      [
        5,
        expect.stringMatching(
          /^the state's rate is 0.06 in the file and 0.0625 in the release on 2026-11-01: use a file for/,
        ),
      ],
    ]);
    const base = { ...getBase('TX'), rates: getBase('TX').rates.map((rate) => ({ ...rate, from: '2026-12-01' })) };
    expect(ofKind(await listEntries('zip-rates', 'TX', [fixture(name)], base), 'bad').map(({ line }) => line)).toEqual([
      2, 3, 4, 5,
    ]);
  });

  // California's 7.25% is 6% for the state and 1.25% for every locality; three other states have a similar split.
  it.each([
    ['CA,90001,LOS ANGELES,0.095,0.06,0.0025,0,0.0325,1', 9.5, 'SPECIAL 0.0225'],
    ['CA,90001,LOS ANGELES,0.095,0.06,0.0125,0,0.0225,1', 9.5, 'SPECIAL 0.0225'],
    ['CA,90001,LOS ANGELES,0.095,0.06,0.0025,0.01,0.0225,1', 9.5, 'SPECIAL 0.0225'],
    ['CA,90001,LOS ANGELES,0.0725,0.06,0.0125,0,0,1', 7.25, ''],
    ['CA,90001,LOS ANGELES,0.095,0.0725,0,0.01,0.0125,1', 9.5, 'CITY 0.01, SPECIAL 0.0125'],
    ['NV,89101,LAS VEGAS,0.08375,0.046,0.03775,0,0,1', 8.375, 'COUNTY 0.01525'],
    ['UT,84101,SALT LAKE,0.0775,0.0485,0.0235,0.005,0.0005,1', 7.75, 'COUNTY 0.011, CITY 0.005, SPECIAL 0.0005'],
    ['VA,22201,ARLINGTON,0.06,0.043,0.01,0,0.007,1', 6, 'SPECIAL 0.007'],
  ])('split a statewide rate that includes a mandatory local part: %s', async (row, combined, local) => {
    const [state = '', zip = ''] = row.split(',');
    const imported = await importFiles('zip-rates', state, [table(row)]);
    expect(imported.built.summary.bad.count).toBe(0);
    const part = imported.parts.get(zip);
    const codes = part?.locations[0]?.alternatives[0] ?? [];
    const rates = [...getHead(imported).rates, ...(part?.rates ?? [])];
    expect(getPercent(rates, [`US-${state}`, ...codes], '2026-11-21')).toBe(combined);
    const found = part?.rates.map(({ jurisdiction, rate }) => `${jurisdiction.split('-')[2]} ${rate}`);
    expect(found?.join(', ')).toBe(local);
  });

  it('make a ZIP in two rows ambiguous, and leave a ZIP without a row to the fallback release', async () => {
    const { releaseFor } = await releaseOfTable(
      'TX',
      'TX,78664,ROUND ROCK,0.0725,0.0625,0,0.01,0,2',
      'TX,78664,PFLUGERVILLE,0.0825,0.0625,0,0.02,0,2',
      'TX,78665,ROUND ROCK,0.0725,0.0625,0,0.01,0,1',
      'TX,78665,ROUND ROCK,0.0725,0.0625,0,0.01,0,1',
    );
    const at = (postal_code: string, ambiguous_address: Settings['ambiguous_address'] = 'warn') => {
      const asked = { to: { state: 'TX', postal_code }, tax_date: '2026-11-20' };
      const { tax_amount, warnings, line_items } = ask(asked, { releaseFor, settings: { ambiguous_address } });
      return { tax_amount, warnings, ...line_items[0]?.address_resolution };
    };
    expect(at('78664')).toMatchObject({ tax_amount: '7.25', level: 'zip5', ambiguous: true, coverage: 'complete' });
    expect(at('78664', 'highest_rate')).toMatchObject({ tax_amount: '8.25', ambiguous: true });
    expect(at('78665')).toMatchObject({ tax_amount: '7.25', ambiguous: false, coverage: 'complete' });
    const gap = at('78666');
    expect(gap).toMatchObject({ tax_amount: '6.25', level: 'state', ambiguous: false, coverage: 'partial' });
    expect(gap.warnings.map(({ code }) => code)).toContain('local_rates_missing');
  });

  it.each([
    { risk: '1', ambiguous: false, because: 'the whole ZIP is in one city and county' },
    { risk: '1.0', ambiguous: false, because: 'spreadsheets use this format' },
    { risk: '', ambiguous: false, because: 'the row has no value' },
    { risk: '2', ambiguous: true, because: 'borders cross the ZIP' },
    { risk: '3', ambiguous: true, because: 'several borders cross the ZIP' },
    { risk: 'high', ambiguous: true, because: 'it is not 1' },
  ])('with RiskLevel "$risk" are ambiguous ($ambiguous): $because', async ({ risk, ambiguous }) => {
    const imported = await importFiles('zip-rates', 'NM', [
      table(
        `NM,87501,SANTA FE,0.081875,0.04875,0.02,0.013125,0,${risk}`,
        'NM,87101,ALBUQUERQUE,0.04875,0.04875,0,0,0,1',
      ),
    ]);
    const releaseFor = createReleaseFor(imported);
    const asked = (postal_code: string) => ({ to: { state: 'NM', postal_code }, tax_date: '2026-11-20' });
    for (const zip of ['87501', '87501-1234']) {
      const { tax_amount, line_items, warnings } = ask(asked(zip), { releaseFor });
      expect(tax_amount).toBe('8.19');
      expect(line_items[0]?.address_resolution).toMatchObject({ ambiguous, coverage: 'complete' });
      expect(warnings.filter(({ code }) => code === 'address_ambiguous').map(({ message }) => message)).toEqual(
        ambiguous ? [expect.stringContaining('ZIP 87501 crosses a border and the tax content has one rate')] : [],
      );
      const refused = refusal(asked(zip), { releaseFor, settings: { ambiguous_address: 'reject' } });
      expect(refused).toHaveLength(ambiguous ? 1 : 0);
    }
    expect(ask(asked('87101'), { releaseFor }).line_items[0]?.address_resolution.ambiguous).toBe(false);
    expect(imported.built.summary.remarks.map(({ count, firstLine }) => [count, firstLine])).toEqual(
      ambiguous ? [[1, 2]] : [],
    );
  });

  it('warn of missing local taxes if an address has no ZIP', async () => {
    const { releaseFor } = await releaseOfTable('AL', 'AL,35201,BIRMINGHAM,0.1,0.04,0.01,0.04,0.01,1');
    for (const city of [null, 'Birmingham']) {
      const groceries = [{ product_tax_code: 'FOOD.GROCERY' }];
      const outcome = ask({ to: { state: 'AL', city }, tax_date: '2025-10-01', line_items: groceries }, { releaseFor });
      expect(outcome.tax_amount).toBe('2.00');
      expect(outcome.line_items[0]?.address_resolution.coverage).toBe('partial');
      expect(outcome.warnings.map(({ code }) => code)).toContain('local_rates_missing');
    }
  });

  it('reject rows of a month before the base release begins', async () => {
    const older = { ...fixture(name), name: 'TAXRATES_ZIP5_TX202112.csv' };
    expect((await bad('TX', older))[0]).toEqual([2, expect.stringContaining('unknown in the release on 2021-12-01')]);
  });

  it.each([
    ['CA,90001,LOS ANGELES,0.072,0.06,0.0025,0,0.0095,1', /has state and local rates that sum to less than 0.0725/],
    ['CA,90001,LOS ANGELES,0.095,0.0625,0.01,0,0.0225,1', /the state's rate is 0.0625 in the file/],
    ['TX,78664,ROUND ROCK,0.0825,0.05,0.0125,0.01,0.01,1', /the state's rate is 0.05 in the file/],
    ['NV,89101,LAS VEGAS,0.08375,0.06,0.02375,0,0,1', /the state's rate is 0.06 in the file/],
    ['TX,78664,A,0.0825,0.0625,0,0.01,0.02,1', /has a combined rate of 0.0825, but its parts sum to 0.0925/],
    ['TX,78664,A,8.25,6.25,0,1,1,1', /^EstimatedCombinedRate 8.25 is not a rate: write it as 0.0825/],
    ['TX,78664,A,0.0825,,0,0.01,0.01,1', /has a combined rate of 0.0825|the state's rate is 0/],
    ['TX,ABCDE,A,0.0625,0.0625,0,0,0,1', /ZIP ABCDE /],
    ['TX,7866,A,0.0625,0.0625,0,0,0,1', /ZIP 7866 has lost digits, and 07866 is not in TX/],
    ['TX,55401,C,0.0625,0.0625,0,0,0,1', /^ZIP 55401 is in MN, not in TX: correct the ZIP or the state$/],
    ['TX,00099,D,0.0625,0.0625,0,0,0,1', /^ZIP 00099 is not in use: correct the ZIP or the state$/],
    ['TX,"78664', /quote/],
  ])('reject %s', async (row, reason) => {
    expect(await bad(row.slice(0, 2), table(row))).toEqual([[2, expect.stringMatching(reason)]]);
  });

  it('leave the ZIP of a bad row to the fallback release, or ambiguous if another row contains it', async () => {
    const { releaseFor } = await releaseOfTable(
      'TX',
      'TX,78664,ROUND ROCK,0.0725,0.0625,0,0.01,0,1',
      'TX,78664,PFLUGERVILLE,8.25,0.0625,0,0.02,0,1',
      'TX,78665,ROUND ROCK,0.09,0.0625,0,0.01,0,1',
    );
    const at = (postal_code: string) => {
      const asked = { to: { state: 'TX', postal_code }, tax_date: '2026-11-20' };
      const { tax_amount, line_items } = ask(asked, { releaseFor });
      const { ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
      return [tax_amount, ambiguous, coverage];
    };
    expect(at('78664')).toEqual(['7.25', true, 'complete']);
    expect(at('78665')).toEqual(['6.25', false, 'partial']);
  });

  it('restore leading zeros of ZIPs if they are unambiguous in the state', async () => {
    const massachusetts = table('MA,2139,CAMBRIDGE,0.0625,0.0625,0,0,0,1', 'MA,02140,CAMBRIDGE,0.0625,0.0625,0,0,0,1');
    const { parts, built } = await importFiles('zip-rates', 'MA', [massachusetts]);
    expect([...parts.keys()]).toEqual(['02139', '02140']);
    expect(built.summary.bad.count).toBe(0);
  });

  it('skip rows of other states', async () => {
    const entries = await listEntries('zip-rates', 'TX', [table('OK,73101,B,0.08,0.045,0,0.035,0,1')]);
    expect(ofKind(entries, 'skipped')).toEqual([{ kind: 'skipped', line: 2, reason: 'is not for TX' }]);
  });

  it('reject a second row of a region in a ZIP with different rates, and skip a repeated row', async () => {
    const row = (rest: string) => `TX,78664,ROUND ROCK,${rest}`;
    const rows = [
      row('0.0825,0.0625,0,0.01,0.01,1'),
      row('0.0825,0.0625,0,0.01,0.01,1'),
      row('0.0725,0.0625,0,0.01,0,1'),
    ];
    const entries = await listEntries('zip-rates', 'TX', [table(...rows)]);
    expect(ofKind(entries, 'skipped').map(({ line, reason }) => [line, reason])).toEqual([[3, 'repeats another row']]);
    expect(ofKind(entries, 'bad').map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'has a different rate for ZIP 78664 than line 2 on the same days: correct one of them'],
    ]);
    // In older tables, a city in two counties has a row for each.
    const header =
      'STATE_ABBREV,ZIP_CODE,COUNTY_NAME,CITY_NAME,STATE_SALES_TAX,COUNTY_SALES_TAX,CITY_SALES_TAX,TOTAL_SALES_TAX';
    const older = [
      header,
      'TX,78664,WILLIAMSON,AUSTIN,0.0625,0,0.01,0.0725',
      'TX,78664,TRAVIS,AUSTIN,0.0625,0.01,0.01,0.0825',
    ];
    expect(await bad('TX', { name: 'older.csv', content: older.join('\n') })).toEqual([]);
  });

  it('accept the headers of older tables, in any order and case', async () => {
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

  it('reject a file without the required columns or without a header', async () => {
    await expect(listEntries('zip-rates', 'TX', [{ name: 'a.csv', content: 'State,Rate\nTX,1\n' }])).rejects.toThrow(
      'a.csv has no column ZipCode or ZIP_CODE. Check the format of the file.',
    );
    await expect(listEntries('zip-rates', 'TX', [{ name: 'a.csv', content: '' }])).rejects.toThrow('a.csv is empty');
    await expect(listEntries('zip-rates', 'TX', [])).rejects.toThrow('accepts one file');
  });
});
