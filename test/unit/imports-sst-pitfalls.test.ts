import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOverlaps } from '../../shared/importers/sst/rates.ts';
import {
  alternativesAt,
  changed,
  entriesOf,
  fixture,
  headOf,
  importFiles,
  ofKind,
  releaseForOf,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import { boundaryRow, lines, rateRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';

describe('pitfalls', () => {
  const day = '2026-11-21';
  const whole = (zip: string, last = zip) => [zip, '', last, ''] as const;

  const mnRates = rateRows('27', '45 27 0.06875 20090701', '00 053 0.0015', '01 43000 0.0050', '63 80004 0.0050');
  const mn = (...boundary: readonly string[]) => sstFiles('MN', mnRates, boundary);
  const localsIn = async (files: ReturnType<typeof sstFiles>, zip9: string, state = 'MN', on = day) => {
    const { parts } = await importFiles('sst', state, files);
    return alternativesAt(parts.get(zip9.slice(0, 5)), zip9, on);
  };
  const skippedIn = async (state: string, files: ReturnType<typeof sstFiles>) =>
    ofKind(await entriesOf('sst', state, files), 'skipped').map(({ reason }) => reason);
  const badIn = async (state: string, files: ReturnType<typeof sstFiles>) =>
    ofKind(await entriesOf('sst', state, files), 'bad');

  describe('pitfalls of SST files', () => {
    it('9-digit compare: a range from 55012-0011 to 55013-9999 contains 55013-0005 and not 55012-0005', async () => {
      const files = mn(
        boundaryRow({ type: '4', zips: ['55012', '0011', '55013', '9999'], state: '27', county: '053' }),
      );
      expect(await localsIn(files, '550130005')).toEqual([['US-MN-00-053']]);
      expect(await localsIn(files, '550139999')).toEqual([['US-MN-00-053']]);
      expect(await localsIn(files, '550120011')).toEqual([['US-MN-00-053']]);
      expect(await localsIn(files, '550120010')).toEqual([]);
    });

    it('key of a rate: a city and a district of one code have each its own rate', async () => {
      const rates = [...mnRates, rateRow('27', '63', '43000', '0.0100'), rateRow('28', '01', '43000', '0.0300')];
      const row = boundaryRow({ zips: whole('55401'), state: '27', place: '43000', districts: [['43000', '63']] });
      const { built, parts } = await importFiles('sst', 'MN', sstFiles('MN', rates, [row]));
      const found = parts.get('55401')?.rates.map(({ jurisdiction, rate }) => [jurisdiction, rate]);
      expect(found).toEqual([['US-MN-63-43000', '0.01']]);
      expect(built.summary.bad.first).toEqual([
        { file: 'MNR2026Q4AUG28.csv', line: 6, reason: 'is of state 28; import the file of state 27' },
      ]);
      const sound = await importFiles('sst', 'MN', sstFiles('MN', rates.slice(0, 5), [row]));
      expect(sound.parts.get('55401')?.rates.map(({ jurisdiction, rate }) => [jurisdiction, rate])).toEqual([
        ['US-MN-01-43000', '0.005'],
        ['US-MN-63-43000', '0.01'],
      ]);
    });

    it('special districts: all twenty triplets of a row are added', async () => {
      const codes = Array.from({ length: 20 }, (_, index) => String(80101 + index));
      const rates = [...mnRates, ...codes.map((code) => rateRow('27', '63', code, '0.0010'))];
      const districts = codes.map((code) => [code, '63'] as const);
      const files = sstFiles('MN', rates, [boundaryRow({ zips: whole('55401'), state: '27', districts })]);
      expect(await localsIn(files, '554010000')).toEqual([codes.map((code) => `US-MN-63-${code}`)]);
    });

    it('type 45 in a triplet: Washington’s location code is no district', async () => {
      const rates = rateRows('53', '45 53 0.065', '45 L1704 0.036', '01 63000 0.036');
      const row = boundaryRow({ zips: whole('98101'), state: '53', place: '63000', districts: [['L1704', '45']] });
      const files = sstFiles('WA', rates, [row]);
      expect(await localsIn(files, '981010000', 'WA')).toEqual([['US-WA-01-63000']]);
      expect(await badIn('WA', files)).toEqual([]);
      expect(await skippedIn('WA', files)).toEqual(['location codes (type 45) are not districts']);
    });

    it('padding: types, codes, ZIPs and extensions that have lost their zeros are what they were', async () => {
      const rates = rateRows('9', '45 9 0.0635', '0 3 0.0015', '1 4000 0.0050');
      const row = boundaryRow({ type: '4', zips: ['6101', '1', '6101', '99'], state: '9', county: '3', place: '4000' });
      const files = sstFiles('CT', rates, [row]);
      expect(await badIn('CT', files)).toEqual([]);
      expect(await localsIn(files, '061010099', 'CT')).toEqual([['US-CT-00-003', 'US-CT-01-04000']]);
      expect(await localsIn(files, '061010100', 'CT')).toEqual([]);
    });

    it.each(['29991231', '99991231', '20991231'])('dates: %s has no end', async (end) => {
      const rates = [
        rateRow('27', '45', '27', '0.06875', '20090701', end),
        rateRow('27', '00', '053', '0.0015', '20200101', end),
      ];
      const files = sstFiles('MN', rates, [boundaryRow({ zips: whole('55401'), state: '27', county: '053', to: end })]);
      const imported = await importFiles('sst', 'MN', files);
      const part = imported.parts.get('55401');
      expect([headOf(imported).rates[0]?.to, part?.rates[0]?.to, part?.locations[0]?.to]).toEqual([null, null, null]);
    });

    it('dates: a day of one digit in the file’s name, and expired and future rows in one file', async () => {
      const rates = rateRows(
        '27',
        '45 27 0.06875 20090701',
        '01 58000 0.0050 20051001 20240331',
        '01 58000 0.0150 20240401',
        '00 043 0.0050 20270101',
      );
      const boundary = [
        boundaryRow({ zips: whole('55101'), state: '27', place: '58000', from: '20200101', to: '20261231' }),
        boundaryRow({ zips: whole('55101'), state: '27', place: '58000', county: '043', from: '20270101' }),
      ];
      const files = sstFiles('MN', rates, boundary).map(({ name, content }) => ({
        name: name.replace('AUG28', 'AUG8'),
        content,
      }));
      const { parts } = await importFiles('sst', 'MN', files);
      const part = parts.get('55101');
      expect(alternativesAt(part, '551010000', '2026-12-31')).toEqual([['US-MN-01-58000']]);
      expect(alternativesAt(part, '551010000', '2027-01-01')).toEqual([['US-MN-00-043', 'US-MN-01-58000']]);
      expect(part?.rates.map(({ jurisdiction, rate, from, to }) => [jurisdiction, rate, from, to])).toEqual([
        // A rate that only begins later is none before, as far back as the file tells of other changes.
        ['US-MN-00-043', '0', '2024-04-01', '2026-12-31'],
        ['US-MN-00-043', '0.005', '2027-01-01', null],
        ['US-MN-01-58000', '0.005', '2005-10-01', '2024-03-31'],
        ['US-MN-01-58000', '0.015', '2024-04-01', null],
      ]);
    });

    it('file details: a byte order mark, CRLF, record types in any case, .CSV and .txt, and blank rate cells', async () => {
      const rates = [
        rateRow('27', '45', '27', ['0.06875', '', '', '']),
        rateRow('27', '00', '053', ['', '0.0015', '', '']),
      ];
      const files = [
        { name: 'MNR2026Q4AUG28.txt', content: `\uFEFF${lines(...rates).replaceAll('\n', '\r\n')}` },
        {
          name: 'MNB2026Q4AUG28.CSV',
          content: `\uFEFF${lines(
            boundaryRow({ type: 'z', zips: whole('55401'), state: '27', county: '053' }),
            boundaryRow({ type: 'Z', zips: whole('55402'), state: '27', county: '053' }),
          ).replaceAll('\n', '\r\n')}`,
        },
      ];
      const { built, parts } = await importFiles('sst', 'MN', files);
      expect(built.summary.bad.count).toBe(0);
      expect([...parts.keys()]).toEqual(['55401', '55402']);
      expect(parts.get('55401')?.rates[0]).toMatchObject({ rate: '0.0015' });
      expect(parts.get('55401')?.rates[0]).not.toHaveProperty('food_rate');
      expect(parts.get('55401')?.rates[0]).not.toHaveProperty('interstate');
    });

    it('wide 4 rows: one from 0000 to 9999 is checked before a Z row, and a narrower 4 row before it', async () => {
      const files = mn(
        boundaryRow({ type: 'Z', zips: whole('55401'), state: '27' }),
        boundaryRow({ type: '4', zips: ['55401', '0000', '55401', '9999'], state: '27', county: '053' }),
        boundaryRow({ type: '4', zips: ['55401', '0100', '55401', '0199'], state: '27', place: '43000' }),
      );
      expect(await localsIn(files, '554010000')).toEqual([['US-MN-00-053']]);
      expect(await localsIn(files, '554010150')).toEqual([['US-MN-01-43000']]);
    });

    it('foreign ZIPs: a row from 51001 to 56136 of South Dakota does not claim Minneapolis', async () => {
      const rates = rateRows('46', '45 46 0.042', '01 59020 0.02');
      const wide = boundaryRow({ zips: whole('51001', '56136'), state: '46' });
      const foreign = boundaryRow({ zips: whole('55401', '55405'), state: '46', place: '59020' });
      const files = sstFiles('SD', rates, [wide, foreign]);
      const { parts } = await importFiles('sst', 'SD', files);
      expect([...parts.keys()]).toEqual(['51001', '51023', '56136']);
      expect(await skippedIn('SD', files)).toEqual(['none of its ZIPs is in SD']);
    });

    it('0000: an extension of 0000 is itself, and no wildcard', async () => {
      const files = mn(
        boundaryRow({ type: '4', zips: ['55401', '0000', '55401', '0000'], state: '27', county: '053' }),
      );
      expect(await localsIn(files, '554010000')).toEqual([['US-MN-00-053']]);
      expect(await localsIn(files, '554010001')).toEqual([]);
    });

    it('empty layer set: no local tax is an answer, and not the same as no row', async () => {
      const files = mn(boundaryRow({ zips: whole('55401'), state: '27' }));
      expect(await localsIn(files, '554010000')).toEqual([[]]);
      expect(await localsIn(files, '554020000')).toEqual([]);
    });

    const nvRates = rateRows('32', '45 32 0', '00 003 0.08375');
    it('NV: the state’s rate is 0 and the county’s the whole one; a row without a county is bad, and not free of tax', async () => {
      const rows = [
        boundaryRow({ zips: whole('89101'), state: '32', county: '003' }),
        boundaryRow({ zips: whole('89102'), state: '32' }),
        boundaryRow({ zips: whole('89103'), state: '32', county: '099' }),
      ];
      const imported = await importFiles('sst', 'NV', sstFiles('NV', nvRates, rows));
      expect(headOf(imported).rates.map(({ jurisdiction, rate }) => [jurisdiction, rate])).toEqual([['US-NV', '0']]);
      expect(alternativesAt(imported.parts.get('89101'), '891010000', day)).toEqual([['US-NV-00-003']]);
      expect(imported.built.summary.bad.first.map(({ line }) => line)).toEqual([2, 3]);
      // An unknown rate is a jurisdiction without a rate, which the tax core returns as not covered.
      expect(imported.parts.get('89102')?.jurisdictions).toHaveLength(1);
      expect(imported.parts.get('89102')?.rates).toEqual([]);
      expect(imported.parts.get('89103')?.rates).toEqual([]);
    });

    it('TN: rows of type 63 are left out, 79 stacks, and county and city are at most 2.75 % together', async () => {
      const rates = rateRows(
        '47',
        '45 47 0.07',
        '00 037 0.0225',
        '01 52006 0.0050',
        '01 52007 0.0075',
        '01 52006 0.0075 20100101 20191231',
        '00 037 0.0200 20100101 20191231',
        '63 00037 0.0225',
        '79 00001 0.0050',
      );
      const districts = [
        ['00037', '63'],
        ['00001', '79'],
      ] as const;
      const rows = [
        boundaryRow({ zips: whole('37201'), state: '47', county: '037', place: '52006', districts }),
        boundaryRow({ zips: whole('37203'), state: '47', county: '037', place: '52007', districts }),
      ];
      const files = sstFiles('TN', rates, rows);
      expect(await localsIn(files, '372010000', 'TN')).toEqual([['US-TN-00-037', 'US-TN-01-52006', 'US-TN-79-00001']]);
      expect(await skippedIn('TN', files)).toEqual(['rows of type 63 repeat what counties and cities have']);
      expect((await badIn('TN', files)).map(({ line, reason }) => [line, reason.slice(0, 45)])).toEqual([
        [2, 'county and city together are above 0.0275, th'],
      ]);
    });

    it('WA: no county is added inside a city, and the codes 079 to 087 are areas', async () => {
      const rates = rateRows('53', '45 53 0.065', '00 033 0.038', '00 079 0.031', '00 087 0.032', '01 63000 0.0385');
      const rows = [
        boundaryRow({ zips: whole('98101'), state: '53', county: '033', place: '63000', columns: 90 }),
        boundaryRow({ zips: whole('98102'), state: '53', county: '033' }),
        boundaryRow({ zips: whole('98103'), state: '53', county: '079' }),
        boundaryRow({ zips: whole('98104'), state: '53', county: '087' }),
      ];
      const { built, parts } = await importFiles('sst', 'WA', sstFiles('WA', rates, rows));
      expect(built.summary.bad.count).toBe(0);
      expect(alternativesAt(parts.get('98101'), '981010000', day)).toEqual([['US-WA-01-63000']]);
      const jurisdictions = [...parts.values()].flatMap((part) =>
        part.jurisdictions.map(({ name, type }) => [name, type]),
      );
      expect(jurisdictions).toEqual([
        ['City 63000', 'city'],
        ['County 033', 'county'],
        ['Area 079', 'district'],
        ['Area 087', 'district'],
      ]);
    });

    it('KS: county and city both add, and codes may have letters', async () => {
      const rates = rateRows('20', '45 20 0.065', '00 045 0.0125', '01 38900 0.0155', '79 ALIOL 0.01');
      const districts = [['aliol', '79']] as const;
      const row = boundaryRow({ zips: whole('66044'), state: '20', county: '045', place: '38900', districts });
      expect(await localsIn(sstFiles('KS', rates, [row]), '660440000', 'KS')).toEqual([
        ['US-KS-00-045', 'US-KS-01-38900', 'US-KS-79-ALIOL'],
      ]);
    });

    it('SD: tribal taxes of type 49 are not added', async () => {
      const rates = rateRows('46', '45 46 0.042', '01 59020 0.02', '49 00001 0.045');
      const row = boundaryRow({
        zips: whole('57101'),
        state: '46',
        place: '59020',
        districts: [['00001', '49']],
        columns: 90,
      });
      const files = sstFiles('SD', rates, [row]);
      expect(await localsIn(files, '571010000', 'SD')).toEqual([['US-SD-01-59020']]);
      expect(await skippedIn('SD', files)).toEqual(['tribal taxes (type 49) are not added to the others']);
    });

    it('IA: county 199 is no county', async () => {
      const rates = rateRows('19', '45 19 0.06', '00 197 0.01', '00 199 0.01');
      const rows = [
        boundaryRow({ zips: whole('50001'), state: '19', county: '197' }),
        boundaryRow({ zips: whole('50002'), state: '19', county: '199' }),
      ];
      const { parts } = await importFiles('sst', 'IA', sstFiles('IA', rates, rows));
      expect(parts.get('50001')?.jurisdictions).toMatchObject([{ name: 'County 197', type: 'county' }]);
      expect(parts.get('50002')?.jurisdictions).toMatchObject([{ name: 'Area 199', type: 'district' }]);
    });

    it('NE: a county without a rate row has no tax of its own, and codes like GL801 are districts', async () => {
      const rates = rateRows('31', '45 31 0.055', '00 043 0.005', '01 37000 0.015', '63 GL801 0.0175');
      const rows = [
        boundaryRow({ zips: whole('68101'), state: '31', county: '055', place: '37000' }),
        boundaryRow({ zips: whole('68731'), state: '31', county: '043', districts: [['GL801', '63']] }),
      ];
      const files = sstFiles('NE', rates, rows);
      expect(await badIn('NE', files)).toEqual([]);
      expect(await localsIn(files, '681010000', 'NE')).toEqual([['US-NE-01-37000']]);
      expect(await localsIn(files, '687310000', 'NE')).toEqual([['US-NE-00-043', 'US-NE-63-GL801']]);
    });

    it('NE: outside the days of a city’s rates, its row has no tax', async () => {
      const rates = rateRows(
        '31',
        '45 31 0.055',
        '01 48000 0.02 20200101 20210630',
        '01 37000 0.015 20220101 20241231',
        '01 37000 0.02 20250701 20251231',
        '01 37001 0 20200101',
      );
      const rows = [
        boundaryRow({ zips: whole('68106'), state: '31', place: '37000' }),
        boundaryRow({ zips: whole('68107'), state: '31', place: '37001' }),
        boundaryRow({ zips: whole('68108'), state: '31', place: '37000', to: '20251231' }),
      ];
      const imported = await importFiles('sst', 'NE', sstFiles('NE', rates, rows));
      const releaseFor = releaseForOf(imported);
      const at = (postal_code: string, tax_date: string) => {
        const address = { state: 'NE', postal_code };
        const { line_items, tax_amount } = ask({ to: address, tax_date }, { releaseFor });
        return [line_items[0]?.address_resolution.coverage, tax_amount];
      };
      // The file is complete from 2021-07-01 on, when Lincoln's rate had ended.
      expect(at('68106', '2021-12-31')).toEqual(['complete', '5.50']);
      expect(at('68106', '2022-01-01')).toEqual(['complete', '7.00']);
      expect(at('68106', '2024-12-31')).toEqual(['complete', '7.00']);
      expect(at('68106', '2025-01-01')).toEqual(['partial', '5.50']);
      expect(at('68106', '2025-06-30')).toEqual(['partial', '5.50']);
      expect(at('68106', '2025-12-31')).toEqual(['complete', '7.50']);
      expect(at('68106', '2026-01-01')).toEqual(['partial', '5.50']);
      expect(at('68107', '2026-01-01')).toEqual(['complete', '5.50']);
      expect(imported.built.summary.remarks).toEqual([
        expect.objectContaining({ reason: expect.stringMatching(/^outlives a rate/), count: 1, firstLine: 1 }),
      ]);
    });

    it('names the first twenty of the counties and places without a rate, and counts the others', async () => {
      const counties = Array.from({ length: 25 }, (_, index) => String(101 + 2 * index));
      const rows = counties.map((county, index) =>
        boundaryRow({ zips: whole(String(55401 + index)), state: '27', county, place: index === 0 ? '999' : '00000' }),
      );
      const { built } = await importFiles('sst', 'MN', mn(...rows, ...rows.slice(0, 2)));
      const [reason, note] = [built.summary.remarks, built.summary.notes.find((text) => text.includes('no rate of'))];
      expect(reason).toMatchObject([{ count: 27, firstLine: 1 }]);
      expect(note).toMatch(/^The rate file has no rate of county 101, county 103, .*county 139, and 6 more\.$/);
      expect(note?.match(/county/g)).toHaveLength(20);
    });

    it('intra or interstate, food: each column has its place in the rate', async () => {
      const rates = [
        rateRow('27', '45', '27', '0.06875'),
        rateRow('27', '00', '001', ['0.01', '0.02', '0.01', '0.02']),
        rateRow('27', '00', '003', ['0.01', '0.01', '0', '0']),
        rateRow('27', '00', '005', ['0.01', '0.02', '0.003', '0.004']),
      ];
      const rows = ['001', '003', '005'].map((county, index) =>
        boundaryRow({ zips: whole(`5540${index + 1}`), state: '27', county }),
      );
      const { parts } = await importFiles('sst', 'MN', sstFiles('MN', rates, rows));
      const rateOf = (zip: string) => {
        const { rate, food_rate, interstate } = parts.get(zip)?.rates[0] ?? {};
        return { rate, food_rate, interstate };
      };
      expect(rateOf('55401')).toEqual({ rate: '0.01', food_rate: undefined, interstate: { rate: '0.02' } });
      expect(rateOf('55402')).toEqual({ rate: '0.01', food_rate: '0', interstate: undefined });
      expect(rateOf('55403')).toEqual({
        rate: '0.01',
        food_rate: '0.003',
        interstate: { rate: '0.02', food_rate: '0.004' },
      });
    });
  });
});

describe('overlapping rates', () => {
  const files = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')] as const;

  const importWisconsin = async (rates: TestFile = files[0]) => {
    const imported = await importFiles('sst', 'WI', [rates, files[1]]);
    const releaseFor = releaseForOf(imported);
    const taxAt = (postal_code: string, tax_date: string) => {
      const { line_items, tax_amount } = ask({ to: { state: 'WI', postal_code }, tax_date }, { releaseFor });
      return `${tax_amount} ${line_items[0]?.address_resolution.coverage}`;
    };
    return { summary: imported.built.summary, taxAt };
  };

  describe('SST rate rows of one jurisdiction that share days', () => {
    it('import without bad rows: the row that begins later applies from its first day', async () => {
      const { summary, taxAt } = await importWisconsin();
      expect(summary.bad.first).toEqual([]);
      expect(taxAt('54135', '2020-03-30')).toBe('5.00 complete');
      expect(taxAt('54135', '2020-03-31')).toBe('5.50 complete');
      expect(taxAt('54135', '2026-11-22')).toBe('5.50 complete');
    });

    it('are named with the file and both lines', async () => {
      const { summary } = await importWisconsin();
      const remark = summary.remarks.find(({ reason }) => reason.includes('begins earlier'));
      expect(remark).toMatchObject({ count: 1, file: 'WIR2026Q2FEB18.csv', firstLine: 4 });
      const note = summary.notes.find((text) => text.includes('share days'));
      for (const part of ['WIR2026Q2FEB18.csv', '078', 'line 4', 'line 3', '2020-03-31']) expect(note).toContain(part);
    });

    it('with the same first day have the rate of the later row in the file, with a remark', async () => {
      const [, , , , old, now] = files[0].content.toString().split('\n');
      const contradicting = `${old}\n55,00,079,0.007,0.007,0.007,0.007,20240101,99991231\n${now}`;
      const { summary, taxAt } = await importWisconsin(changed('WIR2026Q2FEB18.csv', `${old}\n${now}`, contradicting));
      expect(summary.bad.first).toEqual([]);
      expect(taxAt('53213', '2026-11-22')).toBe('5.90 complete');
      expect(summary.remarks).toContainEqual(
        expect.objectContaining({ reason: expect.stringContaining('same first day'), count: 1, firstLine: 7 }),
      );
    });

    it('have the rate of the longer row again when a shorter one within it has ended', async () => {
      const rates = rateRows('55', '45 55 0.05 19820501', '00 079 0.006 20200101', '00 079 0.009 20240101 20241231');
      const boundary = [boundaryRow({ zips: ['53213', '', '53213', ''], state: '55', county: '079' })];
      const releaseFor = releaseForOf(await importFiles('sst', 'WI', sstFiles('WI', rates, boundary)));
      const taxOn = (tax_date: string) =>
        ask({ to: { state: 'WI', postal_code: '53213' }, tax_date }, { releaseFor }).tax_amount;
      expect(['2023-12-31', '2024-01-01', '2024-12-31', '2025-01-01'].map(taxOn)).toEqual([
        '5.60',
        '5.90',
        '5.90',
        '5.60',
      ]);
    });

    it('have no remark where they touch or are equal', async () => {
      const rates = rateRows(
        '55',
        '45 55 0.05 19820501',
        '00 079 0.006 20200101 20231231',
        '00 079 0.009 20240101 20261231',
        '00 079 0.009 20260101',
        '00 079 0.008 20270101 20261231',
      );
      const boundary = [boundaryRow({ zips: ['53213', '', '53213', ''], state: '55', county: '079' })];
      const { built } = await importFiles('sst', 'WI', sstFiles('WI', rates, boundary));
      expect(built.summary).toMatchObject({ bad: { count: 0 }, remarks: [] });
      expect(built.summary.notes.filter((text) => text.includes('share days'))).toEqual([]);
    });
  });

  const days = Array.from({ length: 12 }, (_, index) => `2026-01-${String(index + 10)}`);

  it('applies the row that began last on each day, on 2,000 random lists of rows', () => {
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
