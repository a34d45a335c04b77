/**
 * The rule of `find-place.ts` for every ZIP with each of its names, other cities and no city, compared with a slow
 * reference implementation.
 */
import { describe, expect, it } from 'vitest';
import {
  countyNames,
  listStates,
  type RateRow,
  rateRows,
  type ZipRow,
  zipRows,
} from '../../shared/catalog/local/text-tables.ts';
import { type PostalAddress, readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { withTables } from '../support/local-content.ts';

/**
 * A slow reference implementation on the CSV tables, with independent name comparison: the expected results of
 * `find-place.ts`.
 */
const words = Object.fromEntries(
  `SAINT ST SAINTE STE FORT FT MOUNT MT BCH BEACH BRK BROOK CRK CREEK CTR CENTER CTY CITY CY CITY CYN CANYON EST ESTATES
   ESTS ESTATES FLS FALLS GDNS GARDENS GRV GROVE HBR HARBOR HGTS HEIGHTS HTS HEIGHTS HLS HILLS IS ISLAND JCT JUNCTION
   LK LAKE LNDG LANDING MDWS MEADOWS MLS MILLS MTN MOUNTAIN PK PARK PLNS PLAINS PT POINT RDG RIDGE RNCH RANCH SHRS SHORES
   SPGS SPRINGS SPRGS SPRINGS STA STATION TER TERRACE TWP TOWNSHIP UNIV UNIVERSITY VLG VILLAGE VLY VALLEY`
    .split(/\s+/)
    .flatMap((word, index, all) => (index % 2 === 0 ? [[word, all[index + 1] ?? '']] : [])),
);
const firstWords: Record<string, string> = { N: 'NORTH', NO: 'NORTH', S: 'SOUTH', SO: 'SOUTH', E: 'EAST', W: 'WEST' };

const split = (name: string): readonly string[] => {
  const letters = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[-\s]+/g, ' ');
  const all = letters
    .replace(/[^A-Z0-9 ]/g, '')
    .trim()
    .replace(/^(CITY|TOWN|VILLAGE|TOWNSHIP) OF /, '')
    .split(' ');
  return all
    .map((word, index) => (index === 0 && all.length > 1 ? firstWords[word] : undefined) ?? word)
    .map((word) => words[word] ?? word);
};
const known = new Map<string, readonly string[]>();
/** Normalizes the words of a name. */
const toWords = (name: string): readonly string[] => {
  const all = known.get(name) ?? split(name);
  known.set(name, all);
  return all;
};
const getKey = (name: string): string => toWords(name).join('');
const kinds = new Set(['CITY', 'TOWN', 'VILLAGE', 'TOWNSHIP', 'BOROUGH']);
const getBase = (name: string): string => {
  const all = toWords(name);
  return (kinds.has(all.at(-1) ?? '') && all.length > 1 ? all.slice(0, -1) : all).join('');
};

/** A rate in millionths of a percent; `null` if not established. */
const getRate = (row: RateRow | undefined): number | null =>
  row === undefined || row.rate === '' ? null : Math.round(Number(row.rate) * 1e6);

/** The row of each area in force on a day, with the names of its newest row. */
const rowsOn = (rows: readonly RateRow[], day: string): readonly RateRow[] =>
  [...Map.groupBy(rows, ({ county, place }) => `${county} ${place}`).values()].map((own) => {
    const sorted = own.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    const inForce = sorted.findLast(({ from, to }) => from <= day && (to === '' || day <= to));
    if (!inForce) throw new Error(`${own[0]?.county} ${own[0]?.place} has no row on ${day}`);
    return { ...inForce, aliases: sorted.at(-1)?.aliases ?? '' };
  });

/** The names of a ZIP, including alternative spellings. */
const listNames = (names: string): string[] => names.split('|').flatMap((one) => one.replace(/:.*/, '').split('='));

type Named = (name: string) => readonly RateRow[];

/**
 * Returns a finder of rows by name: the exact name, then an alias or spaces left out, then with or without the word for
 * the kind of place. Two postal names do not match in the last way if a ZIP of the place's name lacks the given name.
 */
const finderIn = (rows: readonly RateRow[], zips: readonly ZipRow[]): Named => {
  const keysIn = ({ names }: ZipRow) => listNames(names).map(getKey);
  const zipsBy = Map.groupBy(
    zips.flatMap((zip) => keysIn(zip).map((key) => ({ key, zip5: zip.zip5 }))),
    ({ key }) => key,
  );
  const getZips = (name: string) => new Set(zipsBy.get(getKey(name))?.map(({ zip5 }) => zip5));
  const isOther = (name: string, { place }: RateRow) =>
    getZips(name).size > 0 && !getZips(place).isSubsetOf(getZips(name));
  const places = rows.filter(({ place }) => place !== '');
  const literal = Map.groupBy(places, ({ place }) => toWords(place).join(' '));
  const byKey = Map.groupBy(
    places.flatMap((row) =>
      [row.place, ...row.aliases.split('|')].filter(Boolean).map((name) => ({ key: getKey(name), row })),
    ),
    ({ key }) => key,
  );
  const byBase = Map.groupBy(places, ({ place }) => getBase(place));
  return (name) => {
    const exact = literal.get(toWords(name).join(' ')) ?? [...new Set(byKey.get(getKey(name))?.map(({ row }) => row))];
    if (exact.length > 0) return exact;
    const like = byBase.get(getBase(name)) ?? [];
    const isSuffix = like.every(({ place }) => (getKey(place) === getBase(place)) !== (getKey(name) === getBase(name)));
    const isOne = new Set(like.map(({ place }) => getKey(place))).size === 1 && isSuffix;
    return isOne ? like.filter((row) => !isOther(name, row)) : [];
  };
};

/** An area of the tables with its percentage of a ZIP's residents; `undefined` if a county has no row. */
type Lot = { readonly row: RateRow | undefined; readonly percent: number };

/** The counties of a ZIP with residents, and their percentages. */
const isInhabited = ({ counties }: ZipRow) =>
  counties
    .split('|')
    .map((one, _, all) => {
      const [county = '', percent] = one.split(':');
      return { county, percent: percent === undefined ? 100 / all.length : Number(percent) };
    })
    .filter(({ percent }) => percent > 0);

/** The rows of one of the ZIP's names in the given counties; default: its inhabited counties. */
const rowsThere = (
  zip: ZipRow,
  text: string,
  named: Named,
  counties = isInhabited(zip).map(({ county }) => county),
): readonly RateRow[] => {
  const spellings = text.replace(/:.*/, '').split('=');
  const found = spellings.map((name) => named(name).filter(({ county }) => county === '' || counties.includes(county)));
  return found.find((rows) => rows.length > 0) ?? [];
};

/** The row for the rest of a county outside its places, or the county's only row. */
const remainderIn = (rows: readonly RateRow[], county: string): RateRow | undefined => {
  const ofCounty = rows.filter((row) => row.county === county);
  return ofCounty.find(({ place }) => place === '') ?? (ofCounty.length === 1 ? ofCounty[0] : undefined);
};

/** The rates that could be charged if the place's rate is not established: the county rates, or no local rate. */
const standInRates = (rows: readonly RateRow[], zip: ZipRow): readonly number[] => [
  0,
  ...isInhabited(zip).flatMap(({ county }) => getRate(remainderIn(rows, county)) ?? []),
];

/** The areas of a ZIP with their percentages of its residents. */
const listLots = (rows: readonly RateRow[], zip: ZipRow, named: Named): readonly Lot[] => {
  const inhabited = isInhabited(zip).map((one) => ({ ...one, left: one.percent }));
  const lots: Lot[] = [];
  const [preferred = '', ...others] = zip.names.split('|');
  for (const text of [...others, preferred]) {
    const share = text.split(':')[1];
    if (share === undefined && text !== preferred) continue;
    const found = rowsThere(zip, text, named);
    // A community without a row is outside the places of its counties. A place without a county could be in any of them.
    const there =
      found.length === 0 && share !== undefined
        ? inhabited.map((at) => ({ row: remainderIn(rows, at.county), at }))
        : found.flatMap((row) =>
            inhabited.filter(({ county }) => row.county === '' || row.county === county).map((at) => ({ row, at })),
          );
    const whole = there.reduce((sum, { at }) => sum + at.percent, 0);
    for (const { row, at } of there) {
      const part = share === undefined ? at.left : Math.min(at.left, (Number(share) * at.percent) / whole);
      at.left -= part;
      lots.push({ row, percent: part });
    }
  }
  for (const { county, left } of inhabited)
    if (left >= 0.5) lots.push({ row: remainderIn(rows, county), percent: left });
  const counties = zip.counties.split('|').map((one) => one.slice(0, 3));
  for (const text of zip.names.split('|'))
    if (!text.includes(':')) for (const row of rowsThere(zip, text, named, counties)) lots.push({ row, percent: 0 });
  // Two names can refer to one place.
  return [...Map.groupBy(lots, ({ row }) => row ?? {}).values()].map((same) => ({
    row: same[0]?.row,
    percent: same.reduce((sum, { percent }) => sum + percent, 0),
  }));
};

/** The areas that match one of the ZIP's names. */
const lotsNamed = (
  lots: readonly Lot[],
  zip: ZipRow,
  text: string,
  named: Named,
  all: readonly RateRow[],
): readonly Lot[] => {
  if (text === zip.names.split('|')[0] || !text.includes(':')) return lots;
  const rows = rowsThere(zip, text, named);
  const rests = new Set(isInhabited(zip).map(({ county }) => remainderIn(all, county)));
  const own = lots.filter(({ row }) => (rows.length > 0 ? row && rows.includes(row) : rests.has(row)));
  return own.length > 0 ? own : lots;
};

/**
 * The expected result of the rule: the rates of most residents (several on a tie), and the uncertainties. Each place
 * without an established rate counts separately, because its rate can differ from every other rate.
 */
const getExpected = (lots: readonly Lot[]) => {
  const totals = [...Map.groupBy(lots, ({ row }) => getRate(row) ?? row?.place).values()].map((same) => ({
    rate: getRate(same[0]?.row),
    percent: same.reduce((sum, { percent }) => sum + percent, 0),
  }));
  const most = Math.max(...totals.map(({ percent }) => percent));
  const possible = new Set(totals.map(({ rate }) => rate));
  return {
    rates: totals.filter(({ percent }) => most - percent < 1e-6).map(({ rate }) => rate),
    ambiguous: possible.size > 1,
    coverage: possible.has(null) ? 'partial' : 'complete',
  };
};

const day = '2026-11-20';

/** Returns the local rate for an address, in millionths of a percent, and its resolution. */
const responseTo = (sent: PostalAddress) => {
  const address = readAddress(sent, '');
  if (!address.ok) throw new Error(`${JSON.stringify(sent)} is not read`);
  const { place, resolution } = locate(address.value, withTables, day, false);
  const rates = new Map(
    (place.release?.rates ?? []).filter(({ from }) => (from ?? '') <= day).map((one) => [one.jurisdiction, one.rate]),
  );
  const local = place.jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => Number(rates.get(code)));
  return { rate: Math.round(local.reduce((sum, rate) => sum + rate, 0) * 1e8), ...resolution };
};
const getResponse = (state: string, postal_code: string, city: string) => responseTo({ state, postal_code, city });

const letters = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');

type Case = { readonly city: string; readonly possible: readonly Lot[]; readonly isExact: boolean };

/** Returns two names of other ZIPs that are not names of this ZIP: of a nearby and of a distant ZIP. */
const otherCities = (all: readonly ZipRow[], at: number, isOwn: (name: string) => boolean): readonly string[] =>
  [at + 1, at + 7919].flatMap((start) => {
    const names = Array.from({ length: 20 }, (_, step) =>
      all[(start + step) % all.length]?.names.replace(/[|=:].*/, ''),
    );
    return names.find((name) => name && !isOwn(name)) ?? [];
  });

/** The possible cities of an address in a ZIP, with the areas that match each. */
const listCases = (rows: readonly RateRow[], all: readonly ZipRow[], at: number, named: Named): readonly Case[] => {
  const zip = all[at] as ZipRow;
  const lots = listLots(rows, zip, named);
  const texts = zip.names.split('|');
  const own = new Set(texts.flatMap((text) => rowsThere(zip, text, named)));
  const spellings = new Set(texts.flatMap((text) => text.replace(/:.*/, '').split('=')).map(letters));
  const isOwn = (name: string) => spellings.has(letters(name)) || named(name).some((row) => own.has(row));
  return [
    ...texts.map((text) => ({
      city: text.replace(/[=:].*/, ''),
      possible: lotsNamed(lots, zip, text, named, rows),
      isExact: true,
    })),
    ...['', 'Xyzzy'].map((city) => ({ city, possible: lots, isExact: true })),
    ...otherCities(all, at, isOwn).map((city) => {
      const places = named(city).map((row) => ({ row, percent: 0 }));
      // A name without a place could be anywhere in its ZIPs.
      return { city, possible: [...lots, ...places], isExact: places.length > 0 };
    }),
  ];
};

const countyLetters = (name: string): string => letters(name).replace(/(COUNTY|CITY|PARISH|BOROUGH|MUNICIPIO)$/, '');
const counties = countyNames();
const countyIn = (state: string, code: string) => counties.get(`${stateFips(state)}${code.slice(0, 3)}`) ?? null;

/** Misspells a name: one letter omitted, doubled, replaced or swapped. */
const misspell = (name: string, at: number): string => {
  const index = at % name.length;
  const [before, letter, after] = [name.slice(0, index), name.charAt(index), name.slice(index + 1)];
  const swapped = `${after.slice(0, 1)}${letter}${after.slice(1)}`;
  return `${before}${[after, `${letter}${letter}${after}`, `q${after}`, swapped][at % 4]}`;
};

type Known = Readonly<Record<'cities' | 'counties', readonly string[]>> & { readonly letters: ReadonlySet<string> };

/** Addresses that are incomplete or have a wrong name, each with a description of the change. */
const listWorse = (address: PostalAddress & { city: string }, zip: ZipRow, known: Known, at: number) => {
  const isOfZip = (name: string) => listNames(zip.names).map(letters).includes(letters(name));
  const isKnown = (name: string) => known.letters.has(letters(name));
  const isCounty = (name: string) => known.counties.some((county) => countyLetters(county) === countyLetters(name));
  const inZip = zip.counties.split('|').map((code) => countyIn(address.state as string, code));
  const typo = misspell(address.city, at);
  const city = known.cities[(7 * at) % known.cities.length] ?? '';
  const county = known.counties[at % known.counties.length] ?? '';
  const countyTypo = misspell(address.county ?? 'Xyzzy', at);
  const { state } = address;
  const worse: [what: string, isFalse: boolean, PostalAddress][] = [
    ['no city', true, { ...address, city: null }],
    ['no ZIP', true, { ...address, postal_code: null }],
    ['no county', true, { ...address, county: null }],
    ['no ZIP and no county', true, { state, city: address.city }],
    ['no ZIP and no city', true, { state, county: address.county ?? null }],
    ['no city and no county', true, { state, postal_code: zip.zip5 }],
    ['the state alone', true, { state }],
    // A misspelled name can be a different name of the ZIP; without a ZIP, a different name is just another address.
    ['misspelt', !isOfZip(typo), { ...address, city: typo }],
    ['misspelt, no ZIP', !isKnown(typo), { ...address, city: typo, postal_code: null }],
    ['another city', !isOfZip(city), { ...address, city }],
    ['nonsense', true, { ...address, city: 'Xyzzy' }],
    ['another county', !inZip.includes(county), { ...address, county }],
    ['misspelt county', !isCounty(countyTypo), { ...address, county: countyTypo }],
  ];
  return worse.filter(([, isFalse]) => isFalse);
};

/** The number of less certain results, by kind of change. */
const weakened = new Map<string, number>();
const order = ['none', 'partial', 'complete'];

const states = listStates().filter((state) => rateRows(state).some(({ rate }) => rate !== '0'));
/** Incomplete and misspelled addresses are checked for every twentieth ZIP. */
const sparseStep = 20;
const met = { certain: 0, ambiguous: 0, partial: 0 };

/** Returns how the result for an address is wrong, or `null`. */
const getFault = (state: string, rows: readonly RateRow[], zip: ZipRow, { city, possible, isExact }: Case) => {
  const { rates, ambiguous, coverage } = getExpected(possible);
  const response = getResponse(state, zip.zip5, city);
  met[ambiguous ? 'ambiguous' : coverage === 'partial' ? 'partial' : 'certain'] += 1;
  const known = rates.includes(null) ? [...rates, ...standInRates(rows, zip)] : rates;
  const isSame = response.ambiguous === ambiguous && response.coverage === coverage;
  const isNoBetter = (response.ambiguous || !ambiguous) && (response.coverage === 'partial' || coverage === 'complete');
  if (known.includes(response.rate) && (isExact ? isSame : isNoBetter)) return null;
  return `${zip.zip5} ${city}: ${JSON.stringify([response, rates, ambiguous, coverage])}`;
};

describe.each(states)('%s', (state) => {
  const rows = rowsOn(rateRows(state), day);
  const named = finderIn(rows, zipRows(state));
  const zips = zipRows(state);

  it('uses the rate of most residents for each ZIP, and reports every uncertainty, for each name, a different name and no name', () => {
    const wrong = zips.flatMap((zip, at) => {
      const cases = listCases(rows, zips, at, named);
      return cases.flatMap((one) => getFault(state, rows, zip, one) ?? []);
    });
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it('never reports more certainty for a less complete address, or for a misspelled or different name', () => {
    const cities = [
      ...zips.filter(({ names }) => names !== '').flatMap(({ names }) => listNames(names)),
      ...rows.map(({ place }) => place),
    ];
    const known = {
      cities,
      letters: new Set(cities.map(letters)),
      counties: [...counties].flatMap(([fips, name]) => (fips.startsWith(stateFips(state)) ? [name] : [])),
    };
    const better: string[] = [];
    for (const [at, zip] of zips.entries()) {
      if (at % sparseStep !== 7 || zip.names === '') continue;
      const inhabited = isInhabited(zip).map(({ county }) => county);
      for (const [index, text] of zip.names.split('|').entries()) {
        const spellings = listNames(text);
        const [city = ''] = spellings;
        const inPlace = inhabited.find((code) => named(city).some(({ county }) => county === code)) ?? inhabited[0];
        for (const county of [null, countyIn(state, inPlace ?? '')]) {
          const address = { state, postal_code: zip.zip5, city, county };
          const { rate: _, ...full } = responseTo(address);
          for (const spelling of spellings)
            for (const sent of [spelling, spelling.toLowerCase(), ` ${spelling.toUpperCase()}. `])
              expect(responseTo({ ...address, city: sent }), JSON.stringify([address, sent])).toMatchObject(full);
          for (const [what, , part] of listWorse(address, zip, known, at + index)) {
            const { ambiguous, coverage } = responseTo(part);
            const isWorse = order.indexOf(coverage) <= order.indexOf(full.coverage) && (ambiguous || !full.ambiguous);
            if (!isWorse) better.push(JSON.stringify([what, address, part]));
            if (ambiguous !== full.ambiguous || coverage !== full.coverage)
              weakened.set(what, (weakened.get(what) ?? 0) + 1);
          }
        }
      }
    }
    expect(better).toEqual([]);
  });
});

it('finds every row of the tables by its city or county, or marks the address as ambiguous', () => {
  const wrong: string[] = [];
  const count = { rows: 0, certain: 0 };
  for (const state of listStates()) {
    const zips = zipRows(state);
    const zipIn = (county: string) => zips.find((zip) => zip.counties.startsWith(county))?.zip5 ?? null;
    for (const row of rowsOn(rateRows(state), day)) {
      if (row.rate === '') continue;
      count.rows += 1;
      const county = countyIn(state, row.county);
      const address =
        row.place === '' ? { state, county } : { state, county, city: row.place, postal_code: zipIn(row.county) };
      const { rate, ambiguous, coverage } = responseTo(address);
      if (ambiguous) continue;
      if (rate === Math.round(Number(row.rate) * 1e6) && coverage === 'complete') count.certain += 1;
      else wrong.push(`${state} ${row.county} ${row.place}: ${rate} instead of ${row.rate}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(count.rows).toBeGreaterThan(8500);
  expect(count.certain).toBeGreaterThan(2000);
});

it('covers all outcomes', () => {
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(5000);
  for (const what of ['no city', 'no ZIP', 'no county', 'misspelt', 'another city', 'another county'])
    expect(weakened.get(what) ?? 0, what).toBeGreaterThan(5);
});
