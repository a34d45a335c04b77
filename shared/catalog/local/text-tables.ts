/**
 * Reads the text tables of local rates and ZIPs that people edit.
 *
 * Only the build (`npm run pack`), the importers and the tests read text; a function reads the packed table.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

/**
 * The rate of an area from a day to a day, inclusive. An area may have several rows: a row without `to` ends on the day
 * before the next one begins, and only the first may lack `from`. Aliases are in the newest row.
 */
export type RateRow = Readonly<
  Record<
    'county' | 'place' | 'place_code' | 'aliases' | 'rate' | 'parts' | 'from' | 'source' | 'confidence' | 'note',
    string
  >
> & {
  /** A file without such a row lacks the column. */
  readonly to?: string;
};
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

const filePath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const readRows = <Row>(name: string): readonly Row[] =>
  parse(readFileSync(filePath(name)), { columns: true, bom: true });

/** The editions of a kind of table that there are: `NY@2026-11-22`. */
export const listEditions = (kind: 'rates' | 'zips'): readonly string[] =>
  readdirSync(filePath(kind))
    .map((name) => name.replace(/\.csv$/, ''))
    .sort();

export const rateRows = (edition: string): readonly RateRow[] => readRows(`rates/${edition}.csv`);
export const zipRows = (edition: string): readonly ZipRow[] => readRows(`zips/${edition}.csv`);
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
