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
import {
  baseOf,
  changed,
  fixture,
  headOf,
  type Imported,
  importFiles,
  percentsIn,
  type TestCell,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import { newMexicoDistricts, newMexicoFile } from '../fixtures/imports/new-mexico.ts';
import {
  alaskaFile,
  alaskaRows,
  coloradoFile,
  coloradoRows,
  louisianaFile,
  louisianaRows,
  missouriFile,
  missouriRows,
  type VirginiaSheet,
  virginiaFile,
  virginiaSheets,
} from '../fixtures/imports/workbooks.ts';

type Rows = readonly (readonly TestCell[])[];
/** A valid file with some of its text replaced. */
const text = (name: string) => (from: string, to: string) => changed(name, from, to);
/** A valid workbook with one cell replaced. */
const cells = (write: (rows: Rows) => TestFile, rows: Rows) => (row: number, column: number, cell: TestCell) =>
  write(rows.map((values, index) => (index === row ? values.with(column, cell) : values)));
const alabama = text('taxrates_current.csv');
const alaska = cells(alaskaFile, alaskaRows);
const homer = alaskaRows
  .slice(2, 3)
  .flatMap((row) => row.with(1, { number: '0.02' }).with(6, 'Homer').with(12, { number: '0.05' }));
const arizona = text('TPT_RATETABLE_ALL_11012026.csv');
const cdtfa = text('cdtfa.csv');
const colorado = cells(coloradoFile, coloradoRows);
const illinois = text('ordmache-current.txt');
const louisiana = cells(louisianaFile, louisianaRows);
const missouri = cells(missouriFile, missouriRows);
/** The districts with some fields of the second one replaced. */
const newMexico = (fields: Partial<(typeof newMexicoDistricts)[number]>) =>
  newMexicoFile(newMexicoDistricts.map((district, at) => (at === 1 ? { ...district, ...fields } : district)));
const texas = text('taxrates.txt');
const sheets = virginiaSheets();
const current = sheets['Current'] as VirginiaSheet;
const virginiaSheet = (changes: Partial<VirginiaSheet>) =>
  virginiaFile({ ...sheets, Current: { ...current, ...changes } });
const virginia = cells((rows) => virginiaSheet({ rows }), current.rows);

type Row = {
  readonly format: Format;
  readonly state: string;
  readonly file: TestFile;
  /** The combined rates of cities, in percent, one for each alternative. */
  readonly rates: readonly (readonly [city: string, day: string, percents: readonly number[], because: string])[];
  /** The local jurisdictions of cities: code, name, type, kind and the state's own code. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  /** The reasons of skipped rows, remarks and notes of the valid file: first line, count and reason. */
  readonly summary: readonly string[];
  readonly bad: readonly (readonly [file: TestFile, line: number, reason: string])[];
  readonly refused: readonly (readonly [file: TestFile, message: string])[];
};

const formats: readonly Row[] = [
  {
    format: 'alabama',
    state: 'AL',
    file: fixture('taxrates_current.csv'),
    // Alabama: 4 %.
    rates: [
      ['PRATTVILLE', '2026-11-21', [9.5], 'Autauga County has 2 %, the city 3.5 %'],
      ['PRATTVILLE', '2026-10-31', [], 'the city’s rate begins on 1 November'],
      ['BIRMINGHAM', '2026-11-21', [9, 10], 'it is in Shelby County (1%) and Jefferson County (2%)'],
      ['HUNTSVILLE', '2026-11-21', [9], 'a county code besides the county’s own has 0.5 %'],
    ],
    codes: {
      BIRMINGHAM: [
        'US-AL-00-073 | Jefferson County | county | - | 7037',
        'US-AL-00-117 | Shelby County | county | - | 7058',
        'US-AL-01-07000 | Birmingham | city | - | 9137',
      ],
    },
    summary: ['3 | 3 | is not a general sales tax rate', '8 | 1 | its county code has no general sales tax rate'],
    bad: [
      [alabama('"20261101",,"3.5000"', '"20261101",,"35.000"'), 4, 'Rate 35.000 '],
      [alabama('"20261101",,"3.5000"', '"20261131",,"3.5000"'), 4, 'Active Date 20261131 '],
      [alabama('"20261101",,"3.5000"', '"20261101","20261130","3.5000"'), 4, 'Inactive Date 20261130'],
      [alabama('"9146"', '"8146"'), 4, 'Locality Code 8146'],
      [alabama('"Y","7001","1.7500"', '"Y","6001","1.7500"'), 4, 'County Code 6001'],
      [
        alabama('"4.0000","RC","N","7058"', '"3.0000","RC","N","7037"'),
        7,
        'has a different rate for BIRMINGHAM than line 6',
      ],
    ],
    refused: [[alabama('"Rate Type"', '"Category"'), 'has no column Rate Type']],
  },
  {
    format: 'alaska',
    state: 'AK',
    file: alaskaFile(),
    rates: [
      ['JUNEAU', '2026-11-21', [5], 'the borough is the city'],
      ['SOLDOTNA', '2026-11-21', [6], 'borough and city have 3 % each'],
      ['SOLDOTNA', '2026-03-31', [], 'the rate of the borough has not begun'],
      ['NOME', '2026-11-21', [5.5], 'it is outside every borough'],
    ],
    codes: {
      JUNEAU: ['US-AK-00-110 | City and Borough of Juneau | county | - | 810000'],
      SOLDOTNA: [
        'US-AK-00-122 | Kenai Peninsula Borough | county | - | 820000',
        'US-AK-01-71640 | Soldotna | city | - | 9101',
      ],
    },
    summary: ['6 | 1 | boroughs are not in any city', '9 | 1 | is a line without a total rate'],
    bad: [
      [alaska(2, 7, { number: '0.04' }), 7, 'has a total of 0.06, which is not the sum'],
      [alaska(3, 11, 'soon'), 8, 'Nome has the effective date soon'],
      [alaska(3, 7, '5.5 %'), 8, 'City / Taxing Area Sales Tax Rate 5.5 %'],
      [alaska(3, 12, 'varies'), 8, 'Sales Tax Rate Total varies'],
      [
        alaskaFile(alaskaRows.toSpliced(3, 0, homer)),
        8,
        'has a different rate for Kenai Peninsula Borough than line 7',
      ],
    ],
    refused: [[alaskaFile(alaskaRows, ['Borough', 'Rate']), 'has no row with the columns']],
  },
  {
    format: 'arizona',
    state: 'AZ',
    file: fixture('TPT_RATETABLE_ALL_11012026.csv'),
    // The rates of the counties include Arizona's 5.6%: Maricopa adds 0.7%, Pinal 1.1%.
    rates: [
      ['PHOENIX', '2026-11-21', [9.1], 'it adds 2.8 % to 6.3 %'],
      ['APACHE JUNCTION', '2026-12-31', [8.7, 9.1], 'it is in two counties'],
      ['APACHE JUNCTION', '2027-01-01', [8.9, 9.3], 'its next rate has begun'],
      ['MARICOPA', '2026-11-21', [9.2], 'the city is in Pinal County'],
      ['PHOENIX', '2025-06-30', [], 'its rate has not begun'],
    ],
    codes: {
      PHOENIX: ['US-AZ-00-013 | Maricopa County | county | - | MAR', 'US-AZ-01-55000 | Phoenix | city | - | PX'],
    },
    summary: [
      '3 | 1 | is for a business other than retail sales (017)',
      '9 | 1 | is not for a county or city',
      "10 | 1 | is a city that is not in Levy's tables, so its county is unknown",
    ],
    bad: [
      [
        arizona('SALES,6.300000', 'SALES,5.500000'),
        2,
        "the combined rate is 0.055, but the state's rate in the release is 0.056",
      ],
      [arizona('2.800000', '2.8%%'), 5, 'TaxRate 2.8%% '],
      [arizona('2.800000,Percent', '2.800000,Flat'), 5, 'TaxRateType Flat'],
      [arizona('7/01/2025 0:00', '13/01/2025'), 5, 'RateStartDate 13'],
      [arizona('12/31/2026 0:00', 'open'), 6, 'RateEndDate open'],
      [arizona('12/31/2026 0:00', '1/01/2027 0:00'), 7, 'has a different rate for Apache Junction than line 6'],
    ],
    refused: [[arizona('RateStartDate', 'Start'), 'has no column RateStartDate']],
  },
  {
    format: 'cdtfa',
    state: 'CA',
    file: fixture('cdtfa.csv'),
    rates: [
      ['ALAMEDA', '2026-11-21', [10.75], "it is a combined rate that includes the state's 7.25"],
      ['ALAMEDA', '2027-03-31', [10.75], 'a future row has not begun'],
      ['ALAMEDA', '2027-04-01', [11], 'a future row has begun'],
      ['ALTURAS', '2026-11-21', [7.25], 'it has no local tax'],
      ['ANGELS CAMP', '2026-11-21', [7.75], 'a percentage is accepted as a rate'],
    ],
    codes: {
      ALAMEDA: ['US-CA-001-00562 | Alameda (combined local rate) | district | combined | -'],
      'ANGELS CAMP': ['US-CA-009-02112 | Angels Camp (combined local rate) | district | combined | -'],
    },
    summary: ['5 | 1 | unincorporated areas are not in any city'],
    bad: [
      [cdtfa('0.0725,', '0.05,'), 4, "the combined rate is 0.05, but the state's rate in the release is 0.0725"],
      [cdtfa('0.0725,1/1/2017', '0.0725,2/30/2017'), 4, 'START_DATE 2/30/2017'],
      [cdtfa('0.0725,1/1/2017', '725,1/1/2017'), 4, 'RATE 725 '],
      [cdtfa('ALTURAS,ALTURAS', 'ALTURAS,'), 4, 'City_name (none)'],
      [cdtfa('0.11,4/1/2027', '0.11,7/1/2021'), 3, 'has a different rate for Alameda than line 2 on the same days'],
    ],
    refused: [],
  },
  {
    format: 'colorado',
    state: 'CO',
    file: coloradoFile(),
    rates: [
      ['DENVER', '2026-11-21', [9.15], 'a city that collects its own tax is in the file'],
      ['DENVER', '2026-06-30', [], 'the file is of July'],
      ['AURORA', '2026-11-21', [7, 8, 8.5], 'it is in two counties, and part of it is outside RTD'],
      ['MONUMENT', '2026-11-21', [7.63, 8.63], 'part of it is in a transportation authority'],
      ['GRAND JUNCTION', '2026-11-21', [8.66], 'a county tax has a separate type'],
      ['BASALT', '2026-11-21', [9.8], 'the county has a different rate there'],
      ['EAGLE VAIL', '2026-11-21', [5.4, 6.5], 'it has no city tax, and a district without a city could be in it'],
      ['NEW TOWN', '2026-11-21', [7.4], 'it has a city tax'],
    ],
    codes: {
      AURORA: [
        'US-CO-00-001 | Adams County | county | - | -',
        'US-CO-00-005 | Arapahoe County | county | - | -',
        'US-CO-01-04000 | Aurora | city | - | -',
        'US-CO-63-CD | Scientific and Cultural Facilities District | district | CD | -',
        'US-CO-63-RTD | Regional Transportation District | district | RTD | -',
      ],
      BASALT: [
        'US-CO-00-097-490002 | Pitkin County | county | - | -',
        'US-CO-01-04935 | Basalt | city | - | 490002',
        'US-CO-63-MTS-097 | Mass Transit System (Pitkin County) | district | MTS-097 | -',
        'US-CO-63-RTA-097-BASALT | Regional Transportation Authority (Pitkin County, Basalt) | district | RTA-097-BASALT | -',
      ],
      DENVER: [
        'US-CO-01-20000 | Denver | city | - | 010006',
        'US-CO-63-CD | Scientific and Cultural Facilities District | district | CD | -',
        'US-CO-63-RTD | Regional Transportation District | district | RTD | -',
      ],
      'GRAND JUNCTION': [
        'US-CO-00-077 | Mesa County | county | - | -',
        'US-CO-00-077-PSI | Mesa County Public Safety Improvement Tax | county | PSI | -',
        'US-CO-01-31660 | Grand Junction | city | - | 040020',
      ],
      MONUMENT: [
        'US-CO-00-041 | El Paso County | county | - | -',
        'US-CO-01-51800 | Monument | city | - | -',
        'US-CO-63-RTA-041 | Regional Transportation Authority (El Paso County) | district | RTA-041 | -',
      ],
      'NEW TOWN': [
        'US-CO-00-037 | Eagle County | county | - | -',
        'US-CO-01-NEW-TOWN | NEW TOWN | city | - | 240011',
        'US-CO-63-LID-037 | LID (Eagle County) | district | LID-037 | -',
      ],
    },
    summary: [
      '6 | 1 | unincorporated areas are not in any city',
      '14 | 1 | is a district without a city: city rates in its county depend on the address',
      "These are missing from Levy's tables and keep codes derived from the file: NEW TOWN.",
    ],
    bad: [
      [colorado(0, 9, { number: '3' }), 2, "the state's rate is 0.03 in the file and 0.029 in the release"],
      [colorado(0, 8, 'Stat'), 2, "the state's rate is missing in the file"],
      [colorado(0, 12, 'n/a'), 2, 'has the tax County with the rate n/a'],
      [colorado(0, 11, null), 2, 'has the tax (none) with the rate 0.25'],
      [colorado(0, 2, 'ARAPAHO'), 2, 'County ARAPAHO '],
      [colorado(0, 1, '10-0001'), 2, 'Jurisdiction Code 10-0001 '],
      [colorado(1, 1, '100001'), 3, 'repeats the code 100001 of line 2'],
      [colorado(0, 17, 'County'), 2, 'has two taxes County'],
      [colorado(8, 20, 'rta'), 10, 'has two taxes rta'],
      [colorado(0, 17, 'LID ('), 2, 'has the tax type LID (; expected letters'],
      [colorado(0, 17, 'Metro District'), 2, 'has the tax type Metro District'],
    ],
    refused: [
      [coloradoFile(coloradoRows, ['Location Code', 'County']), 'no row with the columns'],
      [coloradoFile(coloradoRows, undefined, 'rates.xlsx'), 'has no first month in its name'],
    ],
  },
  {
    format: 'illinois',
    state: 'IL',
    file: fixture('ordmache-current.txt'),
    rates: [
      ['CHICAGO', '2026-11-21', [10.5], 'the rate contains the state’s 6.25'],
      ['CAMP POINT', '2026-10-31', [6.5], 'its earlier period has not ended'],
      ['CAMP POINT', '2026-11-01', [7], 'its current period has begun'],
      ['BARRINGTON', '2026-11-21', [8, 10], 'it is in two counties'],
      ['ALTON', '2026-11-21', [6.25], 'it is listed without its rates, which are in a different file'],
      ['COLLINSVILLE', '2026-11-21', [8.6, 8.85], 'some addresses have the high rate'],
    ],
    codes: {
      CHICAGO: ['US-IL-031-14000 | Chicago (combined local rate) | city | combined | 016-0001-7'],
    },
    summary: [
      '1 | 1 | unincorporated areas are not in any city',
      '8 | 1 | another state',
      '4 | 1 | its rates depend on the address and are in a different file (ordmacha-current.txt)',
    ],
    bad: [
      [illinois('CHICAGO  ', 'CHICAGO '), 2, 'Line length 210 is not 211 characters'],
      [illinois('016-0001-7', '16-00001-7'), 2, 'Location code 16-00001-7 '],
      [illinois('2026010110500', '2026130110500'), 2, 'First day 20261301 '],
      [illinois('2026110107000', '202611010700 '), 3, 'High rate 0700 '],
      [illinois('2026103106500', '2026103206500'), 3, 'Prior last day 20261032 '],
      [
        illinois('07000010000700', '06000010000600'),
        3,
        "the combined rate is 0.06, but the state's rate in the release is 0.0625",
      ],
      [illinois('COOK                     N', 'COKE                     N'), 2, 'County COKE '],
      [illinois('N2026010110500', 'X2026010110500'), 2, 'Column 61 X is not Y or N'],
      [{ name: 'ordmache-current.txt', content: 'id,name,county\n' }, 1, 'Line length 14 is not 211 characters'],
    ],
    refused: [],
  },
  {
    format: 'louisiana',
    state: 'LA',
    file: louisianaFile(),
    rates: [
      ['IOTA', '2026-11-21', [10.25, 11.25], 'a district of the parish could be in it'],
      ['IOTA', '2026-09-30', [], 'the file is of October'],
      ['CROWLEY', '2026-11-21', [10.5, 11.25, 11.5], 'a district covers part of it'],
      ['NEW ORLEANS', '2026-11-21', [5.245, 10], 'a district of the parish could be in it'],
    ],
    codes: {
      CROWLEY: [
        'US-LA-001-0110 | APEDD #1 (combined local rate) | city | combined | 0110',
        'US-LA-001-18650 | Crowley (combined local rate) | city | combined | 0101',
        'US-LA-001-18650-0109 | Crowley (combined local rate) | city | combined | 0109',
      ],
    },
    summary: [
      '4 | 1 | is a parish outside its cities',
      '11 | 1 | is a line without a jurisdiction',
      '8 | 2 | is a district without a city: city rates in its county depend on the address',
    ],
    bad: [
      [
        louisiana(1, 1, 'City of Crowley'),
        5,
        'Jurisdiction (Domicile Code) City of Crowley is not a name with four digits',
      ],
      [louisiana(1, 0, 'Arcadia Parish'), 5, 'Parish Arcadia Parish '],
      [louisiana(1, 2, 'varies'), 5, 'Tax Rate varies '],
      [louisiana(2, 1, 'City of Crowley (0101)'), 6, 'has a different rate for Crowley than line 5'],
    ],
    refused: [
      [louisianaFile(louisianaRows, ['Parish', 'Rate']), 'no row with the columns'],
      [louisianaFile(louisianaRows, undefined, 'rates.xlsx'), 'has no first month in its name'],
    ],
  },
  {
    format: 'missouri',
    state: 'MO',
    file: missouriFile(),
    rates: [
      ['KANSAS CITY', '2026-11-21', [8.6, 8.975], 'it is in two counties'],
      ['ST LOUIS', '2026-11-21', [9.679], 'it is an independent city'],
      ['ST LOUIS', '2026-09-30', [], 'the file is of October'],
      ['NEW TOWN', '2026-11-21', [], 'it is not in the tables'],
    ],
    codes: {
      'KANSAS CITY': [
        'US-MO-047-38000 | Kansas City (combined local rate) | city | combined | 38000-047-000',
        'US-MO-095-38000 | Kansas City (combined local rate) | city | combined | 38000-095-000',
      ],
    },
    summary: [
      '14 | 1 | unincorporated areas are not in any city',
      '16 | 1 | is a district within a place, without a city or ZIP',
      "19 | 1 | is a place that is not in Levy's tables",
    ],
    bad: [
      [missouri(1, 3, { number: '8.975' }), 15, 'SalesTaxRate(0000) 8.975 '],
      [missouri(3, 3, '4.0000%'), 17, "the combined rate is 0.04, but the state's rate in the release is 0.04225"],
      [missouri(3, 2, '38000-47-000'), 17, 'Jurisdiction Code 38000-47-000 '],
      [missouri(3, 2, '38000-095-000'), 17, 'has a different rate for Kansas City than line 15'],
    ],
    refused: [
      [
        missouriFile(missouriRows, [null, 'Jurisdiction Name', 'Code', 'SalesTaxRate(0000)']),
        'has no row with the columns Jurisdiction Name, Jurisdiction Code, SalesTaxRate(0000)',
      ],
      [missouriFile(missouriRows, undefined, 'rates.xlsx'), 'such as oct2026.xlsx'],
    ],
  },
  {
    format: 'new-mexico',
    state: 'NM',
    file: newMexicoFile(),
    rates: [
      ['ALBUQUERQUE', '2026-11-21', [7.625], 'the rate contains the state’s 4.875'],
      ['ALBUQUERQUE', '2026-06-30', [], 'the file is of July'],
      ['RIO RANCHO', '2026-11-21', [7.4375, 7.875], 'it is in two counties'],
      ['WAGON MOUND', '2026-11-21', [7.5208], 'the service stores the rate with single precision'],
      ['VILLAGE AT RIO RANCHO TIDD', '2026-11-21', [], 'it is a district'],
    ],
    codes: {
      ALBUQUERQUE: ['US-NM-001-02000 | Albuquerque (combined local rate) | city | combined | 02-100'],
    },
    summary: [
      '1 | 1 | unincorporated areas are not in any city',
      '7 | 1 | is a tribal area, which is not in any city or ZIP',
      '5 | 1 | is a part of a city with the same rate',
    ],
    bad: [
      [newMexico({ locat_cdr: '2-100' }), 2, 'locat_cdr 2-100'],
      [newMexico({ locat_cdr: '2-100', name: 'Remainder of County' }), 2, 'locat_cdr 2-100'],
      [newMexico({ county: 'Bernalilo' }), 2, 'county Bernalilo '],
      [newMexico({ grt_rate: null }), 2, 'grt_rate (none)'],
      [newMexico({ grt_rate: 7.62555 }), 2, 'grt_rate 7.62555'],
      [newMexico({ grt_rate: 76.25 }), 2, 'grt_rate 76.25'],
      [newMexico({ grt_rate: 4.5 }), 2, "the combined rate is 0.045, but the state's rate in the release is 0.04875"],
    ],
    refused: [
      [{ ...newMexicoFile(), content: '{"error":{"code":400}}' }, 'of the feature service'],
      [{ ...newMexicoFile(), content: '{"features":[' }, 'of the feature service'],
      [newMexicoFile([{ name: 'Albuquerque', grt_rate: 7.625 }]), 'of the feature service'],
      [newMexicoFile(newMexicoDistricts, { exceededTransferLimit: true }), 'only some of the districts'],
      [newMexicoFile(newMexicoDistricts, {}, 'query.json'), 'has no first month in its name'],
    ],
  },
  {
    format: 'texas',
    state: 'TX',
    file: fixture('taxrates.txt'),
    // 48189 is Hale County; 00160, 05000 and 07156 are the Census codes of the cities.
    rates: [
      ['ABERNATHY', '2026-11-21', [8.125, 8.25], 'it is in a county and in a hospital district'],
      ['AUSTIN', '2026-11-21', [8.25], 'it adds 1 % of the city and 1 % of the MTA'],
      ['AUSTIN', '2026-09-30', [], 'the file is of October'],
      ['BEE CAVE', '2026-11-21', [8.25], 'the city has 2 %'],
    ],
    codes: {
      ABERNATHY: [
        'US-TX-00-189 | Hale County | county | - | 4095000',
        'US-TX-01-00160 | Abernathy | city | - | 2095015',
        'US-TX-5152999 | Lubbock Co Hosp | district | - | 5152999',
      ],
      AUSTIN: ['US-TX-01-05000 | Austin | city | - | 2227016', 'US-TX-3227999 | Austin MTA | district | - | 3227999'],
      'BEE CAVE': ['US-TX-01-07156 | Bee Cave | city | - | 2227098'],
    },
    summary: [
      '22 | 1 | the area is not a city',
      "These are missing from Levy's tables and keep codes derived from the file: Austin MTA (3227999), Lubbock Co Hosp (5152999).",
    ],
    bad: [
      [texas('3227999\t.010000', '3227999\t.020000'), 18, 'has local taxes that sum to more than 0.02'],
      [texas('Austin MTA\t3227999', 'Austin MTA\t9227999'), 18, 'Austin MTA has code 9227999 and rate .010000'],
      [texas('2227098\t.020000', '2227098\ttwo'), 19, 'Bee Cave (Travis Co) has code 2227098 and rate two'],
      [texas('n/a\t.000000\r\nAbernathy', '\r\nAbernathy'), 19, 'has 11 fields; expected 12'],
      [texas('n/a\t.000000\r\nBee', '\r\nBee'), 1, 'declares 5 areas, but the file has 4'],
      [texas('2095015\t.015000\tn/a', '2095015\t.010000\tn/a'), 21, 'has a different rate for Abernathy than line 20'],
      [texas('.062500', '.060000'), 1, "the state's rate is 0.06 in the file and 0.0625 in the release on 2026-10-01"],
      [texas('.062500\t0\t5', '.062500\t0\t6'), 1, 'declares 6 areas, but the file has 5'],
    ],
    refused: [[{ name: 'a.txt', content: 'City\tCode\n' }, 'is not the Comptroller']],
  },
  {
    format: 'virginia',
    state: 'VA',
    file: virginiaFile(),
    rates: [
      ['ALEXANDRIA', '2026-11-21', [6], 'the current sheet has 6 %'],
      ['ALEXANDRIA', '2027-01-01', [7], 'the next period has begun'],
      ['SALEM', '2026-11-21', [5.3], 'it has only the statewide rate'],
      ['ACCOMACK', '2026-11-21', [], 'it is a county'],
    ],
    codes: {
      ALEXANDRIA: ['US-VA-510-01000 | Alexandria (combined local rate) | city | combined | 51510'],
    },
    summary: ['5 | 1 | counties are not in any city', '6 | 1 | is a line without a locality'],
    bad: [
      [virginia(1, 3, { number: '6' }), 6, 'General Sales 6 '],
      [
        virginia(1, 3, { number: '0.05' }),
        6,
        "the combined rate is 0.05, but the state's rate in the release is 0.053",
      ],
      [virginia(1, 2, { number: '52510' }), 6, 'Code 52510 is not a locality'],
      [virginia(1, 2, { number: '5151' }), 6, 'Code 5151 is not a locality'],
    ],
    refused: [
      [virginiaSheet({ header: [null, 'Locality', 'Code', 'Rate'] }), 'the columns Code, General Sales'],
      [virginiaSheet({ title: 'Fall 2026' }), 'has Fall 2026 in row 2 of its sheet Current'],
    ],
  },
];

const read = (format: Format, state: string, file: TestFile) =>
  importFiles(format, state, [file], { names: readNameTables(state) });

const codesIn = (imported: Imported, city: string): readonly string[] =>
  (imported.parts.get(city)?.jurisdictions ?? []).map(({ code, name, type, kind, reporting_code }) =>
    [code, name, type, kind ?? '-', reporting_code ?? '-'].join(' | '),
  );

const lines = (reasons: readonly Counted[]) =>
  reasons.map(({ firstLine, count, reason }) => [firstLine, count, reason].join(' | '));

describe.each(formats)('the $format importer', ({ format, state, file, rates, codes, summary, bad, refused }) => {
  const importing = read(format, state, file);

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
    expect(headOf(await importing)).toMatchObject({ coverage: 'partial', format });
    expect([
      ...lines(built.summary.skipped),
      ...lines(built.summary.remarks),
      ...built.summary.notes.filter((note) => note.startsWith('These are missing')),
    ]).toEqual(summary);
  });

  it.each(bad)('reports the row of a changed file (%#)', async (changedFile, line, reason) => {
    const { built } = await read(format, state, changedFile);
    const found = built.summary.bad.first.map((one) => [one.file, one.line, one.reason.slice(0, reason.length)]);
    expect(found).toEqual([[`${changedFile.name}${format === 'virginia' ? ', sheet Current' : ''}`, line, reason]]);
  });

  it.each(refused)('refuses a file of another layout (%#)', async (changedFile, message) => {
    await expect(read(format, state, changedFile)).rejects.toThrow(message);
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
    const named = baseOf('AZ').rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
    const codes = [...imported.parts.values()].flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code));
    expect(named.filter((code) => codes.includes(code))).toContain('US-AZ-01-55000');
  });
});

describe('the cdtfa importer', () => {
  const good = fixture('cdtfa.csv');
  const codesOf = ({ parts }: Imported, city: string) => parts.get(city)?.jurisdictions.map(({ code }) => code);

  it('generates codes without tables, one for each county that has a city of the name', async () => {
    expect(codesIn(await importFiles('cdtfa', 'CA', [good]), 'ALAMEDA')).toEqual([
      'US-CA-DISTRICT-ALAMEDA | Alameda, local taxes | district | - | -',
    ]);
    const shared = cdtfa('ANGELS CAMP,ANGELS CAMP,Angels Camp', 'ALAMEDA,ALAMEDA,Alameda');
    expect(codesOf(await importFiles('cdtfa', 'CA', [shared]), 'ALAMEDA')?.toSorted()).toEqual([
      'US-CA-DISTRICT-ALAMEDA-ALAMEDA',
      'US-CA-DISTRICT-ALAMEDA-CALAVERAS',
    ]);
  });

  it('uses the codes and names of the built-in content', async () => {
    const address = readAddress({ state: 'CA', postal_code: '94501', city: 'Alameda' }, '');
    if (!address.ok) throw new Error('The address is refused.');
    const { code, name } = locate(address.value, () => baseOf('CA'), '2026-11-21', false).place.jurisdictions[1] ?? {};
    expect((await read('cdtfa', 'CA', good)).parts.get('ALAMEDA')?.jurisdictions).toMatchObject([{ code, name }]);
  });

  it('reports a city that is missing from the tables of its county', async () => {
    const imported = await read('cdtfa', 'CA', cdtfa('Alturas,MODOC,0.0725', 'Alturas,KERN,0.0825'));
    expect(codesOf(imported, 'ALTURAS')).toEqual(['US-CA-DISTRICT-ALTURAS']);
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
    const { rates, ...others } = baseOf('IL');
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
    const releaseFor = (of: Imported) => releaseWith(headOf(of), [...of.parts.values()]);
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
