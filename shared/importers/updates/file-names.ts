/** File names: the only place where an untrusted name becomes the name of a local file, and the days in names. */
import { basename } from 'node:path';
import { firstDay, isDay, monthNumber } from '../../base/calendar.ts';

/**
 * File systems allow 255 bytes. The lower limit leaves room for suffixes such as `.part`. Known names are shorter than
 * 100 bytes.
 */
const bytesMax = 200;

/**
 * Path separators, characters that Windows forbids, and characters that a terminal executes or hides: control and
 * bidirectional characters.
 */
const unsafe = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

/**
 * Returns a name that is safe as a file name, in messages and in stored records: unsafe characters and leading dots
 * become `_`. It is never empty, never leaves its folder and is at most 200 bytes long.
 */
export const localName = (name: string): string => {
  const short = Buffer.from(name)
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD$/, '');
  return short.replaceAll(unsafe, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length)) || '_';
};

/** Returns the safe name of a file from its path. */
export const fileName = (path: string): string => localName(basename(path));

/**
 * Returns the safe name of the last segment of a URL, decoded; `null` if the URL ends in `/`, cannot be decoded, or is
 * longer than any publisher's file name.
 */
export const nameInUrl = ({ pathname }: URL): string | null => {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  if (segment === '' || segment.length > 3 * bytesMax) return null;
  try {
    const name = decodeURIComponent(segment);
    return Buffer.byteLength(name) > bytesMax ? null : localName(name);
  } catch {
    return null;
  }
};

const twoDigits = (value: number | string): string => String(value).padStart(2, '0');

/**
 * Reads a quarter and a day of publication: `2026Q4AUG18.zip` is the quarter from 2026-10-01, posted
 * on 2026-08-18. Returns `null` for any other form. Does not check the day against the calendar.
 *
 * The name does not contain the year of publication. Files of a quarter are posted up to six months before it begins,
 * and corrections during it, so the months of publication are counted from six months before the first day of the
 * quarter.
 */
export const publicationIn = (text: string) => {
  const { year, quarter, month, day } =
    /^(?<year>20\d\d)Q(?<quarter>[1-4])(?<month>[A-Z]{3})(?<day>\d{1,2})\b/i.exec(text)?.groups ?? {};
  const number = monthNumber(month ?? '');
  if (number === null) return null;
  const first = Number(year) * 12 + (Number(quarter) - 1) * 3;
  const posted = first - 6 + ((number - 1 - (first % 12) + 18) % 12);
  return { quarter: firstDay(first), posted: `${firstDay(posted).slice(0, 8)}${twoDigits(day ?? '')}` };
};

/** The month of the rates in the name of a table of rates by ZIP: `TAXRATES_ZIP5_TX202611.csv`. */
export const monthInName = /(?<year>20\d{2})(?<month>0[1-9]|1[0-2])\d{0,2}\.\w+$/;

/**
 * Returns the day in a name: `11012026`, `11-1-26` or `oct2026`, by the groups `year`, `month` and `day` of the
 * pattern, or by `until_year`, `until_month` and `until_day` with the prefix `until_`.
 */
export const dayIn = (name: string, pattern: string | RegExp, prefix: '' | 'until_' = ''): string | null => {
  const groups = new RegExp(pattern, 'i').exec(name)?.groups;
  if (!groups) return null;
  const group = (key: string) => (groups as Readonly<Record<string, string | undefined>>)[`${prefix}${key}`];
  const [year = '', month = '', day = '1'] = [group('year'), group('month'), group('day')];
  const number = /^\d+$/.test(month) ? month : (monthNumber(month) ?? 0);
  const text = `${year.length === 2 ? `20${year}` : year}-${twoDigits(number)}-${twoDigits(day)}`;
  return isDay(text) ? text : null;
};

/**
 * Returns the first day of a file's rates from its name (`dayIn`). Throws an error with an example if the name has no
 * day.
 */
export const dayOfFile = (path: string, pattern: RegExp, example: string): string => {
  const day = dayIn(fileName(path), pattern);
  if (day !== null) return day;
  throw new Error(`${fileName(path)} has no first month in its name: rename it to a name such as ${example}.`);
};
