import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import type { NameTables } from '../../shared/importers/sst/layers.ts';
import { fixture, type Imported, importFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';

const tables = (others: Partial<NameTables> = {}): NameTables => ({
  counties: 'fips,name\n27053,Hennepin County\n55053,Jackson County\n19199,Not a County\n',
  districts: 'state,code,name\nMN,80004,"Hennepin County Transit, half a percent"\nWI,80008,Elsewhere\n',
  rates: 'county,place,place_code,aliases,rate\n053,,,,0.15\n053,Minneapolis,43000,,0.65\n053,Nowhere,,,0.65\n',
  ...others,
});

const namesOf = ({ parts }: Imported) =>
  Object.fromEntries([...parts.values()].flatMap((part) => part.jurisdictions.map(({ code, name }) => [code, name])));

describe('names of SST jurisdictions', () => {
  const minnesota = (names?: NameTables) =>
    importFiles(
      'sst',
      'MN',
      [fixture('MNR2026Q4AUG28.csv'), fixture('MNB2026Q4AUG28.csv')],
      names === undefined ? {} : { names },
    );

  it('come from the tables of the state, or are the code where no table has a name', async () => {
    expect(namesOf(await minnesota(tables()))).toEqual({
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
        jurisdictions.map(({ code, type }) => [code, type]),
      ]);
    expect(withoutNames(await minnesota(tables()))).toEqual(withoutNames(await minnesota()));
  });

  it('match the tables that ship with the service', async () => {
    const names = namesOf(await minnesota(await readNameTables('MN')));
    expect(names).toMatchObject({
      'US-MN-00-053': 'Hennepin County',
      'US-MN-01-43000': 'Minneapolis',
      'US-MN-63-80004': 'Hennepin County Transit',
    });
    for (const name of Object.values(names)) expect(name).not.toMatch(/\d/);
  });

  it('are missing where a code has a county’s type and belongs to another area', async () => {
    const rates = rateRows('19', '45 19 0.06', '00 199 0.01');
    const boundary = [boundaryRow({ zips: ['50002', '', '50002', ''], state: '19', county: '199' })];
    const imported = await importFiles('sst', 'IA', sstFiles('IA', rates, boundary), { names: tables() });
    expect(namesOf(imported)).toEqual({ 'US-IA-00-199': 'Area 199' });
  });

  it('are found for a state without a table of local rates', async () => {
    expect((await readNameTables('MT')).rates).toBe('');
  });
});
