import { cityName } from '../../catalog/location/city-name.ts';
import { stateCode } from '../../vocabulary/jurisdiction.ts';
import { bad, type HeadedRow, optional, type RowResult, row, skipped, text } from '../files/columns.ts';
import { readPercent } from '../fractions.ts';
import { foreignZip, foreignZips, touchesAny, zipsOfState } from '../zips.ts';

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
