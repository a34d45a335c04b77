import { assert } from '../../base/assert.ts';
import { getOrAdd } from '../../base/collections.ts';
import { findPlace } from '../../catalog/local/find-place.ts';
import { localTable } from '../../catalog/local/local-table.ts';
import {
  type LocalTax,
  listOffsets,
  type PackedArea,
  type PackedPeriod,
  type PackedRates,
  type PackedZips,
  type RateSummary,
  writeArea,
  writeOffsets,
  writeTax,
} from '../../catalog/local/packed-table.ts';
import { codePart, nameKey, plainCityName } from '../../catalog/local/place-names.ts';
import {
  countyNames,
  districtNames,
  type RateRow,
  rateRows,
  sourceRows,
  zipRows,
} from '../../catalog/local/text-tables.ts';
import { type Jurisdiction, rateDecimals } from '../../catalog/release-values.ts';
import { readPercent } from '../../importers/fractions.ts';
import { OwnCodes, taxOfKind } from '../../importers/own-codes.ts';
import { publishers } from '../../importers/updates/publishers.ts';
import { nextExpectedAfter } from '../../importers/updates/staleness.ts';
import { sum } from '../../money/allocate.ts';
import { decimalText, divideHalfUp } from '../../money/decimal.ts';
import { stateFips } from '../../vocabulary/jurisdiction.ts';

/** Converts a state's text tables of local rates and ZIPs to the packed tables that functions load. */

/** Returns the lines in the sort order that `findLine` expects. */
const sortedLines = (lines: readonly string[]): string => lines.toSorted().join('\n');

const parseList = (text: string): readonly string[] => (text === '' ? [] : text.split('|'));

/** Converts percent to a fraction: `2.5` becomes `0.025`. */
const toFraction = (percent: string): string => {
  const fraction = readPercent(percent);
  assert(fraction !== null, `${percent} is not a percentage`);
  return fraction;
};

const placeCode = ({ place, place_code }: RateRow): string => place_code || codePart(place);

/**
 * Returns the tax that a component of a row names: `county`, `county:LO`, `city`, `city:…`, `city+county`,
 * `district:RTD`; or for `''`, one tax for the whole local rate of an area whose components are unknown.
 */
const partTax = (codes: OwnCodes, row: RateRow, part: string): Jurisdiction => {
  const { county, place } = row;
  const [level = '', kind] = part.split(':');
  assert(codes.counties.has(county), `${county} has no name in counties.csv`);
  const combined = codes.combinedTax({
    county,
    code: place === '' ? '' : placeCode(row),
    name: place || codes.countyName(county),
  });
  if (level === '') return combined;
  if (level === 'city+county') return { ...combined, name: `${place} (city and county)` };
  const name = codes.districts.get(kind ?? '') ?? '';
  assert(kind === undefined || name !== '', `${kind} has no name in districts.csv`);
  if (level === 'district' && kind !== undefined) return codes.districtTax(kind, name);
  assert(level === 'county' || level === 'city', `${part} is not a part of a county, a city or a district`);
  const code = placeCode(row);
  // New York City has a tax even in rows that name no place.
  const ofCity = { county, code, name: codes.codedPlaces.get(code) ?? place };
  const tax = level === 'county' ? codes.countyTax(county) : codes.cityTax(ofCity);
  return kind === undefined ? tax : taxOfKind(tax, kind, name);
};

/** California's local taxes beyond the uniform rate are all district taxes (CDTFA Publication 105). */
const statesOfDistricts = ['CA'];

const listParts = (state: string, codes: OwnCodes, row: RateRow): readonly LocalTax[] => {
  if (row.rate === '0') return [];
  const parts = row.parts === '' ? [`=${row.rate}`] : row.parts.split(';');
  return parts.map((text) => {
    const [part = '', percent = ''] = text.split('=');
    const { code, name, kind = null, ...tax } = partTax(codes, row, part);
    const type = statesOfDistricts.includes(state) ? 'district' : (tax.type as LocalTax['type']);
    return { code, name, type, kind, rate: toFraction(percent) };
  });
};

/** A row with its taxes; `null` if its rate is missing. */
type TaxedRow = { readonly row: RateRow; readonly taxes: readonly LocalTax[] | null };

/** Returns the rates of each code among the given rows. */
const ratesByCode = (rows: Iterable<TaxedRow>): ReadonlyMap<string, ReadonlySet<string>> => {
  const rates = new Map<string, Set<string>>();
  for (const { taxes } of rows)
    for (const { code, rate } of taxes ?? []) getOrAdd(rates, code, () => new Set<string>()).add(rate);
  return rates;
};

/**
 * Returns the distinct taxes of all rows as lines, and the offsets of each row's taxes. A code with different rates
 * gets the county appended (a county's tax: the place), so that each code has one rate on a day. `newest` are the last
 * rows of each area. A code that occurs only in earlier rows is compared among all rows.
 */
const packTaxes = (rows: readonly TaxedRow[], newest: ReadonlySet<TaxedRow>) => {
  const [ratesNow, ratesEver] = [ratesByCode(newest), ratesByCode(rows)];
  const distinct = new Map<string, LocalTax>();
  const getKey = (tax: LocalTax, { county, place }: RateRow): string => {
    const distinction = tax.code.includes(`-00-${county}`) ? codePart(place) || 'REST' : county;
    const rates = ratesNow.get(tax.code) ?? ratesEver.get(tax.code);
    const code = rates && rates.size > 1 ? `${tax.code}-${distinction}` : tax.code;
    const key = `${code} ${tax.rate}`;
    if (!distinct.has(key)) distinct.set(key, { ...tax, code });
    return key;
  };
  const keys = new Map(rows.map((taxed) => [taxed, taxed.taxes?.map((tax) => getKey(tax, taxed.row))]));
  const lines = [...distinct.values()].map(writeTax);
  const offsets = listOffsets(lines);
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, offsets[index] as number]));
  const getOffsets = (taxed: TaxedRow) => keys.get(taxed)?.map((key) => byKey.get(key) as number) ?? null;
  return { lines, getOffsets };
};

/** Returns the rows of each area, oldest first. Throws if the order of two rows is undefined. */
const rowsByArea = (rows: readonly TaxedRow[]): readonly (readonly [TaxedRow, ...TaxedRow[]])[] => {
  const byArea = Map.groupBy(rows, ({ row }) => `${row.county} ${row.place}`);
  return [...byArea].map(([area, own]) => {
    const [first, ...others] = own.toSorted((a, b) => (a.row.from < b.row.from ? -1 : 1));
    assert(first !== undefined, `${area} has no row`);
    for (const [at, { row }] of others.entries()) {
      const before = others[at - 1] ?? first;
      assert(before.row.from < row.from, `${area} has two rows from ${row.from}`);
      assert(!before.row.to || before.row.to < row.from, `${area}: a row does not end before the row from ${row.from}`);
    }
    return [first, ...others] as const;
  });
};

/**
 * The index is built ahead of time, because normalizing all names of a large state would slow the first calculation
 * there.
 */
const packNames = (areas: readonly PackedArea[], offsets: readonly number[]): string => {
  const names = new Map<string, number[]>();
  for (const [index, { place, aliases }] of areas.entries())
    for (const key of place === '' ? [] : new Set([place, ...aliases].map((name) => nameKey(plainCityName(name)))))
      names.set(key, [...(names.get(key) ?? []), offsets[index] as number]);
  return sortedLines([...names].map(([key, ofKey]) => `${key}~${writeOffsets(ofKey)}`));
};

/** Returns the offset of the unincorporated rest of each county, or of its only place. */
const packRemainders = (areas: readonly PackedArea[], offsets: readonly number[]): Record<string, number> => {
  const remainders: Record<string, number> = {};
  for (const [county, ofCounty] of Map.groupBy(areas, (area) => area.county)) {
    const only = ofCounty.length === 1 ? ofCounty[0] : undefined;
    const remainder = ofCounty.find(({ place }) => place === '') ?? only;
    if (remainder) remainders[county] = offsets[areas.indexOf(remainder)] as number;
  }
  return remainders;
};

const evidenceText = ({ source, confidence, note }: RateRow): string =>
  JSON.stringify({ source, confidence: confidence || 'high', ...(note && { note }) });

/** Packs a state's rate table. Throws if it names a county, district or source without a row. */
export const packRates = (state: string): PackedRates => {
  const rows = rateRows(state);
  const names = { counties: [...countyNames()], districts: [...districtNames()], places: rows };
  const codes = new OwnCodes(state, names);
  const taxed = rows.map((row) => ({ row, taxes: row.rate === '' ? null : listParts(state, codes, row) }));
  const byArea = rowsByArea(taxed);
  const { lines, getOffsets } = packTaxes(taxed, new Set(byArea.flatMap((own) => own.at(-1) ?? [])));
  const cadence = publishers.find((one) => one.state === state)?.cadence;
  const cited = new Map(sourceRows().map((row) => [row.key, row]));
  const keys = [...new Set(rows.map(({ source }) => source))].filter((key) => key !== '');
  const evidence = [...new Set(rows.map(evidenceText))];
  const buildPeriod = (one: TaxedRow): PackedPeriod => ({
    taxes: getOffsets(one),
    from: one.row.from || null,
    to: one.row.to || null,
    evidence: evidence.indexOf(evidenceText(one.row)),
  });
  const areas = byArea.map(([first, ...others]): PackedArea => {
    const { county, place, aliases } = (others.at(-1) ?? first).row;
    return { county, place, aliases: parseList(aliases), periods: [buildPeriod(first), ...others.map(buildPeriod)] };
  });
  const areaLines = areas.map(writeArea);
  const areaOffsets = listOffsets(areaLines);
  return {
    fips: stateFips(state),
    is_untaxed: taxed.every(({ taxes }) => taxes?.length === 0),
    counties: Object.fromEntries(codes.counties),
    sources: keys.map((key) => {
      const source = cited.get(key);
      assert(source !== undefined, `source ${key} has no row in sources.csv`);
      const { publisher, title, as_of } = source;
      // The day by which the successor of the source is due, if the source has a date.
      const due = as_of && cadence ? nextExpectedAfter(cadence, as_of) : '';
      return [key, `${publisher}: ${title} (as of ${as_of})`, as_of, due];
    }),
    remainders: packRemainders(areas, areaOffsets),
    evidence: evidence.map((text) => JSON.parse(text)),
    taxes: lines.join('\n'),
    areas: areaLines.join('\n'),
    names: packNames(areas, areaOffsets),
  };
};

/** Packs a state's ZIP table. */
export const packZips = (state: string): PackedZips =>
  sortedLines(zipRows(state).map((row) => `${row.zip5}~${row.residents}~${row.counties}~${row.names}`));

/** Counts the areas by the date of the source of their newest rate. */
const getAges = (newest: readonly (RateRow | undefined)[], { sources }: PackedRates): RateSummary['ages'] => {
  const days = new Map(sources.map(([key, , as_of, due]) => [key, { as_of, due }]));
  const none = { as_of: '', due: '' };
  const ages = Map.groupBy(newest, (row) => days.get(row?.source ?? '')?.as_of ?? '');
  return [...ages]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => ({ ...(days.get(own[0]?.source ?? '') ?? none), areas: own.length }));
};

/**
 * Returns the counts of a state's rate table, for functions that report on the table without loading it. A place in
 * several counties counts once.
 */
export const summarizeRates = (state: string): RateSummary => {
  const rows = rateRows(state);
  const packed = packRates(state);
  const table = localTable(packed, packZips(state));
  const ofZips = table
    .zipCodes()
    .map((zip5) => findPlace(table, { zip5, city: null, county: null }).candidates[0]?.area?.units ?? 0n);
  const areas = Map.groupBy(
    rows.filter(({ rate }) => rate !== ''),
    ({ county, place }) => `${county} ${place}`,
  );
  const places = Map.groupBy(rows, ({ place }) => place);
  places.delete('');
  const newest = [...areas.values()].map((own) => own.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1));
  return {
    ages: getAges(newest, packed),
    is_untaxed: table.isUntaxed,
    areas: areas.size,
    places: places.size,
    places_missing: [...places.values()].filter((own) => own.every(({ rate }) => rate === '')).length,
    counties_missing: Object.keys(packed.counties).filter((county) => table.remainder(county) === null).length,
    average_rate: decimalText({ units: divideHalfUp(sum(ofZips), BigInt(ofZips.length)), scale: rateDecimals }),
  };
};
