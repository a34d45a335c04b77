/** The first day of an account's books. An earlier year would become the first filing period of a state. */
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
 * The first day (`YYYY-MM-DD`) that a transaction or a filing of the account can have: the setting, or four years before the
 * account was created.
 */
export const booksOpenFrom = (account: Terms): string => account.settings.books_open_from ?? defaultOpening(account);

/** The first day that the account's books could ever have: the default, or an earlier setting. */
export const earliestBooksOpenDay = (account: Terms): string => {
  const [setting, byDefault] = [booksOpenFrom(account), defaultOpening(account)];
  return setting < byDefault ? setting : byDefault;
};

/** The refusal of a day before the account's books open; `null` for a later one or none. */
export const tooEarlyProblem = (pointer: string, date: unknown, account: Account): Problem | null => {
  const earliest = booksOpenFrom(account);
  if (typeof date !== 'string' || instantMs(date) === null) return null;
  // Days sort as text.
  if (inTimeZone(date, account.settings.time_zone).slice(0, 10) >= earliest) return null;
  return {
    code: 'validation_date_out_of_range',
    title: `${pointer.slice(1)} before the books open`,
    detail: `${date} is before the account's first day. Send ${earliest} or later, or have the operator change books_open_from.`,
    source: { pointer },
    meta: { earliest },
  };
};
