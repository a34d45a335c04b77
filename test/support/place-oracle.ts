/**
 * A slow reading of the text tables, with a comparison of names of its own: what the rule of `find-place.ts` must
 * answer.
 */
import type { RateRow, ZipRow } from '../../shared/catalog/local/text-tables.ts';

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

/** The row of each area that is in force on a day, with the names of its newest row. */
export const rowsOn = (rows: readonly RateRow[], day: string): readonly RateRow[] =>
  [...Map.groupBy(rows, ({ county, place }) => `${county} ${place}`).values()].map((own) => {
    const sorted = own.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    const inForce = sorted.findLast(({ from, to }) => from <= day && (to === '' || day <= to));
    if (!inForce) throw new Error(`${own[0]?.county} ${own[0]?.place} has no row on ${day}`);
    return { ...inForce, aliases: sorted.at(-1)?.aliases ?? '' };
  });

export type Named = (name: string) => readonly RateRow[];

/**
 * Finds the rows of a place's name: literally, else by an alias or without spaces, else with or without the word for
 * its kind.
 */
export const finderIn = (rows: readonly RateRow[]): Named => {
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

/** An area of the tables, `undefined` where a county has no row, with its percent of a ZIP's residents. */
export type Lot = { readonly row: RateRow | undefined; readonly percent: number };

/** The counties of a ZIP with residents, and their percents. */
const inhabitedOf = ({ counties }: ZipRow) =>
  counties
    .split('|')
    .map((one, _, all) => {
      const [county = '', percent] = one.split(':');
      return { county, percent: percent === undefined ? 100 / all.length : Number(percent) };
    })
    .filter(({ percent }) => percent > 0);

/** The rows of one of the ZIP's names in some counties; default: its inhabited counties. */
export const rowsThere = (
  zip: ZipRow,
  text: string,
  named: Named,
  counties = inhabitedOf(zip).map(({ county }) => county),
): readonly RateRow[] => {
  const spellings = text.replace(/:.*/, '').split('=');
  const found = spellings.map((name) => named(name).filter(({ county }) => county === '' || counties.includes(county)));
  return found.find((rows) => rows.length > 0) ?? [];
};

/** The row of a county outside its places, or its only row. */
const remainderIn = (rows: readonly RateRow[], county: string): RateRow | undefined => {
  const ofCounty = rows.filter((row) => row.county === county);
  return ofCounty.find(({ place }) => place === '') ?? (ofCounty.length === 1 ? ofCounty[0] : undefined);
};

/** The rates that may be charged where the place's own is not established: those of the counties, or no local rate. */
export const standInRates = (rows: readonly RateRow[], zip: ZipRow): readonly number[] => [
  0,
  ...inhabitedOf(zip).flatMap(({ county }) => rateOf(remainderIn(rows, county)) ?? []),
];

/** The areas of a ZIP with their percents of its residents. */
export const lotsOf = (rows: readonly RateRow[], zip: ZipRow, named: Named): readonly Lot[] => {
  const inhabited = inhabitedOf(zip).map((one) => ({ ...one, left: one.percent }));
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
  for (const { county, left } of inhabited)
    if (left >= 0.5) lots.push({ row: remainderIn(rows, county), percent: left });
  const counties = zip.counties.split('|').map((one) => one.slice(0, 3));
  for (const text of zip.names.split('|'))
    if (!text.includes(':')) for (const row of rowsThere(zip, text, named, counties)) lots.push({ row, percent: 0 });
  // Two names may mean one place.
  return [...Map.groupBy(lots, ({ row }) => row ?? {}).values()].map((same) => ({
    row: same[0]?.row,
    percent: same.reduce((sum, { percent }) => sum + percent, 0),
  }));
};

/** The areas that one of the ZIP's names leaves. */
export const lotsNamed = (lots: readonly Lot[], zip: ZipRow, text: string, named: Named): readonly Lot[] => {
  if (text === zip.names.split('|')[0] || !text.includes(':')) return lots;
  const rows = rowsThere(zip, text, named);
  const own = lots.filter(({ row }) => (rows.length > 0 ? row && rows.includes(row) : !row || row.place === ''));
  return own.length > 0 ? own : lots;
};

/**
 * The expected answer of the rule: the rates of most residents (several on a tie), and the uncertainties. Each place
 * without an established rate counts for itself, because its rate is not that of another.
 */
export const expectedOf = (lots: readonly Lot[]) => {
  const totals = [...Map.groupBy(lots, ({ row }) => rateOf(row) ?? row?.place).values()].map((same) => ({
    rate: rateOf(same[0]?.row),
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
