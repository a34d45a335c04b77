import { compactDay } from '../../catalog/days.ts';
import type { Rate } from '../../catalog/release-values.ts';
import { bad, type RowResult, row, skipped } from '../files/columns.ts';
import { readFraction } from '../fractions.ts';
import { type LayerKey, layerKey } from './layers.ts';
import type { StateExceptions } from './state-exceptions.ts';

const rateColumns = 9;

/** The last days that states write for open-ended rows. */
const openEnds: ReadonlySet<string> = new Set(['29991231', '99991231', '20991231']);

/** Read the dates of a row, inclusive; an open end is `null`. */
export const rowDates = (begin: string, end: string): RowResult<{ from: string; to: string | null }> => {
  const from = compactDay(begin);
  const to = openEnds.has(end) ? null : compactDay(end);
  if (from === null || (to === null && !openEnds.has(end)))
    return bad(`dates ${begin || '(none)'} to ${end || '(none)'} are not dates: write them as YYYYMMDD`);
  return to !== null && to < from ? skipped('ends before it begins') : row({ from, to });
};

/** The key of the state itself; other rows of its type are location codes. */
export const stateKey = (fips: string): LayerKey => `45-${fips.padStart(5, '0')}`;

export type RateRow = {
  readonly key: LayerKey;
  readonly rate: Omit<Rate, 'jurisdiction' | 'source' | 'confidence' | 'note'>;
};

/** Intrastate and interstate rates, general and on food and drugs; a blank cell repeats its neighbour. */
const ratesOf = (cells: readonly string[]): Pick<Rate, 'rate' | 'food_rate' | 'interstate'> | null => {
  const [intra = '', inter = '', foodIntra = '', foodInter = ''] = cells;
  const rate = readFraction(intra || inter);
  const outside = readFraction(inter || intra);
  const food = readFraction(foodIntra || foodInter || intra || inter);
  const foodOutside = readFraction(foodInter || foodIntra || inter || intra);
  if (rate === null || outside === null || food === null || foodOutside === null) return null;
  const hasFood = food !== rate || foodOutside !== outside;
  const differs = outside !== rate || foodOutside !== food;
  return {
    rate,
    ...(hasFood && { food_rate: food }),
    ...(differs && { interstate: { rate: outside, ...(hasFood && { food_rate: foodOutside }) } }),
  };
};

/** The key of a row, even of a bad one, so that a bad row leaves its jurisdiction without rates. */
export const rateRowKey = (cells: readonly string[]): LayerKey | null => layerKey(cells[1] ?? '', cells[2] ?? '');

/** Read a row of an SST rate file (content notes 1.3). */
export const readRateRow = (
  cells: readonly string[],
  fips: string,
  exceptions: StateExceptions,
): RowResult<RateRow> => {
  if (cells.length !== rateColumns) return bad(`has ${cells.length} columns; a rate row has ${rateColumns}`);
  const [state = '', type = '', code = ''] = cells;
  if (state.padStart(2, '0') !== fips) return bad(`is of state ${state}; import the file of state ${fips}`);
  const key = layerKey(type, code);
  if (key === null) return bad(`type ${type} and code ${code} name no jurisdiction: correct columns 2 and 3`);
  const kind = key.slice(0, 2);
  if (kind === '45' && key !== stateKey(fips)) return skipped('location codes (type 45) are not districts');
  const ignored = exceptions.ignoredTypes[kind];
  if (ignored !== undefined) return skipped(ignored);
  const dates = rowDates(cells[7] ?? '', cells[8] ?? '');
  if (dates.kind !== 'row') return dates;
  const rates = ratesOf(cells.slice(3, 7));
  if (!rates) return bad(`rates ${cells.slice(3, 7).join(', ')} are not fractions: write 0.06875 for 6.875 %`);
  return row({ key, rate: { ...rates, ...dates.value } });
};
