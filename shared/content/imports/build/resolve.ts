/** Which of the pieces of one ZIP hold, where several claim the same. */
import { dayAfter, dayBefore } from '../days.ts';
import { dayNumber, dayText, noFrom, noTo, type Piece } from './piece.ts';

/** A range of a ZIP with the sets that its addresses may have: one, or several that nothing tells apart. */
export type Resolved = Omit<Piece, 'order' | 'set'> & { readonly sets: readonly number[] };

const next = (day: number): number => dayNumber(dayAfter(dayText(day) as string), noTo);
const previous = (day: number): number => dayNumber(dayBefore(dayText(day) as string), noFrom);

const ascending = (one: number, other: number): number => one - other;

const groupBy = <Value>(values: readonly Value[], key: (value: Value) => string | number) => [
  ...Map.groupBy(values, key).values(),
];

/** The sets of the pieces of the lowest order on a day. */
const setsOn = (pieces: readonly Piece[], day: number): readonly number[] => {
  const there = pieces.filter(({ from, to }) => from <= day && day <= to);
  const lowest = Math.min(...there.map(({ order }) => order));
  return [...new Set(there.filter(({ order }) => order === lowest).map(({ set }) => set))].toSorted(ascending);
};

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** Pieces of one range, to times of which each has one answer. */
const resolveTimes = (pieces: readonly Piece[]): readonly Resolved[] => {
  const [first] = pieces as readonly [Piece, ...Piece[]];
  const { low, high } = first;
  if (pieces.length === 1) return [{ low, high, from: first.from, to: first.to, sets: [first.set] }];
  const starts = pieces.flatMap(({ from, to }) => (to === noTo ? [from] : [from, next(to)]));
  const days = [...new Set(starts)].toSorted(ascending);
  const resolved: Resolved[] = [];
  for (const [index, from] of days.entries()) {
    const sets = setsOn(pieces, from);
    if (sets.length === 0) continue;
    const following = days[index + 1];
    const to = following === undefined ? noTo : previous(following);
    const before = resolved.at(-1);
    if (before && before.to !== noTo && next(before.to) === from && same(before.sets, sets))
      resolved[resolved.length - 1] = { ...before, to };
    else resolved.push({ low, high, from, to, sets });
  }
  return resolved;
};

type Range = { readonly low: number; readonly high: number };

const keyOf = ({ low, high }: Range): number => low * 10_000 + (high % 10_000);

/** What two ranges share that are as wide as each other and say something else: neither is the narrower one. */
const contested = (ranges: readonly Resolved[]): readonly Range[] =>
  groupBy(ranges, ({ low, high }) => high - low)
    .filter((group) => group.length > 1)
    .flatMap((group) => {
      const sorted = group.toSorted((one, other) => one.low - other.low);
      return sorted.flatMap((one, index) => {
        const shared: Range[] = [];
        for (const other of sorted.slice(index + 1)) {
          if (other.low > one.high) break;
          if (one.from <= other.to && other.from <= one.to && !same(one.sets, other.sets))
            shared.push({ low: other.low, high: one.high });
        }
        return shared;
      });
    });

/** The pieces between two neighbouring ends of ranges, within what is contested. */
const slices = (ranges: readonly Resolved[], shared: readonly Range[]): readonly Range[] => {
  if (shared.length === 0) return [];
  const ends = new Set(ranges.flatMap(({ low, high }) => [low, high + 1]));
  const cuts = [...ends].toSorted(ascending);
  return cuts
    .map((low, index) => ({ low, high: (cuts[index + 1] ?? low) - 1 }))
    .filter(({ low, high }) => shared.some((range) => range.low <= low && high <= range.high));
};

/** A slice with the sets of the narrowest ranges that hold it: of all of them, where they are as wide as each other. */
const resolveSlice = (ranges: readonly Resolved[], { low, high }: Range): readonly Resolved[] =>
  resolveTimes(
    ranges
      .filter((range) => range.low <= low && high <= range.high)
      .flatMap(({ from, to, sets, ...range }) =>
        sets.map((set) => ({ low, high, from, to, set, order: range.high - range.low })),
      ),
  );

/** Resolve the pieces of one ZIP, sorted. Ranges of different width may lie in each other: the narrowest is asked first. */
export const resolve = (pieces: readonly Piece[]): readonly Resolved[] => {
  const ranges = groupBy(pieces, keyOf).flatMap(resolveTimes);
  const cut = slices(ranges, contested(ranges));
  const replaced = new Set(cut.map(keyOf));
  return [
    ...ranges.filter((range) => !replaced.has(keyOf(range))),
    ...cut.flatMap((slice) => resolveSlice(ranges, slice)),
  ].toSorted((one, other) => one.low - other.low || other.high - one.high || one.from - other.from);
};
