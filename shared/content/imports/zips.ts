import { statesOfZip } from '../location/zip-states.ts';

/** Every five-digit number that a state's postal codes allow, sorted; a ZIP that crosses a border is of both states. */
export const zipsOfState = (state: string): readonly string[] => {
  const zips: string[] = [];
  for (let zip = 0; zip < 100_000; zip += 1) {
    const text = String(zip).padStart(5, '0');
    if (statesOfZip(text).includes(state)) zips.push(text);
  }
  return zips;
};

/** The index of the first of the sorted ZIPs that is not below `zip5`. */
export const indexFrom = <Zip extends string | number>(zips: readonly Zip[], zip5: Zip): number => {
  let low = 0;
  let high = zips.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((zips[middle] as Zip) < zip5) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Tell whether a span of nine-digit ZIPs touches any of the sorted five-digit ones. */
export const touchesAny = (zips: readonly string[], low: string, high: string): boolean => {
  const zip = zips[indexFrom(zips, low.slice(0, 5))];
  return zip !== undefined && zip <= high.slice(0, 5);
};

/** Why a row is left out whose ZIPs are all another state's (South Dakota's 51001 to 56136 takes in Minneapolis). */
export const foreignZips = (state: string): string => `none of its ZIPs is in ${state}`;
