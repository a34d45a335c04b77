/** Which of the pieces of one ZIP hold, where several claim the same. */
import { assertFits, limits } from '../limits.ts';
import { dayNumberAfter as next, noTo, type Piece, dayNumberBefore as previous } from './piece.ts';

/** A range of a ZIP with the sets that its addresses may have: one, or several that nothing tells apart. */
export type Resolved = Omit<Piece, 'set'> & { readonly sets: readonly number[] };

const ascending = (one: number, other: number): number => one - other;

const groupBy = <Value>(values: readonly Value[], key: (value: Value) => string | number) => [
  ...Map.groupBy(values, key).values(),
];

/** The lowest order of the pieces on a day, and the sets of those that have it. */
const firstOn = (pieces: readonly Piece[], day: number): Pick<Resolved, 'order' | 'sets'> => {
  const there = pieces.filter(({ from, to }) => from <= day && day <= to);
  const lowest = Math.min(...there.map(({ order }) => order));
  const sets = new Set(there.filter(({ order }) => order === lowest).map(({ set }) => set));
  return { order: lowest, sets: [...sets].toSorted(ascending) };
};

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** Pieces of one range, to times of which each has one answer. */
const resolveTimes = (pieces: readonly Piece[]): readonly Resolved[] => {
  const [first] = pieces as readonly [Piece, ...Piece[]];
  const { low, high } = first;
  if (pieces.length === 1)
    return [{ low, high, from: first.from, to: first.to, order: first.order, sets: [first.set] }];
  const starts = pieces.flatMap(({ from, to }) => (to === noTo ? [from] : [from, next(to)]));
  const days = [...new Set(starts)].toSorted(ascending);
  const resolved: Resolved[] = [];
  for (const [index, from] of days.entries()) {
    const { order, sets } = firstOn(pieces, from);
    if (sets.length === 0) continue;
    const following = days[index + 1];
    const to = following === undefined ? noTo : previous(following);
    const before = resolved.at(-1);
    if (before && before.to !== noTo && next(before.to) === from && before.order === order && same(before.sets, sets))
      resolved[resolved.length - 1] = { ...before, to };
    else resolved.push({ low, high, from, to, order, sets });
  }
  return resolved;
};

type Range = { readonly low: number; readonly high: number };

const keyOf = ({ low, high }: Range): number => low * 10_000 + (high % 10_000);

/** Whether two ranges say something else on some day. */
const areContrary = (one: Resolved, other: Resolved): boolean =>
  one.from <= other.to && other.from <= one.to && !same(one.sets, other.sets);

/** What two ranges share that are as wide as each other and say something else: a look-up sees no narrower one. */
const contested = (ranges: readonly Resolved[]): readonly Range[] =>
  groupBy(ranges, ({ low, high }) => high - low)
    .filter((group) => group.length > 1)
    .flatMap((group) => {
      const sorted = group.toSorted((one, other) => one.low - other.low);
      return sorted.flatMap((one, index) => {
        // What the first of the others shares with a range holds what all later ones share with it.
        for (let next = index + 1; next < sorted.length; next += 1) {
          const other = sorted[next] as Resolved;
          if (other.low > one.high) break;
          if (areContrary(one, other)) return [{ low: other.low, high: one.high }];
        }
        return [];
      });
    });

const widthOf = ({ low, high }: Range): number => high - low;

/** What a range shares with a wider one that is not asked after it: of a lower rank, or no wider before both were cut to the ZIP. */
const misjudged = (ranges: readonly Resolved[]): readonly Range[] =>
  ranges
    .filter((one) => one.order > widthOf(one))
    .flatMap((one) =>
      ranges
        .filter((other) => other.order <= one.order && widthOf(other) > widthOf(one) && areContrary(one, other))
        .map((other) => ({ low: Math.max(one.low, other.low), high: Math.min(one.high, other.high) }))
        .filter(({ low, high }) => low <= high),
    );

/** The same numbers in ranges that do not overlap. */
const union = (ranges: readonly Range[]): readonly Range[] => {
  const joined: { low: number; high: number }[] = [];
  for (const { low, high } of ranges.toSorted((one, other) => one.low - other.low)) {
    const last = joined.at(-1);
    if (last && low <= last.high + 1) last.high = Math.max(last.high, high);
    else joined.push({ low, high });
  }
  return joined;
};

/** The pieces between two neighbouring ends of ranges, within what is contested. */
const slices = (ranges: readonly Resolved[], shared: readonly Range[]): readonly Range[] => {
  if (shared.length === 0) return [];
  const ends = new Set(ranges.flatMap(({ low, high }) => [low, high + 1]));
  const cuts = [...ends].toSorted(ascending);
  const joined = union(shared);
  return cuts
    .map((low, index) => ({ low, high: (cuts[index + 1] ?? low) - 1 }))
    .filter(({ low, high }) => joined.some((range) => range.low <= low && high <= range.high));
};

/** A slice with the sets of the range of the lowest order that holds it: of all of them, where several have that. */
const resolveSlice = (ranges: readonly Resolved[], { low, high }: Range): readonly Resolved[] =>
  resolveTimes(
    ranges
      .filter((range) => range.low <= low && high <= range.high)
      .flatMap(({ from, to, order, sets }) => sets.map((set) => ({ low, high, from, to, order, set }))),
  );

/** Resolve the pieces of one ZIP, sorted. Ranges of different width may lie in each other: a look-up asks the narrowest first. */
export const resolve = (pieces: readonly Piece[]): readonly Resolved[] => {
  const ranges = groupBy(pieces, keyOf).flatMap(resolveTimes);
  const cut = slices(ranges, [...contested(ranges), ...misjudged(ranges)]);
  const replaced = new Set(cut.map(keyOf));
  const resolved = ranges.filter((range) => !replaced.has(keyOf(range)));
  for (const slice of cut) {
    for (const piece of resolveSlice(ranges, slice)) resolved.push(piece);
    assertFits(resolved.length, limits.piecesOfZip, 'ranges and days of one ZIP code');
  }
  return resolved.toSorted((one, other) => one.low - other.low || other.high - one.high || one.from - other.from);
};
