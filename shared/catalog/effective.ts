/** Selects the dated values of a release that are in force on a tax day (`YYYY-MM-DD`). */
import { dayAfter, dayBefore } from '../base/calendar.ts';

/**
 * The tax days (`YYYY-MM-DD`, inclusive) on which a value is in force. `to: null` is open-ended. With `from: null`, the
 * first day is not established: the value applies from the release's `established_from`, and as an approximation from
 * its `approximate_from`; earlier days are not covered.
 */
export type Dated = { readonly from: string | null; readonly to: string | null };

/**
 * The days of each year on which a rule is in force: month and day (`06-01`), inclusive. If `to` is before `from`, the
 * season spans the new year. To include all of February, end it on `02-29`.
 */
export type AnnualPeriod = { readonly from: string; readonly to: string };

/** Returns whether two values are in force on a common day. */
export const shareDays = (a: Dated, b: Dated): boolean =>
  (a.to === null || b.from === null || b.from <= a.to) && (b.to === null || a.from === null || a.from <= b.to);

type Seasonal = Dated & { readonly season?: AnnualPeriod };

const monthAndDay = (day: string): string => day.slice(5);

const isInSeason = ({ from, to }: AnnualPeriod, day: string): boolean => {
  const today = monthAndDay(day);
  return from <= to ? from <= today && today <= to : from <= today || today <= to;
};

/**
 * Returns the first day of the season that contains a day. In January, the season may have begun in the previous year.
 */
const seasonStart = ({ from }: AnnualPeriod, day: string): string => {
  const year = Number(day.slice(0, 4)) - (from <= monthAndDay(day) ? 0 : 1);
  return `${String(year).padStart(4, '0')}-${from}`;
};

/**
 * Returns the first day of a value in force on the tax day, or the start of its season if later. `''` if it is not
 * established.
 */
export const firstDayOn = ({ from, season }: Seasonal, day: string): string => {
  const start = season ? seasonStart(season, day) : '';
  return from !== null && from > start ? from : start;
};

/**
 * The day whose value is used on a tax day that has no value on record, and the reason: the value's first day is
 * unknown (`undated`), the value is the first on record (`first`), or the value has ended (`ended`).
 */
export type Approximation = { readonly ratesDay: string; readonly because: 'undated' | 'first' | 'ended' };

/** The days from which a release's values without an established first day apply. */
type Since = { readonly established_from: string; readonly approximate_from?: string };

/** Returns the first day on which a release's values without a first day apply, established or approximate. */
export const countsFrom = ({ established_from, approximate_from = established_from }: Since): string =>
  approximate_from < established_from ? approximate_from : established_from;

/**
 * Returns whether a value applies on the tax day only as an approximation: it has no first day and `established_from`
 * is later.
 */
export const isApproximateOn = ({ from }: Dated, day: string, { established_from }: Since): boolean =>
  from === null && day < established_from;

/**
 * Returns whether a value's first day allows its use on the tax day.
 *
 * `from: null` means `establishedFrom`: the value may be older, but no source confirms it. Before that day, it is
 * unknown whether the value applied, so the day is not covered. Pass `countsFrom` to include approximations.
 */
export const coversDay = ({ from }: Dated, day: string, establishedFrom: string): boolean =>
  from !== null || establishedFrom <= day;

/** Returns whether a value is in force on the tax day, or could be because its first day is not established. */
export const mayBeInForce = ({ from, to, season }: Seasonal, day: string): boolean =>
  (from === null || from <= day) && (to === null || day <= to) && (!season || isInSeason(season, day));

/** Returns whether a value is established to be in force on the tax day. The first and last day are inclusive. */
export const isInForce = (value: Dated, day: string, establishedFrom: string): boolean =>
  coversDay(value, day, establishedFrom) && mayBeInForce(value, day);

/** Returns the values in force on the tax day, in order. */
export const inForce = <Value extends Dated>(
  values: readonly Value[],
  day: string,
  establishedFrom: string,
): readonly Value[] => values.filter((value) => isInForce(value, day, establishedFrom));

/** Returns the first value in force on the tax day; `undefined` if none is established. */
export const firstInForce = <Value extends Dated>(
  values: readonly Value[],
  day: string,
  establishedFrom: string,
): Value | undefined => values.find((value) => isInForce(value, day, establishedFrom));

/**
 * Returns a state's setting on the tax day. A setting without an established first day also applies to earlier days.
 */
export const settingOn = <Setting extends Dated>(settings: readonly Setting[], day: string): Setting | undefined =>
  settings.find((setting) => mayBeInForce(setting, day));

/** The first and last day, inclusive; `to: null` is open. */
export type Span = { readonly from: string; readonly to: string | null };

/** Returns a value's days. The first day defaults to the release's `established_from`. */
export const establishedSpan = ({ from, to }: Dated, establishedFrom: string): Span => ({
  from: from ?? establishedFrom,
  to,
});

/** Splits time at the beginning and end of each span, so that the same spans apply throughout each piece. */
export const listPieces = (spans: readonly Span[]): readonly Span[] => {
  const firstDays = new Set<string>();
  for (const { from, to } of spans) {
    firstDays.add(from);
    if (to !== null) firstDays.add(dayAfter(to));
  }
  const sorted = [...firstDays].sort();
  return sorted.map((from, index) => {
    const next = sorted[index + 1];
    return { from, to: next === undefined ? null : dayBefore(next) };
  });
};
