import type { MeasuringPeriod } from './economic-nexus.ts';

/** Months as `monthOf` of shared/calendar.ts counts them, both inclusive. */
export type Months = { readonly first: number; readonly last: number };

export type Window = Months & {
  /** The month from which on sales of the window count; `null` where they count now. */
  readonly countsFrom: number | null;
};

const year = 12;

// The last month of a period that is over before a month, and of the one that follows.
const lastEnd = ({ months_between_ends: every, ends_with_month: named }: MeasuringPeriod, before: number): number => {
  // `monthOf` counts January as 0.
  const sinceEnd = (((before - 1 - (named - 1)) % every) + every) % every;
  return before - 1 - sinceEnd;
};

/**
 * The periods whose sales a state measures in a month: the last one that is over, and the running one up to this month. Each
 * has at most twelve months.
 */
export const windowsIn = (period: MeasuringPeriod, month: number): readonly [over: Window, running: Window] => {
  const end = lastEnd(period, month);
  const next = end + period.months_between_ends;
  return [
    { first: end - year + 1, last: end, countsFrom: null },
    { first: next - year + 1, last: month, countsFrom: period.running_counts ? null : next + 1 },
  ];
};
