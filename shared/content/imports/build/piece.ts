import { dayAfter, dayBefore } from '../../../base/calendar.ts';

/** A span as numbers, for files and comparisons. */
export type Piece = {
  /** Nine digits, inclusive. */
  readonly low: number;
  readonly high: number;
  /** `20190101`, inclusive; `noFrom` and `noTo` are open. */
  readonly from: number;
  readonly to: number;
  /** If two pieces contain an address, the lower order applies: by rank, then by the width of the span. */
  readonly order: number;
  /** The number of its meaning in `SpanSets`. */
  readonly set: number;
};

export const noFrom = 0;
export const noTo = 0xffff_ffff;

const rankUnit = 2 ** 30;

/** Both are below: ranks are 0 to 3, a width has nine digits. */
export const orderOf = (rank: number, width: number): number => rank * rankUnit + width;

export const dayNumber = (day: string | null, none: number): number =>
  day === null ? none : Number(day.replaceAll('-', ''));

export const dayText = (day: number): string | null => {
  if (day === noFrom || day === noTo) return null;
  const text = String(day).padStart(8, '0');
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
};

/** The day after a day that is not open. */
export const dayNumberAfter = (day: number): number => dayNumber(dayAfter(dayText(day) as string), noTo);

/** The day before a day that is not open. */
export const dayNumberBefore = (day: number): number => dayNumber(dayBefore(dayText(day) as string), noFrom);
