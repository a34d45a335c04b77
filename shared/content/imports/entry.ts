/** An importer's output: a stream of entries in any order, so that a file of any length needs constant memory. */
import type { Jurisdiction, Rate } from '../release.ts';

/** Codes of the local jurisdictions that tax a place together; `[]` means that the place has no local tax. */
export type LocalSet = readonly string[];

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
      /** Limits the span to addresses of this city, upper case and without punctuation. */
      readonly city?: string;
      /** A city of a `city` entry takes precedence over this span. With `city`, the span is of such a city. */
      readonly yieldsToCity?: true;
      /** Borders cross the ZIPs, and the file lacks the taxes beyond the borders. */
      readonly crossesBorders?: true;
      /** The set is of some street addresses in one ZIP. Levy does not look up streets, so any address there may have it. */
      readonly isOfStreets?: true;
      /** The file has only the state's rate for the ZIPs: local taxes may be missing. */
      readonly lacksLocals?: true;
      /** Of two spans that contain an address, the lower rank applies, then the narrower span. Default: 0. */
      readonly rank?: number;
    }
  /** A place that is known by its name alone, upper case and without punctuation, as `TaxAddress.city`. */
  | {
      readonly kind: 'city';
      readonly city: string;
      readonly from: string | null;
      readonly to: string | null;
      readonly locals: LocalSet;
      /** The set applies only with some ZIPs. With another ZIP the name contradicts it; without a ZIP there is no answer. */
      readonly isWithinZips?: true;
    }
  /** A file was read to its end. */
  | { readonly kind: 'file'; readonly name: string; readonly rows: number }
  /** A row that the importer skips on purpose. `reason` is one of a few texts, so that a summary can count them. */
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: string }
  /** A row that is imported with a remark for the operator. `reason` is one of a few texts. */
  | { readonly kind: 'remark'; readonly line: number; readonly reason: string }
  /** A sentence about the whole import, for the summary. */
  | { readonly kind: 'note'; readonly sentence: string }
  /** A wrong row and how to correct it; `isOfFile` marks a problem of the whole file. */
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string; readonly isOfFile?: true };
