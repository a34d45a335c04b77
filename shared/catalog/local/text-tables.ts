/**
 * Reads the text tables of local rates and ZIPs that people edit.
 *
 * Only the build (`npm run pack`), the importers and the tests read text; a function reads the packed table.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

/**
 * The rate of an area from a day to a day, inclusive. An area may have several rows: a row without `to` ends on the day
 * before the next one begins, and only the first may lack `from`. Aliases are in the newest row.
 */
export type RateRow = Readonly<
  Record<
    'county' | 'place' | 'place_code' | 'aliases' | 'rate' | 'parts' | 'from' | 'to' | 'source' | 'confidence' | 'note',
    string
  >
>;
/**
 * A ZIP of a state:
 * - `residents`: empty where nobody lives (a post office box);
 * - `counties`: counties of the state with their percent of the residents, main first (`067:98|121:2`). A single county
 *   has no percent, nor do counties of a ZIP without residents. `0`: a part without residents;
 * - `names`: names of the postal service, the preferred one first, each with its other spellings after `=`. A percent
 *   is the estimated share of the residents within the limits of the place with that name. The preferred name without a
 *   percent is that of all residents whom the others leave; another name without a percent is that of no place with
 *   residents here.
 */
export type ZipRow = Readonly<Record<'zip5' | 'residents' | 'counties' | 'names', string>>;
export type SourceRow = Readonly<Record<'key' | 'publisher' | 'title' | 'as_of' | 'url' | 'obtained_from', string>>;

const readRows = <Row>(name: string): readonly Row[] =>
  parse(readFileSync(fileURLToPath(new URL(name, import.meta.url))), { columns: true, bom: true });

/** The rows of a table of all states, by state (two letters) in the order of the file. Read on first use. */
const byState = <Row>(name: string): (() => ReadonlyMap<string, readonly Row[]>) => {
  let rows: ReadonlyMap<string, readonly Row[]> | undefined;
  return () => {
    rows ??= Map.groupBy(readRows<Row & { readonly state: string }>(name), ({ state }) => state);
    return rows;
  };
};
const rates = byState<RateRow>('rates.csv');
const zips = byState<ZipRow>('zips.csv');

/** The states with local tables, by two letters. */
export const listStates = (): readonly string[] => [...rates().keys()];

export const rateRows = (state: string): readonly RateRow[] => rates().get(state) ?? [];
export const zipRows = (state: string): readonly ZipRow[] => zips().get(state) ?? [];
export const sourceRows = (): readonly SourceRow[] => readRows('sources.csv');

/** Names of counties by their five-digit FIPS code: `27053` is `Hennepin County`. */
export const countyNames = (): ReadonlyMap<string, string> =>
  new Map(readRows<Record<'fips' | 'name', string>>('counties.csv').map(({ fips, name }) => [fips, name]));

/** Names of districts and of kinds of local taxes, by state and code: `MN 80004` is `Hennepin County Transit`. */
export const districtNames = (): ReadonlyMap<string, string> =>
  new Map(
    readRows<Record<'state' | 'code' | 'name', string>>('districts.csv').map(({ state, code, name }) => [
      `${state} ${code}`,
      name,
    ]),
  );
