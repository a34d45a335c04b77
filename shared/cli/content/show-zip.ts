import type { ReleasePart } from '../../content/content.ts';
import { isInForce } from '../../content/effective.ts';
import { combinedRate } from '../../content/location/combined-rate.ts';
import { rateOn } from '../../content/rates.ts';
import type { Release } from '../../content/release.ts';
import { fractionOf } from './texts.ts';
import { zipText, zonesOf } from './zip-pieces.ts';

export type ShownLocation = {
  /** Nine-digit ZIPs, inclusive, within the ZIP. */
  readonly zips: readonly (readonly [low: string, high: string])[];
  readonly from: string | null;
  readonly to: string | null;
  readonly in_force: boolean;
  /** Of the ZIPs only the addresses of this city; `null` is all of them. */
  readonly within_city: string | null;
  /** Whether a city that is known by its name alone comes before it. */
  readonly yields_to_city: boolean;
  /** Whether borders cross the ZIPs, so that there may be other taxes too. */
  readonly crosses_borders: boolean;
  /** Whether the alternatives are those of some street addresses, and any address may have them. */
  readonly of_streets: boolean;
  /** Rates are fractions on the day asked for; `null` is not known, or that the location is not in force that day. */
  readonly alternatives: readonly {
    readonly rate: string | null;
    readonly jurisdictions: readonly { readonly code: string; readonly name: string; readonly rate: string | null }[];
  }[];
};
export type ShownZip = { readonly zip: string; readonly date: string; readonly locations: readonly ShownLocation[] };

/** What a release says of one ZIP or ZIP+4 (digits alone), with the rates of a day; the latest locations come first. */
export const showZip = (head: Release, part: ReleasePart | undefined, zip: string, date: string): ShownZip => {
  const release: Release = {
    ...head,
    rates: [...head.rates, ...(part?.rates ?? [])],
    locations: part?.locations ?? [],
  };
  const names = new Map([...head.jurisdictions, ...(part?.jurisdictions ?? [])].map(({ code, name }) => [code, name]));
  const rateOf = (code: string): string | null => rateOn(release, code, date)?.rate ?? null;
  const [low, high] = [Number(zip.padEnd(9, '0')), Number(zip.padEnd(9, '9'))];
  const alternative = (codes: readonly string[], holds: boolean) => {
    const all = [head.state, ...codes];
    const units = holds ? combinedRate(release, all, date) : undefined;
    return {
      rate: units === undefined ? null : fractionOf(units),
      jurisdictions: all.map((code) => ({ code, name: names.get(code) ?? code, rate: holds ? rateOf(code) : null })),
    };
  };
  const locations = release.locations
    .map((location) => ({
      location,
      zones: zonesOf(zip.slice(0, 5), location).filter((zone) => zone.low <= high && low <= zone.high),
    }))
    .filter(({ zones }) => zones.length > 0)
    .toSorted(({ location: a }, { location: b }) => (b.from ?? '').localeCompare(a.from ?? ''));
  return {
    zip,
    date,
    locations: locations.map(({ location, zones }) => {
      const holds = isInForce(location, date, head.established_from);
      return {
        zips: zones.map((zone) => [zipText(zone.low), zipText(zone.high)] as const),
        from: location.from,
        to: location.to,
        in_force: holds,
        within_city: location.within_city ?? null,
        yields_to_city: location.yields_to_city ?? false,
        crosses_borders: location.crosses_borders ?? false,
        of_streets: location.of_streets ?? false,
        // A location that is not in force shows no rates, even if some of its jurisdictions have rates that day.
        alternatives: location.alternatives.map((codes) => alternative(codes, holds)),
      };
    }),
  };
};
