import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleasePart } from '../../catalog/content.ts';
import type { Location, Streets } from '../../catalog/release.ts';
import type { Evidence } from '../../catalog/release-values.ts';
import type { LocationFlags } from '../entry.ts';
import { decode } from '../files/text.ts';
import type { InForceCount } from '../summary.ts';
import type { Collection, SpanMeaning } from './collect.ts';
import { dayText, type Piece, type Resolved, resolve } from './resolve.ts';
import type { Pieces } from './spill.ts';

const bufferLength = 1 << 20;

/** The parts of a release as lines of JSON in a file: written once, readable repeatedly. */
export class PartsFile {
  readonly path: string;
  private readonly file: number;
  private buffer = '';
  count = 0;

  constructor(folder: string) {
    this.path = join(folder, 'parts.jsonl');
    this.file = openSync(this.path, 'w');
  }

  write(line: string): void {
    this.buffer += `${line}\n`;
    this.count += 1;
    if (this.buffer.length >= bufferLength) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    writeFileSync(this.file, this.buffer);
    this.buffer = '';
  }
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

const allFlags = (meanings: readonly SpanMeaning[]): LocationFlags =>
  Object.assign({}, ...meanings.map(({ flags }) => flags));

/**
 * Returns one location for all addresses, one for each city with separate taxes, and one for taxes of only some
 * addresses.
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
    ...allFlags(meanings),
    alternatives: [...new Map(meanings.map(({ locals }) => [locals.join(), locals])).values()],
  }));
};

const byMeaning = (resolved: readonly Resolved[]): readonly Resolved[][] => [
  ...Map.groupBy(resolved, ({ from, to, sets }) => `${from} ${to} ${sets.join()}`).values(),
];

/** Returns the locations of a ZIP; ranges with the same sets at the same time are merged. */
const zipLocations = (resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).flatMap((ranges) => listLocations(ranges, ranges.map(zipRange), [], details));

/** Returns the locations of a city, one for each span of days. */
const cityLocations = (city: string, resolved: readonly Resolved[], details: Details): readonly Location[] =>
  byMeaning(resolved).flatMap((ranges) => listLocations(ranges, [], [city], details));

const zipUnit = 10_000;

const tooManyStreets = (zip: number): string =>
  `ZIP ${String(zip).padStart(5, '0')} has more street ranges than Levy supports: its addresses are not looked up by street.`;

type Written = {
  readonly locations: number;
  /** The number of street-address ranges. */
  readonly streets: number;
  /** The number of parts for ZIPs. */
  readonly zips: number;
};

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

/** Writes the parts of all ZIPs and cities, sorted by key, with one three-digit ZIP in memory at a time. */
export const writeParts = (
  { registry, sets, spill, streetRows, cities, zips, tally }: Collection,
  evidence: Evidence,
  file: PartsFile,
  inForce: InForceCount,
): Written => {
  let [count, zipCount] = [0, 0];
  const details = { evidence, getMeaning: (set: number) => sets.meaning(set) };
  const write = (key: string, locations: readonly Location[], zipStreets?: Streets): void => {
    const fields = registry.listFields(locations.flatMap(({ alternatives }) => alternatives.flat()));
    const streets = zipStreets ? `,"streets":${JSON.stringify(zipStreets)}` : '';
    file.write(`{"key":${JSON.stringify(key)},${fields},"locations":${JSON.stringify(locations)}${streets}}`);
    count += locations.length;
    inForce.add(locations);
  };
  const zipsByZip3 = Map.groupBy(zips, (zip) => Math.floor(zip / 100));
  const zip3s = new Set([...spill.zip3s(), ...streetRows.zip3s()]);
  for (const zip3 of [...zip3s].toSorted((a, b) => a - b)) {
    const pieces = spill.take(zip3);
    const getStreets = streetRows.take(zip3, (set) => sets.meaning(set).locals);
    for (const [zip, indexes] of byZip(pieces, zipsByZip3.get(zip3) ?? [])) {
      const zipStreets = getStreets(zip);
      if (indexes.length === 0 && !zipStreets) continue;
      const own = resolve(indexes.map((index) => cut(pieces.at(index), zip)));
      const resolved = [...own, ...resolve(zipStreets?.pieces ?? [])];
      write(String(zip).padStart(5, '0'), zipLocations(resolved, details), zipStreets?.streets);
      zipCount += 1;
    }
  }
  for (const city of [...cities.keys()].toSorted())
    write(city, cityLocations(city, resolve(cities.get(city) ?? []), details));
  for (const zip of streetRows.tooMany) tally.note(tooManyStreets(zip));
  return { locations: count, streets: streetRows.count, zips: zipCount };
};
