import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { importFiles, percentsIn } from '../fixtures/imports/harness.ts';
import { newMexicoDistricts, newMexicoFile } from '../fixtures/imports/new-mexico.ts';

const names = await readNameTables('NM');
const read = (file = newMexicoFile()) => importFiles('new-mexico', 'NM', [file], { names });
const imported = await read();

/** The districts with some fields of one replaced. */
const replaced = (index: number, fields: Partial<(typeof newMexicoDistricts)[number]>) =>
  newMexicoFile(newMexicoDistricts.map((district, at) => (at === index ? { ...district, ...fields } : district)));

describe('New Mexico’s rates by location code', () => {
  it.each([
    { city: 'ALBUQUERQUE', percents: [7.625], because: 'the rate contains the state’s 4.875' },
    { city: 'RIO RANCHO', percents: [7.4375, 7.875], because: 'it lies in two counties' },
    { city: 'WAGON MOUND', percents: [7.5208], because: 'the service stores the rate with single precision' },
    { city: 'VILLAGE AT RIO RANCHO TIDD', percents: [], because: 'it is a district' },
  ])('$city: $percents, because $because', ({ city, percents }) => {
    expect(percentsIn(imported, city, '2026-11-21')).toEqual(percents);
    expect(percentsIn(imported, city, '2026-06-30')).toEqual([]);
  });

  it('have the codes and the kind that rules name, and the location codes beside them', () => {
    expect(imported.parts.get('ALBUQUERQUE')?.jurisdictions).toEqual([
      {
        code: 'US-NM-001-02000',
        name: 'Albuquerque (combined local rate)',
        type: 'city',
        tax_type: 'sales',
        kind: 'combined',
        reporting_code: '02-100',
      },
    ]);
    expect(imported.parts.get('ALBUQUERQUE')?.rates.map(({ rate }) => rate)).toEqual(['0.0275']);
  });

  it('skip counties, districts and tribal areas', () => {
    expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [firstLine, reason])).toEqual([
      [1, 'unincorporated areas have no city that an address names'],
      [7, 'a tribal area, which no city or ZIP names'],
      [5, 'a part with the rate of its city'],
    ]);
  });

  it.each(['Albuquerque (Mesa Del Sol TIDD 1)', 'Albuquerque Mesa Del Sol TIDD 1', 'Mesa Del Sol TIDD 1'])(
    'have the rate of %s for some addresses of Albuquerque, in any order',
    async (name) => {
      const tidd = { name, county: 'Bernalillo', locat_cdr: '02-606', grt_rate: 8.125 };
      for (const districts of [
        [tidd, ...newMexicoDistricts],
        [...newMexicoDistricts, tidd],
      ]) {
        const file = await read(newMexicoFile(districts));
        expect(file.built.summary.bad.count).toBe(0);
        expect(percentsIn(file, 'ALBUQUERQUE', '2026-11-21')).toEqual([7.625, 8.125]);
        const usual = file.parts.get('ALBUQUERQUE')?.locations.filter(({ of_addresses }) => !of_addresses);
        expect(usual?.map(({ alternatives }) => alternatives)).toEqual([[['US-NM-001-02000']]]);
      }
    },
  );

  it('have the rate of a part for the place with the longest name', async () => {
    const village = { county: 'Bernalillo', grt_rate: 7.5, name: 'Los Ranchos de Albuquerque', locat_cdr: '02-200' };
    const part = { ...village, name: 'TIDD of Los Ranchos de Albuquerque', locat_cdr: '02-201', grt_rate: 8.5 };
    const file = await read(newMexicoFile([...newMexicoDistricts, village, part]));
    expect(percentsIn(file, 'LOS RANCHOS DE ALBUQUERQUE', '2026-11-21')).toEqual([7.5, 8.5]);
    expect(percentsIn(file, 'ALBUQUERQUE', '2026-11-21')).toEqual([7.625]);
  });

  it.each([
    { fields: { locat_cdr: '2-100' }, reason: /^locat_cdr is 2-100/ },
    { fields: { county: 'Bernalilo' }, reason: /^is in Bernalilo,/ },
    { fields: { grt_rate: null }, reason: /^grt_rate is null/ },
    { fields: { grt_rate: 7.62555 }, reason: /^grt_rate is 7.62555/ },
    { fields: { grt_rate: 76.25 }, reason: /^grt_rate is 76.25/ },
    { fields: { grt_rate: 4.5 }, reason: /^the file has 0.045 in all, the release has 0.04875/ },
  ])('are bad with $fields', async ({ fields, reason }) => {
    const { built } = await read(replaced(1, fields));
    expect(built.summary.bad.first).toMatchObject([{ line: 2, reason: expect.stringMatching(reason) }]);
  });

  it('are refused if the answer is an error, a part, or of another layer', async () => {
    const name = newMexicoFile().name;
    await expect(read({ name, content: '{"error":{"code":400}}' })).rejects.toThrow('of the feature service');
    await expect(read({ name, content: '{"features":[' })).rejects.toThrow('of the feature service');
    await expect(read(newMexicoFile([{ name: 'Albuquerque', grt_rate: 7.625 }]))).rejects.toThrow(
      'of the feature service',
    );
    await expect(read(newMexicoFile(newMexicoDistricts, { exceededTransferLimit: true }))).rejects.toThrow(
      'only a part',
    );
    await expect(read(newMexicoFile(newMexicoDistricts, {}, 'query.json'))).rejects.toThrow(
      'does not name the first month',
    );
  });

  it('apply from January in a name with two months of one year', async () => {
    const { parts } = await read(
      newMexicoFile(newMexicoDistricts, {}, 'New_Mexico_gross_receipts_tax_Jan_July_2026_pub.json'),
    );
    expect(parts.get('ALBUQUERQUE')?.locations.map(({ from }) => from)).toEqual(['2026-01-01']);
  });
});
