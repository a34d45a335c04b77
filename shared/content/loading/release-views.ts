import type { ReleaseHead, ReleasePart } from '../content.ts';
import type { Jurisdiction, Rate, Release } from '../release.ts';
import { ReleaseNotFound } from './content-errors.ts';

/** A release with the content of these parts, without duplicates. */
export const releaseView = (head: ReleaseHead, parts: readonly ReleasePart[]): Release => {
  if (parts.length === 0) return head;
  const [state, ...locals] = head.jurisdictions;
  const jurisdictions = new Map<string, Jurisdiction>([state, ...locals].map((place) => [place.code, place]));
  const rates: Rate[] = [...head.rates];
  const rated = new Set(rates.map(({ jurisdiction }) => jurisdiction));
  for (const part of parts) {
    for (const jurisdiction of part.jurisdictions)
      if (!jurisdictions.has(jurisdiction.code)) jurisdictions.set(jurisdiction.code, jurisdiction);
    // A part contains either every rate of a jurisdiction or none.
    const added = part.rates.filter(({ jurisdiction }) => !rated.has(jurisdiction));
    for (const rate of added) rates.push(rate);
    for (const { jurisdiction } of added) rated.add(jurisdiction);
  }
  jurisdictions.delete(state.code);
  // Of an address's parts, that of its ZIP alone has streets.
  const streets = parts.find((part) => part.streets)?.streets;
  return {
    ...head,
    ...(streets ? { streets } : {}),
    jurisdictions: [state, ...jurisdictions.values()],
    rates,
    locations: [...head.locations, ...parts.flatMap(({ locations }) => locations)],
  };
};

/** The maximum number of pointers to places, rates and locations in an instance's views: 8 MB. */
export const viewedMax = 1_000_000;

/** One imported release, with the parts of it that an address needs. */
export type Level = { readonly head: ReleaseHead; readonly parts: readonly ReleasePart[] };

export type ReleaseViews = {
  /** A view of the active release and the releases below it, with the parts that an address needs. */
  readonly overlay: (levels: readonly [Level, ...Level[]]) => Release;
  /** Evict all views. A view must not outlive its parts in the cache; otherwise the cache would exceed its limit. */
  readonly clear: () => void;
  readonly size: () => number;
};

/**
 * Make and cache views of imported releases. The same levels give the same object, because caches are keyed by the
 * release object.
 */
export const releaseViews = (
  isCached: (level: Level) => boolean,
  builtInById: (id: string) => Release | undefined,
): ReleaseViews => {
  const views = new Map<string, Release>();
  const bottoms = new Map<string, Release>();
  let viewed = 0;
  const clear = () => {
    views.clear();
    viewed = 0;
  };

  // The built-in release below an import pins the import's id. One object for each import.
  const bottomOf = ({ id, bottom }: ReleaseHead): Release | null => {
    if (bottom === undefined) return null;
    const known = bottoms.get(id);
    if (known) return known;
    const builtIn = builtInById(bottom);
    if (!builtIn) throw new ReleaseNotFound(bottom);
    const made = { ...builtIn, pinnedBy: id };
    bottoms.set(id, made);
    return made;
  };

  const view = (level: Level, top: ReleaseHead, fallback: Release | null): Release => {
    const { head, parts } = level;
    const name = `${top.id} ${head.id} ${parts.map(({ key }) => key).join('|')}`;
    // A view contains its fallback, so both must have the same parts.
    const known = views.get(name);
    if (known && (known.fallback ?? null) === fallback) return known;
    const made = {
      ...releaseView(head, parts),
      ...(fallback ? { fallback } : {}),
      ...(head.id === top.id ? {} : { pinnedBy: top.id }),
    };
    if (!isCached(level)) return made;
    const pointers = made.jurisdictions.length + made.rates.length + made.locations.length;
    if (viewed + pointers > viewedMax) clear();
    viewed += pointers;
    views.set(name, made);
    return made;
  };

  const overlay = (levels: readonly [Level, ...Level[]]): Release => {
    const [{ head: top }] = levels;
    return levels.reduceRight(
      (fallback: Release | null, level) => view(level, top, fallback),
      bottomOf(top),
    ) as Release;
  };

  return { overlay, clear, size: () => viewed };
};
