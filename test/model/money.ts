import fc from 'fast-check';
import type { Registration } from '../../shared/accounts/account.ts';
import type { Terms } from './book.ts';

/** The model's arithmetic with minor units as BigInt. It shares no code with the service, so both must be right. */

const decimals: Readonly<Record<string, number>> = { USD: 2, EUR: 2, JPY: 0, KWD: 3 };

export const getDecimals = (currency: string): number => {
  const known = decimals[currency];
  if (known === undefined) throw new Error(`The model does not know ${currency}.`);
  return known;
};

/** Divides two non-negative integers, rounded half up. */
export const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

const listParts = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: BigInt(fraction.length) };
};

/** Multiplies decimals and rounds half up to minor units of a currency; a single decimal is only converted. */
export const minor = (currency: string, ...factors: readonly string[]): bigint => {
  const parts = factors.map(listParts);
  const product = parts.reduce((all, { digits }) => all * digits, 1n);
  const scale = parts.reduce((all, part) => all + part.scale, 0n);
  return halfUp(product * 10n ** BigInt(getDecimals(currency)), 10n ** scale);
};

/** Formats minor units as responses do. */
export const written = (currency: string, amount: bigint): string => {
  const places = getDecimals(currency);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const sign = amount < 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);
export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * Whether a part is its share of a whole: by largest remainder each of the rows that it consists of is off by less than
 * a minor unit, either way.
 */
export const isShare = (part: bigint, whole: bigint, weight: bigint, weights: bigint, rows = 1): boolean => {
  if (weights === 0n) return part === 0n;
  const difference = part * weights - whole * weight;
  return (difference < 0n ? -difference : difference) < weights * BigInt(rows);
};

/**
 * Returns the local time of a timestamp, such as `2026-10-31T20:30:00.000-04:00`. A date and a time in UTC are
 * unchanged.
 */
export const inZone = (text: string, timeZone: string): string => {
  if (text.length === 10 || timeZone === 'UTC') return text;
  const ms = Date.parse(text);
  // The Swedish locale formats times like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const local = `${format.format(ms).replace(' ', 'T')}.${String(ms % 1000).padStart(3, '0')}`;
  const minutes = (Date.parse(`${local}Z`) - ms) / 60_000;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${local}${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};

/** The milliseconds of a local time, as lists sort it: as if it were UTC. */
export const wallMs = (text: string): number => Date.parse(text.replace(/[+-]\d\d:\d\d$/, 'Z'));

const of = (frequency: Registration['frequency'], from: string, to: string | null = null) => ({ frequency, from, to });

/** Frequencies of a state's returns, some with a change in the year in which a run begins. */
const histories: Readonly<Record<string, (year: number) => readonly Omit<Registration, 'state'>[]>> = {
  'by month': () => [of('month', '2020-01-01')],
  'by quarter': () => [of('quarter', '2020-01-01')],
  'by quarter, then by month': (year) => [of('quarter', '2020-01-01', `${year}-10-31`), of('month', `${year}-11-01`)],
  'by year, then by quarter': (year) => [of('year', '2020-01-01', `${year}-09-30`), of('quarter', `${year}-10-01`)],
};

const registrations = (history: string, year: number): Terms['registrations'] =>
  ['MI', 'IN'].flatMap((state) => (histories[history]?.(year) ?? []).map((one) => ({ state, ...one })));

/** The settings of an account, as a counterexample prints them. */
export const zones = fc.constantFrom('UTC', 'UTC', 'America/New_York', 'Pacific/Kiritimati');
export const frequencies = fc.constantFrom('all', 'all', ...Object.keys(histories));

/** The terms of an account with this draft lifetime, for a run that begins at an instant. */
export const getTerms = (timeZone: string, history: string, draftHours: number, startMs: number): Terms => ({
  draftHours,
  timeZone,
  registrations: history === 'all' ? 'all' : registrations(history, new Date(startMs).getUTCFullYear()),
});

/** The sum of a field over charges, in minor units. */
export const getSum = <Field extends string>(
  currency: string,
  charges: readonly { readonly [Name in Field]: string }[],
  field: Field,
): bigint => sum(charges.map((charge) => minor(currency, charge[field])));
