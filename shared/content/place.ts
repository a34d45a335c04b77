import { decimal, rescale } from '../money/decimal.ts';
import type { TaxAddress } from './address.ts';
import { inForce } from './effective.ts';
import { type Coverage, type Jurisdiction, type Location, type Release, rateDecimals } from './release.ts';

/** How precisely an address was read: `address_resolution` of the API (interface decisions 2). */
export type Resolution = {
  readonly level: 'zip9' | 'zip5' | 'city' | 'state' | 'none';
  /** The address may lie in more than one set of jurisdictions. */
  readonly ambiguous: boolean;
  readonly coverage: Coverage;
};

/** A place that taxes: the jurisdictions that an address has, state first, and the release that says so. */
export type TaxingPlace = {
  /** `US-MI`; for a place that no release covers, the country or territory. */
  readonly code: string;
  readonly name: string;
  readonly release: Release | null;
  readonly jurisdictions: readonly Jurisdiction[];
};

/** Where an address is for tax. Sourcing is for the caller to decide: it takes two addresses. */
export type Located = { readonly place: TaxingPlace; readonly resolution: Resolution };

/** Finds the release in force for a state by its two letters; `undefined` where there is none. */
export type ReleaseFor = (state: string) => Release | undefined;

const lowerBound = (digits: string) => digits.padEnd(9, '0');
const upperBound = (digits: string) => digits.padEnd(9, '9');

/** How many nine-digit ZIPs the narrowest range of a location that holds the address has, or `undefined`. */
const widthAt = ({ zips }: Location, { zip5, plus4 }: TaxAddress): number | undefined => {
  if (zip5 === null) return undefined;
  const low = lowerBound(zip5 + (plus4 ?? ''));
  const high = upperBound(zip5 + (plus4 ?? ''));
  const widths = zips
    .map(([from, to]) => [lowerBound(from), upperBound(to)] as const)
    .filter(([from, to]) => from <= low && high <= to)
    .map(([from, to]) => Number(to) - Number(from));
  return widths.length > 0 ? Math.min(...widths) : undefined;
};

/** The location of an address: the narrowest ZIP range that holds it, else its city, else none (content notes 1.6). */
const locationOf = (release: Release, address: TaxAddress, day: string): Location | undefined => {
  const locations = inForce(release.locations, day, release.established_from);
  const byZip = locations
    .map((location) => ({ location, width: widthAt(location, address) }))
    .filter((found): found is { location: Location; width: number } => found.width !== undefined)
    .toSorted((one, other) => one.width - other.width)[0];
  if (byZip) return byZip.location;
  const { city } = address;
  return city === null ? undefined : locations.find(({ cities }) => cities.includes(city));
};

const combinedRate = (release: Release, codes: readonly string[], day: string): bigint =>
  codes.reduce((sum, code) => {
    const rates = release.rates.filter(({ jurisdiction }) => jurisdiction === code);
    const rate = inForce(rates, day, release.established_from)[0];
    return sum + (rate ? rescale(decimal(rate.rate), rateDecimals) : 0n);
  }, 0n);

/** Of several sets of jurisdictions the one with the lowest combined rate, as SSUTA section 305 has it, or the highest. */
const choose = (release: Release, { alternatives }: Location, day: string, highest: boolean): readonly string[] =>
  alternatives
    .map((codes) => ({ codes, rate: combinedRate(release, codes, day) }))
    .reduce((best, other) => ((highest ? other.rate > best.rate : other.rate < best.rate) ? other : best)).codes;

const levelOf = ({ zip5, plus4, city, isZipKnown }: TaxAddress): Resolution['level'] => {
  if (zip5 !== null && isZipKnown) return plus4 === null ? 'zip5' : 'zip9';
  return city === null ? 'state' : 'city';
};

const uncovered = (code: string): Located => ({
  place: { code, name: code, release: null, jurisdictions: [] },
  resolution: { level: 'none', ambiguous: false, coverage: 'none' },
});

/**
 * Find the jurisdictions of an address on a tax day.
 *
 * Where a ZIP spans jurisdictions, `highest` says which of them are meant. A place without a release is `none`.
 */
export const locate = (address: TaxAddress, releaseFor: ReleaseFor, day: string, highest: boolean): Located => {
  if (address.state === null) return uncovered(address.country);
  const release = releaseFor(address.state);
  if (!release) return uncovered(`US-${address.state}`);
  const location = locationOf(release, address, day);
  const local = location ? choose(release, location, day, highest) : [];
  const [state, ...others] = release.jurisdictions;
  // Without a ZIP, only a city that the release names says which local taxes there are.
  const isGuess = !location && release.locations.length > 0 && (address.zip5 === null || !address.isZipKnown);
  return {
    place: {
      code: release.state,
      name: release.name,
      release,
      jurisdictions: [state, ...others.filter(({ code }) => local.includes(code))],
    },
    resolution: {
      level: levelOf(address),
      ambiguous: address.isStateGuessed || (location?.alternatives.length ?? 1) > 1,
      coverage: isGuess ? 'partial' : release.coverage,
    },
  };
};
