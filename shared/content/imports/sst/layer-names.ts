import { parse } from 'csv-parse/sync';
import { type LayerKey, layerKey, placeTypes } from './layers.ts';

/** The text tables of public names, each as the text of a CSV file with a header; `''` where there is none. */
export type NameTables = {
  /** `fips,name`: five-digit county codes. */
  readonly counties: string;
  /** `state,code,name` */
  readonly districts: string;
  /** The state's local rates: of these the columns `place` and `place_code` (five-digit Census code, or empty). */
  readonly rates: string;
};

/** Names by code: Census codes of counties and places, and the state's codes of districts. */
export type LayerNames = ReadonlyMap<string, string>;

const rowsOf = (text: string): readonly Readonly<Record<string, string>>[] => parse(text, { bom: true, columns: true });

const nameKey = (key: LayerKey): string => {
  const [type = '', code = ''] = key.split('-');
  if (type === '00') return key;
  return placeTypes.includes(type) ? `place-${code}` : `district-${code}`;
};

/** Read the names of a state's counties, places and districts. `fips` is the state's two-digit code. */
export const readLayerNames = (state: string, fips: string, tables: NameTables): LayerNames => {
  const counties = rowsOf(tables.counties).filter((row) => row['fips']?.slice(0, 2) === fips);
  const places = rowsOf(tables.rates).filter((row) => row['place'] && row['place_code']);
  const districts = rowsOf(tables.districts).filter((row) => row['state'] === state);
  const entries = [
    ...counties.map(({ fips: code = '', name = '' }) => [layerKey('00', code.slice(2)), name] as const),
    ...places.map(({ place = '', place_code = '' }) => [layerKey('01', place_code), place] as const),
    ...districts.map(({ code = '', name = '' }) => [layerKey('63', code), name] as const),
  ];
  return new Map(entries.flatMap(([key, name]) => (key === null || name === '' ? [] : [[nameKey(key), name]])));
};

/** The public name of a layer; `undefined` if no table has one. */
export const layerName = (names: LayerNames, key: LayerKey): string | undefined => names.get(nameKey(key));
