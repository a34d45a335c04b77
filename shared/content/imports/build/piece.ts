import { dayAfter, dayBefore } from '../../../calendar.ts';

/** A span in numbers, as it is spilled, cut to what is being built, and compared. */
export type Piece = {
  /** Nine digits, inclusive. */
  readonly low: number;
  readonly high: number;
  /** `20190101`, inclusive; `noFrom` and `noTo` are open. */
  readonly from: number;
  readonly to: number;
  /** Of two pieces that hold an address the one with the lower order is asked: rank first, then the span's own width. */
  readonly order: number;
  /** The number of what it says of its addresses. */
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
