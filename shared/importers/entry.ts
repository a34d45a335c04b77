/** An importer's output: a stream of entries in any order, so that a file of any length needs constant memory. */
import type { Location, OwnRules } from '../catalog/release.ts';
import type { Jurisdiction, Rate } from '../catalog/release-values.ts';
import type { StreetRange } from '../catalog/streets/street-ranges.ts';

/** Codes of the local jurisdictions that tax a place together; `[]` means that the place has no local tax. */
export type LocalSet = readonly string[];

/** Which addresses of its ZIPs or city an entry is limited to, and what its file leaves open about them. */
export type LocationFlags = Pick<
  Location,
  'within_city' | 'yields_to_city' | 'crosses_borders' | 'of_streets' | 'of_addresses'
>;

export type Entry =
  | { readonly kind: 'jurisdiction'; readonly jurisdiction: Jurisdiction }
  /** The rate of a jurisdiction, including the state; its evidence is the file's. */
  | { readonly kind: 'rate'; readonly rate: Omit<Rate, 'source' | 'confidence' | 'note'> }
  /** Nine-digit ZIPs, inclusive: `554010000` to `554019999` is the whole of 55401. Days are `YYYY-MM-DD`. */
  | {
      readonly kind: 'span';
      readonly low: string;
      readonly high: string;
      readonly from: string | null;
      readonly to: string | null;
      readonly locals: LocalSet;
      readonly flags?: LocationFlags;
      /** With the flag `of_streets`, the addresses that the span is limited to. */
      readonly street?: StreetRange;
      /** If two spans contain an address, the lower rank applies, then the narrower span. Default: 0. */
      readonly rank?: number;
    }
  /** A place that is known by its name alone, upper case and without punctuation, as `TaxAddress.city`. */
  | {
      readonly kind: 'city';
      readonly city: string;
      readonly from: string | null;
      readonly to: string | null;
      readonly locals: LocalSet;
      readonly flags?: LocationFlags;
    }
  /** The operator's own rules: all of them. */
  | { readonly kind: 'own'; readonly own: OwnRules }
  /** A file was read to its end. */
  | { readonly kind: 'file'; readonly name: string; readonly rows: number }
  /** A row that the importer skips on purpose. `reason` is one of a few texts, so that a summary can count them. */
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string }
  /** A row that is imported with a remark for the operator. `reason` is one of a few texts. */
  | { readonly kind: 'remark'; readonly line: number; readonly reason: string }
  /** The first day on which the files have every row: they may lack rows that ended before it. */
  | { readonly kind: 'complete_from'; readonly day: string }
  /** A sentence about the whole import, for the summary. */
  | { readonly kind: 'note'; readonly sentence: string }
  /** A wrong row and how to correct it; `isOfFile` marks a problem of the whole file. */
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string; readonly isOfFile?: true };

/** The entry of a row that repeats the rate of an earlier row, or gives another one for the same days. */
export const secondRate = (line: number, isSame: boolean, name: string, earlier: { readonly line: number }): Entry =>
  isSame
    ? { kind: 'skipped', line, reason: 'repeats another row' }
    : {
        kind: 'bad',
        line,
        reason: `has a different rate for ${name} than line ${earlier.line} on the same days: correct one of them`,
      };

export type Span = Extract<Entry, { kind: 'span' }>;
export type City = Extract<Entry, { kind: 'city' }>;

/** The addresses of a five-digit ZIP. */
export const wholeZip = (zip: string) => ({ kind: 'span', low: `${zip}0000`, high: `${zip}9999` }) as const;

/**
 * Entries that make the place of a bad row not covered, because their jurisdiction has no rate. If the row were skipped,
 * other rows would apply to the place, with too little tax.
 */
export const unknownPlace = (state: string, place: Omit<Span, 'locals'> | Omit<City, 'locals'>): readonly Entry[] => {
  const code = `US-${state}-UNKNOWN`;
  return [
    { kind: 'jurisdiction', jurisdiction: { code, name: 'Not established', type: 'district', tax_type: 'sales' } },
    { ...place, locals: [code] },
  ];
};

const listedMax = 20;

/** The first twenty of some texts in a sentence, and how many more there are. */
export const listFirst = (texts: readonly string[], separator = ', '): string => {
  const more = texts.length - listedMax;
  return `${texts.slice(0, listedMax).join(separator)}${more > 0 ? `${separator}and ${more} more` : ''}`;
};
