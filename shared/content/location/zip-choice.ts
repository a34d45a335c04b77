import { choiceOf, type LocalChoice, withPossible, withUntaxed } from './local-choice.ts';
import type { Area, Span } from './location-index.ts';

/** A ZIP as it is looked up: its first nine-digit number, and what else the address says. */
export type ZipLookup = { readonly first: number; readonly plus4: string | null; readonly city: string | null };

/** The areas of the narrowest spans that hold the whole of a range: several where they are equally narrow. */
const narrowest = (spans: readonly Span[], low: number, high: number): Area[] => {
  let width = Number.POSITIVE_INFINITY;
  let areas: Area[] = [];
  for (const span of spans) {
    const own = span.high - span.low;
    if (span.low > low || span.high < high || own > width) continue;
    if (own < width) areas = [];
    width = own;
    areas.push(span.area);
  }
  return areas;
};

/** Whether spans together hold every number of a range. */
const fill = (spans: readonly Span[], low: number, high: number): boolean => {
  let next = low;
  for (const span of spans.toSorted((one, other) => one.low - other.low)) {
    if (span.low > next) return false;
    next = Math.max(next, span.high + 1);
  }
  return next > high;
};

/** Among spans of all cities, or of one. What no span holds has no local tax (`isRestUntaxed`), or nobody knows. */
const byRanges = (spans: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const { first, plus4 } = zip;
  const last = first + 9999;
  const partial = spans.filter(({ low, high }) => low > first || high < last);
  const hasRanges = partial.length > 0;
  if (plus4 !== null) {
    const point = first + Number(plus4);
    return choiceOf('zip9', narrowest(spans, point, point), { hasRanges });
  }
  const parts = partial.map(({ area }) => area);
  const whole = narrowest(spans, first, last);
  if (whole.length > 0) return choiceOf('zip5', [...whole, ...parts], { hasRanges, usual: whole });
  const found = choiceOf('zip5', parts, { hasRanges });
  if (!found || fill(partial, first, last)) return found;
  return isRestUntaxed ? withUntaxed(found) : { ...found, isPart: true };
};

/** What is meant, where an address may also be one of cities that have taxes of their own in its ZIP. */
const besideCities = (
  meant: LocalChoice,
  spans: readonly Span[],
  zip: ZipLookup,
  isRestUntaxed: boolean,
): LocalChoice => {
  const others = byRanges(spans, zip, isRestUntaxed);
  if (!others) return meant;
  const otherCities = [...new Set(spans.flatMap(({ area }) => area.withinCity ?? []))];
  return { ...withPossible(meant, others), otherCities };
};

/** What spans say that are not of streets. */
const besideStreets = (near: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const ofCities = near.filter(({ area }) => area.withinCity !== null);
  if (ofCities.length === 0) return byRanges(near, zip, isRestUntaxed);
  const own = ofCities.filter(({ area }) => area.withinCity === zip.city);
  const found = byRanges(own, zip, isRestUntaxed);
  const ofZip = ofCities.filter(({ area }) => !area.yieldsToCity);
  if (found) return own.some(({ area }) => !area.yieldsToCity) ? found : besideCities(found, ofZip, zip, isRestUntaxed);
  const others = near.filter(({ area }) => area.withinCity === null);
  const usual = byRanges(others, zip, isRestUntaxed);
  // Another name may be another way to write that of a city of this ZIP, if not of one that may be anywhere.
  if (usual) return besideCities(usual, zip.city === null ? ofCities : ofZip, zip, isRestUntaxed);
  if (zip.city !== null) return undefined;
  // The cities that its own rows name come before those that may be anywhere.
  const meant = byRanges(ofZip, zip, isRestUntaxed) ?? byRanges(ofCities, zip, isRestUntaxed);
  return meant && { ...besideCities(meant, ofCities, zip, isRestUntaxed), isPart: true };
};

/**
 * Find the local jurisdictions of a ZIP among the spans that touch it, all in force. What is of the address's city alone
 * comes first, then the narrowest range that holds its ZIP+4, then the whole ZIP. The sets of street addresses are
 * possible beside these, also of a ZIP+4; they are all that is known where no other span holds the address.
 *
 * `undefined`: no span holds the address. Where the spans leave gaps a ZIP without its four digits is `isPart`, for it may
 * lie in one; with four digits that lie in a gap it is held by none.
 */
export const chooseByZip = (near: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const ofStreets = near.filter(({ area }) => area.isOfStreets);
  if (ofStreets.length === 0) return besideStreets(near, zip, isRestUntaxed);
  const others = near.filter(({ area }) => !area.isOfStreets);
  const found = besideStreets(others, zip, isRestUntaxed);
  const streets = choiceOf(
    'zip5',
    ofStreets.map(({ area }) => area),
  );
  if (!found || !streets) return streets && { ...streets, isPart: others.length > 0, byStreet: true };
  const both = withPossible(found, streets);
  return both.possible.length > found.possible.length ? { ...both, byStreet: true } : found;
};
