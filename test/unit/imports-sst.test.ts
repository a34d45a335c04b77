/** Streamlined Sales Tax files. test/fixtures/imports/tables.json has most cases. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import type { NameTables } from '../../shared/importers/own-codes.ts';
import { readNameTables } from '../../shared/importers/own-codes.ts';
import { resolveOverlaps } from '../../shared/importers/sst/rates.ts';
import { changed, fixture, getHead, type Imported, importFiles, type TestFile } from '../fixtures/imports/harness.ts';
import { boundaryRow, boundaryRows, lines, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { changesAt } from '../support/local-content.ts';

const [rates, boundary] = [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')];
const files = [rates, boundary];
const minnesota = () => importFiles('sst', 'MN', files);

describe('SST files', () => {
  it('sets the type and code of the rate rows as the reporting code of each jurisdiction', async () => {
    const jurisdictions = [...(await minnesota()).parts.values()].flatMap((part) => part.jurisdictions);
    for (const { code, reporting_code } of jurisdictions) expect(`US-MN-${reporting_code}`).toBe(code);
  });

  it('accepts a one-digit day in the file names', async () => {
    const named = files.map((file) => ({ ...file, name: file.name.replace('AUG28', 'AUG8') }));
    expect((await importFiles('sst', 'MN', named)).parts).toEqual((await minnesota()).parts);
  });

  it('accepts byte order marks, CRLF, record types in any case, .CSV and .txt, and blank rate cells', async () => {
    const rates = rateRows('27', '45 27 0.06875///', '00 053 /0.0015//');
    const boundary = boundaryRows('27', 'z 55401 county:053', 'Z 55402 county:053');
    const windows = (...rows: readonly string[]) => `\uFEFF${lines(...rows).replaceAll('\n', '\r\n')}`;
    const rateFile = { name: 'MNR2026Q4AUG28.txt', content: windows(...rates) };
    const boundaryFile = { name: 'MNB2026Q4AUG28.CSV', content: windows(...boundary) };
    const { built, parts } = await importFiles('sst', 'MN', [rateFile, boundaryFile]);
    expect(built.summary.bad.count).toBe(0);
    expect([...parts.keys()]).toEqual(['55401', '55402']);
    const { food_rate, interstate, rate } = parts.get('55401')?.rates[0] ?? {};
    expect({ food_rate, interstate, rate }).toEqual({ food_rate: undefined, interstate: undefined, rate: '0.0015' });
  });

  it('keeps the rules and settings of the base release, and cites the files', async () => {
    const imported = await minnesota();
    const head = getHead(imported);
    expect(head).toMatchObject({
      id: 'US-MN@2026-11-21.1',
      bottom: expect.stringMatching(/^US-MN@/),
      format: 'sst',
      locations: [],
      jurisdictions: [{ code: 'US-MN', name: 'Minnesota' }, { code: 'US-MN-RDF' }],
      rates: [{ jurisdiction: 'US-MN', rate: '0.06875', from: '2009-07-01', to: null, source: 'import' }],
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

  it('ends the rates with the last row', async () => {
    expect(getHead(await minnesota()).last_day).toBe(null);
    const ended = { ...boundary, content: boundary.content.toString().replaceAll('29991231', '20260630') };
    expect(getHead(await importFiles('sst', 'MN', [rates, ended])).last_day).toBe('2026-06-30');
  });

  it('names the file of each bad row', async () => {
    const broken = changed(boundary.name, 'z,20231001', 'y,20231001');
    const percentage = changed(rates.name, '27,63,80003,0.0050', '27,63,80003,0.5');
    const { built } = await importFiles('sst', 'MN', [percentage, broken]);
    expect(built.summary.bad.first.map(({ file, line }) => [file, line])).toEqual([
      [rates.name, 6],
      [boundary.name, 2],
    ]);
  });

  it('lists the first twenty counties and places without a rate, and counts the rest', async () => {
    const getRow = (index: number) =>
      `Z ${55401 + index} county:${101 + 2 * index} place:${index === 0 ? '999' : '00000'}`;
    const rows = Array.from({ length: 25 }, (_, index) => getRow(index));
    const boundary = boundaryRows('27', ...rows, ...rows.slice(0, 2));
    const { built } = await importFiles('sst', 'MN', sstFiles('MN', rateRows('27', '45 27 0.06875'), boundary));
    expect(built.summary.remarks).toMatchObject([{ count: 27, firstLine: 1 }]);
    const note = built.summary.notes.find((text) => text.includes('no rate for'));
    expect(note).toMatch(/^The rate file has no rate for county 101, county 103, .*county 139, and 6 more\.$/);
    expect(note?.match(/county/g)).toHaveLength(20);
  });
});

describe('names of SST jurisdictions', () => {
  const tables = (others: Partial<NameTables> = {}): NameTables => ({
    counties: [
      ['27053', 'Hennepin County'],
      ['55053', 'Jackson County'],
      ['19199', 'Not a County'],
    ],
    districts: [
      ['MN 80004', 'Hennepin County Transit, half a percent'],
      ['WI 80008', 'Elsewhere'],
    ],
    places: [
      { county: '053', place: '', place_code: '', aliases: '', parts: '' },
      { county: '053', place: 'Minneapolis', place_code: '43000', aliases: '', parts: '' },
      { county: '053', place: 'Nowhere', place_code: '', aliases: '', parts: '' },
    ],
    ...others,
  });

  const listNames = ({ parts }: Imported) =>
    Object.fromEntries([...parts.values()].flatMap((part) => part.jurisdictions.map(({ code, name }) => [code, name])));

  const withNames = (names: NameTables) => importFiles('sst', 'MN', files, { names });

  it("reads names from the state's tables, or uses the code if no table has a name", async () => {
    expect(listNames(await withNames(tables()))).toEqual({
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

  it('changes no code, rate or location', async () => {
    const withoutNames = ({ parts }: Imported) =>
      [...parts.values()].map((part) => ({
        ...part,
        jurisdictions: part.jurisdictions.map(({ name: _, ...of }) => of),
      }));
    expect(withoutNames(await withNames(tables()))).toEqual(withoutNames(await minnesota()));
  });

  it('matches the built-in tables', async () => {
    const names = listNames(await withNames(readNameTables('MN')));
    const known = { 'US-MN-00-053': 'Hennepin County', 'US-MN-01-43000': 'Minneapolis' };
    expect(names).toMatchObject({ ...known, 'US-MN-63-80004': 'Hennepin County Transit' });
    for (const name of Object.values(names)) expect(name).not.toMatch(/\d/);
  });

  it("finds no name if a code with a county's type belongs to another area", async () => {
    const iowa = sstFiles('IA', rateRows('19', '45 19 0.06', '00 199 0.01'), boundaryRows('19', 'Z 50002 county:199'));
    const imported = await importFiles('sst', 'IA', iowa, { names: tables() });
    expect(listNames(imported)).toEqual({ 'US-IA-00-199': 'Area 199' });
  });

  it('finds names for a state without a table of local rates', () => expect(readNameTables('MT').places).toEqual([]));
});

const vtRates = rateRows('50', '45 50 0.06', '01 10675 0.01', '01 66175 0.01 20200101 20211231');
const vermont = (...rows: readonly string[]) => importFiles('sst', 'VT', sstFiles('VT', vtRates, rows));

describe('SST street-address rows', () => {
  it('reads the ZIP from column 16 or from the range columns, and skips a row without one with a reason', async () => {
    const ranged = boundaryRow({ type: 'A', zips: ['05401', '', '', ''], state: '50', place: '10675' });
    const both = ranged.replace(',05401,', ',05402,').split(',').with(15, '05401').join();
    const none = boundaryRow({ type: 'a', zips: ['', '', '', ''], state: '50', place: '10675' });
    const imported = await vermont(ranged, both, none, ...boundaryRows('50', 'A invalid', 'A 55401'));
    expect([...imported.parts.keys()]).toEqual(['05401']);
    expect(imported.built.summary).toMatchObject({
      skipped: [
        { reason: expect.stringContaining('without a ZIP code'), count: 1, firstLine: 3 },
        { reason: expect.stringContaining('none of its ZIPs'), count: 1, firstLine: 5 },
      ],
      bad: { rows: 1, first: [{ line: 4, reason: expect.stringContaining('column 16') }] },
    });
  });

  it('marks the rows in `show`, and compares them only if the ZIP has no other rows', async () => {
    const imported = await importFiles('sst', 'WI', [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')]);
    const [part, head] = [imported.parts.get('53213'), getHead(imported)];
    const shown = showZip(head, part, '53213', '2026-11-22').locations;
    expect(shown.map(({ of_streets, alternatives }) => [of_streets, alternatives.map(({ rate }) => rate)])).toEqual([
      [false, ['0.059']],
      [true, ['0.079']],
    ]);
    const getRelease = (...kept: boolean[]) => {
      const locations = part?.locations.filter(({ of_streets }) => kept.includes(of_streets === true)) ?? [];
      return releaseWith(head, part ? [{ ...part, locations }] : []);
    };
    const changesTo = (after: ReturnType<typeof getRelease>) =>
      changesAt('WI', ['53213'], { before: getRelease(false), after }, '2026-11-22');
    expect(await changesTo(getRelease(false, true))).toEqual([]);
    const raised = expect.objectContaining({ key: '53213', old: '0.059', new: '0.079' });
    expect(await changesTo(getRelease(true))).toContainEqual(raised);
  });

  it('stores the sets of street addresses, not the rows: 20,000 rows of one ZIP are one location', async () => {
    const [row] = boundaryRows('50', 'A 05401 place:10675');
    const many: TestFile = { name: 'VTB2026Q4AUG28.csv', content: `${row}\n`.repeat(20_000) };
    const [vtRateFile] = sstFiles('VT', vtRates, []) as [TestFile];
    const imported = await importFiles('sst', 'VT', [vtRateFile, many]);
    expect(imported.built.summary.rowsKept).toBe(20_003);
    expect(imported.parts.get('05401')?.locations).toHaveLength(1);
  });
});

describe('overlapping SST rate rows', () => {
  const days = Array.from({ length: 12 }, (_, index) => `2026-01-${String(index + 10)}`);

  it('applies the row that began last on each day, for 2,000 random lists of rows', () => {
    const Row = fc
      .record({ first: fc.nat(11), length: fc.option(fc.nat(11)), rate: fc.constantFrom('0.01', '0.02', '0.03') })
      .map(({ first, length, rate }) => ({
        rate,
        from: days[first] as string,
        to: length === null ? null : (days[Math.min(11, first + length)] as string),
      }));
    fc.assert(
      fc.property(fc.array(Row, { maxLength: 6 }), (rows) => {
        const { rates } = resolveOverlaps(rows.map((rate, index) => ({ line: index + 1, rate })));
        for (const day of days) {
          const there = rows.filter(({ from, to }) => from <= day && (to === null || day <= to));
          const begun = there.map(({ from }) => from);
          const latest = begun.toSorted().at(-1);
          const expected = there.filter(({ from }) => from === latest).at(-1)?.rate;
          for (const { from, to } of rates) expect((from ?? '') <= (to ?? '9')).toBe(true);
          const actual = rates.filter(({ from, to }) => (from ?? '') <= day && (to === null || day <= to));
          expect(actual.map(({ rate }) => rate)).toEqual(expected === undefined ? [] : [expected]);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
