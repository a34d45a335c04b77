import { getOrAdd } from '../../base/collections.ts';
import { cityName } from '../../catalog/local/place-names.ts';
import { stateCode } from '../../vocabulary/jurisdiction.ts';
import { bad, type HeadedRow, optional, type RowResult, row, skipped, text } from '../files/columns.ts';
import { readPercent } from '../fractions.ts';
import { assertFits, limits } from '../limits.ts';
import { foreignZip, foreignZips, indexFrom, touchesAny, zipsOfState } from '../zips.ts';

/**
 * The ten columns of an export, in its order. WooCommerce translates their names, and reads files by their order
 * (`csv_data_cols` and `WC_Tax_Rate_Importer` of woocommerce/woocommerce).
 */
export const wooColumns = {
  country: text('Country code', 'Country'),
  state: text('State code', 'State'),
  zips: text('Postcode / ZIP', 'ZIP/Postcode', 'Postcode'),
  cities: text('City'),
  rate: text('Rate %', 'Rate'),
  name: text('Tax name', 'Name'),
  priority: text('Priority'),
  compound: text('Compound'),
  shipping: optional(text('Shipping')),
  taxClass: optional(text('Tax class', 'Class')),
};

type WooRow = HeadedRow<typeof wooColumns>;

/** Five-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

export type WooRate = {
  readonly line: number;
  /** Whether the row is bad and only its place can be read. */
  readonly isBad: boolean;
  readonly name: string;
  /** A fraction. */
  readonly rate: string;
  /** Whether it applies on the price with the other taxes. */
  readonly isCompound: boolean;
  /** One rate of each priority applies. */
  readonly priority: number;
  readonly hasState: boolean;
  /** `null` is every ZIP. */
  readonly zips: readonly ZipRange[] | null;
  /** Upper case, without punctuation; `null` is every city. */
  readonly cities: readonly string[] | null;
};

const list = (text: string): readonly string[] =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * `78664`, `12345...12350`, `786*`; `null` if it is none of them. Leading zeros that a spreadsheet dropped are
 * restored.
 */
const zipRange = (text: string): ZipRange | null => {
  const start = /^(?<digits>\d{1,5})\*$/.exec(text)?.groups?.['digits'];
  if (start !== undefined) return [start.padEnd(5, '0'), start.padEnd(5, '9')];
  const ends = text.split(/\.{3}|…/).map((end) => end.trim());
  const [low = '', high = low] = ends.map((zip) => zip.padStart(5, '0'));
  return ends.length <= 2 && ends.every((zip) => /^\d{3,5}$/.test(zip)) && low <= high ? [low, high] : null;
};

/** Read a list of ZIPs. Those of other states are bad in a row that names the state, and left out otherwise. */
const readZips = (text: string, state: string, hasState: boolean): RowResult<readonly ZipRange[]> => {
  const parts = list(text);
  const found: ZipRange[] = [];
  for (const part of parts) {
    const range = zipRange(part);
    if (range === null) return bad(`ZIPs ${part} are not ZIP codes: write 78664; 78701...78705; 786*`);
    if (touchesAny(zipsOfState(state), ...range)) found.push(range);
    else if (hasState)
      return bad(
        /^\d+$/.test(part) ? foreignZip(part, state) : `ZIPs ${part} are not in ${state}: correct them or the state`,
      );
  }
  return found.length > 0 ? row(found) : skipped(foreignZips(state));
};

const isAll = (text: string): boolean => text === '' || text === '*';

/** Whether a row is of the state: a row of no other country, state or tax class. */
const readScope = ({ country, state: text, taxClass }: WooRow['cells'], state: string): RowResult<null> => {
  if (!isAll(country) && country.toUpperCase() !== 'US') return skipped('is not of the United States');
  const code = stateCode(text);
  if (!isAll(text) && code === null) return bad(`State code ${text} is not a state: write ${state}, for example`);
  if (!isAll(text) && code !== state) return skipped(`is not of ${state}`);
  return /^(?:standard)?$/i.test(taxClass) ? row(null) : skipped('only the standard tax class is used');
};

const placeOf = ({ cells, line }: WooRow) => ({
  line,
  name: cells.name || 'Tax',
  hasState: !isAll(cells.state),
  cities: isAll(cells.cities) ? null : list(cells.cities).flatMap((city) => cityName(city) ?? []),
});

/** The place of a bad row, as far as it can be read, without a rate. */
export const readBadWooRate = (row: WooRow): WooRate => {
  const { zips, priority: text } = row.cells;
  const priority = Number(text || '1');
  return {
    ...placeOf(row),
    isBad: true,
    rate: '0',
    isCompound: false,
    priority: Number.isSafeInteger(priority) ? priority : 1,
    zips: isAll(zips)
      ? null
      : list(zips)
          .map(zipRange)
          .filter((range) => range !== null),
  };
};

/** Read a row of WooCommerce's tax rates (content notes 2). The release's settings decide whether shipping is taxed. */
export const readWooRate = (headed: WooRow, state: string): RowResult<WooRate> => {
  const { cells } = headed;
  const scope = readScope(cells, state);
  if (scope.kind !== 'row') return scope;
  const rate = readPercent(cells.rate);
  if (rate === null) return bad(`rate ${cells.rate || '(none)'} is not a rate: write a percentage (8.2500)`);
  if (!/^[01]?$/.test(cells.compound)) return bad(`has ${cells.compound} in the column Compound: write 0 or 1`);
  const priority = Number(cells.priority || '1');
  if (!Number.isSafeInteger(priority))
    return bad(`priority ${cells.priority} is not a whole number: write 1, for example`);
  const place = placeOf(headed);
  const zips = isAll(cells.zips) ? row(null) : readZips(cells.zips, state, place.hasState);
  if (zips.kind !== 'row') return zips;
  return row({ ...place, isBad: false, rate, isCompound: cells.compound === '1', priority, zips: zips.value });
};

/** Which rates of a WooCommerce table apply at a place. */

/** A rate that matches a ZIP, and the width of its narrowest range with the ZIP; 0 without ranges. */
export type Match = { readonly rate: WooRate; readonly width: number };

/** Whether a rate applies to the whole state. */
export const isStateWide = ({ zips, cities }: WooRate): boolean => zips === null && cities === null;

/** A rate that is not matched by its ZIPs. */
export const anyZip = (rate: WooRate): Match => ({ rate, width: 0 });

/**
 * Negative if `a` is more specific. A row of the state precedes one without a state; then come rows with ZIPs and cities,
 * with ZIPs, with cities, and others; then rows of fewer ZIPs.
 */
const compare = ({ rate: a, width }: Match, { rate: b, width: otherWidth }: Match): number => {
  if (a.hasState !== b.hasState) return a.hasState ? -1 : 1;
  if ((a.zips === null) !== (b.zips === null)) return a.zips === null ? 1 : -1;
  if ((a.cities === null) !== (b.cities === null)) return a.cities === null ? 1 : -1;
  return width - otherWidth;
};

/** The more specific rate; of equal ones the earlier one in the file. */
const moreSpecific = (a: Match, b: Match): Match => ((compare(a, b) || a.rate.line - b.rate.line) <= 0 ? a : b);

const differ = (a: WooRate, b: WooRate): boolean => a.rate !== b.rate || a.isCompound !== b.isCompound;

/** How many locations WooCommerce counts for a row that matches. */
const countOf = ({ zips, cities }: WooRate): number => (zips && cities ? 1 : (zips ?? cities ?? []).length);

/**
 * Whether WooCommerce applies a row of a place instead of a different one of its priority: the row with more locations, then
 * the earlier one (`WC_Tax::sort_rates_callback`).
 */
const precedes = (a: WooRate, b: WooRate): boolean =>
  !isStateWide(a) && a.hasState === b.hasState && (countOf(a) - countOf(b) || b.line - a.line) > 0;

/** The rates that apply together at a place. */
export type Choice = {
  /** One for each priority, in their order. */
  readonly rates: readonly WooRate[];
  /** Two rates of one priority that differ and are as specific as each other. */
  readonly conflict: readonly [WooRate, WooRate] | null;
  /** Chosen rates instead of which WooCommerce applies a less specific one. */
  readonly overtaking: readonly WooRate[];
};

/** Choose the most specific of the matching rates of each priority. Takes linear time: a hostile table has many rows for a place. */
const choose = (matching: readonly Match[]): Choice => {
  const firsts = new Map<number, Match>();
  for (const match of matching) {
    const first = firsts.get(match.rate.priority);
    firsts.set(match.rate.priority, first ? moreSpecific(first, match) : match);
  }
  const rivals = new Map<number, Match>();
  const overtaken = new Set<number>();
  for (const match of matching) {
    const { priority } = match.rate;
    const first = firsts.get(priority) as Match;
    if (!differ(match.rate, first.rate)) continue;
    if (precedes(match.rate, first.rate)) overtaken.add(priority);
    if (compare(match, first) !== 0) continue;
    const rival = rivals.get(priority);
    rivals.set(priority, rival ? moreSpecific(rival, match) : match);
  }
  const chosen = [...firsts].toSorted(([a], [b]) => a - b);
  const [conflict = null] = chosen.flatMap(([priority, { rate }]) => {
    const rival = rivals.get(priority);
    return rival ? [[rate, rival.rate] as const] : [];
  });
  return {
    rates: chosen.map(([, { rate }]) => rate),
    conflict,
    overtaking: chosen.filter(([priority]) => overtaken.has(priority)).map(([, { rate }]) => rate),
  };
};

export type Choose = (matching: readonly Match[]) => Choice;

/** Returns the function that chooses for each place of a table. It throws if the places have too many rows together. */
export const newChoose = (): Choose => {
  let rows = 0;
  return (matching) => {
    rows += matching.length;
    assertFits(rows, limits.rowsOfPlaces, 'rows that apply to a place, summed over all places');
    return choose(matching);
  };
};

/** Matches by the cities that their rows name, so that the rows of other cities are not read for each city. */
export class MatchesByCity {
  private readonly ofAll: readonly Match[];
  private readonly byCity = new Map<string, Match[]>();

  constructor(matches: readonly Match[]) {
    this.ofAll = matches.filter(({ rate: { cities } }) => cities === null);
    for (const match of matches)
      for (const city of new Set(match.rate.cities)) {
        getOrAdd(this.byCity, city, () => []).push(match);
      }
  }

  /** All cities that rows name. */
  cities(): ReadonlySet<string> {
    return new Set(this.byCity.keys());
  }

  /** The rows that apply in a city; `null` is a city that no row names. */
  in(city: string | null): readonly Match[] {
    return [...this.ofAll, ...((city === null ? undefined : this.byCity.get(city)) ?? [])];
  }
}

/** The rates with ZIPs by the ZIPs of the state that they match. */
export const matchesByZip = (rates: readonly WooRate[], state: string): ReadonlyMap<string, readonly Match[]> => {
  const found = new Map<string, Match[]>();
  const zips = zipsOfState(state);
  let named = 0;
  const add = (rate: WooRate, low: string, high: string): void => {
    const width = Number(high) - Number(low);
    const touched = zips.slice(indexFrom(zips, low), indexFrom(zips, `${high}~`));
    named += touched.length + 1;
    assertFits(named, limits.heldZips, 'ZIP codes in all rows together');
    for (const zip of touched) {
      const matches = getOrAdd(found, zip, () => []);
      const last = matches.at(-1);
      // Two ranges of one row may have the same ZIP.
      if (last?.rate === rate) matches[matches.length - 1] = { rate, width: Math.min(width, last.width) };
      else matches.push({ rate, width });
    }
  };
  for (const rate of rates) for (const [low, high] of rate.zips ?? []) add(rate, low, high);
  return found;
};
