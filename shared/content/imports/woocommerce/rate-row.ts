import { cityName } from '../../location/city-name.ts';
import { column, type HeadedRow } from '../files/headed-rows.ts';
import { bad, type RowResult, row, skipped } from '../files/read-rows.ts';
import { readPercent } from '../fractions.ts';

export const wooColumns = {
  country: column(true, 'Country code', 'Country'),
  state: column(true, 'State code', 'State'),
  zips: column(true, 'Postcode / ZIP', 'ZIP/Postcode', 'Postcode'),
  cities: column(true, 'City'),
  rate: column(true, 'Rate %', 'Rate'),
  name: column(true, 'Tax name', 'Name'),
  priority: column(true, 'Priority'),
  compound: column(true, 'Compound'),
  taxClass: column(false, 'Tax class', 'Class'),
};

type WooRow = HeadedRow<keyof typeof wooColumns>;

/** Five-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

export type WooRate = {
  readonly line: number;
  /** Whether it is a bad row of which only the place can be read. */
  readonly isBad: boolean;
  readonly name: string;
  /** A fraction. */
  readonly rate: string;
  /** Of one priority, one rate applies. */
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

/** `78664`, `12345...12350`, `786*`; `null` if it is not a ZIP. */
const zipRange = (text: string): ZipRange | null => {
  const [low = '', high = low] = text.split(/\s*\.\.\.\s*/);
  if (/^\d{1,4}\*$/.test(text)) return [text.slice(0, -1).padEnd(5, '0'), text.slice(0, -1).padEnd(5, '9')];
  return [low, high].every((zip) => /^\d{5}$/.test(zip)) && low <= high ? [low, high] : null;
};

const isAll = (text: string): boolean => text === '' || text === '*';

const otherPlace = (country: string, stateText: string, state: string): string | null => {
  if (!isAll(country) && country.toUpperCase() !== 'US') return 'is not of the United States';
  return isAll(stateText) || stateText.toUpperCase() === state ? null : `is not of ${state}`;
};

const placeOf = ({ cells, line }: WooRow) => ({
  line,
  name: cells.name || 'Tax',
  hasState: !isAll(cells.state),
  zips: isAll(cells.zips) ? null : list(cells.zips).map(zipRange),
  cities: isAll(cells.cities) ? null : list(cells.cities).flatMap((city) => cityName(city) ?? []),
});

const isWhole = (zips: readonly (ZipRange | null)[] | null): zips is readonly ZipRange[] | null =>
  !zips?.includes(null);

/** The place of a bad row, without a rate; `null` if the place cannot be read either. */
export const readBadWooRate = (row: WooRow): WooRate | null => {
  const { zips, ...place } = placeOf(row);
  if (!isWhole(zips)) return null;
  const priority = Number(row.cells.priority || '1');
  return {
    ...place,
    isBad: true,
    rate: '0',
    priority: Number.isSafeInteger(priority) ? priority : 1,
    zips,
  };
};

/** Read a row of WooCommerce's tax rates (content notes 2). The release's settings decide whether shipping is taxed. */
export const readWooRate = (headed: WooRow, state: string): RowResult<WooRate> => {
  const { cells } = headed;
  const other = otherPlace(cells.country, cells.state, state);
  if (other !== null) return skipped(other);
  if (!/^(?:standard)?$/i.test(cells.taxClass)) return skipped('only the standard tax class is used');
  const rate = readPercent(cells.rate);
  if (rate === null) return bad(`rate ${cells.rate || '(none)'} is not a rate: write a percentage (8.2500)`);
  if (cells.compound !== '' && cells.compound !== '0')
    return bad('is compound, which no sales tax is: give the rate that it comes to, and 0 in the column Compound');
  const priority = Number(cells.priority || '1');
  if (!Number.isSafeInteger(priority))
    return bad(`priority ${cells.priority} is not a whole number: write 1, for example`);
  const { zips, ...place } = placeOf(headed);
  if (!isWhole(zips)) return bad(`ZIPs ${cells.zips} are not ZIP codes: write 78664; 78701...78705; 786*`);
  return row({ ...place, isBad: false, rate, priority, zips });
};

/** WooCommerce's order of the rates of one priority: a row of the state, of fewer ZIPs, of fewer cities, then the file's order. */
export const bySpecificity = (a: WooRate, b: WooRate): number =>
  Number(b.hasState) - Number(a.hasState) ||
  (a.zips?.length ?? Number.MAX_SAFE_INTEGER) - (b.zips?.length ?? Number.MAX_SAFE_INTEGER) ||
  (a.cities?.length ?? Number.MAX_SAFE_INTEGER) - (b.cities?.length ?? Number.MAX_SAFE_INTEGER) ||
  a.line - b.line;

/** The rates that apply together in a city, one per priority. `null` is a city that no row names. */
export const ratesIn = (sorted: readonly WooRate[], city: string | null): readonly WooRate[] => {
  const chosen = new Map<number, WooRate>();
  for (const rate of sorted) {
    const matches = rate.cities === null || (city !== null && rate.cities.includes(city));
    if (matches && !chosen.has(rate.priority)) chosen.set(rate.priority, rate);
  }
  return [...chosen.values()].toSorted((a, b) => a.priority - b.priority);
};
