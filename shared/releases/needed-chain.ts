import type { ReleaseHead, ReleasePart } from '../content/content.ts';
import { contentHash } from '../content/imports/content-hash.ts';
import { ContentCorrupt, corruptionText } from '../content/loading/content-errors.ts';
import type { Location, Release } from '../content/release.ts';
import { openRelease } from './open-release.ts';
import type { Reporter } from './reporter.ts';
import { establishedSpan, piecesOf, type Span } from './timeline.ts';

type Head = Pick<Release, 'state' | 'rates' | 'established_from'>;

/** The days on which a release names some address of a ZIP or city, and the days on which it names all. */
type KeyDays = { readonly key: string; readonly some: readonly Span[]; readonly all: readonly Span[] };

const includes = (spans: readonly Span[], day: string): boolean =>
  spans.some(({ from, to }) => from <= day && (to === null || day <= to));

/** Whether the location applies to every address of the ZIP or city, with its local taxes. */
const holdsAll = (key: string, { zips, cities, within_city, lacks_locals }: Location): boolean =>
  within_city === undefined &&
  lacks_locals !== true &&
  (zips.some(([low, high]) => low.padEnd(9, '0') <= `${key}0000` && `${key}9999` <= high.padEnd(9, '9')) ||
    (zips.length === 0 && cities.includes(key)));

/** The days of a location on which the state and all of its jurisdictions have rates. On others, the release below answers. */
const ratedDays = (head: Head, { rates }: ReleasePart, location: Location): readonly Span[] => {
  const codes = [head.state, ...location.alternatives.flat()];
  const dated = codes.map((code) => [...head.rates, ...rates].filter(({ jurisdiction }) => jurisdiction === code));
  const required = [[location], ...dated].map((values) =>
    values.map((value) => establishedSpan(value, head.established_from)),
  );
  return piecesOf(required.flat()).filter(({ from }) => required.every((spans) => includes(spans, from)));
};

async function* keysWithDays(head: Head, parts: AsyncIterable<ReleasePart>): AsyncGenerator<KeyDays> {
  for await (const part of parts) {
    const { key, locations } = part;
    yield {
      key,
      some: locations.map((location) => establishedSpan(location, head.established_from)),
      all: locations
        .filter((location) => holdsAll(key, location))
        .flatMap((location) => ratedDays(head, part, location)),
    };
  }
}

/** The days on which the added releases name all addresses of each ZIP and city. */
class Named {
  private readonly days = new Map<string, readonly Span[]>();

  add({ key, all }: KeyDays): void {
    this.days.set(key, [...(this.days.get(key) ?? []), ...all]);
  }

  has({ key, some }: KeyDays): boolean {
    const known = this.days.get(key) ?? [];
    return piecesOf([...some, ...known]).every(({ from }) => !includes(some, from) || includes(known, from));
  }
}

/** Whether a release of the chain still answers for any address. A corrupt one is left out, with a line of output. */
const isNeeded = async (named: Named, id: string, { print }: Pick<Reporter, 'print'>): Promise<boolean> => {
  try {
    const { head, parts } = await openRelease(id);
    const all = await Array.fromAsync(keysWithDays(head, parts()));
    if (all.every((days) => named.has(days))) return false;
    for (const days of all) named.add(days);
    return true;
  } catch (error) {
    if (!(error instanceof ContentCorrupt)) throw error;
    print(`${id} is left out of the releases below. ${corruptionText(error)}`);
    return false;
  }
};

/**
 * The head of an import without the releases below it that no longer answer for any address. A calculation reads every
 * release of the chain, which would grow with each import of a whole state.
 */
export const withNeededChain = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
  reporter: Pick<Reporter, 'print'>,
): Promise<ReleaseHead> => {
  const { chain: all = [] } = head;
  if (all.length === 0) return head;
  const named = new Named();
  for await (const days of keysWithDays(head, parts())) named.add(days);
  const chain: string[] = [];
  for (const id of all) if (await isNeeded(named, id, reporter)) chain.push(id);
  if (chain.length === all.length) return head;
  const needed = { ...head, chain };
  return { ...needed, content_hash: await contentHash(needed, parts()) };
};
