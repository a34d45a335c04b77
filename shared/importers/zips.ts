import { firstWhere, getOrAdd, lazy } from '../base/collections.ts';
import { statesOfZip } from '../catalog/location/zip-states.ts';
import { bad, type RowResult, row } from './files/columns.ts';

const zipsByState = lazy(() => {
  const found = new Map<string, string[]>();
  for (let number = 0; number < 100_000; number += 1) {
    const zip = String(number).padStart(5, '0');
    for (const state of statesOfZip(zip)) getOrAdd(found, state, () => []).push(zip);
  }
  return found;
});

/** Returns all five-digit ZIPs of a state, sorted. A ZIP that crosses a border is in both states. */
export const zipsOfState = (state: string): readonly string[] => zipsByState().get(state) ?? [];

/** Returns the index of the first sorted ZIP that is not below `zip5`. */
export const indexFrom = <Zip extends string | number>(zips: readonly Zip[], zip5: Zip): number =>
  firstWhere(zips, (zip) => zip >= zip5);

/** Returns whether a span of nine-digit ZIPs touches any of the sorted five-digit ZIPs. */
export const touchesAny = (zips: readonly string[], low: string, high: string): boolean => {
  const zip = zips[indexFrom(zips, low.slice(0, 5))];
  return zip !== undefined && zip <= high.slice(0, 5);
};

/**
 * Returns the reason to skip a row whose ZIPs are all in other states (South Dakota's 51001 to 56136 includes
 * Minneapolis).
 */
export const foreignZips = (state: string): string => `none of its ZIPs is in ${state}`;

/** Returns the reason to refuse a row whose ZIP (three to five digits) is not in the row's state. */
export const foreignZip = (text: string, state: string): string => {
  const zip = text.padStart(5, '0');
  if (text.length < 5) return `ZIP ${text} has lost digits, and ${zip} is not in ${state}: format the column as text`;
  const states = statesOfZip(zip);
  const where = states.length === 0 ? 'not in use' : `in ${states.join(' and ')}, not in ${state}`;
  return `ZIP ${zip} is ${where}: correct the ZIP or the state`;
};

/**
 * Reads a five-digit ZIP of a state. Spreadsheets turn 02139 into 2139: the zeros are restored if that gives a ZIP of
 * the state. Any other ZIP is bad, because the row's state or its ZIP is wrong.
 */
export const readZip = (text: string, state: string): RowResult<string> => {
  if (!/^\d{3,5}$/.test(text)) return bad(`ZIP ${text || '(none)'} is not a ZIP code: write five digits`);
  const zip = text.padStart(5, '0');
  return statesOfZip(zip).includes(state) ? row(zip) : bad(foreignZip(text, state));
};

/** Numbers of nine-digit ZIPs or of days, both ends inclusive. */
export type NumberRange = { readonly low: number; readonly high: number };

/** Merges ranges that overlap or touch. */
export const joinRanges = (ranges: readonly NumberRange[]): readonly NumberRange[] => {
  const found: { low: number; high: number }[] = [];
  for (const { low, high } of ranges.toSorted((a, b) => a.low - b.low)) {
    const last = found.at(-1);
    if (last && low <= last.high + 1) last.high = Math.max(last.high, high);
    else found.push({ low, high });
  }
  return found;
};
