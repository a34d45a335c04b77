import { describe, expect, it } from 'vitest';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import type { NameTables } from '../../shared/importers/own-codes.ts';
import { changesAt } from '../../shared/importers/releases/impact.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import {
  changed,
  createReleaseFor,
  fixture,
  getHead,
  getPercent,
  type Imported,
  importFiles,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import {
  type BoundaryFields,
  boundaryRow,
  boundaryRows,
  lines,
  rateRow,
  rateRows,
  sstFiles,
} from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';

describe('SST files', () => {
  const files = [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')];
  const minnesota = () => importFiles('sst', 'MN', files);

  /** Returns the release as a calculation sees it after loading one part. */
  const releaseAt = (imported: Imported, key: string): Release => {
    const head = getHead(imported);
    const part = imported.parts.get(key);
    return {
      ...head,
      jurisdictions: [head.jurisdictions[0], ...(part?.jurisdictions ?? [])],
      rates: [...head.rates, ...(part?.rates ?? [])],
      locations: part?.locations ?? [],
    };
  };

  const percentAt = (imported: Imported, postalCode: string, day: string) => {
    const address = readAddress({ state: 'MN', postal_code: postalCode }, '');
    if (!address.ok) throw new Error(postalCode);
    const release = { ...releaseAt(imported, postalCode.slice(0, 5)), fallback: releaseAt(imported, '') };
    const { place, resolution } = locate(address.value, () => release, day, false);
    const codes = place.jurisdictions.map(({ code }) => code);
    return {
      percent: codes.length === 0 ? null : getPercent(release.rates, codes, day),
      coverage: resolution.coverage,
    };
  };

  describe('Minnesota’s SST files', () => {
    it.each([
      { zip: '55401', day: '2019-01-15', percent: 8.025, because: 'state, county, city and ballpark district' },
      {
        zip: '55401',
        day: '2026-11-21',
        percent: 9.025,
        because: 'Minneapolis has two additional metropolitan districts',
      },
      { zip: '55405', day: '2026-11-21', percent: 9.025, because: 'a range includes its last ZIP' },
      { zip: '55101', day: '2026-11-21', percent: 9.875, because: 'Saint Paul, whose county has no tax' },
      { zip: '55101-1610', day: '2026-11-21', percent: 7.875, because: 'one ZIP+4 is outside the city' },
      { zip: '56001', day: '2026-11-21', percent: 6.875, because: 'no local tax' },
      { zip: '55060', day: '2025-12-31', percent: 7.375, because: 'the last day of a city’s tax' },
      { zip: '56013', day: '2026-12-31', percent: 6.875, because: 'a tax that begins tomorrow does not apply today' },
      { zip: '56013', day: '2027-01-01', percent: 7.375, because: 'the first day of a county’s tax' },
    ])('$zip on $day is $percent %: $because', async ({ zip, day, percent }) => {
      expect(percentAt(await minnesota(), zip, day)).toEqual({ percent, coverage: 'complete' });
    });

    it('set the type and code of the rate rows as the reporting code of each jurisdiction', async () => {
      const jurisdictions = [...(await minnesota()).parts.values()].flatMap((part) => part.jurisdictions);
      for (const { code, reporting_code } of jurisdictions) expect(`US-MN-${reporting_code}`).toBe(code);
    });

    it.each([
      { zip: '55401', day: '2019-04-01', because: 'the boundary rows have ended' },
      { zip: '55401', day: '2017-09-30', because: 'the boundary rows have not begun' },
      { zip: '55060', day: '2026-01-01', because: "the city's last rate has ended, but a row still lists the city" },
      { zip: '55902', day: '2026-11-21', because: 'no row lists the ZIP' },
      { zip: '55802', day: '2019-01-15', because: 'the city’s rate of that day is older than the file' },
    ])('$zip on $day has only the state rate: $because', async ({ zip, day }) => {
      expect(percentAt(await minnesota(), zip, day)).toEqual({ percent: 6.875, coverage: 'partial' });
    });

    it('can be in either order, and zipped', async () => {
      const { parts } = await minnesota();
      expect((await importFiles('sst', 'MN', files.toReversed())).parts).toEqual(parts);
    });

    it('keep the rules and settings of the base release, and cite the files', async () => {
      const imported = await minnesota();
      const head = getHead(imported);
      expect(head).toMatchObject({
        id: 'US-MN@2026-11-21.1',
        base: expect.stringMatching(/^US-MN@/),
        format: 'sst',
        locations: [],
        jurisdictions: [{ code: 'US-MN', name: 'Minnesota' }, { code: 'US-MN-RDF' }],
        rates: [
          {
            jurisdiction: 'US-MN',
            rate: '0.06875',
            from: '2009-07-01',
            to: null,
            source: 'import',
            confidence: 'high',
          },
        ],
      });
      expect(head.rules.length).toBeGreaterThan(5);
      expect(head.sources['import']).toMatch(/MNR2026Q4AUG28.csv, MNB2026Q4AUG28.csv, imported on 2026-11-21$/);
      const parts = [...imported.parts.values()];
      const codes = new Set(parts.flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code)));
      const rates = new Set(parts.flatMap((part) => part.rates.map((rate) => JSON.stringify(rate))));
      expect(head.counts).toEqual({
        parts: parts.length,
        zips: parts.length,
        locations: parts.flatMap(({ locations }) => locations).length,
        jurisdictions: codes.size + 1,
        rates: rates.size + 1,
        streets: 0,
      });
    });

    it('report rows of counties and places without a rate, and rows that outlive a rate', async () => {
      const { built } = await minnesota();
      // 123 is Ramsey, 137 Saint Louis and 147 Steele County; 55060 references a city whose rate has ended, 55802 does
      // not.
      const file = 'MNB2026Q4AUG28.csv';
      expect(built.summary.remarks).toEqual([
        { reason: 'is in a county or place without a rate: it adds no tax', count: 3, file, firstLine: 3 },
        {
          reason: 'ends after a rate of one of its jurisdictions: not covered after that rate ends',
          count: 1,
          file,
          firstLine: 7,
        },
      ]);
      expect(built.summary.notes).toContain('The rate file has no rate for county 123, county 137, county 147.');
      expect(built.summary.rowsKept).toBe(built.summary.rowsRead);
    });

    it('end with their last row', async () => {
      expect(getHead(await minnesota()).last_day).toBe(null);
      const [rates, boundary] = files as [TestFile, TestFile];
      const ended = { ...boundary, content: boundary.content.toString().replaceAll('29991231', '20260630') };
      expect(getHead(await importFiles('sst', 'MN', [rates, ended])).last_day).toBe('2026-06-30');
    });

    const [rates, boundary] = files as [TestFile, TestFile];
    it.each([
      ['a district that is missing from the rate file', boundary, 'ST,80003,63', 'ST,80099,63', 3, '55101'],
      ['a district without a type', boundary, 'ST,80003,63', 'ST,80003,', 3, '55101'],
      ["a place outside the state's tax", boundary, '55108,,,27,27,', '55108,,,27,00,', 3, '55101'],
      ['a rate that is a percentage', rates, '27,63,80003,0.0050', '27,63,80003,0.5000', 6, '55101'],
      ['an invalid day', rates, '20171001,29991231', '20170931,29991231', 7, '55401'],
    ] as const)('report %s as bad, and its place is unknown', async (_, { name }, from, to, line, zip) => {
      const given = files.map((one) => (one.name === name ? changed(name, from, to) : one));
      const imported = await importFiles('sst', 'MN', given);
      expect(imported.built.summary.bad.first.map((bad) => bad.line)).toEqual([line]);
      expect(percentAt(imported, zip, '2026-11-21').coverage).toBe('partial');
    });

    it.each([
      { from: 'z,20231001', to: 'y,20231001', reason: /^has record type Y; expected A, Z or 4$/ },
      { from: 'z,20231001', to: 'z,20231301', reason: /^dates 20231301 to 29991231 / },
      {
        from: '55401,,55405,,,27',
        to: '55405,,55401,,,27',
        reason: /^ZIPs 55405 .*not a range: correct columns 18 to 21/,
      },
      { from: '55401,,55405,,,27', to: 'K1A0B,,55405,,,27', reason: /are not a range/ },
      { from: '55101,1610,55101,1610', to: '55101,,55101,1610', reason: /are not a range/ },
      { from: '55405,,,27,27', to: '55405,,,28,28', reason: /^is for state 28/ },
      { from: 'z,20231001,', to: 'z,', reason: /^has 88 columns; a boundary row has 89 or 90$/ },
    ])('have a bad row if a row has $to', async ({ from, to, reason }) => {
      const { built } = await importFiles('sst', 'MN', [rates, changed(boundary.name, from, to)]);
      expect(built.summary.bad.first.map((bad) => bad.reason)).toEqual([expect.stringMatching(reason)]);
    });

    it('without a state rate are rejected', async () => {
      const stateless = [rateRows('32', '00 003 0.08375'), boundaryRows('32', 'Z 89101 county:003')] as const;
      const { built } = await importFiles('sst', 'NV', sstFiles('NV', ...stateless));
      expect(built.outcome).toBe('nothing');
      expect(built.summary.bad.first[0]?.reason).toMatch(/type 45/);
    });

    it('of another state have only bad rows, and the file names are reported', async () => {
      const { built } = await importFiles('sst', 'WI', files);
      const { rowsRead, rowsKept, bad } = built.summary;
      expect(built.outcome).toBe('nothing');
      expect([rowsRead, rowsKept, bad.rows, bad.count]).toEqual([12, 0, 12, 13]);
      expect(new Set(bad.first.map(({ file }) => file))).toEqual(new Set([rates.name]));
      const broken = changed(boundary.name, 'z,20231001', 'y,20231001');
      const percentage = changed(rates.name, '27,63,80003,0.0050', '27,63,80003,0.5');
      const twice = await importFiles('sst', 'MN', [percentage, broken]);
      expect(twice.built.summary.bad.first.map(({ file }) => file)).toEqual(
        expect.arrayContaining([rates.name, boundary.name]),
      );
    });

    it('are rejected if they are two of one kind, a single file, or three files', async () => {
      for (const given of [
        [rates, { ...rates, name: 'again.csv' }],
        [rates],
        [rates, boundary, { ...rates, name: 'again.csv' }],
      ])
        await expect(importFiles('sst', 'MN', given)).rejects.toThrow('two files');
    });

    it('skip a row that repeats another, or that ends before it begins', async () => {
      const more = lines(
        rateRow('27', '45', '27', '0.06875', '20090701'),
        rateRow('27', '63', '80001', '0.005', '20200102', '20200101'),
      );
      const { built } = await importFiles('sst', 'MN', [{ ...rates, content: `${rates.content}${more}` }, boundary]);
      expect(built.summary.bad.count).toBe(0);
      expect(built.summary.skipped).toEqual([
        { reason: 'repeats another rate row', count: 1, file: 'MNR2026Q4AUG28.csv', firstLine: 13 },
        { reason: 'ends before it begins', count: 1, file: 'MNR2026Q4AUG28.csv', firstLine: 14 },
      ]);
    });
  });
});

describe('names of jurisdictions', () => {
  const tables = (others: Partial<NameTables> = {}): NameTables => ({
    counties: 'fips,name\n27053,Hennepin County\n55053,Jackson County\n19199,Not a County\n',
    districts: 'state,code,name\nMN,80004,"Hennepin County Transit, half a percent"\nWI,80008,Elsewhere\n',
    rates: 'county,place,place_code,aliases,rate\n053,,,,0.15\n053,Minneapolis,43000,,0.65\n053,Nowhere,,,0.65\n',
    ...others,
  });

  const listNames = ({ parts }: Imported) =>
    Object.fromEntries([...parts.values()].flatMap((part) => part.jurisdictions.map(({ code, name }) => [code, name])));

  describe('names of SST jurisdictions', () => {
    const minnesota = (names?: NameTables) =>
      importFiles(
        'sst',
        'MN',
        [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')],
        names === undefined ? {} : { names },
      );

    it("come from the state's tables, or are the code if no table has a name", async () => {
      expect(listNames(await minnesota(tables()))).toEqual({
        'US-MN-00-053': 'Hennepin County',
        'US-MN-00-043': 'County 043',
        'US-MN-01-43000': 'Minneapolis',
        'US-MN-01-58000': 'City 58000',
        'US-MN-01-17000': 'City 17000',
        'US-MN-01-45682': 'City 45682',
        'US-MN-63-80003': 'District 80003',
        'US-MN-63-80004': 'Hennepin County Transit, half a percent',
        'US-MN-63-80008': 'District 80008',
        'US-MN-63-80009': 'District 80009',
      });
    });

    it('change no code, rate or location', async () => {
      const withoutNames = ({ parts }: Imported) =>
        [...parts.values()].map(({ jurisdictions, ...part }) => [
          part,
          jurisdictions.map(({ code, type }) => `${code} ${type}`),
        ]);
      expect(withoutNames(await minnesota(tables()))).toEqual(withoutNames(await minnesota()));
    });

    it('match the built-in tables', async () => {
      const names = listNames(await minnesota(await readNameTables('MN')));
      expect(names).toMatchObject({
        'US-MN-00-053': 'Hennepin County',
        'US-MN-01-43000': 'Minneapolis',
        'US-MN-63-80004': 'Hennepin County Transit',
      });
      for (const name of Object.values(names)) expect(name).not.toMatch(/\d/);
    });

    it("are missing if a code with a county's type belongs to another area", async () => {
      const rates = rateRows('19', '45 19 0.06', '00 199 0.01');
      const boundary = boundaryRows('19', 'Z 50002 county:199');
      const imported = await importFiles('sst', 'IA', sstFiles('IA', rates, boundary), { names: tables() });
      expect(listNames(imported)).toEqual({ 'US-IA-00-199': 'Area 199' });
    });

    it('are found for a state without a table of local rates', async () => {
      expect((await readNameTables('MT')).rates).toBe('');
    });
  });
});

const day = '2026-11-22';

const taxAt = (imported: Imported, state: string, postal_code: string, policy = 'warn', tax_date = day) => {
  const settings = { ambiguous_address: policy as 'warn' | 'highest_rate' };
  const around = { releaseFor: createReleaseFor(imported), settings };
  const { tax_amount, line_items, warnings } = ask({ to: { state, postal_code }, tax_date }, around);
  const { ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
  return { tax: tax_amount, ambiguous, coverage, warnings: warnings.map(({ code, message }) => `${code}: ${message}`) };
};

const wisconsin = () => importFiles('sst', 'WI', [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')]);

const vtRates = rateRows('50', '45 50 0.06', '01 10675 0.01', '01 66175 0.01 20200101 20211231');
const street = (zips: string, others: Partial<BoundaryFields> = {}) =>
  boundaryRow({ type: 'A', zips, state: '50', ...others });
const vermont = (...rows: readonly string[]) => importFiles('sst', 'VT', sstFiles('VT', vtRates, rows));

describe('SST street-address rows', () => {
  it('make a ZIP+4 ambiguous between the Z row and the street rows', async () => {
    const imported = await wisconsin();
    expect(taxAt(imported, 'WI', '53213-1234')).toMatchObject({ tax: '5.90', ambiguous: true, coverage: 'complete' });
    expect(taxAt(imported, 'WI', '53213', 'highest_rate')).toMatchObject({ tax: '7.90', ambiguous: true });
  });

  it('do not change other ZIPs, and are reported', async () => {
    const imported = await wisconsin();
    expect(taxAt(imported, 'WI', '54135')).toMatchObject({ tax: '5.50', ambiguous: false, warnings: [] });
    const { remarks, notes, rowsRead, rowsKept } = imported.built.summary;
    expect(rowsKept).toBe(rowsRead);
    const reason = expect.stringContaining('street-address row');
    expect(remarks).toContainEqual({ reason, count: 1, file: 'WIB2026Q2FEB18.csv', firstLine: 3 });
    expect(notes).toContainEqual(expect.stringMatching(/^Street-address rows cover 1 ZIP\./));
  });

  it('with the same rate as the ZIP row make nothing ambiguous', async () => {
    const imported = await vermont(...boundaryRows('50', 'Z 05401 place:10675'), street('05401', { place: '10675' }));
    expect(taxAt(imported, 'VT', '05401')).toMatchObject({ tax: '7.00', ambiguous: false, coverage: 'complete' });
  });

  it('without other rows resolve a ZIP to their lowest rate', async () => {
    const imported = await vermont(
      street('05401', { place: '10675' }),
      street('05401'),
      street('05403', { place: '10675' }),
    );
    for (const zip of ['05401', '05401-0001']) {
      expect(taxAt(imported, 'VT', zip)).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'complete' });
      expect(taxAt(imported, 'VT', zip, 'highest_rate')).toMatchObject({ tax: '7.00' });
    }
    expect(taxAt(imported, 'VT', '05403')).toMatchObject({ tax: '7.00', ambiguous: false, coverage: 'complete' });
    expect(taxAt(imported, 'VT', '05404')).toMatchObject({ tax: '6.00', coverage: 'partial' });
    expect(getHead(imported).counts).toMatchObject({ parts: 2, zips: 2 });
  });

  it('apply on their dates, merged if they have the same set', async () => {
    const imported = await vermont(
      ...boundaryRows('50', 'Z 05401'),
      street('05401', { place: '10675', from: '20220101', to: '20221231' }),
      street('05401', { place: '10675', from: '20221001', to: '20230331' }),
      street('05401', { place: '10675', from: '20230401', to: '20230630' }),
      street('05401', { place: '10675', from: '20240101', to: '20240131' }),
    );
    const isAmbiguous = (on: string) => taxAt(imported, 'VT', '05401', 'warn', on).ambiguous;
    expect(['2022-01-01', '2023-03-31', '2023-06-30', '2024-01-31'].filter((on) => !isAmbiguous(on))).toEqual([]);
    expect(['2021-12-31', '2023-07-01', '2024-02-01'].filter(isAmbiguous)).toEqual([]);
    const streets = imported.parts.get('05401')?.locations.filter((location) => location.of_streets);
    expect(streets?.map(({ from, to }) => [from, to])).toEqual([
      ['2022-01-01', '2023-06-30'],
      ['2024-01-01', '2024-01-31'],
    ]);
  });

  it('cover a ZIP+4 outside the ranges of its ZIP, as partial coverage', async () => {
    const imported = await vermont(
      ...boundaryRows('50', '4 05401-0001..05401-0100'),
      street('05401', { place: '10675' }),
    );
    expect(taxAt(imported, 'VT', '05401-0001')).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'complete' });
    expect(taxAt(imported, 'VT', '05401-0101')).toMatchObject({ tax: '7.00', ambiguous: true, coverage: 'partial' });
    expect(taxAt(imported, 'VT', '05401')).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'partial' });
  });

  it('have their ZIP in column 16 or in the range columns, and are skipped with a reason if it is missing', async () => {
    const ranged = boundaryRow({ type: 'A', zips: ['05401', '', '', ''], state: '50', place: '10675' });
    const both = ranged.replace(',05401,', ',05402,').split(',').with(15, '05401').join();
    const none = boundaryRow({ type: 'a', zips: ['', '', '', ''], state: '50', place: '10675' });
    const imported = await vermont(ranged, both, none, street('not a ZIP'), street('55401'));
    expect([...imported.parts.keys()]).toEqual(['05401']);
    expect(imported.built.summary).toMatchObject({
      skipped: [
        { reason: expect.stringContaining('without a ZIP code'), count: 1, firstLine: 3 },
        { reason: expect.stringContaining('none of its ZIPs'), count: 1, firstLine: 5 },
      ],
      bad: { rows: 1, first: [{ line: 4, reason: expect.stringContaining('column 16') }] },
    });
  });

  it('are marked in `show`, and compared only if the ZIP has no other rows', async () => {
    const part = (await wisconsin()).parts.get('53213');
    const head = getHead(await wisconsin());
    const shown = showZip(head, part, '53213', day).locations;
    expect(shown.map(({ of_streets, alternatives }) => [of_streets, alternatives.map(({ rate }) => rate)])).toEqual([
      [false, ['0.059']],
      [true, ['0.079']],
    ]);
    const getRelease = (isKept: (isOfStreets: boolean) => boolean) =>
      releaseWith(
        head,
        part ? [{ ...part, locations: part.locations.filter(({ of_streets }) => isKept(of_streets === true)) }] : [],
      );
    const [before, both, only] = [
      getRelease((streets) => !streets),
      getRelease(() => true),
      getRelease((streets) => streets),
    ];
    expect(changesAt('WI', '53213', { before, after: both }, day)).toEqual([]);
    expect(changesAt('WI', '53213', { before, after: only }, day)).toContainEqual(
      expect.objectContaining({ key: '53213', old: '0.059', new: '0.079' }),
    );
  });
});

it('stores the sets of street addresses, not the rows: 20,000 rows of one ZIP are one location', async () => {
  const row = street('05401', { place: '10675' });
  const many: TestFile = { name: 'VTB2026Q4AUG28.csv', content: `${row}\n`.repeat(20_000) };
  const [rates] = sstFiles('VT', vtRates, []) as [TestFile];
  const imported = await importFiles('sst', 'VT', [rates, many]);
  expect(imported.built.summary.rowsKept).toBe(20_003);
  expect(imported.parts.get('05401')?.locations).toHaveLength(1);
});
