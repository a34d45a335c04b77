import { assert } from '../../base/assert.ts';
import { localTable } from '../../catalog/local/local-table.ts';
import {
  combinedSuffix,
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
import { cityName, codePart, nameKey, plainName } from '../../catalog/local/place-names.ts';
import {
  countyNames,
  districtNames,
  type RateRow,
  rateRows,
  type SourceRow,
  sourceRows,
  zipRows,
} from '../../catalog/local/text-tables.ts';
import type { Confidence, Evidence } from '../../catalog/release-values.ts';
import { readPercent } from '../../importers/fractions.ts';
import { publishers } from '../../importers/updates/publishers.ts';
import { nextExpectedAfter } from '../../importers/updates/staleness.ts';
import { stateFips } from '../../vocabulary/jurisdiction.ts';

/** Turns a state's text tables of local rates and ZIPs into what functions load. */

/** Returns the lines in the sort order that `findLine` expects. */
const sortedLines = (lines: readonly string[]): string => lines.toSorted().join('\n');

const parseList = (text: string): readonly string[] => (text === '' ? [] : text.split('|'));

/** Converts percent to a fraction: `2.5` becomes `0.025`. */
const toFraction = (percent: string): string => {
  const fraction = readPercent(percent);
  assert(fraction !== null, `${percent} is a percentage`);
  return fraction;
};

const placeCode = ({ place, place_code }: RateRow): string => place_code || codePart(place);

/** Lookup tables for the names of a state's taxes. */
type Naming = {
  readonly state: string;
  readonly fips: string;
  readonly counties: ReadonlyMap<string, string>;
  readonly districts: ReadonlyMap<string, string>;
  /** Place names by code, because New York City has a tax even in rows that name no place. */
  readonly places: ReadonlyMap<string, string>;
  /** Whether every local tax of the state is a district's (California). */
  readonly areDistricts: boolean;
};

type Tax = Omit<LocalTax, 'rate'>;

const nameIn = (names: ReadonlyMap<string, string>, code: string): string => {
  const name = names.get(code);
  assert(name !== undefined, `${code} has a name in counties.csv or districts.csv`);
  return name;
};
const countyName = ({ counties, fips }: Naming, county: string): string => nameIn(counties, `${fips}${county}`);
const districtName = ({ districts, state }: Naming, code: string): string => nameIn(districts, `${state} ${code}`);

/** One row for the whole local rate of an area whose components are unknown. */
const combinedTax = (naming: Naming, row: RateRow): Tax => {
  const { county, place } = row;
  const name = place === '' ? countyName(naming, county) : place;
  const code = `US-${naming.state}-${county}`;
  return {
    code: place === '' ? code : `${code}-${placeCode(row)}`,
    name: `${name}${combinedSuffix}`,
    type: place === '' ? 'county' : 'city',
    kind: 'combined',
  };
};

/**
 * Returns the tax that a component of a row names: `county`, `county:LO`, `city`, `city:…`, `city+county`,
 * `district:RTD`.
 */
const partTax = (naming: Naming, row: RateRow, part: string): Tax => {
  const { state, places } = naming;
  const [level = '', kind = null] = part.split(':');
  const suffix = kind === null ? '' : `-${kind}`;
  const ofKind = kind === null ? '' : ` ${districtName(naming, kind)}`;
  switch (level) {
    case 'district':
      return { code: `US-${state}-63-${kind}`, name: districtName(naming, kind ?? ''), type: 'district', kind };
    case 'county':
      return {
        code: `US-${state}-00-${row.county}${suffix}`,
        name: `${countyName(naming, row.county)}${ofKind}`,
        type: 'county',
        kind,
      };
    case 'city': {
      const code = placeCode(row);
      return {
        code: `US-${state}-01-${code}${suffix}`,
        name: `${places.get(code) ?? row.place}${ofKind}`,
        type: 'city',
        kind,
      };
    }
    default:
      assert(level === 'city+county', `a part is of a county, a city or a district, not ${part}`);
      return { ...combinedTax(naming, row), name: `${row.place} (city and county)` };
  }
};

const listParts = (naming: Naming, row: RateRow): readonly LocalTax[] => {
  if (row.rate === '0') return [];
  const parts =
    row.parts === ''
      ? [{ ...combinedTax(naming, row), rate: toFraction(row.rate) }]
      : row.parts.split(';').map((text) => {
          const [part = '', percent = ''] = text.split('=');
          return { ...partTax(naming, row, part), rate: toFraction(percent) };
        });
  return naming.areDistricts ? parts.map((part) => ({ ...part, type: 'district' })) : parts;
};

type Parts = readonly LocalTax[] | null;

/** Returns the codes that have several rates among the given rows. */
const codesOfSeveral = (parts: readonly Parts[]): ReadonlySet<string> => {
  const rates = new Map<string, string>();
  const several = new Set<string>();
  for (const { code, rate } of parts.flatMap((own) => own ?? [])) {
    if ((rates.get(code) ?? rate) !== rate) several.add(code);
    rates.set(code, rate);
  }
  return several;
};

/**
 * Returns the distinct taxes of all rows, and their indexes by row. A code with different rates in different counties
 * gets the county appended, so that each code has one rate on a day. `newest` are the last rows of each area. A code
 * that occurs only in earlier rows is compared among all rows.
 */
const indexTaxes = (rows: readonly RateRow[], parts: readonly Parts[], newest: ReadonlySet<RateRow>) => {
  const ofNewest = parts.filter((_, index) => newest.has(rows[index] as RateRow));
  const current = new Set(ofNewest.flat().map((tax) => tax?.code));
  const [several, severalEver] = [codesOfSeveral(ofNewest), codesOfSeveral(parts)];
  const taxes = new Map<string, LocalTax>();
  const keys = rows.map((row, index) =>
    parts[index]?.map((tax) => {
      const distinction = tax.code.includes(`-00-${row.county}`) ? codePart(row.place) || 'REST' : row.county;
      const isOfSeveral = (current.has(tax.code) ? several : severalEver).has(tax.code);
      const code = isOfSeveral ? `${tax.code}-${distinction}` : tax.code;
      const key = `${code} ${tax.rate}`;
      if (!taxes.has(key)) taxes.set(key, { ...tax, code });
      return key;
    }),
  );
  const positions = new Map([...taxes.keys()].map((key, position) => [key, position]));
  return { taxes: [...taxes.values()], indexes: keys.map((own) => own?.map((key) => positions.get(key) as number)) };
};

type Indexed = { readonly row: RateRow; readonly index: number };

/** Returns the rows of each area with their indexes, oldest first. Throws if the order of two rows is undefined. */
const rowsByArea = (rows: readonly RateRow[]): readonly (readonly [Indexed, ...Indexed[]])[] => {
  const byArea = Map.groupBy(
    rows.map((row, index) => ({ row, index })),
    ({ row }) => `${row.county} ${row.place}`,
  );
  return [...byArea].map(([area, own]) => {
    const [first, ...others] = own.toSorted((a, b) => (a.row.from < b.row.from ? -1 : 1));
    assert(first !== undefined, `${area} has a row`);
    for (const [at, { row }] of others.entries()) {
      const before = others[at - 1] ?? first;
      assert(before.row.from < row.from, `${area} has one row from ${row.from}`);
      assert(!before.row.to || before.row.to < row.from, `${area}: a row ends before the one from ${row.from}`);
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
    for (const key of place === ''
      ? []
      : new Set([place, ...aliases].map((name) => nameKey(plainName(cityName(name) ?? '')))))
      names.set(key, [...(names.get(key) ?? []), offsets[index] as number]);
  return sortedLines([...names].map(([key, ofKey]) => `${key}~${writeOffsets(ofKey)}`));
};

/** The unincorporated rest of a county, or its only place. */
const packRemainders = (areas: readonly PackedArea[], offsets: readonly number[]): Record<string, number> => {
  const remainders: Record<string, number> = {};
  for (const [county, ofCounty] of Map.groupBy(areas, (area) => area.county)) {
    const only = ofCounty.length === 1 ? ofCounty[0] : undefined;
    const remainder = ofCounty.find(({ place }) => place === '') ?? only;
    if (remainder) remainders[county] = offsets[areas.indexOf(remainder)] as number;
  }
  return remainders;
};

/** Returns the date of a source and the day by which its successor is due; empty strings if the source has no date. */
const getPublished = (state: string, { as_of }: SourceRow): readonly [asOf: string, due: string] => {
  const publisher = publishers.find((one) => one.state === state);
  return [as_of, as_of && publisher ? nextExpectedAfter(publisher.cadence, as_of) : ''];
};

const getCitation = ({ publisher, title, as_of }: SourceRow): string => `${publisher}: ${title} (as of ${as_of})`;

const evidenceText = ({ source, confidence, note }: RateRow): string => {
  const evidence: Evidence = {
    source,
    confidence: (confidence || 'high') as Confidence,
    ...(note === '' ? {} : { note }),
  };
  return JSON.stringify(evidence);
};

/** California's local taxes beyond the uniform rate are all district taxes (CDTFA Publication 105). */
const statesOfDistricts = ['CA'];

/** Packs a state's rate table. Throws if it names a county, district or source without a row. */
export const packRates = (state: string): PackedRates => {
  const fips = stateFips(state);
  const rows = rateRows(state);
  const counties = countyNames();
  const places = new Map(rows.filter(({ place }) => place !== '').map((row) => [placeCode(row), row.place]));
  const areDistricts = statesOfDistricts.includes(state);
  const naming: Naming = { state, fips, counties, districts: districtNames(), places, areDistricts };
  const parts = rows.map((row) => (row.rate === '' ? null : listParts(naming, row)));
  const byArea = rowsByArea(rows);
  const newest = new Set(byArea.flatMap((own) => own.at(-1)?.row ?? []));
  const { taxes, indexes } = indexTaxes(rows, parts, newest);
  const cited = new Map(sourceRows().map((row) => [row.key, row]));
  const keys = [...new Set(rows.map(({ source }) => source))].filter((key) => key !== '');
  const evidence = [...new Set(rows.map(evidenceText))];
  const taxLines = taxes.map(writeTax);
  const taxOffsets = listOffsets(taxLines);
  const buildPeriod = ({ row, index }: Indexed): PackedPeriod => ({
    taxes: indexes[index]?.map((tax) => taxOffsets[tax] as number) ?? null,
    from: row.from || null,
    to: row.to || null,
    evidence: evidence.indexOf(evidenceText(row)),
  });
  const areas = byArea.map(([first, ...others]): PackedArea => {
    const { county, place, aliases } = (others.at(-1) ?? first).row;
    return { county, place, aliases: parseList(aliases), periods: [buildPeriod(first), ...others.map(buildPeriod)] };
  });
  const areaLines = areas.map(writeArea);
  const areaOffsets = listOffsets(areaLines);
  const ofState = [...counties].filter(([code]) => code.startsWith(fips));
  return {
    fips,
    is_untaxed: parts.every((ofRow) => ofRow?.length === 0),
    counties: Object.fromEntries(ofState.map(([code, name]) => [code.slice(2), name])),
    sources: keys.map((key) => {
      const source = cited.get(key);
      assert(source !== undefined, `source ${key} has a row in sources.csv`);
      return [key, getCitation(source), ...getPublished(state, source)];
    }),
    remainders: packRemainders(areas, areaOffsets),
    evidence: evidence.map((text) => JSON.parse(text)),
    taxes: taxLines.join('\n'),
    areas: areaLines.join('\n'),
    names: packNames(areas, areaOffsets),
  };
};

/** Pack a state's ZIP table. */
export const packZips = (state: string): PackedZips =>
  sortedLines(zipRows(state).map((row) => `${row.zip5}~${row.residents}~${row.counties}~${row.names}`));

const getNewest = (rows: readonly RateRow[]): RateRow | undefined =>
  rows.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1);

/** Counts the areas whose newest rate comes from sources of each date. */
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
  const table = localTable(packed, '');
  const areas = Map.groupBy(
    rows.filter(({ rate }) => rate !== ''),
    ({ county, place }) => `${county} ${place}`,
  );
  const places = Map.groupBy(rows, ({ place }) => place);
  places.delete('');
  return {
    ages: getAges([...areas.values()].map(getNewest), packed),
    is_untaxed: table.isUntaxed,
    areas: areas.size,
    places: places.size,
    places_missing: [...places.values()].filter((own) => own.every(({ rate }) => rate === '')).length,
    counties_missing: Object.keys(packed.counties).filter((county) => table.remainder(county) === null).length,
  };
};
