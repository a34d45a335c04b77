import { isInForce } from '../effective.ts';
import type { Release } from '../release.ts';
import type { TaxAddress } from './address.ts';
import { againstCity, choiceOf, hasLocals, type LocalChoice } from './local-choice.ts';
import { type Area, locationIndex, type Span } from './location-index.ts';
import { chooseByZip } from './zip-choice.ts';

/** Whether a ZIP that no location names has no local tax: the release has all of the state, and lists where it has some. */
const isRestUntaxed = ({ coverage, locals }: Release): boolean => coverage === 'complete' && locals !== 'listed';

/** Whether the release's ZIPs say where all of a city's local taxes are: one that is not among them has none. */
const hasAllZipsOf = (release: Release, { possible }: LocalChoice): boolean => {
  const { codesWithZips } = locationIndex(release);
  return isRestUntaxed(release) && possible.every(({ codes }) => codes.every((code) => codesWithZips.has(code)));
};

const spansNear = (release: Release, zip5: string, day: string): readonly Span[] => {
  const first = Number(zip5) * 10_000;
  return locationIndex(release).spans.filter(
    ({ low, high, area }) => low <= first + 9999 && first <= high && isInForce(area, day, release.established_from),
  );
};

/**
 * Find the local jurisdictions of an address on a tax day: by its ZIP+4, where the narrowest range that holds it decides;
 * else by its ZIP, else by its city (content notes 1.6). `undefined`: no location names it.
 *
 * A ZIP without its four digits may have the jurisdictions of every range in it. Where the ZIP has no local taxes, and
 * the city, known by its name alone, has some, those are meant: a shop's table gives cities rates that its ZIPs lack.
 * Not so where the release lists the ZIPs of those taxes, and all of the state: there the ZIP decides, named or not, and
 * the address is ambiguous if it is none of the city's.
 */
export const chooseLocals = (release: Release, address: TaxAddress, day: string): LocalChoice | undefined => {
  const { zip5, plus4, city, isZipKnown } = address;
  const holds = (area: Area) => isInForce(area, day, release.established_from);
  const named =
    city === null ? undefined : choiceOf('city', (locationIndex(release).byCity.get(city) ?? []).filter(holds));
  if (zip5 === null) return named;
  const zip = { first: Number(zip5) * 10_000, plus4, city };
  const found = chooseByZip(spansNear(release, zip5, day), zip, isRestUntaxed(release));
  const isDecided = named !== undefined && hasAllZipsOf(release, named);
  if (!found && isDecided && isZipKnown)
    return hasLocals(named) ? againstCity(plus4 === null ? 'zip5' : 'zip9', named) : undefined;
  if (!found) return named;
  if (named?.isByName && !isDecided && (found.yieldsToCity || (hasLocals(named) && !hasLocals(found)))) return named;
  return { ...found, lacksCity: found.yieldsToCity && city === null };
};

/** Whether the content names other parts of an address's ZIP than the one that the address lies in. */
export const isInGap = (release: Release, { zip5 }: TaxAddress, day: string): boolean =>
  zip5 !== null && spansNear(release, zip5, day).length > 0;
