import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ReleasePart } from '../../catalog/content.ts';
import type { Location } from '../../catalog/release.ts';
import type { Evidence } from '../../catalog/release-values.ts';
import { decode } from '../files/text.ts';
import type { Collection, SpanMeaning } from './collect.ts';
import { dayText, type Piece, type Resolved, resolve } from './resolve.ts';
import type { Pieces } from './spill.ts';

const blockLength = 1 << 20;

/** Joins lines to blocks, because each block is one write to a file. */
function* joinLines(lines: Iterable<string>): Generator<string> {
  let block = '';
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < blockLength) continue;
    yield block;
    block = '';
  }
  yield block;
}

/** Yields the parts of a file one by one. */
export async function* readParts(path: string): AsyncGenerator<ReleasePart> {
  const bytes = createReadStream(path, { highWaterMark: 1 << 18 });
  for await (const block of decode(bytes, Number.POSITIVE_INFINITY, () => {}))
    for (const line of block.split('\n')) if (line !== '') yield JSON.parse(line);
}

/** Five digits for a whole ZIP, nine for a part of one. */
const zipRange = ({ low, high }: Resolved): readonly [string, string] => {
  const [first, last] = [String(low).padStart(9, '0'), String(high).padStart(9, '0')];
  const isWhole = first.endsWith('0000') && last.endsWith('9999') && first.slice(0, 5) === last.slice(0, 5);
  return isWhole ? [first.slice(0, 5), last.slice(0, 5)] : [first, last];
};

type Details = { readonly evidence: Evidence; readonly getMeaning: (set: number) => SpanMeaning };

/**
 * Returns one location for each combination of flags: for all addresses, for one city with separate taxes, or for only
 * some addresses.
 */
const listLocations = (
  ranges: readonly Resolved[],
  zips: Location['zips'],
  cities: readonly string[],
  { evidence, getMeaning }: Details,
): readonly Location[] => {
  const [{ from, to, sets }] = ranges as readonly [Resolved, ...Resolved[]];
  const getKind = ({ flags }: SpanMeaning) => `${flags.of_addresses ?? false} ${flags.within_city ?? ''}`;
  return [...Map.groupBy(sets.map(getMeaning), getKind).values()].map((meanings) => ({
    from: dayText(from),
    to: dayText(to),
    ...evidence,
    zips,
    cities,
    ...Object.assign({}, ...meanings.map(({ flags }) => flags)),
    alternatives: [...new Map(meanings.map(({ locals }) => [locals.join(), locals])).values()],
  }));
};

/** Groups ranges with the same days and sets. One location can list the ranges of a group. */
const byMeaning = (resolved: readonly Resolved[]): readonly Resolved[][] => [
  ...Map.groupBy(resolved, ({ from, to, sets }) => `${from} ${to} ${sets.join()}`).values(),
];

const zipUnit = 10_000;

const tooManyStreets = (zip: number): string =>
  `ZIP ${String(zip).padStart(5, '0')} has more street ranges than Levy supports: its addresses are not looked up by street.`;

/** Returns the indexes of the pieces of each ZIP in the state. */
const byZip = (pieces: Pieces, zips: readonly number[]): ReadonlyMap<number, readonly number[]> => {
  const found = new Map<number, number[]>(zips.map((zip) => [zip, []]));
  for (let index = 0; index < pieces.length; index += 1) {
    const last = Math.floor(pieces.getHigh(index) / zipUnit);
    for (let zip = Math.floor(pieces.getLow(index) / zipUnit); zip <= last; zip += 1) found.get(zip)?.push(index);
  }
  return found;
};

/** Cuts a piece to one ZIP. */
const cut = (piece: Piece, zip: number): Piece => ({
  ...piece,
  low: Math.max(piece.low, zip * zipUnit),
  high: Math.min(piece.high, zip * zipUnit + zipUnit - 1),
});

/** Yields the parts of all ZIPs and cities, sorted by key, with one three-digit ZIP in memory at a time. */
function* listParts({ sets, spill, streetRows, cities, zips }: Collection, evidence: Evidence) {
  const details = { evidence, getMeaning: (set: number) => sets.meaning(set) };
  const zipsByZip3 = Map.groupBy(zips, (zip) => Math.floor(zip / 100));
  const zip3s = new Set([...spill.zip3s(), ...streetRows.zip3s()]);
  for (const zip3 of [...zip3s].toSorted((a, b) => a - b)) {
    const pieces = spill.take(zip3);
    const getStreets = streetRows.take(zip3, (set) => sets.meaning(set).locals);
    for (const [zip, indexes] of byZip(pieces, zipsByZip3.get(zip3) ?? [])) {
      const zipStreets = getStreets(zip);
      if (indexes.length === 0 && !zipStreets) continue;
      const own = resolve(indexes.map((index) => cut(pieces.at(index), zip)));
      const groups = byMeaning([...own, ...resolve(zipStreets?.pieces ?? [])]);
      const locations = groups.flatMap((ranges) => listLocations(ranges, ranges.map(zipRange), [], details));
      yield { key: String(zip).padStart(5, '0'), locations, streets: zipStreets?.streets };
    }
  }
  for (const city of [...cities.keys()].toSorted()) {
    const groups = byMeaning(resolve(cities.get(city) ?? []));
    yield { key: city, locations: groups.flatMap((ranges) => listLocations(ranges, [], [city], details)) };
  }
}

// Sorts after every day.
const endless = '9999-99-99';

/**
 * Writes the parts to a file as lines of JSON. Returns the counts of the release, and its last day; `null` if a location
 * is open-ended.
 */
export const writeParts = async (collection: Collection, evidence: Evidence, path: string) => {
  const { registry, streetRows, tally } = collection;
  const counts = { parts: 0, zips: 0, locations: 0 };
  let lastDay = '';
  function* lines(): Generator<string> {
    for (const { key, locations, streets } of listParts(collection, evidence)) {
      const fields = registry.listFields(locations.flatMap(({ alternatives }) => alternatives.flat()));
      const ofStreets = streets ? `,"streets":${JSON.stringify(streets)}` : '';
      yield `{"key":${JSON.stringify(key)},${fields},"locations":${JSON.stringify(locations)}${ofStreets}}`;
      counts.parts += 1;
      counts.zips += collection.cities.has(key) ? 0 : 1;
      counts.locations += locations.length;
      for (const { to } of locations) if ((to ?? endless) > lastDay) lastDay = to ?? endless;
    }
  }
  await writeFile(path, joinLines(lines()));
  for (const zip of streetRows.tooMany) tally.note(tooManyStreets(zip));
  return { ...counts, streets: streetRows.count, last_day: lastDay === endless ? null : lastDay };
};
