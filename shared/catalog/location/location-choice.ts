import { countsFrom, isInForce } from '../effective.ts';
import type { Release } from '../release.ts';
import type { TaxAddress } from './address.ts';
import { combinedRate } from './combined-rate.ts';
import { addContradictingCity, hasLocals, type LocalChoice, pickLocals, untaxedZip } from './local-choice.ts';
import { type Area, locationIndex, type Span } from './location-index.ts';
import { chooseByStreet } from './street-choice.ts';
import { chooseByZip, type ZipLookup } from './zip-choice.ts';

/** Whether a ZIP without a location has no local tax: the release is complete and lists all places with local taxes. */
const isRestUntaxed = ({ coverage }: Release): boolean => coverage === 'complete';

/** Whether the release lists the ZIPs of all of a city's local taxes, so that other ZIPs have none. */
const hasAllZips = (release: Release, { possible }: LocalChoice): boolean => {
  const { codesWithZips } = locationIndex(release);
  return isRestUntaxed(release) && possible.every(({ codes }) => codes.every((code) => codesWithZips.has(code)));
};

// On a day before an import's undated locations are established, the release below answers, which may have the rates of it.
const countsFromIn = (release: Release): string =>
  release.fallback === undefined ? countsFrom(release) : release.established_from;

const spansNear = (release: Release, zip5: string, day: string): readonly Span[] => {
  const [first, since] = [Number(zip5) * 10_000, countsFromIn(release)];
  return locationIndex(release).spans.filter(
    ({ low, high, area }) => low <= first + 9999 && first <= high && isInForce(area, day, since),
  );
};

/** Whether two choices have no set in common. */
const areDisjoint = (a: LocalChoice, b: LocalChoice): boolean =>
  a.possible.every(({ key }) => b.possible.every((set) => set.key !== key));

/** Whether two choices have no rate in common: a shop's table names one tax by several places. */
const haveOtherRates = (release: Release, day: string, a: LocalChoice, b: LocalChoice): boolean => {
  const ratesOf = ({ possible }: LocalChoice) =>
    new Set(possible.map(({ codes }) => combinedRate(release, codes, day)));
  return ratesOf(a).isDisjointFrom(ratesOf(b));
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

/** The choice by ZIP if the rows of street addresses do not have the address; if no other row has it, they are all there is. */
const outsideStreets = (near: readonly Span[], zip: ZipLookup, isUntaxed: boolean): LocalChoice | undefined => {
  const others = near.filter(({ area }) => !area.of_streets);
  return chooseByZip(others, zip, isUntaxed) ?? chooseByZip(near, zip, isUntaxed);
};

/**
 * Find the local jurisdictions of an address on a tax day: by its street, else by the narrowest range with its ZIP+4, else
 * by its ZIP, else by its city. `undefined` if no location names it.
 *
 * A ZIP without its four digits may have the jurisdictions of every range in it. If the ZIP has no local taxes, and the
 * city (known only by its name) has some, the city's apply: a shop's table gives cities rates that its ZIPs lack. If the
 * release lists all ZIPs of those taxes, the ZIP decides instead, and the address is ambiguous when it has none of the
 * city's sets. The same holds for a table that names a city together with ZIPs, and the address has another ZIP.
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
  const found = chooseZip(near, zip, isRestUntaxed(release));
  const isDecided = named !== undefined && hasAllZips(release, named);
  if (!found && isDecided && isZipKnown)
    return hasLocals(named) ? addContradictingCity(untaxedZip(plus4 === null ? 'zip5' : 'zip9'), named) : undefined;
  if (!found) return named;
  if (isDecided && areDisjoint(found, named)) return addContradictingCity(found, named);
  if (named?.isByName && !isDecided && (found.yieldsToCity || (hasLocals(named) && !hasLocals(found)))) return named;
  const isNamedThere = near.some(({ area }) => area.within_city === city);
  if (withinZips && !isNamedThere && haveOtherRates(release, day, found, withinZips))
    return addContradictingCity(found, withinZips);
  return { ...found, lacksCity: found.yieldsToCity && city === null };
};
