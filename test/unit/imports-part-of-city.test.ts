/** Cities whose taxes depend on the address according to an import, resolved over the built-in tables. */
import { describe, expect, it } from 'vitest';
import { describeAmbiguity } from '../../shared/calculations/ambiguity.ts';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import {
  createReleaseFor,
  fixture,
  getBase,
  getPercent,
  importFiles,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import {
  coloradoFile,
  coloradoRows,
  louisianaFile,
  newMexicoDistricts,
  newMexicoFile,
} from '../fixtures/imports/workbooks.ts';

const day = '2026-11-21';

const buildAddress = (state: string, zip5: string | null, city: string): TaxAddress => ({
  country: 'US',
  state,
  zip5,
  plus4: null,
  city,
  county: null,
  isZipKnown: zip5 !== null,
  isStateGuessed: false,
});

type ReleaseAt = (zip5: string | null, city: string) => Release;
type StateFile = readonly [format: Format, state: string, file: TestFile];

/** Imports a file over the built-in release or over another import, and calculates with it. */
const importOver = async ([format, state, file]: StateFile, below: ReleaseAt = () => getBase(state)) => {
  const imported = await importFiles(format, state, [file], { names: readNameTables(state) });
  return (zip5: string | null, city: string): Release => {
    const view = createReleaseFor(imported)(buildAddress(state, zip5, city));
    return { ...(view as Release), fallback: below(zip5, city) };
  };
};

const answer = (releaseAt: ReleaseAt, state: string, city: string, zip5: string | null, highest = false) => {
  const located = locate(buildAddress(state, zip5, city), () => releaseAt(zip5, city), day, highest);
  const { place, resolution } = located;
  const codes = place.jurisdictions.filter(({ tax_type }) => tax_type !== 'fee').map(({ code }) => code);
  return { percent: getPercent(place.release?.rates ?? [], codes, day), ...resolution };
};

const ordmache = 'ordmache-current.txt';
const illinoisText = fixture(ordmache).content.toString();
const getLine = (city: string) => illinoisText.split('\n').find((line) => line.includes(city)) ?? '';
const illinois = (content = illinoisText): StateFile => ['illinois', 'IL', { name: ordmache, content }];
const chicagoInDupage = getLine('CHICAGO')
  .replace('016-0001-7', '022-0068-6')
  .replace('COOK  ', 'DUPAGE')
  .replaceAll('10500', '08500');
const colorado = (name = 'MONUMENT IN PPRTA'): StateFile => {
  const rows = coloradoRows.map((cells) => (cells[0] === 'MONUMENT IN PPRTA' ? cells.with(0, name) : cells));
  return ['colorado', 'CO', coloradoFile(rows)];
};
const tidd = { name: 'Albuquerque (Mesa Del Sol TIDD 1)', county: 'Bernalillo', locat_cdr: '02-606', grt_rate: 8.125 };
const districts: StateFile = ['new-mexico', 'NM', newMexicoFile([tidd, ...newMexicoDistricts])];
const domiciles: StateFile = ['louisiana', 'LA', louisianaFile()];

describe('the rate and the highest rate of an address', () => {
  it.each<[string, StateFile, string, string | null, number, number | null]>([
    ['the city and the ZIP lie in two counties', illinois(), 'BARRINGTON', '60010', 8, 10],
    ['it has one rate', illinois(), 'CHICAGO', '60601', 10.5, null],
    ['some addresses have the high rate', illinois(), 'COLLINSVILLE', '62234', 8.6, 8.85],
    ['the ZIP has the county', illinois(`${getLine('CHICAGO')}\n${chicagoInDupage}\n`), 'CHICAGO', '60601', 10.5, null],
    [
      'the city is in two counties',
      illinois(`${getLine('CHICAGO')}\n${chicagoInDupage}\n`),
      'CHICAGO',
      null,
      8.5,
      10.5,
    ],
    ['the lower rate is of a part outside a district', colorado(), 'AURORA', '80013', 8, 8],
    ['most residents are in Adams County, and some are in Denver', colorado(), 'AURORA', '80019', 8.5, 8.5],
    ['part of the city is in a district', colorado(), 'MONUMENT', '80132', 7.63, 8.63],
    ['the name of the district comes first', colorado('PPRTA MONUMENT'), 'MONUMENT', '80132', 7.63, 8.63],
    ['a slash separates the names', colorado('PPRTA/MONUMENT'), 'MONUMENT', '80132', 7.63, 8.63],
    ['the county is in the name', colorado('PPRTA (MONUMENT), EL PASO COUNTY'), 'MONUMENT', '80132', 7.63, 8.63],
    ['it has one rate', colorado(), 'DENVER', '80202', 9.15, null],
    ['a district is in the city', domiciles, 'CROWLEY', '70526', 10.5, 11.5],
    ['a district could be in the city', domiciles, 'NEW ORLEANS', '70116', 10, 10],
    ['a district covers part of the city', districts, 'ALBUQUERQUE', '87102', 7.625, 8.125],
  ])('are correct if %s', async (_, file, city, zip5, percent, highest) => {
    const current = await importOver(file);
    const ambiguous = highest !== null;
    expect(answer(current, file[1], city, zip5)).toMatchObject({ percent, ambiguous, coverage: 'complete' });
    expect(answer(current, file[1], city, zip5, true)).toMatchObject({ percent: highest ?? percent, ambiguous });
  });
});

describe('a city whose rates depend on the address', () => {
  it('is ambiguous, because the content does not have its streets', async () => {
    const current = await importOver(illinois());
    expect(answer(current, 'IL', 'ALTON', '62002')).toMatchObject({ ambiguous: true, coverage: 'partial' });
    const located = locate(buildAddress('IL', '62002', 'ALTON'), () => current('62002', 'ALTON'), day, false);
    expect(describeAmbiguity({ ...located, at: 'destination' }).why).toBe(
      'the local taxes of ALTON depend on the street address, and the tax content has no streets there.',
    );
  });

  it('keeps the rate of an earlier file only with an uncertainty', async () => {
    // Changes the row of Chicago to the form of ALTON: with the flag Y and zeros.
    const line = getLine('CHICAGO');
    const open = `${line.slice(0, 60)}Y20261101${'0'.repeat(20)} ${line.slice(90, 132)}${'0'.repeat(16)}${line.slice(148)}`;
    const next = await importOver(illinois(illinoisText.replace(line, open)), await importOver(illinois()));
    expect(answer(next, 'IL', 'CHICAGO', '60601')).toMatchObject({ percent: 10.5, ambiguous: true });
  });
});

it('uses the rate of the fallback release if two rows of a city contradict each other', async () => {
  const rows = ['City of Crowley (0101)', 'Town of Crowley (0102)'];
  const file = louisianaFile(rows.map((name, index) => ['Acadia Parish', name, `${4.5 + 3 * index}%`, null]));
  const { percent } = answer(() => getBase('LA'), 'LA', 'CROWLEY', '70526');
  const current = await importOver(['louisiana', 'LA', file]);
  expect(answer(current, 'LA', 'CROWLEY', '70526')).toMatchObject({ percent, ambiguous: true });
});
