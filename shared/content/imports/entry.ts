/**
 * What every importer makes of a file: one entry after another, in any order, so that a file of any length passes
 * through a bounded memory. `build.ts` turns entries into a release.
 */
import type { Jurisdiction, Rate } from '../release.ts';

/** Codes of the jurisdictions below the state that tax a place together; `[]` is no local tax, which is an answer. */
export type LocalSet = readonly string[];

export type Entry =
  | { readonly kind: 'jurisdiction'; readonly jurisdiction: Jurisdiction }
  /** The rate of a jurisdiction, the state's too; its evidence is the file's. */
  | { readonly kind: 'rate'; readonly rate: Omit<Rate, 'source' | 'confidence' | 'note'> }
  /** Nine-digit ZIPs, inclusive: `554010000` to `554019999` is the whole of 55401. Days are `YYYY-MM-DD`. */
  | {
      readonly kind: 'span';
      readonly low: string;
      readonly high: string;
      readonly from: string | null;
      readonly to: string | null;
      readonly locals: LocalSet;
      /** Of the ZIPs only the addresses of this city, upper case and without punctuation. */
      readonly city?: string;
      /** A city of a `city` entry comes before this; with `city`, it is one itself. */
      readonly yieldsToCity?: true;
      /** Borders cross the ZIPs, and of the taxes beyond these the file says nothing. */
      readonly crossesBorders?: true;
      /**
       * The set is that of some street addresses within one ZIP, and no look-up reads streets: any address there may have it.
       */
      readonly isOfStreets?: true;
      /** Nothing but the state's rate is said of the ZIPs: local taxes may be missing. */
      readonly lacksLocals?: true;
      /** Of two spans that hold an address the lower rank is asked first, then the narrower span; 0 where none is said. */
      readonly rank?: number;
    }
  /** A place that is known by its name alone, upper case and without punctuation, as `TaxAddress.city`. */
  | {
      readonly kind: 'city';
      readonly city: string;
      readonly from: string | null;
      readonly to: string | null;
      readonly locals: LocalSet;
      /** It has this only together with some ZIPs: beside others its name is a contradiction, and without one no answer. */
      readonly isWithinZips?: true;
    }
  /** A file was read to its end. */
  | { readonly kind: 'file'; readonly name: string; readonly rows: number }
  /** A row that the importer leaves out on purpose, and why: one of few reasons, so that a summary can count them. */
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string }
  /** A row that is kept, and what the person who imports it should know of it: one of few reasons. */
  | { readonly kind: 'remark'; readonly line: number; readonly reason: string }
  /** A sentence about the whole, for the summary. */
  | { readonly kind: 'note'; readonly sentence: string }
  /** A row that cannot be what it should be, and what to do about it; or `isOfFile`, what is wrong with the file as a whole. */
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string; readonly isOfFile?: true };
