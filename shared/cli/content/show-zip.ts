import type { ReleasePart } from '../../catalog/content.ts';
import { isInForce } from '../../catalog/effective.ts';
import { formatFraction } from '../../catalog/fractions.ts';
import { combinedRate } from '../../catalog/location/combined-rate.ts';
import { ownCodesAt, withOwnRates } from '../../catalog/own-rules.ts';
import { rateOn } from '../../catalog/rates.ts';
import type { Location, Release, Streets } from '../../catalog/release.ts';
import { rangeCount } from '../../catalog/streets/street-ranges.ts';
import { type Zone, zipRangesOf, zipText } from '../../importers/releases/zip-pieces.ts';

/** The rate of a set of jurisdictions on a day; `null` if it is not known or the location is not in force. */
const shownAlternative = (release: Release, codes: readonly string[], date: string, inForce: boolean) => {
  const units = inForce ? combinedRate(release, codes, date) : undefined;
  const names = new Map(release.jurisdictions.map(({ code, name }) => [code, name]));
  return {
    rate: units === undefined ? null : formatFraction(units),
    jurisdictions: codes.map((code) => ({
      code,
      name: names.get(code) ?? code,
      rate: (inForce ? rateOn(release, code, date)?.rate : undefined) ?? null,
    })),
  };
};

const shownLocation = (release: Release, location: Location, zones: readonly Zone[], date: string) => {
  const inForce = isInForce(location, date, release.established_from);
  return {
    /** Nine-digit ZIPs, inclusive, within the ZIP. */
    zips: zones.map((zone) => [zipText(zone.low), zipText(zone.high)] as const),
    from: location.from,
    to: location.to,
    in_force: inForce,
    /** Only addresses of this city; `null` is all addresses. */
    within_city: location.within_city ?? null,
    /** Whether a city that is known by its name only has priority. */
    yields_to_city: location.yields_to_city ?? false,
    /** Whether borders cross the ZIPs, so that there may be other taxes. */
    crosses_borders: location.crosses_borders ?? false,
    /** Whether the alternatives belong to some street addresses, so that an address without one of them may have them. */
    of_streets: location.of_streets ?? false,
    alternatives: location.alternatives.map((codes) =>
      shownAlternative(release, [release.state, ...codes], date, inForce),
    ),
  };
};

/** How many ranges of street addresses a ZIP has. */
const rangesOf = ({ names }: Streets): number => Object.values(names).reduce((sum, text) => sum + rangeCount(text), 0);

/** A release's locations in one ZIP or ZIP+4 (digits only), with the rates of a day as fractions; the latest come first. */
export const showZip = (head: Release, part: ReleasePart | undefined, zip: string, date: string) => {
  const release = withOwnRates({
    ...head,
    jurisdictions: [...head.jurisdictions, ...(part?.jurisdictions ?? [])],
    rates: [...head.rates, ...(part?.rates ?? [])],
    locations: part?.locations ?? [],
  });
  const [low, high] = [Number(zip.padEnd(9, '0')), Number(zip.padEnd(9, '9'))];
  const locations = release.locations
    .toSorted((a, b) => (b.from ?? '').localeCompare(a.from ?? ''))
    .flatMap((location) => {
      const zones = zipRangesOf(zip.slice(0, 5), location).filter((zone) => zone.low <= high && low <= zone.high);
      return zones.length === 0 ? [] : [shownLocation(release, location, zones, date)];
    });
  // Own jurisdictions are added to every set of an address.
  const own = shownAlternative(release, ownCodesAt(release, zip.slice(0, 5), date), date, true).jurisdictions;
  return { zip, date, own, locations, street_ranges: part?.streets ? rangesOf(part.streets) : 0 };
};

export type ShownZip = ReturnType<typeof showZip>;
export type ShownLocation = ShownZip['locations'][number];
