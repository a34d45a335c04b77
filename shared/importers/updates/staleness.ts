/** The age of a state's official files, and whether it exceeds the cadence of their publisher. */
import { addDays, firstDay, isDay, toDay, toMonth } from '../../base/calendar.ts';
import type { Published } from '../../catalog/release-values.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { dayIn, monthInName, publicationIn } from './file-names.ts';
import { type PublishedFile, type Publisher, publishers } from './publishers.ts';

/**
 * The fields of a state's update record that staleness uses. Timestamps are ISO strings; `last_modified` is an HTTP
 * date.
 */
export type UpdateRecord = {
  readonly files: readonly { readonly option: string; readonly name: string; readonly last_modified: string | null }[];
  readonly imported_at: string | null;
  readonly failure: { readonly since: string } | null;
};

/** The number of months in a period of each cadence. Periods begin with the calendar year. */
const periodMonths = { monthly: 1, quarterly: 3, 'twice a year': 6, yearly: 12 } as const;

/** How many days after the beginning of its period a file is still on time. */
const graceDays = 7;
/** How many days of consecutive failed updates make a state stale. */
const failingDays = 7;

/** The day of a file, and the first days of its period and of the next one. */
type FileDays = { readonly asOf: string; readonly period: string; readonly next: string };

/** Returns the first day of the period that contains a day. */
const getPeriod = (day: string, months: number): string => {
  const month = toMonth(day);
  return firstDay(month - (month % months));
};

const afterMonths = (day: string, months: number): string => firstDay(toMonth(day) + months);

const inPeriod = (asOf: string, period: string, months: number): FileDays => ({
  asOf,
  period,
  next: afterMonths(period, months),
});

/**
 * Returns the days of a file without a period in its name. In the last third of a period, publishers already post the
 * next period's file.
 */
const postedOn = (asOf: string, months: number): FileDays =>
  inPeriod(asOf, getPeriod(addDays(asOf, 10 * months), months), months);

/** Returns the days in a file's name; `null` if it has none. */
const daysInName = (name: string, file: PublishedFile | undefined, months: number): FileDays | null => {
  if (file?.find === 'dated' || file?.find === 'service') {
    const day = dayIn(name, file.pattern);
    if (day === null) return null;
    const last = dayIn(name, file.pattern, 'until_');
    const days = inPeriod(day, getPeriod(day, months), months);
    return last === null ? days : { ...days, next: afterMonths(last, 1) };
  }
  if (file?.find !== 'index') return null;
  const publication = publicationIn(name.slice(file.name.length));
  return publication && isDay(publication.posted) ? inPeriod(publication.posted, publication.quarter, months) : null;
};

const daysOfFiles = (publisher: Publisher, { files, imported_at }: UpdateRecord, months: number): FileDays[] =>
  files.flatMap(({ option, name, last_modified }) => {
    const published = publisher.format === null ? [] : publisher.files;
    const named = daysInName(
      name,
      published.find((file) => file.option === option),
      months,
    );
    if (named) return [named];
    const modifiedMs = Date.parse(last_modified ?? '');
    const day = Number.isNaN(modifiedMs) ? imported_at?.slice(0, 10) : toDay(modifiedMs);
    return day === undefined ? [] : [postedOn(day, months)];
  });

/** Returns the newest of these days; `undefined` without any. */
const newestFile = (days: readonly FileDays[]): FileDays | undefined =>
  days.toSorted((a, b) => (`${a.period} ${a.asOf}` < `${b.period} ${b.asOf}` ? -1 : 1)).at(-1);

/**
 * Returns when imported files were published and when newer rates are due; `undefined` for a state without a publisher.
 *
 * A file of the state's publisher is dated by its name, or else by the day of the import, as for `staleness`. Any other
 * table has the rates of the month in its name, or else of the day of the import. It is due with the publisher's files.
 */
export const publishedIn = (
  state: string,
  format: string,
  files: readonly { readonly name: string }[],
  today: string,
): Published | undefined => {
  const publisher = publishers.find((one) => one.state === stateOfJurisdiction(state));
  if (!publisher) return undefined;
  const months = periodMonths[publisher.cadence];
  const newest = newestFile(
    files.map(({ name }) => {
      if (publisher.format === format)
        return (
          publisher.files.map((file) => daysInName(name, file, months)).find((days) => days !== null) ??
          postedOn(today, months)
        );
      const day = dayIn(name, monthInName) ?? today;
      return inPeriod(day, getPeriod(day, months), months);
    }),
  );
  return newest && { as_of: newest.asOf, due: addDays(newest.next, graceDays) };
};

/** Returns the last day on which the next publication after a day is on time, by the publisher's cadence. */
export const nextExpectedAfter = (cadence: Publisher['cadence'], asOf: string): string =>
  addDays(postedOn(asOf, periodMonths[cadence]).next, graceDays);

/**
 * Returns the age of a state's official files on a day (`YYYY-MM-DD`, UTC).
 *
 * `asOf` is the day in the newest file's name, if it has one: the day of publication in `MNR2026Q4AUG18.zip`, the first
 * day of the rates in `oct2026.xlsx`. Otherwise it is the day of `Last-Modified`, or else the day of the import.
 *
 * The newest file belongs to a period of the cadence: the quarter or day in its name, or the period that contains
 * `asOf`. The next file is due when the next period begins, or after the last month in the file's name
 * (`July_2026_June_2027`). `nextExpected` is the last day of a seven-day grace period after that. The newer file of a
 * pair (rates and boundaries) counts, because not every publisher reposts an unchanged file.
 *
 * A state is stale after `nextExpected`, or if its updates have failed for seven days. A state without a record was
 * never updated from its publisher: it is not stale, and its days are `null`.
 */
export const staleness = (publisher: Publisher, source: UpdateRecord | null, today: string) => {
  const months = periodMonths[publisher.cadence];
  const newest = source ? newestFile(daysOfFiles(publisher, source, months)) : undefined;
  const nextExpected = newest ? addDays(newest.next, graceDays) : null;
  const failingSince = source?.failure?.since.slice(0, 10) ?? today;
  const reasons = [
    ...(newest && nextExpected !== null && today > nextExpected
      ? [`The newest file is from ${newest.asOf}; the next one was due by ${nextExpected}.`]
      : []),
    ...(addDays(failingSince, failingDays) <= today ? [`Updates have failed since ${failingSince}.`] : []),
  ];
  return {
    /** The day of Levy's newest official file; `null` without a file. */
    asOf: newest?.asOf ?? null,
    /** The last day on which the next file is on time; `null` without a file. */
    nextExpected,
    /** Why the state is stale, in sentences; `null` if it is not. */
    reason: reasons.length > 0 ? reasons.join(' ') : null,
  };
};
