/** Where each state publishes its sales tax rates, and how to find the current files. */

import { statesWithFiles } from '../../catalog/streamlined.ts';
import type { Importer } from '../importer.ts';
import type { Format } from '../importers.ts';

/**
 * How to find the current file of a publisher.
 *
 * - `url`: a fixed URL whose content is replaced.
 * - `index`: an HTML page that links to the file. Its name begins with `name`, followed by a quarter and the day of
 *   publication, such as `MNR2026Q4AUG18.zip`.
 * - `dated`: an HTML page that links to the file. Its name contains a day; `pattern` has the groups `year`, `month` (a
 *   number or a name) and optionally `day`. `{year}` in the URL of the page is replaced by the current year.
 * - `service`: a directory of ArcGIS services. The name of the service contains a day, as with `dated`; the file is the
 *   response to a query for `fields` of its only layer, or of the only layer that is named after the tax.
 */
type FileSource =
  | { readonly find: 'url'; readonly url: string }
  | { readonly find: 'index'; readonly url: string; readonly name: string }
  | {
      readonly find: 'dated';
      readonly url: string;
      readonly pattern: string;
      /**
       * The beginning of the name, a word after it, and the end, in lower case, if the pattern matches only the day.
       */
      readonly within?: Readonly<Record<'start' | 'word' | 'end', string>>;
      /** A name that the pattern matches, for messages. */
      readonly example: string;
    }
  | {
      readonly find: 'service';
      readonly url: string;
      readonly pattern: string;
      readonly within?: never;
      readonly example: string;
      readonly fields: readonly string[];
    };

/** A file, and the option of its importer. */
export type PublishedFile = FileSource & { readonly option: Importer['files'][number]['option'] };

export type Publisher = {
  /** Two letters. */
  readonly state: string;
  readonly name: string;
  readonly cadence: 'monthly' | 'quarterly' | 'twice a year' | 'yearly';
  readonly covers: string;
} & (
  | {
      readonly format: Format;
      readonly files: readonly PublishedFile[];
      /**
       * `cited`: the publisher or a public reader documents the layout. `unverified`: the layout is not documented, so
       * a release of these files is activated only by a person.
       */
      readonly layout: 'cited' | 'unverified';
    }
  /** Levy cannot import the state's publication: `published` is its form, and `advice` says what to do instead. */
  | { readonly format: null; readonly published: string; readonly advice: string }
);

const streamlined = 'https://www.streamlinedsalestax.org/ratesandboundry';

const streamlinedPublisher = (state: string): Publisher => ({
  state,
  name: 'Streamlined Sales Tax Governing Board',
  cadence: 'quarterly',
  covers: 'state, counties, cities and districts, by ZIP+4',
  format: 'sst',
  files: [
    { option: 'rates', find: 'index', url: `${streamlined}/Rates/`, name: `${state}R` },
    { option: 'boundaries', find: 'index', url: `${streamlined}/Boundary/`, name: `${state}B` },
  ],
  layout: 'cited',
});

type ByFind<Find extends FileSource['find']> = Omit<Extract<FileSource, { readonly find: Find }>, 'find'>;

/** Returns the only file of a format, at a fixed URL. */
const fixed = (url: string): readonly PublishedFile[] => [{ option: 'file', find: 'url', url }];
const dated = (file: ByFind<'dated'>): readonly PublishedFile[] => [{ option: 'file', find: 'dated', ...file }];

const notReadable =
  'Levy uses its built-in tables. To correct them, import a ZIP table (`content import --format zip-rates`).';
const listed = (
  state: string,
  name: string,
  cadence: Publisher['cadence'],
  covers: string,
  published: string,
): Publisher => ({ state, name, cadence, covers, format: null, published, advice: notReadable });

/** The publishers, one per state. A state without a general sales tax has none. */
export const publishers: readonly Publisher[] = [
  ...statesWithFiles.map(streamlinedPublisher),
  {
    state: 'TX',
    name: 'Texas Comptroller of Public Accounts',
    cadence: 'quarterly',
    covers: 'cities, counties, transit authorities and special purpose districts, by name',
    format: 'texas',
    files: fixed('https://comptroller.texas.gov/data/edi/sales-tax/taxrates.txt'),
    layout: 'cited',
  },
  {
    state: 'CA',
    name: 'California Department of Tax and Fee Administration',
    cadence: 'quarterly',
    covers: 'cities and counties, by name',
    format: 'cdtfa',
    files: fixed('https://gis.data.ca.gov/api/download/v1/items/01883a79765a4afba132ba54da408d8b/csv?layers=1'),
    layout: 'cited',
  },
  {
    state: 'AL',
    name: 'Alabama Department of Revenue',
    cadence: 'monthly',
    covers: 'cities, by name, with their counties',
    format: 'alabama',
    files: fixed('https://www.revenue.alabama.gov/wp-content/uploads/2024/03/taxrates_current.csv'),
    layout: 'cited',
  },
  {
    state: 'AZ',
    name: 'Arizona Department of Revenue',
    cadence: 'monthly',
    covers: 'cities, by name, with their counties',
    format: 'arizona',
    files: dated({
      url: 'https://azdor.gov/business/transaction-privilege-tax/tax-rate-table',
      pattern: String.raw`^TPT_RATETABLE_ALL_(?<month>\d\d)(?<day>\d\d)(?<year>\d{4})\.csv$`,
      example: 'TPT_RATETABLE_ALL_11012026.csv',
    }),
    layout: 'cited',
  },
  {
    state: 'IL',
    name: 'Illinois Department of Revenue',
    cadence: 'twice a year',
    covers: 'cities, by name, without the rates that depend on the address',
    format: 'illinois',
    files: fixed(
      'https://tax.illinois.gov/content/dam/soi/en/web/tax/research/taxrates/documents/salestaxrates/ordmache-current.txt',
    ),
    layout: 'cited',
  },
  {
    state: 'MO',
    name: 'Missouri Department of Revenue',
    cadence: 'quarterly',
    covers: 'cities, by name, without the districts in them',
    format: 'missouri',
    files: dated({
      url: 'https://dor.mo.gov/taxation/business/tax-types/sales-use/rate-tables/{year}/',
      pattern: String.raw`^(?<month>[a-z]+)(?<year>20\d\d)\.xlsx$`,
      example: 'oct2026.xlsx',
    }),
    layout: 'cited',
  },
  {
    state: 'VA',
    name: 'Virginia Department of Taxation',
    cadence: 'yearly',
    covers: 'independent cities, by name',
    format: 'virginia',
    files: fixed(
      'https://www.tax.virginia.gov/sites/default/files/inline-files/sales-and-use-tax-rates-by-locality-by-date.xlsx',
    ),
    layout: 'cited',
  },
  {
    state: 'AK',
    name: 'Alaska Remote Seller Sales Tax Commission',
    cadence: 'monthly',
    covers: 'cities of members, by name, with their boroughs',
    format: 'alaska',
    files: dated({
      url: 'https://arsstc.org/business-sellers/tax-rates/',
      pattern: String.raw`^ARSSTC-Sales-Tax-Rate-Sheet-(?<month>\d{1,2})-(?<day>\d{1,2})-(?<year>(?:20)?\d\d)\.xlsx$`,
      example: 'ARSSTC-Sales-Tax-Rate-Sheet-11-1-26.xlsx',
    }),
    // How the sheet lists seasonal rates is not documented.
    layout: 'unverified',
  },
  {
    state: 'CO',
    name: 'Colorado Department of Revenue',
    cadence: 'twice a year',
    covers: 'cities, by name, with their counties and districts; self-collecting cities too',
    format: 'colorado',
    files: dated({
      url: 'https://tax.colorado.gov/how-to-look-up-sales-use-tax-rates',
      pattern: String.raw`^Colorado_Jurisdiction_Codes_Rates_(?<month>Jan|July?)[a-z]*-[a-z]+_?(?<year>20\d\d)(?:_\w+)?\.xlsx$`,
      example: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx',
    }),
    // The columns are cited. How the workbook names the part of a city in a district is not documented.
    layout: 'unverified',
  },
  {
    state: 'LA',
    name: 'Louisiana Sales and Use Tax Commission for Remote Sellers',
    cadence: 'monthly',
    covers: 'cities, by name, with their parishes',
    format: 'louisiana',
    files: dated({
      url: 'https://remotesellers.louisiana.gov/',
      pattern: String.raw`(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)`,
      within: { start: 'domicile', word: 'rate', end: '.xlsx' },
      example: 'Domicile-Rate-Listing-October-2026.xlsx',
    }),
    // Neither the columns nor the name are documented.
    layout: 'unverified',
  },
  {
    state: 'NM',
    name: 'New Mexico Taxation and Revenue',
    cadence: 'twice a year',
    covers: 'cities, by name',
    format: 'new-mexico',
    files: [
      {
        option: 'file',
        find: 'service',
        url: 'https://services5.arcgis.com/f4lpEvI6fkgVYigk/arcgis/rest/services',
        pattern: String.raw`^New_Mexico_gross_receipts_tax_(?<month>[a-z]{3,9})(?:_[a-z]{3,9})?_(?<year>20\d\d)(?:_(?<until_month>[a-z]{3,9})_(?<until_year>20\d\d))?`,
        example: 'New_Mexico_gross_receipts_tax_July_2026_June_2027',
        fields: ['name', 'county', 'locat_cdr', 'grt_rate'],
      },
    ],
    // The fields are cited. Only one name of the Department's services is known.
    layout: 'unverified',
  },
  listed('CT', 'Connecticut Department of Revenue Services', 'yearly', 'the state rate', 'HTML'),
  listed('DC', 'District of Columbia Office of Tax and Revenue', 'yearly', 'the rate of the District', 'HTML'),
  listed('FL', 'Florida Department of Revenue', 'yearly', 'county surtaxes', 'PDF (DR-15DSS)'),
  listed('HI', 'Hawaii Department of Taxation', 'yearly', 'county surcharges', 'HTML'),
  listed('ID', 'Idaho State Tax Commission', 'yearly', 'resort cities', 'HTML'),
  listed('MA', 'Massachusetts Department of Revenue', 'yearly', 'the state rate', 'HTML'),
  listed('MD', 'Comptroller of Maryland', 'yearly', 'the state rate', 'HTML'),
  listed('ME', 'Maine Revenue Services', 'yearly', 'the state rate', 'HTML'),
  listed('MS', 'Mississippi Department of Revenue', 'yearly', 'city taxes', 'HTML'),
  listed(
    'NY',
    'New York State Department of Taxation and Finance',
    'quarterly',
    'counties and cities',
    'PDF (Publication 718)',
  ),
  listed('PA', 'Pennsylvania Department of Revenue', 'yearly', 'Allegheny County and Philadelphia', 'HTML'),
  listed('PR', 'Puerto Rico Department of the Treasury', 'yearly', 'the rates of Puerto Rico', 'HTML'),
  listed('SC', 'South Carolina Department of Revenue', 'twice a year', 'county taxes', 'PDF (ST-575)'),
];

/** A publisher whose files Levy imports. */
export type Importable = Extract<Publisher, { readonly files: unknown }>;

/** The publishers whose files Levy imports. */
export const importable: readonly Importable[] = publishers.filter((publisher) => publisher.format !== null);
