import { getOrAdd } from '../../base/collections.ts';
import type { ReleaseHead, ReleasePart } from '../content.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRules } from '../own-rules.ts';
import type { Release } from '../release.ts';
import { ReleaseNotFound } from './content-errors.ts';

/** The maximum number of pointers to places, rates and locations in an instance's views: 8 MB. */
export const viewedMax = 1_000_000;

/** One imported release, with the parts of it that an address needs. */
export type Level = { readonly head: ReleaseHead; readonly parts: readonly ReleasePart[] };

/**
 * Make and cache views of imported releases. The same levels give the same object, because caches are keyed by the
 * release object.
 */
export const releaseViews = (isCached: (level: Level) => boolean, builtInById: (id: string) => Release | undefined) => {
  const views = new Map<string, Release>();
  const bottoms = new Map<string, Release>();
  let viewed = 0;
  /** Evict all views. A view must not outlive its parts in the cache; otherwise the cache would exceed its limit. */
  const clear = (): void => {
    views.clear();
    viewed = 0;
  };

  // The built-in fallback release of an import pins the import's id. One object for each import.
  const bottomOf = ({ id, bottom, own }: ReleaseHead): Release =>
    getOrAdd(bottoms, id, () => {
      const builtIn = builtInById(bottom);
      if (!builtIn) throw new ReleaseNotFound(bottom);
      return withOwnRules({ ...builtIn, pinnedBy: id }, own);
    });

  const view = (level: Level, top: ReleaseHead, fallback: Release): Release => {
    const { head, parts } = level;
    const name = `${top.id} ${head.id} ${parts.map(({ key }) => key).join('|')}`;
    // A view contains its fallback, so both must have the same parts.
    const known = views.get(name);
    if (known && known.fallback === fallback) return known;
    const made = {
      ...withOwnRules(parts.length === 0 ? head : releaseWith(head, parts), top.own),
      fallback,
      ...(head.id === top.id ? {} : { pinnedBy: top.id }),
    };
    if (!isCached(level)) return made;
    const pointers = made.jurisdictions.length + made.rates.length + made.locations.length;
    if (viewed + pointers > viewedMax) clear();
    viewed += pointers;
    views.set(name, made);
    return made;
  };

  /**
   * A view of the active release and its fallback releases, with the parts that an address needs. The own rules of the
   * active release apply to all of them.
   */
  const overlay = (levels: readonly [Level, ...Level[]]): Release => {
    const [{ head: top }] = levels;
    return levels.reduceRight((fallback: Release, level) => view(level, top, fallback), bottomOf(top));
  };

  return { overlay, clear, size: (): number => viewed };
};
