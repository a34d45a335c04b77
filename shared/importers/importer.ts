import type { Dated } from '../catalog/effective.ts';
import type { Location, OwnRules, Release } from '../catalog/release.ts';
import type { Confidence, Jurisdiction, Rate } from '../catalog/release-values.ts';
import type { StreetRange } from '../catalog/streets/street-ranges.ts';
import type { OnProgress } from './files/text.ts';
import type { NameTables } from './own-codes.ts';

export type ReadOptions = {
  /** Two-letter code: rows of other states are skipped or bad. */
  readonly state: string;
  /** The release that provides the state rate and rules for the file. */
  readonly base: Release;
  /** The first day of rates in a file without dates; defaults to `established_from` of the base. */
  readonly undatedFrom?: string;
  /** Public names of counties, places and districts. A code without a name serves as its name. */
  readonly names: NameTables;
  /** Called repeatedly with the bytes read so far and the total bytes of the files on disk. */
  readonly onProgress?: OnProgress;
};

/**
 * Reads the files, one for each of the importer's `files` in their order, as a stream of entries. Throws for a missing
 * or broken file; yields a `bad` entry for a bad row.
 */
export type Read = (files: readonly string[], options: ReadOptions) => AsyncIterable<Entry>;

/** A file format of tax rates: everything that the command line and the builder need to import it. */
export type Importer = {
  /** The value of `--format`, and `format` in the head of the release. */
  readonly format: string;
  /** One line for the help text. It is part of the release's citation, and so of its hash. */
  readonly describe: string;
  /** The files to pass, each with its command line option. A file can be alone in a ZIP file. */
  readonly files: readonly { readonly option: 'file' | 'rates' | 'boundaries'; readonly describe: string }[];
  /** The two-letter code of the only state that publishes the format, or `null`. */
  readonly onlyState: string | null;
  /** Reads the state in the files, as they write it; `null` if it is missing. Absent if the format has no state. */
  readonly stateIn?: (files: readonly string[]) => Promise<string | null>;
  readonly confidence: Confidence;
  /** Whether the files have rates for sales from other states, so that their local rates are certain for such sales. */
  readonly hasRemoteRates?: true;
  readonly read: Read;
};

/** Codes of the local jurisdictions that tax a place together; `[]` means that the place has no local tax. */
export type LocalSet = readonly string[];

/**
 * Flags that limit an entry to some addresses of its ZIPs or city, or mark what the file does not specify about them.
 */
export type LocationFlags = Pick<
  Location,
  'within_city' | 'yields_to_city' | 'crosses_borders' | 'of_streets' | 'of_addresses'
>;

export type DatedRate = Omit<Rate, 'jurisdiction' | 'source' | 'confidence' | 'note'>;

/** The local taxes of a place on some days. */
type Taxed = Dated & {
  readonly locals: LocalSet;
  readonly flags?: LocationFlags;
};

/**
 * An importer's output is a stream of entries, so a file of any length can be read in constant memory. Entries can come
 * in any order, but an entry with a line, or `rows`, belongs to the last `file` before it.
 */
export type Entry =
  /** A jurisdiction, which can be the state, with its rates; the file provides the evidence. */
  | { readonly kind: 'tax'; readonly jurisdiction: Jurisdiction; readonly rates: readonly DatedRate[] }
  /** Nine-digit ZIPs, inclusive: `554010000` to `554019999` is the whole of 55401. Days are `YYYY-MM-DD`. */
  | ({
      readonly kind: 'span';
      readonly low: string;
      readonly high: string;
      /** The addresses that the span is limited to, with the flag `of_streets`. */
      readonly street?: StreetRange;
      /** If two spans contain an address, the lower rank applies, then the narrower span. Default: 0. */
      readonly rank?: number;
    } & Taxed)
  /** A place identified only by name, in upper case without punctuation, like `TaxAddress.city`. */
  | ({ readonly kind: 'city'; readonly city: string } & Taxed)
  /** The complete custom rules of the operator. */
  | { readonly kind: 'own'; readonly own: OwnRules }
  /** The beginning of a file, and the number of its rows. */
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'rows'; readonly count: number }
  /**
   * A row that the importer skips on purpose. `reason` is one of a few fixed strings, so that a summary can count them.
   */
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string }
  /** A row that is imported with a remark for the operator. `reason` is one of a few fixed strings. */
  | { readonly kind: 'remark'; readonly line: number; readonly reason: string }
  /** The first day from which the files are complete: rows that ended earlier may be missing. */
  | { readonly kind: 'complete_from'; readonly day: string }
  /** A sentence about the whole import, for the summary. */
  | { readonly kind: 'note'; readonly sentence: string }
  /** A bad row and how to correct it; `isOfFile` marks a problem of the whole file. */
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string; readonly isOfFile?: true };

/** Returns the entry for a row that contradicts the rate of an earlier row for the same days. */
export const secondRate = (line: number, name: string, earlier: { readonly line: number }): Entry => ({
  kind: 'bad',
  line,
  reason: `has a different rate for ${name} than line ${earlier.line} on the same days: correct one of them`,
});

export type Span = Extract<Entry, { kind: 'span' }>;
export type City = Extract<Entry, { kind: 'city' }>;

/** Returns the nine-digit range of a five-digit ZIP. */
export const wholeZip = (zip: string) => ({ kind: 'span', low: `${zip}0000`, high: `${zip}9999` }) as const;

/**
 * Entries that mark the place of a bad row as not covered, because their jurisdiction has no rate. If the row were
 * skipped, other rows would apply to the place, with too little tax.
 */
export const unknownPlace = (state: string, place: Omit<Span, 'locals'> | Omit<City, 'locals'>): readonly Entry[] => {
  const code = `US-${state}-UNKNOWN`;
  return [
    { kind: 'tax', jurisdiction: { code, name: 'Not established', type: 'district', tax_type: 'sales' }, rates: [] },
    { ...place, locals: [code] },
  ];
};

const listedMax = 20;

/** Joins the first twenty strings, followed by the number of further ones. */
export const listFirst = (texts: readonly string[], separator = ', '): string => {
  const more = texts.length - listedMax;
  return `${texts.slice(0, listedMax).join(separator)}${more > 0 ? `${separator}and ${more} more` : ''}`;
};
