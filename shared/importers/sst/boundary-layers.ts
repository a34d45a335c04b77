import { parseUnits } from '../../catalog/release-values.ts';
import type { LocalSet } from '../entry.ts';
import { type LayerKey, layerKey, placeTypes } from './layers.ts';
import { isNamed, lastDayOf, type RateBook } from './rate-book.ts';

/** The local jurisdictions of a boundary row. */
export type Layers = {
  /** Codes of the jurisdictions, each once. */
  readonly locals: LocalSet;
  /** Keys that must have rates and have none in the rate file. */
  readonly missing: readonly LayerKey[];
  /** `county 999`, `place 12345`: missing from the rate file, and so without a tax of their own. */
  readonly untaxed: readonly string[];
  /** The earliest last day of the layers' rates; `null` if all are open-ended. */
  readonly lastDay: string | null;
  /** The problem of the row and its correction; `null` for a good row. */
  readonly problem: string | null;
};

/** Columns 23 to 89, as the layout counts them from 1. */
const columns = { state: 23, stateApplies: 24, county: 25, place: 26, placeType: 27, triplets: 30 } as const;
const tripletsMax = 20;

const at = (cells: readonly string[], column: number): string => cells[column - 1] ?? '';

// If the class of place is empty, the type in the rate file applies.
const placeKey = (book: RateBook, code: string, type: string): LayerKey | null => {
  const types = placeTypes.includes(type.padStart(2, '0')) ? [type] : [];
  const keys = [...types, ...placeTypes].map((candidate) => layerKey(candidate, code));
  return keys.find((key) => key !== null && isNamed(book, key)) ?? null;
};

type Districts = { readonly keys: readonly LayerKey[]; readonly problem: string | null };

/** All twenty triplets of source, code and type. A triplet of type 45 is a location code, and no district. */
const districts = (book: RateBook, cells: readonly string[]): Districts => {
  const keys: LayerKey[] = [];
  for (let index = 0; index < tripletsMax; index += 1) {
    const code = at(cells, columns.triplets + 3 * index + 1);
    const type = at(cells, columns.triplets + 3 * index + 2);
    if (code === '' && type === '') continue;
    const key = layerKey(type, code);
    if (key === null) return { keys, problem: `district ${index + 1} has code ${code} and type ${type}: correct it` };
    if (key.startsWith('45-') || key.slice(0, 2) in book.exceptions.ignoredTypes) continue;
    keys.push(key);
  }
  return { keys, problem: null };
};

const hasStateTax = ({ rates, stateKey }: RateBook): boolean =>
  (rates.get(stateKey) ?? []).some(({ rate }) => rate !== '0');

/** Whether the rates of two layers sum to more than `most` on some day. */
const exceed = (book: RateBook, a: LayerKey | null, b: LayerKey | null, most: string): boolean => {
  const ratesOf = (key: LayerKey | null) => (key === null ? [] : (book.rates.get(key) ?? []));
  return ratesOf(a).some((first) =>
    ratesOf(b).some(
      (second) =>
        (first.from ?? '') <= (second.to ?? '9') &&
        (second.from ?? '') <= (first.to ?? '9') &&
        parseUnits(first.rate) + parseUnits(second.rate) > parseUnits(most),
    ),
  );
};

const problemOf = (book: RateBook, cells: readonly string[], county: LayerKey | null, place: LayerKey | null) => {
  const { countyRequired, countyAndCityMax } = book.exceptions;
  const applies = at(cells, columns.stateApplies);
  if (/^0*$/.test(applies) && hasStateTax(book))
    return `excludes the state's tax in column ${columns.stateApplies}, which a release cannot express`;
  if (countyRequired && county === null) return "names no county, whose rate contains the state's: fill in column 25";
  if (countyAndCityMax !== null && exceed(book, county, place, countyAndCityMax))
    return `county and city together are above ${countyAndCityMax}, the most that they may be: correct their rates`;
  return null;
};

const isNone = (code: string): boolean => /^0*$/.test(code);

/** The county and place of a row that no rate row names, with their codes. */
const untaxedOf = (book: RateBook, cells: readonly string[], countyKey: LayerKey | null, place: LayerKey | null) => {
  const [county, placeCode] = [at(cells, columns.county), at(cells, columns.place)];
  const isLeftOut = isNone(county) || (book.exceptions.cityReplacesCounty && place !== null);
  return [
    ...(isLeftOut || (countyKey !== null && isNamed(book, countyKey)) ? [] : [`county ${county.padStart(3, '0')}`]),
    ...(isNone(placeCode) || place !== null ? [] : [`place ${placeCode.padStart(5, '0')}`]),
  ];
};

/** Find the jurisdictions of a boundary row: its county, its place and all its districts (content notes 1.5, 1.6). */
export const readLayers = (book: RateBook, cells: readonly string[]): Layers => {
  const { exceptions } = book;
  const place = placeKey(book, at(cells, columns.place), at(cells, columns.placeType));
  const countyKey = layerKey('0', at(cells, columns.county));
  const isLeftOut = countyKey === null || (exceptions.cityReplacesCounty && place !== null);
  // A county or place without a rate row has no tax of its own. A district is listed because it taxes.
  const county = isLeftOut || !(exceptions.countyRequired || isNamed(book, countyKey)) ? null : countyKey;
  const listed = districts(book, cells);
  const keys = [...new Set([county, place, ...listed.keys].filter((key) => key !== null))];
  return {
    locals: keys.map((key) => `US-${book.state}-${key}`),
    missing: keys.filter((key) => !isNamed(book, key)),
    untaxed: exceptions.countyRequired ? [] : untaxedOf(book, cells, countyKey, place),
    lastDay: keys.flatMap((key) => lastDayOf(book, key) ?? []).toSorted()[0] ?? null,
    problem: listed.problem ?? problemOf(book, cells, county, place),
  };
};
