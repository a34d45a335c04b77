/** Which period of an area answers on a tax day (`YYYY-MM-DD`). */
import { dayBefore } from '../../base/calendar.ts';
import type { Approximation } from '../effective.ts';
import type { Published } from '../release-values.ts';
import type { Area, Period } from './local-table.ts';

/** The first days of the rates of a table, as `Since` has them for a release. */
type TableDays = { readonly established: string; readonly approximate: string };

/** A period of an area that answers on a day, by its position; `approximation: null`: it is established on that day. */
export type DatedRate = {
  readonly period: Period;
  readonly position: number;
  /** The first day on which it answers so. */
  readonly from: string;
  readonly approximation: Approximation | null;
  /** `null` if a newer source confirms the rate, or if the day of the source is not known. */
  readonly published: Published | null;
};

/** Whether a period ends before a day: by its own last day, or because the next one has begun. */
const hasEnded = ({ periods }: Area, position: number, day: string): boolean => {
  const { to } = periods[position] as Period;
  const next = periods[position + 1]?.from ?? null;
  return to === null ? next !== null && next <= day : to < day;
};

/** The first day on which a period without one of its own is established: at the latest, its last day. */
const firstPeriodDay = ({ periods }: Area, position: number, established: string): string => {
  const { to } = periods[position] as Period;
  const next = periods[position + 1]?.from;
  const last = to ?? (next ? dayBefore(next) : null);
  return last !== null && last < established ? last : established;
};

const rateAt = (
  { periods }: Area,
  position: number,
  from: string,
  approximation: Approximation | null = null,
): DatedRate => {
  const period = periods[position] as Period;
  const { published } = period;
  const next = periods[position + 1]?.published;
  const isConfirmed = published !== null && next != null && published.asOf < next.asOf;
  return { period, position, from, approximation, published: isConfirmed ? null : published };
};

/**
 * The rate of an area on a day: of the first period that has not ended. It is established from its own first day, or
 * without one from `established`, at the latest on its last day. Earlier, it answers as an approximation from
 * `approximate` on, because no earlier rate is on record; before that the rate is not known (`null`). After the end of
 * all periods, the newest is the approximation.
 */
export const rateOfArea = (area: Area, day: string, { established, approximate }: TableDays): DatedRate | null => {
  const { periods } = area;
  for (let position = 0; position < periods.length; position += 1) {
    if (hasEnded(area, position, day)) continue;
    const { from } = periods[position] as Period;
    const first = from ?? firstPeriodDay(area, position, established);
    if (first <= day) return rateAt(area, position, first);
    if (day < approximate) return null;
    return rateAt(area, position, approximate, { of: first, because: from === null ? 'undated' : 'first' });
  }
  const position = periods.length - 1;
  const last = periods[position]?.to ?? day;
  return rateAt(area, position, last, { of: last, because: 'ended' });
};
