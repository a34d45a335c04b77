/** Importers of states' own files: the rates and codes of a valid file, and the errors of modified files. */
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { changesAt } from '../../shared/importers/releases/impact.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import type { Counted } from '../../shared/importers/summary.ts';
import formatRows from '../fixtures/imports/formats.json' with { type: 'json' };
import {
  changed,
  fixture,
  getBase,
  getHead,
  type Imported,
  importFiles,
  percentsIn,
  type TestCell,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import {
  alaskaFile,
  alaskaRows,
  coloradoFile,
  coloradoRows,
  louisianaFile,
  louisianaRows,
  missouriFile,
  missouriRows,
  newMexicoDistricts,
  newMexicoFile,
  type VirginiaSheet,
  virginiaFile,
  virginiaSheets,
} from '../fixtures/imports/workbooks.ts';

type Rows = readonly (readonly TestCell[])[];
/** How a valid file is changed. Each field replaces a part of it. */
type Change = {
  /** The first occurrence of a text, and the new text. */
  readonly replace?: readonly [from: string, to: string];
  readonly content?: string;
  readonly name?: string;
  /** One cell of a workbook. With `added`, a row is inserted instead. */
  readonly row?: number;
  readonly column?: number;
  readonly cell?: TestCell;
  readonly added?: readonly TestCell[];
  readonly header?: readonly TestCell[];
  /** The title of Virginia's current sheet. */
  readonly title?: string;
  /** Fields of New Mexico's second district, all districts, and more fields of the response. */
  readonly district?: Partial<(typeof newMexicoDistricts)[number]>;
  readonly districts?: readonly Partial<(typeof newMexicoDistricts)[number]>[];
  readonly more?: object;
};

const text =
  (name: string) =>
  ({ replace, content }: Change): TestFile =>
    content === undefined ? (replace ? changed(name, ...replace) : fixture(name)) : { name, content };
const withCells = (rows: Rows, { row = -1, column = 0, cell = null, added }: Change): Rows =>
  added ? rows.toSpliced(row, 0, added) : rows.map((cells, at) => (at === row ? cells.with(column, cell) : cells));
const workbook =
  (write: (rows: Rows, header?: readonly TestCell[], name?: string) => TestFile, rows: Rows) =>
  (change: Change): TestFile =>
    write(withCells(rows, change), change.header, change.name);
const sheets = virginiaSheets();
const current = sheets['Current'] as VirginiaSheet;

/** The file of each format, valid or changed. */
const fileByFormat: Readonly<Record<string, (change: Change) => TestFile>> = {
  alabama: text('taxrates_current.csv'),
  alaska: workbook(alaskaFile, alaskaRows),
  arizona: text('TPT_RATETABLE_ALL_11012026.csv'),
  cdtfa: text('cdtfa.csv'),
  colorado: workbook(coloradoFile, coloradoRows),
  illinois: text('ordmache-current.txt'),
  louisiana: workbook(louisianaFile, louisianaRows),
  missouri: workbook(missouriFile, missouriRows),
  'new-mexico': ({ content, district = {}, districts, more, name }) => {
    const all = newMexicoDistricts.map((one, at) => (at === 1 ? { ...one, ...district } : one));
    const file = newMexicoFile(districts ?? all, more, name);
    return content === undefined ? file : { ...file, content };
  },
  texas: text('taxrates.txt'),
  virginia: ({ title = current.title, header, ...change }) =>
    virginiaFile({ ...sheets, Current: { title, ...(header && { header }), rows: withCells(current.rows, change) } }),
};

type Row = {
  readonly format: Format;
  readonly state: string;
  /** The combined rates of cities, in percent, one for each alternative. */
  readonly rates: readonly (readonly [city: string, day: string, percents: readonly number[], because: string])[];
  /** The local jurisdictions of cities: code, name, type, kind and the state's own code. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  /** The reasons of skipped rows, remarks and notes of the valid file: first line, count and reason. */
  readonly summary: readonly string[];
  readonly bad: readonly (Change & { readonly line: number; readonly reason: string })[];
  readonly refused: readonly (Change & { readonly message: string })[];
};

const formats = formatRows as unknown as readonly Row[];

const changedFile = (format: Format, change: Change): TestFile => fileByFormat[format]?.(change) as TestFile;
const [alabama, cdtfa, illinois, texas] = (['alabama', 'cdtfa', 'illinois', 'texas'] as const).map(
  (format) => (from: string, to: string) => changedFile(format, { replace: [from, to] }),
) as [Replace, Replace, Replace, Replace];
type Replace = (from: string, to: string) => TestFile;

const read = (format: Format, state: string, file: TestFile) =>
  importFiles(format, state, [file], { names: readNameTables(state) });

const codesIn = (imported: Imported, city: string): readonly string[] =>
  (imported.parts.get(city)?.jurisdictions ?? []).map(({ code, name, type, kind, reporting_code }) =>
    [code, name, type, kind ?? '-', reporting_code ?? '-'].join(' | '),
  );

const lines = (reasons: readonly Counted[]) =>
  reasons.map(({ firstLine, count, reason }) => [firstLine, count, reason].join(' | '));

describe.each(formats)('the $format importer', ({ format, state, rates, codes, summary, bad, refused }) => {
  const importing = read(format, state, changedFile(format, {}));

  it.each(rates)('reads %s on %s: %j, because %s', async (city, day, percents) => {
    expect(percentsIn(await importing, city, day)).toEqual(percents);
  });

  it("has the codes that rules reference, and the state's codes next to them", async () => {
    const imported = await importing;
    expect(Object.fromEntries(Object.keys(codes).map((city) => [city, codesIn(imported, city)]))).toEqual(codes);
  });

  it('counts skipped rows and remarks', async () => {
    const { built } = await importing;
    expect(built.summary.bad.count).toBe(0);
    expect(getHead(await importing)).toMatchObject({ coverage: 'partial', format });
    expect([
      ...lines(built.summary.skipped),
      ...lines(built.summary.remarks),
      ...built.summary.notes.filter((note) => note.startsWith('These are missing')),
    ]).toEqual(summary);
  });

  it.each(bad)('reports the row of a changed file: $reason', async ({ line, reason, ...change }) => {
    const file = changedFile(format, change);
    const { built } = await read(format, state, file);
    const found = built.summary.bad.first.map((one) => [one.file, one.line, one.reason.slice(0, reason.length)]);
    expect(found).toEqual([[`${file.name}${format === 'virginia' ? ', sheet Current' : ''}`, line, reason]]);
  });

  it.each(refused)('refuses a file of another layout: $message', async ({ message, ...change }) => {
    await expect(read(format, state, changedFile(format, change))).rejects.toThrow(message);
  });
});

describe('the alabama importer', () => {
  it('separates the rates of a city if they differ by county', async () => {
    const file = alabama('"20240901",,"4.0000","RC","N","7058"', '"20240901",,"3.0000","RC","N","7058"');
    expect(percentsIn(await read('alabama', 'AL', file), 'BIRMINGHAM', '2026-11-21')).toEqual([8, 10]);
  });
});

describe('the arizona importer', () => {
  it('uses the city code of the rules on groceries', async () => {
    const imported = await read('arizona', 'AZ', fixture('TPT_RATETABLE_ALL_11012026.csv'));
    const named = getBase('AZ').rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
    const codes = [...imported.parts.values()].flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code));
    expect(named.filter((code) => codes.includes(code))).toContain('US-AZ-01-55000');
  });
});

describe('the cdtfa importer', () => {
  const good = fixture('cdtfa.csv');
  const listCodes = ({ parts }: Imported, city: string) => parts.get(city)?.jurisdictions.map(({ code }) => code);

  it('generates codes without tables, one for each county that has a city of the name', async () => {
    expect(codesIn(await importFiles('cdtfa', 'CA', [good]), 'ALAMEDA')).toEqual([
      'US-CA-DISTRICT-ALAMEDA | Alameda, local taxes | district | - | -',
    ]);
    const shared = cdtfa('ANGELS CAMP,ANGELS CAMP,Angels Camp', 'ALAMEDA,ALAMEDA,Alameda');
    expect(listCodes(await importFiles('cdtfa', 'CA', [shared]), 'ALAMEDA')?.toSorted()).toEqual([
      'US-CA-DISTRICT-ALAMEDA-ALAMEDA',
      'US-CA-DISTRICT-ALAMEDA-CALAVERAS',
    ]);
  });

  it('uses the codes and names of the built-in content', async () => {
    const address = readAddress({ state: 'CA', postal_code: '94501', city: 'Alameda' }, '');
    if (!address.ok) throw new Error('The address is refused.');
    const { code, name } = locate(address.value, () => getBase('CA'), '2026-11-21', false).place.jurisdictions[1] ?? {};
    expect((await read('cdtfa', 'CA', good)).parts.get('ALAMEDA')?.jurisdictions).toMatchObject([{ code, name }]);
  });

  it('reports a city that is missing from the tables of its county', async () => {
    const imported = await read('cdtfa', 'CA', cdtfa('Alturas,MODOC,0.0725', 'Alturas,KERN,0.0825'));
    expect(listCodes(imported, 'ALTURAS')).toEqual(['US-CA-DISTRICT-ALTURAS']);
    expect(imported.built.summary.notes).toEqual([
      "These are missing from Levy's tables and keep codes derived from the file: Alturas.",
    ]);
  });

  it('skips a repeated row', async () => {
    const { built } = await read('cdtfa', 'CA', cdtfa('0.11,4/1/2027', '0.1075,7/1/2021'));
    expect(lines(built.summary.skipped)[0]).toBe('3 | 1 | repeats another row');
  });
});

describe('the colorado importer', () => {
  it('uses the jurisdictions of the built-in tables, with their names and kinds', async () => {
    const { parts } = await read('colorado', 'CO', coloradoFile());
    const taxes = packRates('CO').taxes.split('\n');
    const cities = ['AURORA', 'ASPEN', 'EAGLE VAIL', 'GRAND JUNCTION', 'DENVER'];
    // The tables do not include the district's tax, and include the transit tax of Pitkin County in the county's rate.
    const others = ['US-CO-63-LID-037', 'US-CO-63-MTS-097'];
    const own = cities.flatMap((city) => parts.get(city)?.jurisdictions ?? []);
    for (const { code, name, type, kind } of own.filter((one) => !others.includes(one.code))) {
      const start = `${code}~${name}~${type}~${kind ?? ''}`;
      expect(
        taxes.filter((tax) => tax.startsWith(start)),
        code,
      ).toHaveLength(1);
    }
  });

  it.each([
    ['Colorado_Jurisdiction_Codes_Rates_Jan-June2026_Apr26.xlsx', '2026-01-01'],
    ['Colorado_Jurisdiction_Codes_Rates_July-Dec_2026.xlsx', '2026-07-01'],
  ])('applies %s from %s', async (name, from) => {
    const { parts } = await read('colorado', 'CO', coloradoFile(coloradoRows, undefined, name));
    expect(parts.get('DENVER')?.locations.map((location) => location.from)).toEqual([from]);
  });
});

describe('the illinois importer', () => {
  it.each([
    { prior: `2019070120251231${'0'.repeat(20)} `, locations: [['2019-07-01', null, true]] },
    {
      prior: '201907012025123108100010000810001000N',
      locations: [
        ['2019-07-01', '2025-12-31', undefined],
        ['2026-01-01', null, true],
      ],
    },
  ])('ends a place on the last day with a rate: $locations', async ({ prior, locations }) => {
    const content = fixture('ordmache-current.txt').content.toString();
    const line = content.split('\n').find((one) => one.includes('ALTON')) ?? '';
    const file = illinois(line, `${line.slice(0, 132)}${prior}${line.slice(132 + prior.length)}`);
    const { rates, ...others } = getBase('IL');
    const base = { ...others, established_from: '2019-01-01', rates: rates.map((rate) => ({ ...rate, from: null })) };
    const { parts } = await importFiles('illinois', 'IL', [file], { names: readNameTables('IL'), base });
    const found = parts.get('ALTON')?.locations.map(({ from, to, of_addresses }) => [from, to, of_addresses]);
    expect(found?.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual(locations);
  });
});

describe('the louisiana importer', () => {
  const acadia = (...domiciles: readonly (readonly [string, string])[]) =>
    read('louisiana', 'LA', louisianaFile(domiciles.map(([name, rate]) => ['Acadia Parish', name, rate, null])));
  const city = ['City of Crowley / School Board (0101)', '5.5%'] as const;

  it.each([
    'City of Crowley, Northgate EDD (0111)',
    'Northgate EDD, City of Crowley (0111)',
    'Northgate EDD/City of Crowley (0111)',
    'Crowley (Northgate EDD) (0111)',
    'Acadia Parish, City of Crowley, Northgate EDD (0111)',
    'City of Crowley EDD (0101)',
  ])('treats %s as a part of Crowley, in any order', async (name) => {
    const part = [name, '7.5%'] as const;
    for (const imported of [await acadia(city, part), await acadia(part, city)]) {
      const { jurisdictions = [], rates = [], locations = [] } = imported.parts.get('CROWLEY') ?? {};
      expect(jurisdictions.map(({ code }) => code)).toEqual([
        'US-LA-001-18650',
        `US-LA-001-18650-${name.slice(-5, -1)}`,
      ]);
      expect(rates.map(({ rate }) => rate)).toEqual(['0.055', '0.075']);
      expect(locations.filter(({ of_addresses }) => !of_addresses).map(({ alternatives }) => alternatives)).toEqual([
        [['US-LA-001-18650']],
      ]);
      expect(imported.built.summary.bad.count).toBe(0);
    }
  });

  it('omits a city if two domiciles contradict each other, so the fallback release applies', async () => {
    const town = ['Town of Crowley (0102)', '6.5%'] as const;
    for (const { built, parts } of [await acadia(city, town), await acadia(town, city)]) {
      expect(built.summary.bad.first).toMatchObject([
        { line: 5, reason: 'has a different rate for Crowley than line 4, so neither applies: correct one of them' },
      ]);
      expect(parts.get('CROWLEY')).toMatchObject({
        rates: [],
        locations: [{ of_addresses: true, alternatives: [[]] }],
      });
    }
    const repeated = await acadia(city, ['Town of Crowley (0102)', '5.5%']);
    expect(repeated.built.summary.bad.count).toBe(0);
    expect(percentsIn(repeated, 'CROWLEY', '2026-11-21')).toEqual([10.5]);
  });

  it('keeps a city unambiguous if a district has the same rate', async () => {
    const { parts, built } = await acadia(city, ['City of Crowley EDD (0111)', '5.5%'], ['APEDD #1 (0110)', '5.5%']);
    expect(parts.get('CROWLEY')?.locations).toHaveLength(1);
    expect(lines(built.summary.skipped)).toEqual([
      '5 | 1 | is a part of a city with the same rate',
      '6 | 1 | is a district that does not change the rate of any city',
    ]);
  });
});

describe('the new-mexico importer', () => {
  it.each(['Albuquerque (Mesa Del Sol TIDD 1)', 'Albuquerque Mesa Del Sol TIDD 1', 'Mesa Del Sol TIDD 1'])(
    'applies the rate of %s to some addresses in Albuquerque, in any order',
    async (name) => {
      const tidd = { name, county: 'Bernalillo', locat_cdr: '02-606', grt_rate: 8.125 };
      for (const districts of [newMexicoDistricts.toSpliced(0, 0, tidd), [...newMexicoDistricts, tidd]]) {
        const file = await read('new-mexico', 'NM', newMexicoFile(districts));
        expect(file.built.summary.bad.count).toBe(0);
        expect(percentsIn(file, 'ALBUQUERQUE', '2026-11-21')).toEqual([7.625, 8.125]);
        const usual = file.parts.get('ALBUQUERQUE')?.locations.filter(({ of_addresses }) => !of_addresses);
        expect(usual?.map(({ alternatives }) => alternatives)).toEqual([[['US-NM-001-02000']]]);
      }
    },
  );

  it('assigns the rate of a part to the place with the longest matching name', async () => {
    const village = { county: 'Bernalillo', grt_rate: 7.5, name: 'Los Ranchos de Albuquerque', locat_cdr: '02-200' };
    const part = { ...village, name: 'TIDD of Los Ranchos de Albuquerque', locat_cdr: '02-201', grt_rate: 8.5 };
    const file = await read('new-mexico', 'NM', newMexicoFile([...newMexicoDistricts, village, part]));
    expect(percentsIn(file, 'LOS RANCHOS DE ALBUQUERQUE', '2026-11-21')).toEqual([7.5, 8.5]);
    expect(percentsIn(file, 'ALBUQUERQUE', '2026-11-21')).toEqual([7.625]);
  });

  it('applies from January if the file name has two months of one year', async () => {
    const name = 'New_Mexico_gross_receipts_tax_Jan_July_2026_pub.json';
    const { parts } = await read('new-mexico', 'NM', newMexicoFile(newMexicoDistricts, {}, name));
    expect(parts.get('ALBUQUERQUE')?.locations.map(({ from }) => from)).toEqual(['2026-01-01']);
  });
});

describe('the texas importer', () => {
  const good = fixture('taxrates.txt');

  it('uses the codes of the file without tables, with the same combined rates', async () => {
    const byFile = await importFiles('texas', 'TX', [good]);
    const cities = ['ABERNATHY', 'AUSTIN', 'BEE CAVE'];
    const found = cities.map((city) =>
      byFile.parts.get(city)?.locations.map(({ from, to, alternatives }) => [from, to, alternatives.map(String)]),
    );
    expect(found).toEqual([
      [['2026-10-01', null, ['US-TX-2095015,US-TX-4095000', 'US-TX-2095015,US-TX-5152999']]],
      [['2026-10-01', null, ['US-TX-2227016,US-TX-3227999']]],
      [['2026-10-01', null, ['US-TX-2227098']]],
    ]);
    expect(byFile.built.summary).toMatchObject({ rowsRead: 5, rowsKept: 4 });
    const byTable = await read('texas', 'TX', good);
    const releaseFor = (of: Imported) => releaseWith(getHead(of), [...of.parts.values()]);
    const releases = { before: releaseFor(byFile), after: releaseFor(byTable) };
    expect([...byTable.parts.keys()]).toEqual(cities);
    expect(cities.flatMap((key) => changesAt('TX', key, releases, '2026-11-22'))).toEqual([]);
  });

  const austin = 'US-TX-01-05000 2227016';
  const abernathy = 'US-TX-01-00160 2095015';
  it.each([
    [
      'a county that does not contain it in the tables',
      'Lubbock (Hale Co)\t2095016',
      'US-TX-2095016 2095016',
      abernathy,
    ],
    ['a name that is not in the tables', 'Nowhere at All\t2227999', 'US-TX-2227999 2227999', abernathy],
    ['the name of a different code', 'Abernathy\t2227999', 'US-TX-01-00160 2227999', 'US-TX-2095015 2095015'],
  ])("keeps the file's code of a city with %s", async (_, to, ...codes) => {
    const { parts } = await read('texas', 'TX', texas('Bee Cave (Travis Co)\t2227098', to));
    const cities = [...parts.values()].flatMap(({ jurisdictions }) =>
      jurisdictions.filter(({ type }) => type === 'city'),
    );
    const found = new Set(cities.map(({ code, reporting_code }) => `${code} ${reporting_code}`));
    expect(found).toEqual(new Set([austin, ...codes]));
  });
});

describe('the virginia importer', () => {
  it('omits periods that ended before the release', async () => {
    const { built } = await read('virginia', 'VA', virginiaFile());
    expect(built.summary.files.map(({ name }) => name.split(', ')[1])).toEqual(['sheet Current', 'sheet Next']);
  });
});
