import { addAlternatives, type LocalChoice, pickLocals, withUntaxed } from './local-choice.ts';
import type { Area, Span } from './location-index.ts';

/** A ZIP to look up: its first nine-digit number, and the rest of the address. */
export type ZipLookup = { readonly first: number; readonly plus4: string | null; readonly city: string | null };

/** The areas of the narrowest spans that contain a whole range; several if they are equally narrow. */
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

/** Whether spans together cover a range. */
const fill = (spans: readonly Span[], low: number, high: number): boolean => {
  let next = low;
  for (const span of spans.toSorted((a, b) => a.low - b.low)) {
    if (span.low > next) return false;
    next = Math.max(next, span.high + 1);
  }
  return next > high;
};

/** The choice among spans. The rest of the ZIP has no local tax (`isRestUntaxed`) or is unknown. */
const byRanges = (spans: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const { first, plus4 } = zip;
  const last = first + 9999;
  const partial = spans.filter(({ low, high }) => low > first || high < last);
  const hasRanges = partial.length > 0;
  if (plus4 !== null) {
    const point = first + Number(plus4);
    return pickLocals('zip9', narrowest(spans, point, point), { hasRanges });
  }
  const parts = partial.map(({ area }) => area);
  const whole = narrowest(spans, first, last);
  if (whole.length > 0) return pickLocals('zip5', [...whole, ...parts], { hasRanges, usual: whole });
  const found = pickLocals('zip5', parts, { hasRanges });
  if (!found || fill(partial, first, last)) return found;
  return isRestUntaxed ? withUntaxed(found) : { ...found, isPart: true };
};

/** Add the sets of the cities in the ZIP as possible. */
const besideCities = (
  meant: LocalChoice,
  spans: readonly Span[],
  zip: ZipLookup,
  isRestUntaxed: boolean,
): LocalChoice => {
  const others = byRanges(spans, zip, isRestUntaxed);
  if (!others) return meant;
  const otherCities = [...new Set(spans.flatMap(({ area }) => area.within_city ?? []))];
  return { ...addAlternatives(meant, others), otherCities };
};

/** The choice among spans that are not of street addresses. */
const besideStreets = (near: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const ofCities = near.filter(({ area }) => area.within_city !== undefined);
  if (ofCities.length === 0) return byRanges(near, zip, isRestUntaxed);
  const own = ofCities.filter(({ area }) => area.within_city === zip.city);
  const found = byRanges(own, zip, isRestUntaxed);
  const ofZip = ofCities.filter(({ area }) => !area.yields_to_city);
  if (found)
    return own.some(({ area }) => !area.yields_to_city) ? found : besideCities(found, ofZip, zip, isRestUntaxed);
  const others = near.filter(({ area }) => area.within_city === undefined);
  const usual = byRanges(others, zip, isRestUntaxed);
  // An unknown name may be another spelling of a city of this ZIP, but not of a city that is known only by its name.
  if (usual) return besideCities(usual, zip.city === null ? ofCities : ofZip, zip, isRestUntaxed);
  if (zip.city !== null) return undefined;
  // Cities in the ZIP's own rows take precedence over cities that are known only by their names.
  const meant = byRanges(ofZip, zip, isRestUntaxed) ?? byRanges(ofCities, zip, isRestUntaxed);
  return meant && { ...besideCities(meant, ofCities, zip, isRestUntaxed), isPart: true };
};

/**
 * Find the local jurisdictions of a ZIP among the spans in force that touch it. Spans of the address's city take
 * precedence, then the narrowest range with its ZIP+4, then the whole ZIP. Sets of street addresses are possible even
 * with a ZIP+4; without any other span they are the only ones.
 *
 * `undefined` if no span contains the address, as for a ZIP+4 in a gap between spans. If there are gaps, a ZIP without its
 * four digits is `isPart`, because it may lie in one.
 */
export const chooseByZip = (near: readonly Span[], zip: ZipLookup, isRestUntaxed: boolean): LocalChoice | undefined => {
  const ofStreets = near.filter(({ area }) => area.of_streets);
  if (ofStreets.length === 0) return besideStreets(near, zip, isRestUntaxed);
  const others = near.filter(({ area }) => !area.of_streets);
  const found = besideStreets(others, zip, isRestUntaxed);
  const streets = pickLocals(
    'zip5',
    ofStreets.map(({ area }) => area),
  );
  if (!found || !streets) return streets && { ...streets, isPart: others.length > 0, byStreet: true };
  const both = addAlternatives(found, streets);
  return both.possible.length > found.possible.length ? { ...both, byStreet: true } : found;
};
