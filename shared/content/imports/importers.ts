/** The formats that can be imported, by the name that the command line and the release's head use. */
import type { ReleaseHead } from '../content.ts';
import type { Release } from '../release.ts';
import { readCdtfa } from './cdtfa/read.ts';
import type { Entry } from './entry.ts';
import type { NameTables } from './sst/layer-names.ts';
import { readSst } from './sst/read.ts';
import { readTexas } from './texas/read.ts';
import { readWooCommerce } from './woocommerce/read.ts';
import { readZipRates } from './zip-rates/read.ts';

export type Format = ReleaseHead['format'];

export type ReadOptions = {
  /** Two letters: rows of other states are left out or bad. */
  readonly state: string;
  /** The release whose state rate and rules the file completes. */
  readonly base: Release;
  /** The public names of counties, places and districts, for files that have codes only; without them codes are names. */
  readonly names?: NameTables;
  /** Told now and then how far reading is, in bytes of the files as they lie on the disk. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
};

/** Reads the files as a stream of entries. A file that is missing or broken throws; a row that is wrong is yielded `bad`. */
export type Read = (files: readonly string[], options: ReadOptions) => AsyncIterable<Entry>;

export type Importer = {
  readonly format: Format;
  /** One line for a person who must choose a format. */
  readonly describe: string;
  /** The files that it needs, in any order; each may be packed alone in a ZIP file. */
  readonly files: readonly { readonly name: string; readonly describe: string }[];
  /** The only state that the format is of, by its two letters, or `null`. */
  readonly onlyState: string | null;
  readonly read: Read;
};

const file = (name: string, describe: string) => ({ name, describe });

export const importers: Readonly<Record<Format, Importer>> = {
  sst: {
    format: 'sst',
    describe: 'Streamlined Sales Tax rate and boundary files (24 states)',
    files: [
      file('rates', 'rate file, 9 columns: MNR2026Q2FEB18.csv'),
      file('boundary', 'boundary file, 89 or 90 columns: MNB2026Q2FEB18.csv'),
    ],
    onlyState: null,
    read: readSst,
  },
  'zip-rates': {
    format: 'zip-rates',
    describe: 'Rates by ZIP code with their components, as Avalara gives them away',
    files: [file('rates', 'TAXRATES_ZIP5_TX202611.csv')],
    onlyState: null,
    read: readZipRates,
  },
  woocommerce: {
    format: 'woocommerce',
    describe: 'Tax rates exported from WooCommerce',
    files: [file('rates', 'tax_rates.csv, 10 columns')],
    onlyState: null,
    read: readWooCommerce,
  },
  cdtfa: {
    format: 'cdtfa',
    describe: 'California sales and use tax rates by city and county (CDTFA, CSV)',
    files: [file('rates', 'CSV with City_name, County_name, RATE and START_DATE')],
    onlyState: 'CA',
    read: readCdtfa,
  },
  texas: {
    format: 'texas',
    describe: 'Texas Comptroller, local sales tax rates (taxrates.txt)',
    files: [file('rates', 'taxrates.txt, tab-separated, 12 fields')],
    onlyState: 'TX',
    read: readTexas,
  },
};
