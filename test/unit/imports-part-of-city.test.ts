/** Cities of which an import knows that the taxes depend on the address: answers over the built-in tables. */
import { describe, expect, it } from 'vitest';
import { describeAmbiguity } from '../../shared/calculations/ambiguity.ts';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import { baseOf, fixture, importFiles, percentOf, releaseForOf, type TestFile } from '../fixtures/imports/harness.ts';
import { newMexicoDistricts, newMexicoFile } from '../fixtures/imports/new-mexico.ts';
import { coloradoFile, coloradoRows, louisianaFile } from '../fixtures/imports/workbooks.ts';

const day = '2026-11-21';

const addressOf = (state: string, zip5: string | null, city: string): TaxAddress => ({
  ...{ country: 'US', state, zip5, plus4: null, city, county: null },
  ...{ isZipKnown: zip5 !== null, isStateGuessed: false },
});

/** Import files over the built-in release, or over another import; answers come from a calculation. */
const importOver = async (
  format: 'illinois' | 'colorado' | 'louisiana' | 'new-mexico',
  state: string,
  file: TestFile,
  below: (zip5: string | null, city: string) => Release = () => baseOf(state),
) => {
  const imported = await importFiles(format, state, [file], { names: readNameTables(state) });
  return (zip5: string | null, city: string): Release => {
    const view = releaseForOf(imported)(addressOf(state, zip5, city));
    return { ...(view as Release), fallback: below(zip5, city) };
  };
};

const answer = (
  releaseOf: (zip5: string | null, city: string) => Release,
  state: string,
  city: string,
  zip5: string | null,
  highest = false,
) => {
  const located = locate(addressOf(state, zip5, city), () => releaseOf(zip5, city), day, highest);
  const { place, resolution } = located;
  const codes = place.jurisdictions.filter(({ tax_type }) => tax_type !== 'fee').map(({ code }) => code);
  return { percent: percentOf(place.release?.rates ?? [], codes, day), ...resolution };
};

describe('Illinois', async () => {
  const name = 'ordmache-current.txt';
  const current = await importOver('illinois', 'IL', fixture(name));

  it('has the rate of the county of the ZIP, and both where the ZIP lies in both', () => {
    // The file has Barrington in Lake (8 %) and in Cook (10 %), and ZIP 60010 lies in both.
    expect(answer(current, 'IL', 'BARRINGTON', '60010')).toMatchObject({ percent: 8, ambiguous: true });
    expect(answer(current, 'IL', 'CHICAGO', '60601')).toEqual({
      percent: 10.5,
      level: 'city',
      ambiguous: false,
      coverage: 'complete',
    });
  });

  it('takes the county of the ZIP where a city lies in several', async () => {
    const row =
      fixture(name)
        .content.toString()
        .split('\n')
        .find((line) => line.includes('CHICAGO')) ?? '';
    const dupage = row.replace('016-0001-7', '022-0068-6').replace('COOK  ', 'DUPAGE').replaceAll('10500', '08500');
    const both = await importOver('illinois', 'IL', { name, content: `${row}\n${dupage}\n` });
    expect(answer(both, 'IL', 'CHICAGO', '60601')).toMatchObject({ percent: 10.5, ambiguous: false });
    expect(answer(both, 'IL', 'CHICAGO', null)).toMatchObject({ percent: 8.5, ambiguous: true });
  });

  it('is ambiguous between a low rate and the high rate of some addresses', () => {
    expect(answer(current, 'IL', 'COLLINSVILLE', '62234')).toMatchObject({ percent: 8.6, ambiguous: true });
    expect(answer(current, 'IL', 'COLLINSVILLE', '62234', true)).toMatchObject({ percent: 8.85, ambiguous: true });
  });

  it('does not know the rate of a place whose rates are in another file', () => {
    expect(answer(current, 'IL', 'ALTON', '62002')).toMatchObject({ ambiguous: true, coverage: 'partial' });
    const located = locate(addressOf('IL', '62002', 'ALTON'), () => current('62002', 'ALTON'), day, false);
    expect(describeAmbiguity({ ...located, at: 'destination' }).why).toBe(
      'the local taxes of ALTON depend on the address, and the content does not have its streets.',
    );
  });

  it('does not keep the rate of an earlier file without an uncertainty, when a place becomes dependent on the address', async () => {
    // Chicago is sent as ALTON is now: with the flag Y and zeros.
    const text = fixture(name).content.toString();
    const line = text.split('\n').find((one) => one.includes('CHICAGO')) ?? '';
    const open = `${line.slice(0, 60)}Y20261101${'0'.repeat(20)} ${line.slice(90, 132)}${'0'.repeat(16)}${line.slice(148)}`;
    const next = await importOver('illinois', 'IL', { name, content: text.replace(line, open) }, current);
    expect(answer(next, 'IL', 'CHICAGO', '60601')).toEqual({
      percent: 10.5,
      level: 'city',
      ambiguous: true,
      coverage: 'complete',
    });
  });
});

describe('Colorado', async () => {
  const current = await importOver('colorado', 'CO', coloradoFile());

  it.each([
    {
      city: 'AURORA',
      zip5: '80013',
      percent: 8,
      highest: 8,
      ambiguous: true,
      because: 'the lower rate is of a part outside a district',
    },
    {
      city: 'AURORA',
      zip5: '80019',
      percent: 8.5,
      highest: 8.5,
      ambiguous: true,
      because: 'most residents are in Adams County, and some are in Denver',
    },
    {
      city: 'MONUMENT',
      zip5: '80132',
      percent: 7.63,
      highest: 8.63,
      ambiguous: true,
      because: 'a part lies in a district',
    },
    { city: 'DENVER', zip5: '80202', percent: 9.15, highest: 9.15, ambiguous: false, because: 'it has one rate' },
  ])('$city $zip5: $percent to $highest, because $because', ({ city, zip5, percent, highest, ambiguous }) => {
    expect(answer(current, 'CO', city, zip5)).toMatchObject({ percent, ambiguous });
    expect(answer(current, 'CO', city, zip5, true)).toMatchObject({ percent: highest, ambiguous });
  });

  it.each(['PPRTA MONUMENT', 'PPRTA/MONUMENT', 'PPRTA (MONUMENT), EL PASO COUNTY'])(
    'is ambiguous in Monument with a district called %s',
    async (name) => {
      const rows = coloradoRows.map((cells) => (cells[0] === 'MONUMENT IN PPRTA' ? cells.with(0, name) : cells));
      const renamed = await importOver('colorado', 'CO', coloradoFile(rows));
      expect(answer(renamed, 'CO', 'MONUMENT', '80132')).toMatchObject({ percent: 7.63, ambiguous: true });
      expect(answer(renamed, 'CO', 'MONUMENT', '80132', true)).toMatchObject({ percent: 8.63, ambiguous: true });
    },
  );
});

describe('Louisiana', () => {
  it('is ambiguous where a district lies in the city, or may lie in it', async () => {
    const current = await importOver('louisiana', 'LA', louisianaFile());
    expect(answer(current, 'LA', 'CROWLEY', '70526')).toMatchObject({ percent: 10.5, ambiguous: true });
    expect(answer(current, 'LA', 'NEW ORLEANS', '70116')).toMatchObject({ percent: 10, ambiguous: true });
  });

  it('is ambiguous where two rows of a city contradict each other, and the fallback release applies', async () => {
    const rows = [
      ['Acadia Parish', 'City of Crowley (0101)', '4.5%', null],
      ['Acadia Parish', 'Town of Crowley (0102)', '7.5%', null],
    ];
    const current = await importOver('louisiana', 'LA', louisianaFile(rows));
    const below = answer(() => baseOf('LA'), 'LA', 'CROWLEY', '70526');
    expect(answer(current, 'LA', 'CROWLEY', '70526')).toMatchObject({ percent: below.percent, ambiguous: true });
  });
});

describe('New Mexico', () => {
  it('is ambiguous where a district lies in a part of the city', async () => {
    const tidd = {
      name: 'Albuquerque (Mesa Del Sol TIDD 1)',
      county: 'Bernalillo',
      locat_cdr: '02-606',
      grt_rate: 8.125,
    };
    const current = await importOver('new-mexico', 'NM', newMexicoFile([tidd, ...newMexicoDistricts]));
    expect(answer(current, 'NM', 'ALBUQUERQUE', '87102')).toMatchObject({ percent: 7.625, ambiguous: true });
    expect(answer(current, 'NM', 'ALBUQUERQUE', '87102', true)).toMatchObject({ percent: 8.125, ambiguous: true });
  });
});
