/** Resolves overlapping pieces of one ZIP. */

import { dayMs, toDay } from '../../base/calendar.ts';
import { assertFits, limits } from '../limits.ts';
import { joinRanges, type NumberRange } from '../zips.ts';

/** A range of a ZIP with the sets that its addresses can have: one, or several if the range is ambiguous. */
export type Resolved = Omit<Piece, 'set'> & { readonly sets: readonly number[] };

const ascending = (a: number, b: number): number => a - b;

const groupBy = <Value>(values: readonly Value[], key: (value: Value) => string | number) => [
  ...Map.groupBy(values, key).values(),
];

/** Returns the lowest order of the pieces on a day, and the sets of the pieces with that order. */
const firstOn = (pieces: readonly Piece[], day: number): Pick<Resolved, 'order' | 'sets'> => {
  const there = pieces.filter(({ from, to }) => from <= day && day <= to);
  const lowest = Math.min(...there.map(({ order }) => order));
  const sets = new Set(there.filter(({ order }) => order === lowest).map(({ set }) => set));
  return { order: lowest, sets: [...sets].toSorted(ascending) };
};

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/** Splits the pieces of one range into spans of days on which the same sets apply. */
const resolveTimes = (pieces: readonly Piece[]): readonly Resolved[] => {
  const [first] = pieces as readonly [Piece, ...Piece[]];
  const { low, high } = first;
  if (pieces.length === 1)
    return [{ low, high, from: first.from, to: first.to, order: first.order, sets: [first.set] }];
  const starts = pieces.flatMap(({ from, to }) => (to === noTo ? [from] : [from, to + 1]));
  const days = [...new Set(starts)].toSorted(ascending);
  const resolved: Resolved[] = [];
  for (const [index, from] of days.entries()) {
    const { order, sets } = firstOn(pieces, from);
    if (sets.length === 0) continue;
    const following = days[index + 1];
    const to = following === undefined ? noTo : following - 1;
    const before = resolved.at(-1);
    if (before?.to === from - 1 && before.order === order && same(before.sets, sets))
      resolved[resolved.length - 1] = { ...before, to };
    else resolved.push({ low, high, from, to, order, sets });
  }
  return resolved;
};

const getKey = ({ low, high }: NumberRange): number => low * 10_000 + (high % 10_000);

/** Returns whether two ranges have different sets on some day. */
const areContrary = (a: Resolved, b: Resolved): boolean => a.from <= b.to && b.from <= a.to && !same(a.sets, b.sets);

/** Returns the overlaps of conflicting ranges of equal width, which a lookup of the narrowest range cannot decide. */
const contested = (ranges: readonly Resolved[]): readonly NumberRange[] =>
  groupBy(ranges, ({ low, high }) => high - low)
    .filter((group) => group.length > 1)
    .flatMap((group) => {
      const sorted = group.toSorted((a, b) => a.low - b.low);
      return sorted.flatMap((a, index) => {
        // Ranges are sorted by `low`, so the first overlap contains all later ones.
        for (let next = index + 1; next < sorted.length; next += 1) {
          const b = sorted[next] as Resolved;
          if (b.low > a.high) break;
          if (areContrary(a, b)) return [{ low: b.low, high: a.high }];
        }
        return [];
      });
    });

const getWidth = ({ low, high }: NumberRange): number => high - low;

/**
 * Returns the overlaps in which a wider range takes precedence over a narrower one: by its rank, or because it was the
 * narrower one before both were cut to the ZIP.
 */
const misjudged = (ranges: readonly Resolved[]): readonly NumberRange[] =>
  ranges
    .filter((a) => a.order > getWidth(a))
    .flatMap((a) =>
      ranges
        .filter((b) => b.order <= a.order && getWidth(b) > getWidth(a) && areContrary(a, b))
        .map((b) => ({ low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) }))
        .filter(({ low, high }) => low <= high),
    );

/** Splits the contested ranges at every start and end of a range. */
const slices = (ranges: readonly Resolved[], shared: readonly NumberRange[]): readonly NumberRange[] => {
  if (shared.length === 0) return [];
  const ends = new Set(ranges.flatMap(({ low, high }) => [low, high + 1]));
  const cuts = [...ends].toSorted(ascending);
  const joined = joinRanges(shared);
  return cuts
    .map((low, index) => ({ low, high: (cuts[index + 1] ?? low) - 1 }))
    .filter(({ low, high }) => joined.some((range) => range.low <= low && high <= range.high));
};

/** Resolves a slice: the sets of the range of lowest order that contains it, or of all ranges that share that order. */
const resolveSlice = (ranges: readonly Resolved[], { low, high }: NumberRange): readonly Resolved[] =>
  resolveTimes(
    ranges
      .filter((range) => range.low <= low && high <= range.high)
      .flatMap(({ from, to, order, sets }) => sets.map((set) => ({ low, high, from, to, order, set }))),
  );

/** Resolves the pieces of one ZIP, sorted. Ranges of different width can nest: a lookup uses the narrowest. */
export const resolve = (pieces: readonly Piece[]): readonly Resolved[] => {
  const ranges = groupBy(pieces, getKey).flatMap(resolveTimes);
  const cut = slices(ranges, [...contested(ranges), ...misjudged(ranges)]);
  const replaced = new Set(cut.map(getKey));
  const resolved = ranges.filter((range) => !replaced.has(getKey(range)));
  for (const slice of cut) {
    for (const piece of resolveSlice(ranges, slice)) resolved.push(piece);
    assertFits(resolved.length, limits.piecesOfZip, 'ranges and days of one ZIP code');
  }
  return resolved.toSorted((a, b) => a.low - b.low || b.high - a.high || a.from - b.from);
};

/** A span as numbers, for files and comparisons. */
export type Piece = {
  /** Nine digits, inclusive. */
  readonly low: number;
  readonly high: number;
  /** Numbers of days (`dayNumber`), inclusive; `noFrom` and `noTo` are open. */
  readonly from: number;
  readonly to: number;
  /** If two pieces contain an address, the lower order applies: by rank, then by the width of the span. */
  readonly order: number;
  /** The number of the piece's meaning in `SpanSets`. */
  readonly set: number;
};

export const noFrom = 0;
export const noTo = 0xffff_ffff;

const rankUnit = 2 ** 30;

/** Returns a key that sorts by rank, then by width. A width has at most nine digits, so it is below `rankUnit`. */
export const getSortKey = (rank: number, width: number): number => rank * rankUnit + width;

/** The number of 1970-01-01, so that every day from year 0 has a positive number. */
const epoch = 720_000;

/** Returns the consecutive number of a day, or `none` for `null`. */
export const dayNumber = (day: string | null, none: number): number =>
  day === null ? none : Date.parse(day) / dayMs + epoch;

export const dayText = (day: number): string | null =>
  day === noFrom || day === noTo ? null : toDay((day - epoch) * dayMs);
