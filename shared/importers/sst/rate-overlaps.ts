import { dayAfter, dayBefore } from '../../base/calendar.ts';
import type { RateRow } from './rate-row.ts';

type DatedRate = RateRow['rate'];

/** A rate and its line in the file. */
export type RateLine = { readonly line: number; readonly rate: DatedRate };

/** A row that replaces another rate of its jurisdiction on days that both rows name. */
export type Overlap = {
  /** The line of the row that applies, and of the row that it replaces. */
  readonly line: number;
  readonly replaced: number;
  /** The first day that both rows name. */
  readonly from: string;
  /** Both rows begin on one day, so that only their order in the file decides. */
  readonly isContradiction: boolean;
};

/** Days of a row on which no other row replaces it. */
type Piece = { readonly row: RateLine; readonly rate: DatedRate };

const firstDay = ({ from }: DatedRate): string => from ?? '';
const lastDay = ({ to }: DatedRate): string => to ?? '9999-12-31';
const shareDays = (a: DatedRate, b: DatedRate): boolean => firstDay(a) <= lastDay(b) && firstDay(b) <= lastDay(a);

const byFirstDay = (a: RateLine, b: RateLine): number =>
  firstDay(a.rate).localeCompare(firstDay(b.rate)) || a.line - b.line;

/** The parts of a piece before and after the days of a row. */
const without = ({ row, rate }: Piece, cut: DatedRate): readonly Piece[] => {
  if (!shareDays(rate, cut)) return [{ row, rate }];
  const before = firstDay(rate) < firstDay(cut) ? [{ row, rate: { ...rate, to: dayBefore(firstDay(cut)) } }] : [];
  const isAfter = cut.to !== null && cut.to < lastDay(rate);
  return isAfter ? [...before, { row, rate: { ...rate, from: dayAfter(cut.to) } }] : before;
};

const figuresOf = ({ from: _from, to: _to, ...figures }: DatedRate): string => JSON.stringify(figures);

const overlapOf = (row: RateLine, { row: other, rate }: Piece): Overlap => ({
  line: row.line,
  replaced: other.line,
  from: firstDay(row.rate) < firstDay(rate) ? firstDay(rate) : firstDay(row.rate),
  isContradiction: other.rate.from === row.rate.from,
});

/**
 * Leaves each day one rate. If two rows share a day, the row that begins later applies, from its first day to its last.
 * If they begin on the same day, the later row in the file applies. States publish both by mistake: Wisconsin ends a
 * county's old rate on the day on which the new one begins.
 */
export const resolveOverlaps = (
  rows: readonly RateLine[],
): { readonly rates: readonly DatedRate[]; readonly overlaps: readonly Overlap[] } => {
  let pieces: readonly Piece[] = [];
  const overlaps: Overlap[] = [];
  for (const row of rows.toSorted(byFirstDay)) {
    for (const piece of pieces)
      if (shareDays(piece.rate, row.rate) && figuresOf(piece.rate) !== figuresOf(row.rate))
        overlaps.push(overlapOf(row, piece));
    pieces = [...pieces.flatMap((piece) => without(piece, row.rate)), { row, rate: row.rate }];
  }
  return { rates: pieces.map(({ rate }) => rate), overlaps };
};
