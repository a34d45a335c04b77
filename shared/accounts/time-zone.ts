/** Derives the tax day from a timestamp: the day in the account's time zone. */
import { dayMs } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

// The offset is only in the part `timeZoneName`: `GMT-04:00`, or `GMT` for UTC.
const dateFormat = (timeZone: string): Intl.DateTimeFormat =>
  getOrAdd(formats, timeZone, () => new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }));

/**
 * Returns the offset of a time zone at an instant, such as `-04:00`. Drops the seconds of offsets from before standard
 * time.
 */
const offsetAt = (timeMs: number, timeZone: string): string => {
  const name = dateFormat(timeZone)
    .formatToParts(timeMs)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return name?.slice(3, 9) || '+00:00';
};

const parseOffset = (offset: string): number => {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
};

/**
 * Whether this runtime supports an IANA time zone with a region, such as `America/New_York`, or UTC. `EST` has no
 * daylight saving time.
 */
export const isTimeZone = (name: string): boolean => {
  try {
    return (name === 'UTC' || /^[A-Za-z]+\//.test(name)) && dateFormat(name) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/**
 * Returns a tax date as a string that begins with its tax day. A date is returned unchanged. A timestamp (`Z` or an
 * offset) is converted to the offset of the time zone: `2026-11-01T00:30:00Z` is `2026-10-31T20:30:00-04:00` in New
 * York. In UTC, `Z` is kept. Any other string is returned unchanged, and a later check refuses it.
 */
export const inTimeZone = (text: string, timeZone: string): string => {
  if (text.length === 10 || (timeZone === 'UTC' && text.endsWith('Z'))) return text;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) return text;
  const offset = timeZone === 'UTC' ? '+00:00' : offsetAt(timeMs, timeZone);
  const wall = new Date(timeMs + parseOffset(offset)).toISOString();
  // The converted time has no four-digit year.
  if (wall.length !== 24) return text;
  const fraction = /\.\d+/.exec(text)?.[0] ?? '';
  return `${wall.slice(0, 19)}${fraction}${timeZone === 'UTC' ? 'Z' : offset}`;
};

/** Returns a time in the time zone: the tax date of a document that has none. */
export const taxDateAt = (timeMs: number, timeZone: string): string =>
  inTimeZone(new Date(timeMs).toISOString(), timeZone);

/** Returns the UTC timestamp at which a day (`YYYY-MM-DD`) begins in a time zone. */
export const startOfDay = (day: string, timeZone: string): string => {
  const midnight = Date.parse(day);
  // The offset at UTC midnight gives the start of the day to within an hour; the offset at that time is the correct
  // one.
  const nearMs = midnight - parseOffset(offsetAt(midnight, timeZone));
  const instants = [nearMs, nearMs - dayMs].map((at) =>
    new Date(midnight - parseOffset(offsetAt(at, timeZone))).toISOString(),
  );
  // If clocks skip midnight, the earlier offset applies.
  return instants.find((at) => inTimeZone(at, timeZone).startsWith(day)) ?? (instants[0] as string);
};

/** Converts a body's `tax_date`, if present, to the account's time zone. */
export const withTaxDay = <Body extends { readonly tax_date?: string | null | undefined }>(
  body: Body,
  { settings }: { readonly settings: { readonly time_zone: string } },
): Body => (body.tax_date ? { ...body, tax_date: inTimeZone(body.tax_date, settings.time_zone) } : body);
