/** Where each state publishes its sales tax rates, and how to find the current files. */

import { statesWithFiles } from '../../catalog/streamlined.ts';
import type { Importer } from '../importer.ts';
import type { Format } from '../importers.ts';
import rows from './publishers.json' with { type: 'json' };

/** A file or service whose name contains a day. `example` is a name that the pattern matches, for messages. */
type NamedByDay = Readonly<Record<'url' | 'pattern' | 'example', string>>;

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
  | (NamedByDay & {
      readonly find: 'dated';
      /** The lower-case start of a file name, a later word, and its end. Used if the pattern matches only the day. */
      readonly within?: Readonly<Record<'start' | 'word' | 'end', string>>;
    })
  | (NamedByDay & { readonly find: 'service'; readonly within?: never; readonly fields: readonly string[] });

/** A file, and the option of its importer. */
export type PublishedFile = FileSource & { readonly option: Importer['files'][number]['option'] };

export type Publisher = {
  /** The two-letter code of the state. */
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
      /** The part of an unverified layout that is not documented. */
      readonly undocumented?: string;
    }
  /** Levy cannot import the state's publication: `published` is its form, and `advice` is what to do instead. */
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

const notReadable =
  'Levy uses its built-in tables. To correct them, import a ZIP table (`content import --format zip-rates`).';

type Listed = Extract<Publisher, { readonly format: null }>;

/** The publishers of states outside the Agreement: the rows of publishers.json, which a test checks. */
const others = (rows as unknown as readonly (Importable | Omit<Listed, 'format' | 'advice'>)[]).map(
  (row): Publisher => ('format' in row ? row : { ...row, format: null, advice: notReadable }),
);

/** The publishers, one per state. A state without a general sales tax has none. */
export const publishers: readonly Publisher[] = [...statesWithFiles.map(streamlinedPublisher), ...others];

/** A publisher whose files Levy imports. */
export type Importable = Extract<Publisher, { readonly files: unknown }>;

/** The publishers whose files Levy imports. */
export const importable: readonly Importable[] = publishers.filter((publisher) => publisher.format !== null);
