import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { establishedSpan, listPieces, type Span } from '../../catalog/effective.ts';
import { ContentCorrupt, catchCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import type { Location, Release } from '../../catalog/release.ts';
import { contentHash, type Parts } from '../build.ts';
import { joinRanges, type NumberRange } from '../zips.ts';
import { openRelease } from './open-release.ts';
import type { Printer } from './report.ts';
import { listZipRanges } from './zip-pieces.ts';

type Head = Pick<Release, 'state' | 'rates' | 'established_from' | 'complete_from'>;

/** Addresses of a ZIP or city, and the days on which a release covers them. */
type Named = { readonly days: readonly Span[]; readonly ranges: readonly NumberRange[] };

/** `some`: all locations. `all`: the locations that apply to every address in their ranges, with all taxes. */
type KeyNames = { readonly key: string; readonly some: readonly Named[]; readonly all: readonly Named[] };

const includes = (spans: readonly Span[], day: string): boolean =>
  spans.some(({ from, to }) => from <= day && (to === null || day <= to));

/** Returns whether the location applies to every address in its ranges, with all local taxes. */
const holdsAll = ({ within_city, of_addresses }: Location): boolean =>
  within_city === undefined && of_addresses !== true;

/**
 * Returns the days of a location on which the state and all of its jurisdictions have rates. On other days the fallback
 * applies.
 */
const ratedDays = (head: Head, { rates }: ReleasePart, location: Location): readonly Span[] => {
  const codes = [head.state, ...location.alternatives.flat()];
  const dated = codes.map((code) => [...head.rates, ...rates].filter(({ jurisdiction }) => jurisdiction === code));
  const required = [[location], ...dated].map((values) =>
    values.map((value) => establishedSpan(value, head.established_from)),
  );
  return listPieces(required.flat()).filter(({ from }) => required.every((spans) => includes(spans, from)));
};

async function* listNames(head: Head, parts: AsyncIterable<ReleasePart>): AsyncGenerator<KeyNames> {
  for await (const part of parts) {
    const { key, locations } = part;
    const listRanges = (location: Location) => joinRanges(listZipRanges(key, location));
    yield {
      key,
      some: locations.map((location) => ({
        days: [establishedSpan(location, head.established_from)],
        ranges: listRanges(location),
      })),
      all: locations
        .filter(holdsAll)
        .map((location) => ({ days: ratedDays(head, part, location), ranges: listRanges(location) })),
    };
  }
}

const readNames = async (id: string) => {
  const { head, parts } = await openRelease(id);
  return { head, all: await Array.fromAsync(listNames(head, parts())) };
};

const rangesOn = (named: readonly Named[], day: string): readonly NumberRange[] =>
  joinRanges(named.flatMap(({ days, ranges }) => (includes(days, day) ? ranges : [])));

const contain = (outer: readonly NumberRange[], inner: readonly NumberRange[]): boolean =>
  inner.every(({ low, high }) => outer.some((range) => range.low <= low && high <= range.high));

type Level = { readonly completeFrom: string; readonly all: readonly Named[] };

/** The locations of the newer releases that apply to every address with all local taxes, by ZIP or city. */
class Upper {
  private readonly levels = new Map<string, readonly Level[]>();

  add({ key, all }: KeyNames, { complete_from: completeFrom = '' }: Head): void {
    this.levels.set(key, [...(this.levels.get(key) ?? []), { completeFrom, all }]);
  }

  /**
   * Returns the last day on which this release has an address that the newer releases do not cover: `null` without an
   * end, `undefined` if there is no such day. Before `complete_from`, the release with the longer history applies.
   */
  lastDayWithout({ key, some }: KeyNames, { complete_from: completeFrom = '' }: Head): string | null | undefined {
    const levels = this.levels.get(key) ?? [];
    const days = [...some, ...levels.flatMap(({ all }) => all)].flatMap((named) => named.days);
    const firsts = levels.map((level) => ({ from: level.completeFrom, to: null }));
    return listPieces([...days, ...firsts]).findLast(({ from: day }) => {
      const upper = levels.filter((level) => level.completeFrom <= day || level.completeFrom <= completeFrom);
      const above = upper.flatMap(({ all }) => all);
      return !contain(rangesOn(above, day), rangesOn(some, day));
    })?.to;
  }
}

const later = (a: string | null, b: string | null): string | null => (a === null || b === null ? null : a < b ? b : a);

/**
 * Returns the last day on which a release of the chain still covers any address: `null` without an end, `undefined` if
 * it covers none. Leaves out a corrupt release and prints a message.
 */
const neededUntil = async (upper: Upper, id: string, { print }: Printer): Promise<string | null | undefined> => {
  const read = await catchCorrupt(readNames(id));
  if (read instanceof ContentCorrupt) {
    print(`${id} is left out of the fallback releases. ${corruptionText(read)}`);
    return undefined;
  }
  const { head, all } = read;
  const lastDays = all.map((names) => upper.lastDayWithout(names, head)).filter((day) => day !== undefined);
  if (lastDays.length === 0) return undefined;
  for (const names of all) upper.add(names, head);
  return lastDays.reduce(later);
};

/**
 * Returns the head of an import without the fallback releases that no longer cover any address, and with the last day
 * on which each remaining one does. Otherwise, the number of releases that a calculation reads would grow with each
 * import.
 */
export const withNeededChain = async (head: ReleaseHead, parts: Parts, reporter: Printer): Promise<ReleaseHead> => {
  const { chain: all } = head;
  if (all.length === 0) return head;
  const upper = new Upper();
  for await (const names of listNames(head, parts())) upper.add(names, head);
  const members: { readonly id: string; readonly until: string | null }[] = [];
  for (const id of all) {
    const until = await neededUntil(upper, id, reporter);
    if (until !== undefined) members.push({ id, until });
  }
  const chain = members.map(({ id }) => id);
  if (chain.length === all.length && members.every(({ until }) => until === null)) return head;
  const needed = { ...head, chain, chain_until: members.map(({ until }) => until) };
  return { ...needed, content_hash: await contentHash(needed, parts()) };
};
