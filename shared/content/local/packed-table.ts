/** The JSON that `npm run pack` makes of a state's local tables, and that functions load when an address of the state is seen. */

import type { Confidence, JurisdictionType } from '../release.ts';

/** A local tax: its code, name, level, kind (`null` for a plain one) and rate as a fraction (`0.0125`). */
export type PackedTax = readonly [
  code: string,
  name: string,
  type: Exclude<JurisdictionType, 'state'>,
  kind: string | null,
  rate: string,
];

/**
 * One taxed area: a county's remainder (`place` empty) or a place within a county. `taxes` are indexes of the table's
 * taxes, and `source` and `note` of its sources and notes; `null` taxes mean that the area's rate is not established. A place without a rate may have no county (empty).
 */
export type PackedArea = readonly [
  county: string,
  place: string,
  aliases: readonly string[],
  taxes: readonly number[] | null,
  from: string | null,
  source: number,
  confidence: Confidence,
  note: number | null,
];

export type PackedRates = {
  /** The state's two-digit federal code. */
  readonly fips: string;
  readonly counties: Readonly<Record<string, string>>;
  /** Pairs of key and citation. */
  readonly sources: readonly (readonly [key: string, citation: string])[];
  readonly taxes: readonly PackedTax[];
  readonly notes: readonly string[];
  readonly areas: readonly PackedArea[];
  /** Indexes of the areas that have a name or an alias with this base (`baseName`), in order. */
  readonly names: Readonly<Record<string, readonly number[]>>;
};

/** `061|119~New York|Bronx` by ZIP: counties of this state, main first, and postal places, main first. */
export type PackedZips = Readonly<Record<string, string>>;

/** What a rate table has, in counts. */
export type RateSummary = {
  /** The newest day of its sources; `null` where none says one. */
  readonly as_of: string | null;
  /** Whether no area has a local tax. */
  readonly is_untaxed: boolean;
  /** Areas with an established rate: places, and counties outside them. */
  readonly areas: number;
  /** Places that are known to have, or may have, a rate of their own. */
  readonly places: number;
  /** Those of them whose rate is not established. */
  readonly places_missing: number;
  /** Counties where the rate outside their places is not established. */
  readonly counties_missing: number;
};

/** The summaries of all editions, by their names. */
export type RateSummaries = Readonly<Record<string, RateSummary>>;
