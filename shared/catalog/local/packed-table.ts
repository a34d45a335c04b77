/**
 * The format of a state's packed local tables. `npm run pack` writes it, and functions load it at the first address in
 * the state.
 */

import { assert } from '../../base/assert.ts';
import type { Evidence, JurisdictionType } from '../release-values.ts';

/** A local tax: its code, name, level, kind (`null` if none) and rate as a fraction (`0.0125`). */
export type LocalTax = {
  readonly code: string;
  readonly name: string;
  readonly type: Exclude<JurisdictionType, 'state'>;
  readonly kind: string | null;
  readonly rate: string;
};

/**
 * The taxes of an area during a period, inclusive. `to: null`: until the next period begins. `taxes` are offsets and
 * `evidence` is an index into the table. `taxes: null`: the rate is not established.
 */
export type PackedPeriod = {
  readonly taxes: readonly number[] | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly evidence: number;
};

/**
 * A taxed area: a county's remainder (`place` is empty) or a place within a county, with the place's aliases and its
 * periods, oldest first. `county` can be empty for a place whose rate is not established.
 */
export type PackedArea = {
  readonly county: string;
  readonly place: string;
  readonly aliases: readonly string[];
  readonly periods: readonly [PackedPeriod, ...PackedPeriod[]];
};

/**
 * Taxes, areas and names are stored as lines of text, because parsing all of them would dominate the first calculation.
 * An offset is the position of a line's first character.
 */
export type PackedRates = {
  /** The state's two-digit FIPS code. */
  readonly fips: string;
  /** True if no area has a local tax and every rate is established. */
  readonly is_untaxed: boolean;
  readonly counties: Readonly<Record<string, string>>;
  /** The offset of each county's remainder, or of its only place. */
  readonly remainders: Readonly<Record<string, number>>;
  /** For each source: its key, its citation, its as-of date, and the date by which a newer one is due (`Published`). */
  readonly sources: readonly (readonly [key: string, citation: string, as_of: string, due: string])[];
  readonly evidence: readonly Evidence[];
  /** `US-MN-00-053~Hennepin County~county~~0.0015`: see `LocalTax`. */
  readonly taxes: string;
  /**
   * `053~Minneapolis~~310 1422~2023-10-01~~0`: see `PackedArea`, with four fields per period. `-` is untaxed; an empty
   * field is a rate that is not established.
   */
  readonly areas: string;
  /** `MINNEAPOLIS~120 4010`: offsets of the areas with a name or an alias that has this key (`nameKey`). Sorted. */
  readonly names: string;
};

/**
 * `30339~34292~067:98|121:2~Atlanta=Atl:1|Sandy Springs:1|Vinings`: the ZIP's residents, counties and postal names, as
 * in the columns of the text table. Sorted by ZIP.
 */
export type PackedZips = string;

const writeLine = (fields: readonly (string | number | null)[]): string => {
  const line = fields.map((field) => field ?? '').join('~');
  assert(line.split('~').length === fields.length, `a field contains a tilde: ${line}`);
  return line;
};

/** Converts a list of offsets to text and back. */
export const writeOffsets = (offsets: readonly number[]): string => offsets.join(' ');
export const readOffsets = (text: string): readonly number[] => text.split(' ').map(Number);

/** Returns the offset of each line after the lines are joined with line feeds. */
export const listOffsets = (lines: readonly string[]): readonly number[] => {
  let offset = 0;
  return lines.map((line) => {
    const own = offset;
    offset += line.length + 1;
    return own;
  });
};

const lineEnd = (lines: string, offset: number): number => {
  const end = lines.indexOf('\n', offset);
  return end === -1 ? lines.length : end;
};

const lineAt = (lines: string, offset: number): string => lines.slice(offset, lineEnd(lines, offset));

/**
 * The suffix of a tax name if the split of the tax is unknown. Packed names replace it with `*`, because most of them
 * contain it.
 */
export const combinedSuffix = ' (combined local rate)';

const shortName = (name: string): string =>
  name.endsWith(combinedSuffix) ? `${name.slice(0, -combinedSuffix.length)}*` : name;
const fullName = (name: string): string => (name.endsWith('*') ? name.slice(0, -1) + combinedSuffix : name);

/** Converts a tax to its line, and the line at an offset back to a tax. */
export const writeTax = ({ code, name, type, kind, rate }: LocalTax): string =>
  writeLine([code, shortName(name), type, kind, rate]);
export const readTax = (taxes: string, offset: number): LocalTax => {
  const [code = '', name = '', type, kind = '', rate = ''] = lineAt(taxes, offset).split('~');
  return { code, name: fullName(name), type: type as LocalTax['type'], kind: kind || null, rate };
};

const untaxed = '-';
// Shared, because a table has thousands of areas.
const none: readonly never[] = [];

const writePeriod = ({ taxes, from, to, evidence }: PackedPeriod) => [
  taxes === null ? null : writeOffsets(taxes) || untaxed,
  from,
  to,
  evidence,
];
const readPeriod = ([taxes = '', from = '', to = '', evidence]: readonly string[]): PackedPeriod => ({
  taxes: taxes === '' ? null : taxes === untaxed ? none : readOffsets(taxes),
  from: from || null,
  to: to || null,
  evidence: Number(evidence),
});
const periodFields = 4;

/** Converts an area to its line, and the line at an offset back to an area. */
export const writeArea = ({ county, place, aliases, periods }: PackedArea): string =>
  writeLine([county, place, aliases.join('|'), ...periods.flatMap(writePeriod)]);
export const readArea = (areas: string, offset: number): PackedArea => {
  const [county = '', place = '', aliases = '', ...fields] = lineAt(areas, offset).split('~');
  const first = readPeriod(fields);
  const others: PackedPeriod[] = [];
  for (let at = periodFields; at < fields.length; at += periodFields) others.push(readPeriod(fields.slice(at)));
  return { county, place, aliases: aliases === '' ? none : aliases.split('|'), periods: [first, ...others] };
};

/**
 * Converts a rate table to text and back: JSON for the small parts, then taxes, areas and names, each after a form
 * feed.
 */
export const writeRates = ({ taxes, areas, names, ...small }: PackedRates): string =>
  [JSON.stringify(small), taxes, areas, names].join('\f');
export const readRates = (text: string): PackedRates => {
  const [small = '', taxes = '', areas = '', names = ''] = text.split('\f');
  return { ...JSON.parse(small), taxes, areas, names };
};

/**
 * Finds the line that starts with `key` and `~` by binary search and returns the rest of it; `undefined` if there is
 * none.
 */
export const findLine = (sortedLines: string, key: string): string | undefined => {
  const start = `${key}~`;
  let [low, high] = [0, sortedLines.length];
  while (low < high) {
    const from = sortedLines.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const own = sortedLines.slice(from, from + start.length);
    if (own === start) return lineAt(sortedLines, from + start.length);
    if (own < start) low = lineEnd(sortedLines, from) + 1;
    else high = from;
  }
  return undefined;
};

/** Counts for a rate table. */
export type RateSummary = {
  /**
   * How many areas have their newest rate from sources published on each date (`Published`). Empty dates are unknown.
   */
  readonly ages: readonly { readonly as_of: string; readonly due: string; readonly areas: number }[];
  /** True if no area has a local tax. */
  readonly is_untaxed: boolean;
  /** Areas with an established rate: places and county remainders. */
  readonly areas: number;
  /** Places that have, or could have, a different rate from their county. */
  readonly places: number;
  /** Areas whose rate is not established. */
  readonly places_missing: number;
  /** Counties whose remainder has no established rate. */
  readonly counties_missing: number;
  /** The mean over all ZIP codes of the local rate that an address without a city is charged, as a fraction. */
  readonly average_rate: string;
};
