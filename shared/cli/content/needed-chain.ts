import type { ReleaseHead, ReleasePart } from '../../content/content.ts';
import { contentHash } from '../../content/imports/content-hash.ts';
import type { Location } from '../../content/release.ts';
import { openRelease } from './releases.ts';
import { dayAfter } from './timeline.ts';

type Days = { readonly from: string; readonly to: string };

const endless = '9999-12-31';

const daysOf = ({ from, to }: Location, establishedFrom: string): Days => ({
  from: from ?? establishedFrom,
  to: to ?? endless,
});

/** Whether every address of the ZIP or city finds the location, so that no release below is asked. */
const holdsAll = (key: string, { zips, cities, within_city }: Location): boolean =>
  within_city === undefined &&
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

/** The days on which releases name all addresses of each ZIP and city. */
class Named {
  private readonly days = new Map<string, readonly Days[]>();

  add({ key, locations }: ReleasePart, establishedFrom: string): void {
    const own = locations.filter((one) => holdsAll(key, one)).map((one) => daysOf(one, establishedFrom));
    this.days.set(key, joined([...(this.days.get(key) ?? []), ...own]));
  }

  has({ key, locations }: ReleasePart, establishedFrom: string): boolean {
    const known = this.days.get(key) ?? [];
    return locations.every((location) => {
      const { from, to } = daysOf(location, establishedFrom);
      return known.some((span) => span.from <= from && to <= span.to);
    });
  }
}

const isNamed = async (named: Named, parts: AsyncIterable<ReleasePart>, establishedFrom: string): Promise<boolean> => {
  for await (const part of parts) if (!named.has(part, establishedFrom)) return false;
  return true;
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
  for await (const part of parts()) named.add(part, head.established_from);
  const chain: string[] = [];
  for (const id of all) {
    const { head: below, parts: partsBelow } = await openRelease(id);
    if (await isNamed(named, partsBelow(), below.established_from)) continue;
    chain.push(id);
    for await (const part of partsBelow()) named.add(part, below.established_from);
  }
  if (chain.length === all.length) return head;
  const needed = { ...head, chain };
  return { ...needed, content_hash: await contentHash(needed, parts()) };
};
