import { cityName } from '../../location/city-name.ts';
import type { Columns, HeadedRow } from '../files/headed-rows.ts';
import { readPercent } from '../fractions.ts';
import { bad, type RowResult, row, skipped } from '../row-result.ts';

export type WooColumn =
  | 'country'
  | 'state'
  | 'zips'
  | 'cities'
  | 'rate'
  | 'name'
  | 'priority'
  | 'compound'
  | 'taxClass';

const column = (required: boolean, ...headers: string[]) => ({ headers, required });

export const wooColumns: Columns<WooColumn> = {
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

/** Five-digit ZIPs, inclusive. */
export type ZipRange = readonly [low: string, high: string];

export type WooRate = {
  readonly line: number;
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

/** `78664`, `12345...12350`, `786*`; `null` of what is none. */
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

/** Read a row of WooCommerce's tax rates (content notes 2). Whether shipping is taxed the release's settings say. */
export const readWooRate = ({ cells, line }: HeadedRow<WooColumn>, state: string): RowResult<WooRate> => {
  const other = otherPlace(cells.country, cells.state, state);
  if (other !== null) return skipped(other);
  if (!/^(?:standard)?$/i.test(cells.taxClass)) return skipped('only the standard tax class is used');
  const rate = readPercent(cells.rate);
  if (rate === null) return bad(`rate ${cells.rate || '(none)'} is none: write a percentage (8.2500)`);
  if (cells.compound !== '' && cells.compound !== '0')
    return bad('is compound, which no sales tax is: give the rate that it comes to, and 0 in the column Compound');
  const priority = Number(cells.priority || '1');
  if (!Number.isSafeInteger(priority)) return bad(`priority ${cells.priority} is none: write a whole number`);
  const zips = isAll(cells.zips) ? null : list(cells.zips).map(zipRange);
  if (zips?.includes(null)) return bad(`ZIPs ${cells.zips} are none: write 78664; 78701...78705; 786*`);
  const cities = isAll(cells.cities) ? null : list(cells.cities).flatMap((city) => cityName(city) ?? []);
  return row({
    line,
    name: cells.name || 'Tax',
    rate,
    priority,
    hasState: !isAll(cells.state),
    zips: zips as readonly ZipRange[] | null,
    cities,
  });
};
