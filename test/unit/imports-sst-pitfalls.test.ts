import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOverlaps } from '../../shared/importers/sst/rates.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import {
  alternativesAt,
  changed,
  createReleaseFor,
  fixture,
  getHead,
  importFiles,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import { boundaryRows, lines, rateRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import pitfalls from '../fixtures/imports/sst-pitfalls.json' with { type: 'json' };
import { ask } from '../support/builders.ts';

const day = '2026-11-21';

/**
 * A pair of files: rows in the syntax of `rateRows` and `boundaryRows`, and the expected jurisdictions of ZIP+4 codes
 * (`''` has no local tax, and `null` no row), reasons of skipped rows, and bad rows.
 */
type Pitfall = {
  readonly state: string;
  readonly fips?: string;
  readonly because: string;
  readonly rates: readonly string[];
  readonly rows: readonly string[];
  readonly locals: Readonly<Record<string, string | null>>;
  readonly skipped?: readonly string[];
  readonly bad?: readonly (readonly [line: number, reason: string])[];
};

const minnesota = ['45 27 0.06875 20090701', '00 053 0.0015', '01 43000 0.0050', '63 80004 0.0050'];
const mn = { state: 'MN', rates: minnesota };
const importPitfall = ({
  state,
  fips = stateFips(state),
  rates,
  rows,
}: Pick<Pitfall, 'state' | 'fips' | 'rates' | 'rows'>) =>
  importFiles('sst', state, sstFiles(state, rateRows(fips, ...rates), boundaryRows(fips, ...rows)));

describe('pitfalls of SST files', () => {
  it.each(pitfalls as unknown as readonly Pitfall[])('$state: $because', async (pitfall) => {
    const { state, locals, skipped = [], bad = [] } = pitfall;
    const { parts, built } = await importPitfall(pitfall);
    const found = Object.keys(locals).map((zip9) => {
      const [codes] = alternativesAt(parts.get(zip9.slice(0, 5)), zip9, day);
      return [zip9, codes?.map((code) => code.replace(`US-${state}-`, '')).join(' ') ?? null];
    });
    expect(Object.fromEntries(found)).toEqual(locals);
    expect(built.summary.skipped.map(({ reason }) => reason)).toEqual(skipped);
    expect(built.summary.bad.first).toEqual(
      bad.map(([line, reason]) => expect.objectContaining({ line, reason: expect.stringContaining(reason) })),
    );
  });

  it('keep the rate of a valid key, and drop the rate of a key with a bad row', async () => {
    const rates = rateRows('27', ...minnesota, '63 43000 0.0100');
    const row = boundaryRows('27', 'Z 55401 place:43000 63:43000');
    const wrong = rateRow('28', '01', '43000', '0.0300');
    const { built, parts } = await importFiles('sst', 'MN', sstFiles('MN', [...rates, wrong], row));
    expect(parts.get('55401')?.rates).toMatchObject([{ jurisdiction: 'US-MN-63-43000', rate: '0.01' }]);
    expect(built.summary.bad.first).toEqual([
      { file: 'MNR2026Q4AUG28.csv', line: 6, reason: 'is for state 28; import the file of state 27' },
    ]);
  });

  it('use county codes for areas in Washington (079 to 087) and Iowa (199)', async () => {
    const kinds = async (state: string, first: number, counties: readonly string[]) => {
      const rates = [`45 ${stateFips(state)} 0.06`, ...counties.map((county) => `00 ${county} 0.03`)];
      const rows = counties.map((county, index) => `Z ${first + index} county:${county}`);
      const { parts } = await importPitfall({ state, rates, rows });
      return [...parts.values()].flatMap((part) => part.jurisdictions.map(({ name, type }) => `${name}, ${type}`));
    };
    const [washington, iowa] = [
      ['County 033, county', 'Area 079, district', 'Area 087, district'],
      ['County 197, county', 'Area 199, district'],
    ];
    expect(await kinds('WA', 98101, ['033', '079', '087'])).toEqual(washington);
    expect(await kinds('IA', 50001, ['197', '199'])).toEqual(iowa);
  });

  it('leave a place in Nevada not covered if its rate is unknown', async () => {
    const rows = ['Z 89102', 'Z 89103 county:099'];
    const imported = await importPitfall({ state: 'NV', rates: ['45 32 0', '00 003 0.08375'], rows });
    expect(getHead(imported).rates).toMatchObject([{ jurisdiction: 'US-NV', rate: '0' }]);
    // An unknown rate is a jurisdiction without a rate, which is calculated as not covered.
    for (const zip of ['89102', '89103'])
      expect(imported.parts.get(zip)).toMatchObject({ jurisdictions: [{}], rates: [] });
  });

  it.each(['29991231', '99991231', '20991231'])('have no last day with %s', async (end) => {
    const rates = [`45 27 0.06875 20090701 ${end}`, `00 053 0.0015 20200101 ${end}`];
    const imported = await importPitfall({ ...mn, rates, rows: [`Z 55401 county:053 to:${end}`] });
    const part = imported.parts.get('55401');
    expect([getHead(imported).rates[0]?.to, part?.rates[0]?.to, part?.locations[0]?.to]).toEqual([null, null, null]);
  });

  it('can have a one-digit day in the file name, and expired and future rows in one file', async () => {
    const rates = rateRows(
      '27',
      ...['45 27 0.06875 20090701', '01 58000 0.0050 20051001 20240331'],
      ...['01 58000 0.0150 20240401', '00 043 0.0050 20270101'],
    );
    const boundary = boundaryRows(
      '27',
      'Z 55101 place:58000 from:20200101 to:20261231',
      'Z 55101 place:58000 county:043 from:20270101',
    );
    const files = sstFiles('MN', rates, boundary).map((file) => ({
      ...file,
      name: file.name.replace('AUG28', 'AUG8'),
    }));
    const part = (await importFiles('sst', 'MN', files)).parts.get('55101');
    expect(alternativesAt(part, '551010000', '2026-12-31')).toEqual([['US-MN-01-58000']]);
    expect(alternativesAt(part, '551010000', '2027-01-01')).toEqual([['US-MN-00-043', 'US-MN-01-58000']]);
    expect(part?.rates.map(({ jurisdiction, rate, from, to }) => [jurisdiction, rate, from, to])).toEqual([
      // A rate that begins later is zero before that day, back to the earliest change in the file.
      ['US-MN-00-043', '0', '2024-04-01', '2026-12-31'],
      ['US-MN-00-043', '0.005', '2027-01-01', null],
      ['US-MN-01-58000', '0.005', '2005-10-01', '2024-03-31'],
      ['US-MN-01-58000', '0.015', '2024-04-01', null],
    ]);
  });

  it('can have byte order marks, CRLF, record types in any case, .CSV and .txt, and blank rate cells', async () => {
    const rates = rateRows('27', '45 27 0.06875///', '00 053 /0.0015//');
    const boundary = boundaryRows('27', 'z 55401 county:053', 'Z 55402 county:053');
    const windows = (...rows: readonly string[]) => `\uFEFF${lines(...rows).replaceAll('\n', '\r\n')}`;
    const { built, parts } = await importFiles('sst', 'MN', [
      { name: 'MNR2026Q4AUG28.txt', content: windows(...rates) },
      { name: 'MNB2026Q4AUG28.CSV', content: windows(...boundary) },
    ]);
    expect(built.summary.bad.count).toBe(0);
    expect([...parts.keys()]).toEqual(['55401', '55402']);
    const { food_rate, interstate, rate } = parts.get('55401')?.rates[0] ?? {};
    expect({ food_rate, interstate, rate }).toEqual({ food_rate: undefined, interstate: undefined, rate: '0.0015' });
  });

  it("have no city tax outside the days of the city's rates", async () => {
    const rates = [
      ...['45 31 0.055', '01 48000 0.02 20200101 20210630', '01 37000 0.015 20220101 20241231'],
      ...['01 37000 0.02 20250701 20251231', '01 37001 0 20200101'],
    ];
    const rows = ['Z 68106 place:37000', 'Z 68107 place:37001', 'Z 68108 place:37000 to:20251231'];
    const imported = await importPitfall({ state: 'NE', rates, rows });
    const releaseFor = createReleaseFor(imported);
    const at = (postal_code: string, tax_date: string) => {
      const asked = { to: { state: 'NE', postal_code }, tax_date };
      const { line_items, tax_amount } = ask(asked, { releaseFor });
      return `${line_items[0]?.address_resolution.coverage} ${tax_amount}`;
    };
    // The file is complete from 2021-07-01, after Lincoln's rate had ended.
    expect(at('68106', '2021-12-31')).toBe('complete 5.50');
    expect(at('68106', '2022-01-01')).toBe('complete 7.00');
    expect(at('68106', '2024-12-31')).toBe('complete 7.00');
    expect(at('68106', '2025-01-01')).toBe('partial 5.50');
    expect(at('68106', '2025-06-30')).toBe('partial 5.50');
    expect(at('68106', '2025-12-31')).toBe('complete 7.50');
    expect(at('68106', '2026-01-01')).toBe('partial 5.50');
    expect(at('68107', '2026-01-01')).toBe('complete 5.50');
    expect(imported.built.summary.remarks).toMatchObject([
      { reason: expect.stringMatching(/^ends after a rate/), count: 1, firstLine: 1 },
    ]);
  });

  it('list the first twenty counties and places without a rate, and count the rest', async () => {
    const rows = Array.from(
      { length: 25 },
      (_, index) => `Z ${55401 + index} county:${101 + 2 * index} place:${index === 0 ? '999' : '00000'}`,
    );
    const { built } = await importPitfall({ ...mn, rows: [...rows, ...rows.slice(0, 2)] });
    expect(built.summary.remarks).toMatchObject([{ count: 27, firstLine: 1 }]);
    const note = built.summary.notes.find((text) => text.includes('no rate for'));
    expect(note).toMatch(/^The rate file has no rate for county 101, county 103, .*county 139, and 6 more\.$/);
    expect(note?.match(/county/g)).toHaveLength(20);
  });

  it.each([
    ['0.01/0.02/0.01/0.02', undefined, { rate: '0.02' }],
    ['0.01/0.01/0/0', '0', undefined],
    ['0.01/0.02/0.003/0.004', '0.003', { rate: '0.02', food_rate: '0.004' }],
  ])('assign each of the rates %s to its field', async (columns, food_rate, interstate) => {
    const rates = ['45 27 0.06875', `00 001 ${columns}`];
    const { parts } = await importPitfall({ state: 'MN', rates, rows: ['Z 55401 county:001'] });
    const found = parts.get('55401')?.rates[0];
    expect([found?.rate, found?.food_rate, found?.interstate]).toEqual(['0.01', food_rate, interstate]);
  });
});

describe('overlapping rates', () => {
  const files = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')] as const;

  const importWisconsin = async (rates: TestFile = files[0]) => {
    const imported = await importFiles('sst', 'WI', [rates, files[1]]);
    const releaseFor = createReleaseFor(imported);
    const taxAt = (postal_code: string, tax_date: string) => {
      const { line_items, tax_amount } = ask({ to: { state: 'WI', postal_code }, tax_date }, { releaseFor });
      return `${tax_amount} ${line_items[0]?.address_resolution.coverage}`;
    };
    return { summary: imported.built.summary, taxAt };
  };

  describe('overlapping SST rate rows of one jurisdiction', () => {
    it('import without bad rows: the row that begins later applies from its first day', async () => {
      const { summary, taxAt } = await importWisconsin();
      expect(summary.bad.first).toEqual([]);
      expect(taxAt('54135', '2020-03-30')).toBe('5.00 complete');
      expect(taxAt('54135', '2020-03-31')).toBe('5.50 complete');
      expect(taxAt('54135', '2026-11-22')).toBe('5.50 complete');
    });

    it('are reported with the file and both lines', async () => {
      const { summary } = await importWisconsin();
      const remark = summary.remarks.find(({ reason }) => reason.includes('begins earlier'));
      expect(remark).toMatchObject({ count: 1, file: 'WIR2026Q2FEB18.csv', firstLine: 4 });
      const note = summary.notes.find((text) => text.includes('Overlapping rate rows'));
      for (const part of ['WIR2026Q2FEB18.csv', '078', 'line 4', 'line 3', '2020-03-31']) expect(note).toContain(part);
    });

    it('use the later row in the file if they have the same first day, with a remark', async () => {
      const [, , , , old, now] = files[0].content.toString().split('\n');
      const contradicting = `${old}\n55,00,079,0.007,0.007,0.007,0.007,20240101,99991231\n${now}`;
      const { summary, taxAt } = await importWisconsin(changed('WIR2026Q2FEB18.csv', `${old}\n${now}`, contradicting));
      expect(summary.bad.first).toEqual([]);
      expect(taxAt('53213', '2026-11-22')).toBe('5.90 complete');
      expect(summary.remarks).toContainEqual(
        expect.objectContaining({ reason: expect.stringContaining('same first day'), count: 1, firstLine: 7 }),
      );
    });

    it('return to the longer row after a shorter row within it has ended', async () => {
      const rates = rateRows('55', '45 55 0.05 19820501', '00 079 0.006 20200101', '00 079 0.009 20240101 20241231');
      const boundary = boundaryRows('55', 'Z 53213 county:079');
      const releaseFor = createReleaseFor(await importFiles('sst', 'WI', sstFiles('WI', rates, boundary)));
      const taxOn = (tax_date: string) =>
        ask({ to: { state: 'WI', postal_code: '53213' }, tax_date }, { releaseFor }).tax_amount;
      expect(['2023-12-31', '2024-01-01', '2024-12-31', '2025-01-01'].map(taxOn)).toEqual([
        '5.60',
        '5.90',
        '5.90',
        '5.60',
      ]);
    });

    it('have no remark if they are adjacent or equal', async () => {
      const rates = rateRows(
        '55',
        '45 55 0.05 19820501',
        '00 079 0.006 20200101 20231231',
        '00 079 0.009 20240101 20261231',
        '00 079 0.009 20260101',
        '00 079 0.008 20270101 20261231',
      );
      const boundary = boundaryRows('55', 'Z 53213 county:079');
      const { built } = await importFiles('sst', 'WI', sstFiles('WI', rates, boundary));
      expect(built.summary).toMatchObject({ bad: { count: 0 }, remarks: [] });
      expect(built.summary.notes.filter((text) => text.includes('Overlapping rate rows'))).toEqual([]);
    });
  });

  const days = Array.from({ length: 12 }, (_, index) => `2026-01-${String(index + 10)}`);

  it('apply the row that began last on each day, for 2,000 random lists of rows', () => {
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
          const latest = there
            .map(({ from }) => from)
            .toSorted()
            .at(-1);
          const expected = there.filter(({ from }) => from === latest).at(-1)?.rate;
          const actual = rates.filter(({ from, to }) => (from ?? '') <= day && (to === null || day <= to));
          expect(actual.map(({ rate }) => rate)).toEqual(expected === undefined ? [] : [expected]);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
