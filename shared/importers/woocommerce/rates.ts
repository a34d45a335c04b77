import { getOrAdd } from '../../base/collections.ts';
import { cityName } from '../../catalog/local/place-names.ts';
import { stateCode } from '../../vocabulary/jurisdiction.ts';
import { bad, column, type HeadedRow, type RowResult, row, skipped } from '../files/columns.ts';
import { readPercent } from '../fractions.ts';
import { assertFits, limits } from '../limits.ts';
import { foreignZip, foreignZips, indexFrom, touchesAny, zipsOfState } from '../zips.ts';

/**
 * The ten columns of an export, in order. WooCommerce translates their names and reads files by position
 * (`csv_data_cols` and `WC_Tax_Rate_Importer` of woocommerce/woocommerce).
 */
export const wooColumns = {
  country: column.text('Country code', 'Country'),
  state: column.text('State code', 'State'),
  zips: column.text('Postcode / ZIP', 'ZIP/Postcode', 'Postcode'),
  cities: column.text('City'),
  rate: column.text('Rate %', 'Rate'),
  name: column.text('Tax name', 'Name'),
  priority: column.text('Priority'),
  compound: column.text('Compound'),
  shipping: column.optional(column.text('Shipping')),
  taxClass: column.optional(column.text('Tax class', 'Class')),
};

type WooRow = HeadedRow<typeof wooColumns>;

/** Five-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

export type WooRate = {
  readonly line: number;
  /** Whether the row is bad, so that only its place can be read. */
  readonly isBad: boolean;
  readonly name: string;
  /** The rate as a fraction. */
  readonly rate: string;
  /** Whether the rate applies to the price including the other taxes. */
  readonly isCompound: boolean;
  /** Only one rate of each priority applies. */
  readonly priority: number;
  readonly hasState: boolean;
  /** `null`: every ZIP. */
  readonly zips: readonly ZipRange[] | null;
  /** Upper case, without punctuation; `null`: every city. */
  readonly cities: readonly string[] | null;
};

const list = (text: string): readonly string[] =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Reads `78664`, `12345...12350` or `786*`; returns `null` for any other form. Restores leading zeros that a
 * spreadsheet dropped.
 */
const zipRange = (text: string): ZipRange | null => {
  const start = /^(?<digits>\d{1,5})\*$/.exec(text)?.groups?.['digits'];
  if (start !== undefined) return [start.padEnd(5, '0'), start.padEnd(5, '9')];
  const ends = text.split(/\.{3}|…/).map((end) => end.trim());
  const [low = '', high = low] = ends.map((zip) => zip.padStart(5, '0'));
  return ends.length <= 2 && ends.every((zip) => /^\d{3,5}$/.test(zip)) && low <= high ? [low, high] : null;
};

/** Reads a list of ZIPs. A ZIP of a different state is an error if the row has a state, and is left out otherwise. */
const readZips = (text: string, state: string, hasState: boolean): RowResult<readonly ZipRange[]> => {
  const parts = list(text);
  const found: ZipRange[] = [];
  for (const part of parts) {
    const range = zipRange(part);
    if (range === null) return bad(`ZIPs ${part} are not ZIP codes: write 78664; 78701...78705; 786*`);
    if (touchesAny(zipsOfState(state), ...range)) found.push(range);
    else if (hasState)
      return bad(
        /^\d+$/.test(part)
          ? foreignZip(part, state)
          : `ZIPs ${part} are not in ${state}: correct the ZIPs or the state`,
      );
  }
  return found.length > 0 ? row(found) : skipped(foreignZips(state));
};

const isAll = (text: string): boolean => text === '' || text === '*';

/** Skips rows of other countries, states and tax classes. */
const readScope = ({ country, state: text, taxClass }: WooRow['cells'], state: string): RowResult<null> => {
  if (!isAll(country) && country.toUpperCase() !== 'US') return skipped('is not for the United States');
  const code = stateCode(text);
  if (!isAll(text) && code === null) return bad(`State code ${text} is not a state: write ${state}, for example`);
  if (!isAll(text) && code !== state) return skipped(`is not for ${state}`);
  return /^(?:standard)?$/i.test(taxClass) ? row(null) : skipped('only the standard tax class is used');
};

const buildPlace = ({ cells, line }: WooRow) => ({
  line,
  name: cells.name || 'Tax',
  hasState: !isAll(cells.state),
  cities: isAll(cells.cities) ? null : list(cells.cities).flatMap((city) => cityName(city) ?? []),
});

/** Returns the place of a bad row, as far as it can be read, without a rate. */
export const readBadWooRate = (row: WooRow): WooRate => {
  const { zips, priority: text } = row.cells;
  const priority = Number(text || '1');
  return {
    ...buildPlace(row),
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

/** Reads a row of WooCommerce's tax rates. The release's settings decide whether shipping is taxed. */
export const readWooRate = (headed: WooRow, state: string): RowResult<WooRate> => {
  const { cells } = headed;
  const scope = readScope(cells, state);
  if (scope.kind !== 'row') return scope;
  const rate = readPercent(cells.rate);
  if (rate === null)
    return bad(`rate ${cells.rate || '(none)'} is not a valid rate: write a percentage, such as 8.2500`);
  if (!/^[01]?$/.test(cells.compound)) return bad(`has ${cells.compound} in column Compound: write 0 or 1`);
  const priority = Number(cells.priority || '1');
  if (!Number.isSafeInteger(priority))
    return bad(`priority ${cells.priority} is not a whole number: write a number such as 1`);
  const place = buildPlace(headed);
  const zips = isAll(cells.zips) ? row(null) : readZips(cells.zips, state, place.hasState);
  if (zips.kind !== 'row') return zips;
  return row({ ...place, isBad: false, rate, isCompound: cells.compound === '1', priority, zips: zips.value });
};

/** Selects the rates of a WooCommerce table that apply at a place. */

/** A rate that matches a ZIP, and the width of its narrowest range that contains the ZIP; 0 without ranges. */
export type Match = { readonly rate: WooRate; readonly width: number };

/** Returns whether a rate applies to the whole state. */
export const isStateWide = ({ zips, cities }: WooRate): boolean => zips === null && cities === null;

/**
 * Returns a negative number if `a` is more specific. A row with a state precedes one without. Next come rows with ZIPs
 * and cities, with ZIPs only, with cities only, and with neither; then rows with fewer ZIPs.
 */
const compare = ({ rate: a, width }: Match, { rate: b, width: otherWidth }: Match): number => {
  if (a.hasState !== b.hasState) return a.hasState ? -1 : 1;
  if ((a.zips === null) !== (b.zips === null)) return a.zips === null ? 1 : -1;
  if ((a.cities === null) !== (b.cities === null)) return a.cities === null ? 1 : -1;
  return width - otherWidth;
};

const differ = (a: WooRate, b: WooRate): boolean => a.rate !== b.rate || a.isCompound !== b.isCompound;

/** Returns the number of locations that WooCommerce counts for a matching row. */
const getCount = ({ zips, cities }: WooRate): number => (zips && cities ? 1 : (zips ?? cities ?? []).length);

/**
 * Returns whether WooCommerce prefers row `a` over row `b` of the same priority: the row with more locations, then the
 * earlier one (`WC_Tax::sort_rates_callback`).
 */
const precedes = (a: WooRate, b: WooRate): boolean =>
  !isStateWide(a) && a.hasState === b.hasState && (getCount(a) - getCount(b) || b.line - a.line) > 0;

/** Chooses the most specific matching rate of each priority; on a tie, the earlier one in the file. */
const choose = (matching: readonly Match[]) => {
  const byPriority = [...Map.groupBy(matching, ({ rate }) => rate.priority)].toSorted(([a], [b]) => a - b);
  const chosen = byPriority.map(([, members]) => {
    const sorted = members.toSorted((a, b) => compare(a, b) || a.rate.line - b.rate.line);
    const [first, ...others] = sorted as [Match, ...Match[]];
    const different = others.filter((other) => differ(other.rate, first.rate));
    return {
      rate: first.rate,
      rival: different.find((other) => compare(other, first) === 0)?.rate,
      isOvertaken: different.some((other) => precedes(other.rate, first.rate)),
    };
  });
  const [conflict = null] = chosen.flatMap(({ rate, rival }) => (rival ? [[rate, rival] as const] : []));
  return {
    /** The chosen rates, one per priority, sorted by priority. */
    rates: chosen.map(({ rate }) => rate),
    /** Two equally specific rates of one priority that differ. */
    conflict,
    /** Chosen rates that WooCommerce itself would replace with a less specific rate. */
    overtaking: chosen.flatMap(({ rate, isOvertaken }) => (isOvertaken ? [rate] : [])),
  };
};
/** The rates that apply together at a place. */
export type Choice = ReturnType<typeof choose>;

export type Choose = (matching: readonly Match[]) => Choice;

/**
 * Returns the function that chooses the rates of each place in a table. It throws if the places have too many rows in
 * total.
 */
export const newChoose = (): Choose => {
  let rows = 0;
  return (matching) => {
    rows += matching.length;
    assertFits(rows, limits.rowsOfPlaces, 'rows that apply to a place, summed over all places');
    return choose(matching);
  };
};

/** Indexes matches by city, so that a city's lookup does not read the rows of other cities. */
export const indexByCity = (matches: readonly Match[]) => {
  const ofAll = matches.filter(({ rate: { cities } }) => cities === null);
  const byCity = new Map<string, Match[]>();
  for (const match of matches)
    for (const city of new Set(match.rate.cities)) getOrAdd(byCity, city, () => []).push(match);
  return {
    /** The cities that any row names. */
    cities: new Set(byCity.keys()),
    /** Returns the rows that apply in a city; `null` is a city that is in no row. */
    in: (city: string | null): readonly Match[] => [...ofAll, ...(byCity.get(city ?? '') ?? [])],
  };
};
export type MatchesByCity = ReturnType<typeof indexByCity>;

/** Groups the rates that have ZIPs by the ZIPs of the state that they match. */
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
      // Two ranges of one row can contain the same ZIP.
      if (last?.rate === rate) matches[matches.length - 1] = { rate, width: Math.min(width, last.width) };
      else matches.push({ rate, width });
    }
  };
  for (const rate of rates) for (const [low, high] of rate.zips ?? []) add(rate, low, high);
  return found;
};
