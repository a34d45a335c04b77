/**
 * The rule of `find-place.ts` on every ZIP with each of its names and without a city, against a slow reading of the text
 * tables with a comparison of names of its own.
 */
import { describe, expect, it } from 'vitest';
import { editionsOf, type RateRow, rateRows, type ZipRow, zipRows } from '../../shared/content/local/text-tables.ts';
import { readAddress } from '../../shared/content/location/address.ts';
import { locate } from '../../shared/content/location/place.ts';
import { withTables } from '../support/local-tables.ts';

const day = '2026-11-20';

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
/** The words of a name in one form. */
const wordsOf = (name: string): readonly string[] => {
  const all = known.get(name) ?? split(name);
  known.set(name, all);
  return all;
};
const keyOf = (name: string): string => wordsOf(name).join('');
const kinds = new Set(['CITY', 'TOWN', 'VILLAGE', 'TOWNSHIP', 'BOROUGH']);
const baseOf = (name: string): string => {
  const all = wordsOf(name);
  return (kinds.has(all.at(-1) ?? '') && all.length > 1 ? all.slice(0, -1) : all).join('');
};

/** A rate in millionths of a percent; `null`: not established. */
const rateOf = (row: RateRow | undefined): number | null =>
  row === undefined || row.rate === '' ? null : Math.round(Number(row.rate) * 1e6);

type Named = (name: string) => readonly RateRow[];

/** Finds the rows of a place's name: literally, else by an alias or without spaces, else with or without the word for its kind. */
const finderIn = (rows: readonly RateRow[]): Named => {
  const places = rows.filter(({ place }) => place !== '');
  const literal = Map.groupBy(places, ({ place }) => wordsOf(place).join(' '));
  const byKey = Map.groupBy(
    places.flatMap((row) =>
      [row.place, ...row.aliases.split('|')].filter(Boolean).map((name) => ({ key: keyOf(name), row })),
    ),
    ({ key }) => key,
  );
  const byBase = Map.groupBy(places, ({ place }) => baseOf(place));
  return (name) => {
    const exact = literal.get(wordsOf(name).join(' ')) ?? [...new Set(byKey.get(keyOf(name))?.map(({ row }) => row))];
    if (exact.length > 0) return exact;
    const like = byBase.get(baseOf(name)) ?? [];
    const isSuffix = like.every(({ place }) => (keyOf(place) === baseOf(place)) !== (keyOf(name) === baseOf(name)));
    return new Set(like.map(({ place }) => keyOf(place))).size === 1 && isSuffix ? like : [];
  };
};

type Lot = { readonly row: RateRow | undefined; readonly percent: number };

const inhabitedOf = ({ counties }: ZipRow) =>
  counties
    .split('|')
    .map((one, _, all) => {
      const [county = '', percent] = one.split(':');
      return { county, percent: percent === undefined ? 100 / all.length : Number(percent) };
    })
    .filter(({ percent }) => percent > 0);

/** The rows of one of the ZIP's names in its inhabited counties. */
const rowsThere = (zip: ZipRow, text: string, named: Named): readonly RateRow[] => {
  const counties = inhabitedOf(zip).map(({ county }) => county);
  const spellings = text.replace(/:.*/, '').split('=');
  const found = spellings.map((name) => named(name).filter(({ county }) => county === '' || counties.includes(county)));
  return found.find((rows) => rows.length > 0) ?? [];
};

/** The areas of a ZIP with their percents of its residents. */
const lotsOf = (rows: readonly RateRow[], zip: ZipRow, named: Named): readonly Lot[] => {
  const inhabited = inhabitedOf(zip).map((one) => ({ ...one, left: one.percent }));
  const remainder = (county: string) => {
    const ofCounty = rows.filter((row) => row.county === county);
    return ofCounty.find(({ place }) => place === '') ?? (ofCounty.length === 1 ? ofCounty[0] : undefined);
  };
  const lots: Lot[] = [];
  const [preferred = '', ...others] = zip.names.split('|');
  for (const text of [...others, preferred]) {
    const share = text.split(':')[1];
    if (share === undefined && text !== preferred) continue;
    const there = rowsThere(zip, text, named).map((row) => ({
      row,
      at: inhabited.find(({ county }) => county === row.county) ?? inhabited[0],
    }));
    const whole = there.reduce((sum, { at }) => sum + (at?.percent ?? 0), 0);
    for (const { row, at } of there) {
      if (!at) continue;
      const part = share === undefined ? at.left : Math.min(at.left, (Number(share) * at.percent) / whole);
      at.left -= part;
      lots.push({ row, percent: part });
    }
  }
  for (const { county, left } of inhabited) if (left >= 0.5) lots.push({ row: remainder(county), percent: left });
  // Two names may mean one place.
  return [...Map.groupBy(lots, ({ row }) => row ?? {}).values()].map((same) => ({
    row: same[0]?.row,
    percent: same.reduce((sum, { percent }) => sum + percent, 0),
  }));
};

/** The areas that one of the ZIP's names leaves. */
const lotsNamed = (lots: readonly Lot[], zip: ZipRow, text: string, named: Named): readonly Lot[] => {
  if (text === zip.names.split('|')[0] || !text.includes(':')) return lots;
  const rows = rowsThere(zip, text, named);
  const own = lots.filter(({ row }) => (rows.length > 0 ? row && rows.includes(row) : !row || row.place === ''));
  return own.length > 0 ? own : lots;
};

/** What the rule must answer: the rates of most residents (several on a tie), and the doubts. */
const expectedOf = (lots: readonly Lot[]) => {
  const totals = new Map<number | null, number>();
  for (const { row, percent } of lots) totals.set(rateOf(row), (totals.get(rateOf(row)) ?? 0) + percent);
  const most = Math.max(...totals.values());
  return {
    rates: [...totals].filter(([, percent]) => most - percent < 1e-6).map(([rate]) => rate),
    ambiguous: totals.size > 1,
    coverage: totals.has(null) ? 'partial' : 'complete',
  };
};

/** The local rate that an address gets, in millionths of a percent, and its resolution. */
const answerOf = (state: string, postal_code: string, city: string) => {
  const address = readAddress({ state, postal_code, city }, '');
  if (!address.ok) throw new Error(`${state} ${postal_code} is not read`);
  const { place, resolution } = locate(address.value, withTables, day, false);
  const rates = new Map(
    (place.release?.rates ?? []).filter(({ from }) => (from ?? '') <= day).map((one) => [one.jurisdiction, one.rate]),
  );
  const local = place.jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => Number(rates.get(code)));
  return { rate: Math.round(local.reduce((sum, rate) => sum + rate, 0) * 1e8), ...resolution };
};

const editions = editionsOf('rates').filter((edition) => rateRows(edition).some(({ rate }) => rate !== '0'));
const met = { certain: 0, ambiguous: 0, partial: 0 };

describe.each(editions)('%s', (edition) => {
  const state = edition.slice(0, 2);
  const rows = rateRows(edition);
  const named = finderIn(rows);

  it('gives each ZIP the rate of most residents, and names every doubt, with each of its names and without one', () => {
    const wrong: string[] = [];
    for (const zip of zipRows(edition)) {
      const lots = lotsOf(rows, zip, named);
      const cases = zip.names.split('|').map((text) => ({
        city: text.replace(/[=:].*/, ''),
        possible: lotsNamed(lots, zip, text, named),
      }));
      for (const { city, possible } of [...cases, { city: '', possible: lots }]) {
        const { rates, ambiguous, coverage } = expectedOf(possible);
        const answer = answerOf(state, zip.zip5, city);
        met[ambiguous ? 'ambiguous' : coverage === 'partial' ? 'partial' : 'certain'] += 1;
        const isRate = rates.includes(null) || rates.includes(answer.rate);
        if (!isRate || answer.ambiguous !== ambiguous || answer.coverage !== coverage)
          wrong.push(`${zip.zip5} ${city}: ${JSON.stringify([answer, rates, ambiguous, coverage])}`);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  }, 60_000);
});

it('meets all outcomes', () => {
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(1000);
});
