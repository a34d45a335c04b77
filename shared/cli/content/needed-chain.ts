import { dayAfter } from '../../calendar.ts';
import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import { ContentCorrupt } from '../../content/loading/content-errors.ts';
import type { Dated, Location, Release } from '../../content/release.ts';
import { corruptionText } from '../terminal/errors.ts';
import { print } from '../terminal/output.ts';
import { openRelease } from './releases.ts';

type Days = { readonly from: string; readonly to: string };

const endless = '9999-12-31';

const daysOf = ({ from, to }: Dated, establishedFrom: string): Days => ({
  from: from ?? establishedFrom,
  to: to ?? endless,
});

/** Whether every address of the ZIP or city finds the location, and its local taxes there. */
const holdsAll = (key: string, { zips, cities, within_city, lacks_locals }: Location): boolean =>
  within_city === undefined &&
  lacks_locals !== true &&
  (zips.some(([low, high]) => low.padEnd(9, '0') <= `${key}0000` && `${key}9999` <= high.padEnd(9, '9')) ||
    (zips.length === 0 && cities.includes(key)));

/** Days in their order, those that follow each other as one. */
const joined = (days: readonly Days[]): readonly Days[] => {
  const spans: { from: string; to: string }[] = [];
  for (const { from, to } of days.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = spans.at(-1);
    if (last && (last.to === endless || from <= dayAfter(last.to))) last.to = to > last.to ? to : last.to;
    else spans.push({ from, to });
  }
  return spans;
};

/** The days on which a release names some address of a ZIP or city, and those on which it names all of them. */
type KeyDays = { readonly key: string; readonly some: readonly Days[]; readonly all: readonly Days[] };

type Head = Pick<Release, 'state' | 'rates' | 'established_from'>;

/** The days of both. */
const inBoth = (left: readonly Days[], right: readonly Days[]): readonly Days[] =>
  left
    .flatMap((a) => right.map((b) => ({ from: a.from > b.from ? a.from : b.from, to: a.to < b.to ? a.to : b.to })))
    .filter(({ from, to }) => from <= to);

/** The days of a location on which the state and all of its jurisdictions have rates: else the release below answers. */
const ratedDays = (head: Head, { rates }: ReleasePart, one: Location): readonly Days[] => {
  const byCode = Map.groupBy([...head.rates, ...rates], ({ jurisdiction }) => jurisdiction);
  const daysOfCode = (code: string) =>
    joined((byCode.get(code) ?? []).map((rate) => daysOf(rate, head.established_from)));
  return [head.state, ...one.alternatives.flat()].reduce(
    (days: readonly Days[], code) => inBoth(days, daysOfCode(code)),
    [daysOf(one, head.established_from)],
  );
};

async function* keysWithDays(head: Head, parts: AsyncIterable<ReleasePart>): AsyncGenerator<KeyDays> {
  const days = (locations: readonly Location[]) => joined(locations.map((one) => daysOf(one, head.established_from)));
  for await (const part of parts) {
    const { key, locations } = part;
    const whole = locations.filter((one) => holdsAll(key, one)).flatMap((one) => ratedDays(head, part, one));
    yield { key, some: days(locations), all: joined(whole) };
  }
}

/** The days on which the releases that were added name all addresses of each ZIP and city. */
class Named {
  private readonly days = new Map<string, readonly Days[]>();

  add({ key, all }: KeyDays): void {
    this.days.set(key, joined([...(this.days.get(key) ?? []), ...all]));
  }

  has({ key, some }: KeyDays): boolean {
    const known = this.days.get(key) ?? [];
    return some.every(({ from, to }) => known.some((span) => span.from <= from && to <= span.to));
  }
}

/** Whether a release of the chain still answers for something. A corrupt one answers for nothing, which is printed. */
const isNeeded = async (named: Named, id: string): Promise<boolean> => {
  try {
    const { head, parts } = await openRelease(id);
    const all = await Array.fromAsync(keysWithDays(head, parts()));
    if (all.every((one) => named.has(one))) return false;
    for (const one of all) named.add(one);
    return true;
  } catch (error) {
    if (!(error instanceof ContentCorrupt)) throw error;
    print(`${id} is left out of the releases below. ${corruptionText(error)}`);
    return false;
  }
};

/**
 * The head of an import without the releases below it that answer for nothing any more, because the import names all that
 * they name. A calculation reads every release of the chain, which would grow with each import of a whole state.
 */
export const withNeededChain = async (
  head: ReleaseHead,
  parts: () => AsyncIterable<ReleasePart>,
): Promise<ReleaseHead> => {
  const { chain: all = [] } = head;
  if (all.length === 0) return head;
  const named = new Named();
  for await (const one of keysWithDays(head, parts())) named.add(one);
  const chain: string[] = [];
  for (const id of all) if (await isNeeded(named, id)) chain.push(id);
  if (chain.length === all.length) return head;
  const needed = { ...head, chain };
  return { ...needed, content_hash: await contentHash(needed, parts()) };
};
