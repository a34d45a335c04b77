import type { ReleaseFor } from '../content.ts';
import { countsFrom, isInForce } from '../effective.ts';
import { combinedRate } from '../rates.ts';
import type { Release } from '../release.ts';
import { readStreetAddress } from '../streets/street-address.ts';
import { matchStreet } from '../streets/street-ranges.ts';
import { addressesByState, type TaxAddress } from './address.ts';
import {
  type Area,
  addAlternatives,
  addContradictingCity,
  hasLocals,
  type LocalChoice,
  locationIndex,
  newLocalSet,
  noLocals,
  pickLocals,
  plainChoice,
  type Span,
} from './local-choice.ts';

/** `outside`: the street rows of the ZIP do not apply, because they do not contain the address. */
type StreetChoice = LocalChoice | 'outside' | 'unknown';

/** Finds the local jurisdictions of an address by its street, among the spans in force in its ZIP. */
export const chooseByStreet = (
  { streets, established_from }: Release,
  near: readonly Span[],
  { line1 }: TaxAddress,
  day: string,
): StreetChoice => {
  const address = streets && line1 !== undefined ? readStreetAddress(line1) : null;
  if (!streets || !address) return 'unknown';
  const match = matchStreet(streets, address, day, established_from);
  if (match.kind !== 'found') return match.kind;
  const { key } = newLocalSet(match.codes);
  const areas = near.flatMap(({ area }) => {
    const set = area.of_streets ? area.sets.find((one) => one.key === key) : undefined;
    return set ? [{ ...area, sets: [set] }] : [];
  });
  return pickLocals('street', areas) ?? 'unknown';
};

const hasStreets = (release: Release | undefined): boolean =>
  release !== undefined && (release.streets !== undefined || hasStreets(release.fallback));

/** Removes the street from the address if the content has no streets in its ZIP, so addresses in one ZIP are equal. */
export const withRelevantStreet = (address: TaxAddress, releaseFor: ReleaseFor): TaxAddress => {
  const { line1, ...others } = address;
  const isRelevant = line1 === undefined || addressesByState(address).some((one) => hasStreets(releaseFor(one)));
  return isRelevant ? address : others;
};

/** A ZIP to look up: its lowest nine-digit number, and the ZIP+4 digits and city of the address. */
type ZipLookup = { readonly first: number; readonly plus4: string | null; readonly city: string | null };

/** Returns the areas of the narrowest spans that contain a whole range; several if they are equally narrow. */
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

/** Returns whether the spans together cover a range. */
const fill = (spans: readonly Span[], low: number, high: number): boolean => {
  let next = low;
  for (const span of spans.toSorted((a, b) => a.low - b.low)) {
    if (span.low > next) return false;
    next = Math.max(next, span.high + 1);
  }
  return next > high;
};

/** Returns the choice among spans. If they do not cover the ZIP, the taxes of its other addresses are unknown. */
const byRanges = (spans: readonly Span[], zip: ZipLookup): LocalChoice | undefined => {
  const { first, plus4 } = zip;
  const last = first + 9999;
  const isPartial = ({ low, high }: Span) => low > first || high < last;
  const hasRanges = spans.some(isPartial);
  if (plus4 !== null) {
    const point = first + Number(plus4);
    return pickLocals('zip9', narrowest(spans, point, point), { hasRanges });
  }
  const partial = spans.filter(isPartial);
  const parts = partial.map(({ area }) => area);
  const whole = narrowest(spans, first, last);
  if (whole.length > 0) return pickLocals('zip5', [...whole, ...parts], { hasRanges, usual: whole });
  const found = pickLocals('zip5', parts, { hasRanges });
  return !found || fill(partial, first, last) ? found : { ...found, isPart: true };
};

/** Adds the sets of the other cities in the ZIP as possible. */
const besideCities = (meant: LocalChoice, spans: readonly Span[], zip: ZipLookup): LocalChoice => {
  const others = byRanges(spans, zip);
  if (!others) return meant;
  const otherCities = [...new Set(spans.flatMap(({ area }) => area.within_city ?? []))];
  return { ...addAlternatives(meant, others), otherCities };
};

/** Returns the choice among spans that are not limited to street addresses. */
const besideStreets = (near: readonly Span[], zip: ZipLookup): LocalChoice | undefined => {
  const ofCities = near.filter(({ area }) => area.within_city !== undefined);
  if (ofCities.length === 0) return byRanges(near, zip);
  const own = ofCities.filter(({ area }) => area.within_city === zip.city);
  const found = byRanges(own, zip);
  const ofZip = ofCities.filter(({ area }) => !area.yields_to_city);
  if (found) return own.some(({ area }) => !area.yields_to_city) ? found : besideCities(found, ofZip, zip);
  const others = near.filter(({ area }) => area.within_city === undefined);
  const usual = byRanges(others, zip);
  // An unknown name may be a different spelling of a city in this ZIP, but not of a city that is known only by name.
  if (usual) return besideCities(usual, zip.city === null ? ofCities : ofZip, zip);
  if (zip.city !== null) return undefined;
  // Cities in the ZIP's rows take precedence over cities that are known only by name.
  const meant = byRanges(ofZip, zip) ?? byRanges(ofCities, zip);
  return meant && { ...besideCities(meant, ofCities, zip), isPart: true };
};

/**
 * Finds the local jurisdictions of a ZIP among the spans in force that touch it. Spans of the address's city take
 * precedence, then the narrowest range with its ZIP+4, then the whole ZIP. Sets for street addresses are possible even
 * with a ZIP+4. If there are no other spans, they are the only sets.
 *
 * `undefined` if no span contains the address, for example for a ZIP+4 in a gap between spans. If there are gaps, a
 * five-digit ZIP is `isPart`, because the address may be in a gap.
 */
const chooseByZip = (near: readonly Span[], zip: ZipLookup): LocalChoice | undefined => {
  const ofStreets = near.filter(({ area }) => area.of_streets);
  if (ofStreets.length === 0) return besideStreets(near, zip);
  const others = near.filter(({ area }) => !area.of_streets);
  const found = besideStreets(others, zip);
  const streets = pickLocals(
    'zip5',
    ofStreets.map(({ area }) => area),
  );
  if (!found || !streets) return streets && { ...streets, isPart: others.length > 0, byStreet: true };
  const both = addAlternatives(found, streets);
  return both.possible.length > found.possible.length ? { ...both, byStreet: true } : found;
};

/** Returns whether a complete release lists all ZIPs of a city's local taxes, so other ZIPs have none. */
const hasAllZips = (release: Release, { possible }: LocalChoice): boolean => {
  const { codesWithZips } = locationIndex(release);
  return (
    release.coverage === 'complete' && possible.every(({ codes }) => codes.every((code) => codesWithZips.has(code)))
  );
};

// On a day before an import's undated locations are established, the fallback release applies, because it may have the
// rates.
const countsFromIn = (release: Release): string =>
  release.fallback === undefined ? countsFrom(release) : release.established_from;

const spansNear = (release: Release, zip5: string, day: string): readonly Span[] => {
  const [first, since] = [Number(zip5) * 10_000, countsFromIn(release)];
  return locationIndex(release).spans.filter(
    ({ low, high, area }) => low <= first + 9999 && first <= high && isInForce(area, day, since),
  );
};

/** Returns whether two choices have no set in common. */
const areDisjoint = (a: LocalChoice, b: LocalChoice): boolean =>
  a.possible.every(({ key }) => b.possible.every((set) => set.key !== key));

/**
 * Returns whether two choices have no rate in common. Compares rates, because a shop's table lists one tax under
 * several places.
 */
const haveOtherRates = (release: Release, day: string, a: LocalChoice, b: LocalChoice): boolean => {
  const listRates = ({ possible }: LocalChoice) =>
    new Set(possible.map(({ codes }) => combinedRate(release, codes, day)));
  return listRates(a).isDisjointFrom(listRates(b));
};

type Named = {
  /** The city's choice for any ZIP. */
  readonly named: LocalChoice | undefined;
  /** The city's choice for listed ZIPs only. */
  readonly withinZips: LocalChoice | undefined;
};

const byCity = (release: Release, city: string | null, day: string): Named => {
  const areas = city === null ? [] : (locationIndex(release).byCity.get(city) ?? []);
  const [within, wherever] = [[], []] as [Area[], Area[]];
  for (const area of areas)
    if (isInForce(area, day, countsFromIn(release)))
      (area.zips.length === 0 && area.within_city !== undefined ? within : wherever).push(area);
  const usual = wherever.filter(({ of_addresses }) => !of_addresses);
  return { named: pickLocals('city', wherever, { usual }), withinZips: pickLocals('city', within) };
};

/**
 * Returns the choice by ZIP if the street rows do not contain the address. If the ZIP has no other rows, the street
 * rows apply.
 */
const outsideStreets = (near: readonly Span[], zip: ZipLookup): LocalChoice | undefined => {
  const others = near.filter(({ area }) => !area.of_streets);
  return chooseByZip(others, zip) ?? chooseByZip(near, zip);
};

/**
 * Finds the local jurisdictions of an address on a tax day by its street, else by the narrowest range with its ZIP+4,
 * else by its ZIP, else by its city. `undefined` if no location contains it.
 *
 * For a five-digit ZIP, the jurisdictions of every range in it are possible. If the ZIP has no local taxes and the city
 * (known only by name) does, the city's taxes apply: a shop's table may list rates for cities but not for their ZIPs.
 * If the release lists all ZIPs of those taxes, the ZIP decides instead, and the address is ambiguous if the ZIP has
 * none of the city's sets. The same applies if a table lists the city with certain ZIPs and the address has a different
 * ZIP.
 */
export const chooseLocals = (release: Release, address: TaxAddress, day: string): LocalChoice | undefined => {
  if (release.locations.length === 0) return undefined;
  const { zip5, plus4, city, isZipKnown } = address;
  const { named, withinZips } = byCity(release, city, day);
  if (zip5 === null) return named;
  const zip = { first: Number(zip5) * 10_000, plus4, city };
  const near = spansNear(release, zip5, day);
  const street = chooseByStreet(release, near, address, day);
  if (typeof street === 'object') return street;
  const chooseZip = street === 'outside' ? outsideStreets : chooseByZip;
  const found = chooseZip(near, zip);
  const isDecided = named !== undefined && hasAllZips(release, named);
  if (!found && isDecided && isZipKnown)
    return hasLocals(named)
      ? addContradictingCity(plainChoice(plus4 === null ? 'zip5' : 'zip9', noLocals), named)
      : undefined;
  if (!found) return named;
  if (isDecided && areDisjoint(found, named)) return addContradictingCity(found, named);
  if (named?.isByName && !isDecided && (found.yieldsToCity || (hasLocals(named) && !hasLocals(found)))) return named;
  const isNamedThere = () => near.some(({ area }) => area.within_city === city);
  if (withinZips && !isNamedThere() && haveOtherRates(release, day, found, withinZips))
    return addContradictingCity(found, withinZips);
  return found.yieldsToCity && city === null ? { ...found, lacksCity: true } : found;
};
