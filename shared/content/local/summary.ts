/** Counts what a rate table has, for functions that report on tables and do not carry them. Only the build runs this. */
import { localTable } from './local-table.ts';
import type { RateSummary } from './packed-table.ts';
import { packRates, rateRows, sourceRows } from './text-tables.ts';

const sourceDays = (): ReadonlyMap<string, string> => new Map(sourceRows().map(({ key, as_of }) => [key, as_of]));

/** What an edition (`NY@2026-11-22`) has. A place in several counties counts once. */
export const summarizeRates = (edition: string): RateSummary => {
  const rows = rateRows(edition);
  const packed = packRates(edition);
  const table = localTable(packed, '');
  const days = sourceDays();
  const asOf = rows
    .map(({ source }) => days.get(source) ?? '')
    .reduce((newest, day) => (day > newest ? day : newest), '');
  const byPlace = Map.groupBy(
    rows.filter(({ place }) => place !== ''),
    ({ place }) => place,
  );
  return {
    as_of: asOf === '' ? null : asOf,
    is_untaxed: table.isUntaxed,
    areas: rows.filter(({ rate }) => rate !== '').length,
    places: byPlace.size,
    places_missing: [...byPlace.values()].filter((own) => own.every(({ rate }) => rate === '')).length,
    counties_missing: Object.keys(packed.counties).filter((county) => table.remainder(county) === null).length,
  };
};
