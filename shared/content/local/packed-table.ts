/** The JSON that `npm run pack` makes of a state's local tables, and that functions load when an address of the state is seen. */

import { assert } from '../../assert.ts';
import type { Confidence, JurisdictionType } from '../release.ts';

/** A local tax: its code, name, level, kind (`null` for a plain one) and rate as a fraction (`0.0125`). */
export type LocalTax = {
  readonly code: string;
  readonly name: string;
  readonly type: Exclude<JurisdictionType, 'state'>;
  readonly kind: string | null;
  readonly rate: string;
};

/**
 * One taxed area: a county's remainder (`place` empty) or a place within a county. `taxes`, `source` and `note` are
 * indexes in the table. `taxes: null` means that the area's rate is not established. A place without a rate may have no
 * county (empty).
 */
export type PackedArea = {
  readonly county: string;
  readonly place: string;
  readonly aliases: readonly string[];
  readonly taxes: readonly number[] | null;
  readonly from: string | null;
  readonly source: number | null;
  readonly confidence: Confidence;
  readonly note: number | null;
};

/** Taxes, areas and the indexes of `names` are lines of text, so that a function parses only those that it needs. */
export type PackedRates = {
  /** The state's two-digit federal code. */
  readonly fips: string;
  readonly has_places: boolean;
  /** Whether no area has a local tax, and no rate is missing. */
  readonly is_untaxed: boolean;
  readonly counties: Readonly<Record<string, string>>;
  /** Pairs of key and citation. */
  readonly sources: readonly (readonly [key: string, citation: string])[];
  /** `US-MN-00-053~Hennepin County~county~~0.0015`: see `LocalTax`. */
  readonly taxes: readonly string[];
  readonly notes: readonly string[];
  /** `053~Minneapolis~~3 14~2023-10-01~0~high~`: see `PackedArea`. Untaxed is `-`, and a rate not established is empty. */
  readonly areas: readonly string[];
  /** Indexes of the areas that have a name or an alias with this key (`nameKey`), in order: `12 40`. */
  readonly names: Readonly<Record<string, string>>;
};

const lineOf = (fields: readonly (string | number | null)[]): string => {
  const line = fields.map((field) => field ?? '').join('~');
  assert(line.split('~').length === fields.length, `no field has a tilde: ${line}`);
  return line;
};

const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

/** A list of indexes as text, and back. */
export const writeIndexes = (indexes: readonly number[]): string => indexes.join(' ');
export const readIndexes = (text: string): readonly number[] => text.split(' ').map(Number);

/** A tax as its line, and back. */
export const writeTax = ({ code, name, type, kind, rate }: LocalTax): string => lineOf([code, name, type, kind, rate]);
export const readTax = (line: string): LocalTax => {
  const [code = '', name = '', type, kind = '', rate = ''] = line.split('~');
  return { code, name, type: type as LocalTax['type'], kind: kind || null, rate };
};

const untaxed = '-';

/** An area as its line, and back. */
export const writeArea = ({ county, place, aliases, taxes, from, source, confidence, note }: PackedArea): string => {
  const taxText = taxes === null ? null : writeIndexes(taxes) || untaxed;
  return lineOf([county, place, aliases.join('|'), taxText, from, source, confidence, note]);
};
export const readArea = (line: string): PackedArea => {
  const [county = '', place = '', aliases = '', taxes = '', from = '', source = '', confidence, note = ''] =
    line.split('~');
  return {
    county,
    place,
    aliases: aliases === '' ? [] : aliases.split('|'),
    taxes: taxes === '' ? null : taxes === untaxed ? [] : readIndexes(taxes),
    from: from || null,
    source: numberOf(source),
    confidence: confidence as Confidence,
    note: numberOf(note),
  };
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
