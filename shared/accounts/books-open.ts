/**
 * The first day of an account's books. Without this limit, a wrong year could become the first filing period of a
 * state.
 */
import { instantMs, toDay } from '../base/calendar.ts';
import type { Problem } from '../base/problem.ts';
import type { Account } from './account.ts';
import { inTimeZone } from './time-zone.ts';

const defaultBookYears = 4;

type Terms = Pick<Account, 'created_at' | 'settings'>;

const defaultOpening = ({ created_at }: Terms): string => {
  const created = new Date(created_at);
  return toDay(created.setUTCFullYear(created.getUTCFullYear() - defaultBookYears));
};

/**
 * Returns the first day (`YYYY-MM-DD`) that the account's transactions and filings can have: the setting, or four years
 * before the account was created.
 */
export const booksOpenFrom = (account: Terms): string => account.settings.books_open_from ?? defaultOpening(account);

/** Returns the default first day of the books, or the setting if it is earlier. */
export const earliestBooksOpenDay = (account: Terms): string => {
  const [setting, byDefault] = [booksOpenFrom(account), defaultOpening(account)];
  return setting < byDefault ? setting : byDefault;
};

/** Returns a problem if the day is before the account's books open; `null` for a later day or no day. */
export const tooEarlyProblem = (pointer: string, date: unknown, account: Account): Problem | null => {
  const earliest = booksOpenFrom(account);
  if (typeof date !== 'string' || instantMs(date) === null) return null;
  // `YYYY-MM-DD` strings sort chronologically.
  if (inTimeZone(date, account.settings.time_zone).slice(0, 10) >= earliest) return null;
  return {
    code: 'validation_date_out_of_range',
    title: `${pointer.slice(1)} before the books open`,
    detail: `${date} is before the account's first day. Send ${earliest} or later, or change books_open_from with POST /account or on the page Settings of the console.`,
    source: { pointer },
    meta: { earliest },
  };
};
