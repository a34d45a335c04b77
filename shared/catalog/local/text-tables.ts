/**
 * Reads the editable text tables of local rates and ZIPs.
 *
 * Only the build (`npm run pack`), the importers and the tests read text tables; functions read the packed tables.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { lazy } from '../../base/collections.ts';

/**
 * The rate of an area during a period, inclusive. An area may have several rows. A row without `to` ends the day before
 * the next row begins, and only the first row may omit `from`. The newest row has the aliases.
 */
export type RateRow = Readonly<
  Record<
    'county' | 'place' | 'place_code' | 'aliases' | 'rate' | 'parts' | 'from' | 'to' | 'source' | 'confidence' | 'note',
    string
  >
>;
/**
 * A ZIP of a state:
 * - `residents`: empty if nobody lives there (a post office box);
 * - `counties`: counties of the state with their percentages of the residents, main county first (`067:98|121:2`). A
 *   single county and the counties of a ZIP without residents have no percentage. `0`: no residents in that county;
 * - `names`: postal names, the preferred name first, each with its other spellings after `=`. The percentage is the
 *   estimated share of the residents within the limits of the place with that name. A preferred name without a
 *   percentage applies to all remaining residents. Any other name without a percentage is not a place with residents in
 *   this ZIP.
 */
export type ZipRow = Readonly<Record<'zip5' | 'residents' | 'counties' | 'names', string>>;
export type SourceRow = Readonly<Record<'key' | 'publisher' | 'title' | 'as_of' | 'url' | 'obtained_from', string>>;

const readRows = <Row>(name: string): readonly Row[] =>
  parse(readFileSync(new URL(name, import.meta.url)), { columns: true, bom: true });

/** Reads the rows of a table of all states, by state (two letters), in file order. Read on first use. */
const byState = <Row>(name: string): (() => ReadonlyMap<string, readonly Row[]>) => {
  let rows: ReadonlyMap<string, readonly Row[]> | undefined;
  return () => {
    rows ??= Map.groupBy(readRows<Row & { readonly state: string }>(name), ({ state }) => state);
    return rows;
  };
};
const rates = byState<RateRow>('rates.csv');
const zips = byState<ZipRow>('zips.csv');

/** Returns the two-letter codes of the states with local tables. */
export const listStates = (): readonly string[] => [...rates().keys()];

export const rateRows = (state: string): readonly RateRow[] => rates().get(state) ?? [];
export const zipRows = (state: string): readonly ZipRow[] => zips().get(state) ?? [];
export const sourceRows = (): readonly SourceRow[] => readRows('sources.csv');

/** Returns the county names by five-digit FIPS code: `27053` is `Hennepin County`. Read on first use. */
export const countyNames = lazy(
  (): ReadonlyMap<string, string> =>
    new Map(readRows<Record<'fips' | 'name', string>>('counties.csv').map(({ fips, name }) => [fips, name])),
);

/**
 * Reads the names of districts and of kinds of local taxes, by state and code: `MN 80004` is `Hennepin County Transit`.
 */
export const districtNames = (): ReadonlyMap<string, string> =>
  new Map(
    readRows<Record<'state' | 'code' | 'name', string>>('districts.csv').map(({ state, code, name }) => [
      `${state} ${code}`,
      name,
    ]),
  );
